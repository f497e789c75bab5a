"""GPQA."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document, shuffled_choice


@per_document
def gpqa(doc: Doc) -> Iterator[Doc]:
    """Four options, shuffled: in the dataset the right one has a column of its own."""
    options = [doc["Correct Answer"], *(doc[f"Incorrect Answer {number}"] for number in (1, 2, 3))]
    yield shuffled_choice(doc, doc["Question"], options, 0)
