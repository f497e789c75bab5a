"""`scenario_state.json` of HELM (crfm-helm 0.2 to 0.5), with the run's name from `run_spec.json` or its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.io.answers import (
    NotGeneratedError,
    Origin,
    Reading,
    answer_row,
    with_options,
)
from lm_eval_bertjudge.io.rows import Row, read_rows


def matches(first: Row, file: Path) -> bool:
    """Whether a file is the state of a scenario."""
    return "request_states" in first and "adapter_spec" in first


def rows(file: Path, reading: Reading) -> Iterator[Row]:
    """The answers in a file, one per instance and completion.

    Raises:
        NotGeneratedError: The instances' references were ranked by likelihood.
    """
    state = next(read_rows(file))
    spec = state["adapter_spec"]
    model = str(spec.get("model") or spec.get("model_deployment") or "")
    origin = Origin(task=_task(file), generator=reading.generator or model)
    for n, each in enumerate(state["request_states"]):
        if each.get("reference_index") is not None:
            raise NotGeneratedError(file)
        yield from _answers(each, n, origin)


def _answers(state: Mapping[str, Any], n: int, origin: Origin) -> Iterator[Row]:
    instance = state["instance"]
    letters = state.get("output_mapping") or {}
    text = str(instance["input"]["text"])
    question = with_options(text, letters.items())
    references = _references(instance, letters)
    result = state.get("result") or {}
    completions = result.get("completions", [])
    for repeat, completion in enumerate(completions):
        yield answer_row(
            origin,
            _doc_id(state, n),
            completion["text"],
            question=question,
            references=references,
            repeat=repeat if len(completions) > 1 else None,
        )


def _doc_id(state: Mapping[str, Any], n: int) -> str:
    name = state["instance"].get("id", n)
    trial = state.get("train_trial_index") or 0
    return f"{name}-{trial}" if trial else str(name)


def _task(file: Path) -> str:
    spec = file.with_name("run_spec.json")
    if not spec.is_file():
        return file.resolve().parent.name
    try:
        return str(json.loads(spec.read_text(encoding="utf-8"))["name"])
    except (ValueError, KeyError, TypeError):
        return file.resolve().parent.name


def _references(instance: Mapping[str, Any], letters: Mapping[str, str]) -> list[str]:
    """The references that are tagged correct; of options with their letter."""
    by_text = {text: letter for letter, text in letters.items()}
    correct = []
    for each in instance["references"]:
        if "correct" in each["tags"]:
            text = each["output"]["text"]
            letter = by_text.get(text)
            correct.append(text if letter is None else f"{letter}) {text}")
    return correct
