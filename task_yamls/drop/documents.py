"""DROP."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document


@per_document
def drop(doc: Doc) -> Iterator[Doc]:
    """Where all annotators agree on one answer: the dataset does not tell lists from alternatives otherwise."""
    answers = doc["answers_spans"]["spans"]
    if len(set(answers)) == 1:
        yield doc | {"references": [answers[0].strip()]}
