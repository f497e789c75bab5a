"""Logs of Inspect (inspect_ai, log format 2): one .json file, or the .eval file, a zip of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from lm_eval_bertjudge.io.answers import (
    Origin,
    Reading,
    answer_row,
    content_text,
    last_user_message,
    number,
    texts,
)
from lm_eval_bertjudge.io.find import stem
from lm_eval_bertjudge.io.rows import Row, read_rows


def matches(first: Row, file: Path) -> bool:
    """Whether a file is a log of Inspect."""
    return "header.json" in first or isinstance(first.get("eval"), dict)


def rows(file: Path, reading: Reading) -> Iterator[Row]:
    """The answers in a log, one per sample and epoch."""
    log = next(read_rows(file))
    spec = log.get("header.json", log).get("eval") or {}
    origin = Origin(
        task=str(spec.get("task") or stem(file)),
        generator=reading.generator or str(spec.get("model") or ""),
        run=str(spec.get("created") or ""),
    )
    samples = log.get("samples") or [
        log[name] for name in sorted(log) if name.startswith("samples/")
    ]
    several = any(sample.get("epoch", 1) > 1 for sample in samples)
    for sample in samples:
        yield answer_row(
            origin, sample["id"], _candidate(sample), question=_question(sample),
            references=_references(sample), old=_scores(sample),
            repeat=sample.get("epoch", 1) - 1 if several else None,
        )  # fmt: skip


def _candidate(sample: Mapping[str, Any]) -> str:
    output = sample.get("output") or {}
    choices = output.get("choices") or [{"message": {"content": output.get("completion", "")}}]
    return content_text(choices[0]["message"])


def _question(sample: Mapping[str, Any]) -> str:
    question = last_user_message(sample["input"])
    options = texts(sample.get("choices"))
    if not options:
        return question
    lines = (f"{letter}) {text}" for letter, text in zip(ascii_uppercase, options, strict=False))
    return f"{question}\n\nChoices:\n" + "\n".join(lines)


def _references(sample: Mapping[str, Any]) -> list[str]:
    options = texts(sample.get("choices"))
    targets = texts(sample.get("target"))
    letters = dict(zip(ascii_uppercase, options, strict=False))
    return [f"{each}) {letters[each]}" if each in letters else each for each in targets]


def _scores(sample: Mapping[str, Any]) -> dict[str, float]:
    scores = {
        name: number(score.get("value")) for name, score in (sample.get("scores") or {}).items()
    }
    return {f"{name},none": value for name, value in scores.items() if value is not None}
