"""ARC: science questions of school exams."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, choice, per_document


@per_document
def arc(doc: Doc) -> Iterator[Doc]:
    """Options are labelled A to E or 1 to 4."""
    options = doc["choices"]
    yield choice(doc, doc["question"], options["text"], options["label"].index(doc["answerKey"]))
