"""ASDiv."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document, problem


@per_document
def asdiv(doc: Doc) -> Iterator[Doc]:
    """ "9 (apples)" without its unit, and likewise each part of "6 (cm); 15 (cm)"."""
    answer = re.sub(r"\s+\([^()]*\)", "", doc["answer"])
    yield problem(doc, f"{doc['body']} {doc['question']}", answer)
