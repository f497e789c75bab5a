"""AIME of 2024 and 2025."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document, problem


@per_document
def aime24(doc: Doc) -> Iterator[Doc]:
    """Columns begin with a capital."""
    yield problem(doc, doc["Problem"], doc["Answer"])


@per_document
def aime25(doc: Doc) -> Iterator[Doc]:
    """Columns do not."""
    yield problem(doc, doc["problem"], doc["answer"])
