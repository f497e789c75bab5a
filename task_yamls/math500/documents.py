"""MATH-500."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document, problem


@per_document
def math500(doc: Doc) -> Iterator[Doc]:
    """The content of the solution's box is a column."""
    yield problem(doc, doc["problem"], doc["answer"])
