"""Details of lighteval (`details_TASK_DATE.parquet`), as 0.5 to 0.9 and as 0.10 and later write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.io.answers import (
    NotGeneratedError,
    Origin,
    Reading,
    answer_row,
    last_user_message,
    listed,
    number,
    texts,
)
from lm_eval_bertjudge.io.find import stem
from lm_eval_bertjudge.io.rows import Row, read_rows

_NAME = re.compile(r"details_(?P<task>.+?)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.-]+)")


def matches(first: Row, file: Path) -> bool:
    """Whether a file has details of lighteval."""
    is_old = {"full_prompt", "predictions", "gold"} <= first.keys()
    return is_old or {"doc", "model_response", "metric"} <= first.keys()


def rows(file: Path, reading: Reading) -> Iterator[Row]:
    """The answers in a file, one per document and sample.

    Raises:
        NotGeneratedError: The answers are likelihoods.
    """
    match = _NAME.fullmatch(stem(file))
    # .../details/MODEL/DATE/details_TASK_DATE.parquet
    origin = Origin(
        task=(match["task"] if match else stem(file)).split("|")[1 if "|" in stem(file) else 0],
        generator=reading.generator or file.resolve().parent.parent.name,
        run=match["date"] if match else "",
    )
    for n, row in enumerate(read_rows(file)):
        question, golds, answers, metrics = _new(row) if "doc" in row else _old(row)
        if not answers:
            raise NotGeneratedError(file)
        scores = {f"{name},none": number(value) for name, value in (metrics or {}).items()}
        for repeat, candidate in enumerate(answers):
            yield answer_row(
                origin, n, candidate, question=question, references=golds,
                old={name: value for name, value in scores.items() if value is not None},
                repeat=repeat if len(answers) > 1 else None,
            )  # fmt: skip


def _new(row: Row) -> tuple[str, list[str], list[str], Mapping[str, Any]]:
    doc, response = row["doc"], row["model_response"]
    places = doc["gold_index"] if isinstance(doc["gold_index"], list) else [doc["gold_index"]]
    golds = texts([doc["choices"][place] for place in places])
    likelihoods = response.get("logprobs")
    return doc["query"], golds, [] if likelihoods else texts(response["text"]), row["metric"]


def _old(row: Row) -> tuple[str, list[str], list[str], Mapping[str, Any]]:
    answers = listed(row["predictions"])
    is_generated = isinstance(answers, list) and all(isinstance(each, str) for each in answers)
    golds = texts(listed(row["gold"]))
    question = last_user_message(row.get("example") or row["full_prompt"])
    return question, golds, answers if is_generated else [], row.get("metrics") or {}
