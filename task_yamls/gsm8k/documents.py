"""GSM8K."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document, problem


@per_document
def gsm8k(doc: Doc) -> Iterator[Doc]:
    """The reference is the number after `####`."""
    yield problem(doc, doc["question"], doc["answer"].split("#### ")[-1])
