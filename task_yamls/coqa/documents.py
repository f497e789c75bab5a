"""CoQA: conversations about a story."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, distinct, per_document


@per_document
def coqa(doc: Doc) -> Iterator[Doc]:
    """The first question of each conversation."""
    yield doc | {
        "passage": doc["story"],
        "question": doc["questions"]["input_text"][0],
        "references": _answers(doc, 0),
    }


@per_document
def coqa_all(doc: Doc) -> Iterator[Doc]:
    """Every question, a document each; the earlier turns with their gold answers follow the story."""
    passage = doc["story"]
    turns = zip(doc["questions"]["input_text"], doc["answers"]["input_text"], strict=True)
    for turn, (question, answer) in enumerate(turns):
        shared = {"id": doc["id"], "source": doc["source"], "turn": turn + 1}
        references = _answers(doc, turn)
        yield shared | {"passage": passage, "question": question, "references": references}
        passage += f"\n\nQ: {question}\nA: {answer}"


def _answers(doc: Doc, turn: int) -> list[str]:
    others = (doc.get("additional_answers") or {}).values()
    return distinct([each["input_text"][turn] for each in (doc["answers"], *others) if each])
