"""SQuAD v2."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, distinct, per_document


@per_document
def squadv2(doc: Doc) -> Iterator[Doc]:
    """`Unanswerable` where the annotators found no answer."""
    references = distinct(doc["answers"]["text"]) or ["Unanswerable"]
    yield doc | {"passage": doc["context"], "references": references}
