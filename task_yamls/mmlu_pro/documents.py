"""MMLU-Pro."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase

from lm_eval_bertjudge.documents import Doc, choice, per_document


@per_document
def mmlu_pro(doc: Doc) -> Iterator[Doc]:
    """Up to ten options."""
    yield choice(doc, doc["question"], doc["options"], ascii_uppercase.index(doc["answer"]))
