"""`predictions/MODEL/DATASET.json` of OpenCompass (0.2 to 0.4): an object of numbered answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lm_eval_bertjudge.io.answers import (
    NotGeneratedError,
    Origin,
    Reading,
    answer_row,
    last_user_message,
    texts,
)
from lm_eval_bertjudge.io.find import stem
from lm_eval_bertjudge.io.rows import Row, read_rows


def matches(first: Row, file: Path) -> bool:
    """Whether a file holds predictions of OpenCompass."""
    answer = next(iter(first.values()), None)
    return isinstance(answer, dict) and "prediction" in answer and "origin_prompt" in answer


def rows(file: Path, reading: Reading) -> Iterator[Row]:
    """The answers in a file; where a dataset was asked several times, one per answer.

    Raises:
        NotGeneratedError: The predictions are made from perplexities.
    """
    origin = Origin(task=stem(file), generator=reading.generator or file.resolve().parent.name)
    for doc_id, answer in next(read_rows(file)).items():
        if "PPL" in str(answer.keys()):
            raise NotGeneratedError(file)
        prediction = answer["prediction"]
        several = prediction if isinstance(prediction, list) else [prediction]
        for repeat, candidate in enumerate(several):
            yield answer_row(
                origin, doc_id, candidate, question=last_user_message(answer["origin_prompt"]),
                references=texts(answer.get("gold")), repeat=repeat if len(several) > 1 else None,
            )  # fmt: skip
