"""MATH."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document, problem
from lm_eval_bertjudge.text.latex import last_box


@per_document
def hendrycks_math(doc: Doc) -> Iterator[Doc]:
    """The last box of the solution. A solution without a box is left out."""
    if answer := last_box(doc["solution"]):
        yield problem(doc, doc["problem"], answer)
