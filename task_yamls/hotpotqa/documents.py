"""HotpotQA."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document


@per_document
def hotpotqa(doc: Doc) -> Iterator[Doc]:
    """With the articles that hold the supporting facts, without the distractors."""
    needed = set(doc["supporting_facts"]["title"])
    articles = zip(doc["context"]["title"], doc["context"]["sentences"], strict=True)
    passage = "\n".join("".join(sentences) for title, sentences in articles if title in needed)
    yield doc | {"passage": passage, "references": [doc["answer"].strip()]}
