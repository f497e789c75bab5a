"""`scenario_state.json` of HELM (crfm-helm 0.2 to 0.5), with the run's name from `run_spec.json` or its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.io.answers import NotGeneratedError, Origin, Reading, answer_row
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
        instance, letters = each["instance"], each.get("output_mapping") or {}
        completions = [done["text"] for done in (each.get("result") or {}).get("completions", [])]
        trial = each.get("train_trial_index") or 0
        doc_id = f"{instance.get('id', n)}" + (f"-{trial}" if trial else "")
        for repeat, completion in enumerate(completions):
            yield answer_row(
                origin, doc_id, completion, question=_question(instance, letters),
                references=_references(instance, letters),
                repeat=repeat if len(completions) > 1 else None,
            )  # fmt: skip


def _task(file: Path) -> str:
    spec = file.with_name("run_spec.json")
    if not spec.is_file():
        return file.resolve().parent.name
    try:
        return str(json.loads(spec.read_text(encoding="utf-8"))["name"])
    except (ValueError, KeyError, TypeError):
        return file.resolve().parent.name


def _question(instance: Mapping[str, Any], letters: Mapping[str, str]) -> str:
    lines = "".join(f"\n{letter}) {text}" for letter, text in letters.items())
    return str(instance["input"]["text"]) + (f"\n\nChoices:{lines}" if lines else "")


def _references(instance: Mapping[str, Any], letters: Mapping[str, str]) -> list[str]:
    """The references that are tagged correct; of options with their letter."""
    correct = [
        each["output"]["text"] for each in instance["references"] if "correct" in each["tags"]
    ]
    by_text = {text: letter for letter, text in letters.items()}
    return [f"{by_text[text]}) {text}" if text in by_text else text for text in correct]
