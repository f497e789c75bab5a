"""TruthfulQA."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document, shuffled_choice


@per_document
def truthfulqa(doc: Doc) -> Iterator[Doc]:
    """The single-true options, shuffled: in the dataset the true one comes first."""
    options = doc["mc1_targets"]
    right = options["labels"].index(1)
    yield shuffled_choice(doc, doc["question"], options["choices"], right)
