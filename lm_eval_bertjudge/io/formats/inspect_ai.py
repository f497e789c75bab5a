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
    numbers,
    texts,
    with_options,
)
from lm_eval_bertjudge.io.find import stem
from lm_eval_bertjudge.io.rows import Row, read_rows


def matches(first: Row, file: Path) -> bool:
    """Whether a file is a log of Inspect."""
    return "header.json" in first or isinstance(first.get("eval"), dict)


def rows(file: Path, reading: Reading) -> Iterator[Row]:
    """The answers in a log, one per sample and epoch."""
    log = next(read_rows(file))
    origin = _origin(log, file, reading)
    samples = log.get("samples") or _packed_samples(log)
    several = any(_epoch(sample) > 1 for sample in samples)
    for sample in samples:
        yield answer_row(
            origin,
            sample["id"],
            _candidate(sample),
            question=_question(sample),
            references=_references(sample),
            old=_scores(sample),
            repeat=_epoch(sample) - 1 if several else None,
        )


def _origin(log: Row, file: Path, reading: Reading) -> Origin:
    header = log.get("header.json", log)
    spec = header.get("eval") or {}
    task = spec.get("task") or stem(file)
    generator = reading.generator or spec.get("model") or ""
    run = spec.get("created") or ""
    return Origin(task=str(task), generator=str(generator), run=str(run))


def _packed_samples(log: Row) -> list[Any]:
    """The samples of an .eval file, each under the name that it has in the zip."""
    names = [name for name in log if name.startswith("samples/")]
    return [log[name] for name in sorted(names)]


def _epoch(sample: Mapping[str, Any]) -> int:
    epoch: int = sample.get("epoch", 1)
    return epoch


def _candidate(sample: Mapping[str, Any]) -> str:
    output = sample.get("output") or {}
    choices = output.get("choices") or [{"message": {"content": output.get("completion", "")}}]
    return content_text(choices[0]["message"])


def _question(sample: Mapping[str, Any]) -> str:
    question = last_user_message(sample["input"])
    return with_options(question, _options(sample).items())


def _options(sample: Mapping[str, Any]) -> dict[str, str]:
    """The options by their letters."""
    options = texts(sample.get("choices"))
    return dict(zip(ascii_uppercase, options, strict=False))


def _references(sample: Mapping[str, Any]) -> list[str]:
    options = _options(sample)
    references = []
    for target in texts(sample.get("target")):
        is_letter = target in options
        references.append(f"{target}) {options[target]}" if is_letter else target)
    return references


def _scores(sample: Mapping[str, Any]) -> dict[str, float]:
    logged = sample.get("scores") or {}
    return numbers({f"{name},none": score.get("value") for name, score in logged.items()})
