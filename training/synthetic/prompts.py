"""Questions as some harness would have prompted them."""

from __future__ import annotations

import random

from training.data.rows import Row
from training.synthetic import answers, phrasing

PASSAGE_FRAMES = (
    phrasing.PASSAGE,
    phrasing.PASSAGE,
    "{c}\n\nQuestion: {q}\nAnswer:",
    "{c}\n{q}",
)
QUESTION_FRAMES = ("{q}", "{q}", "Question: {q}\nAnswer:", "Q: {q}")
CHOICE_FRAME = "Answer the following multiple-choice question.\n\nQuestion: {q}\n\nChoices:\n{c}"  # the paper's


def framed(row: Row, rng: random.Random) -> str:
    """The row's question in a frame; sometimes none, so that candidate and reference stand alone."""
    question: str = row["question"].strip()
    context: str = (row.get("context") or "").strip()
    choices = answers.options(question)
    needed = choices and row.get("reference_form") in ("letter_only", "verbatim")
    if rng.random() < 0.10 and not needed:
        return ""
    if len(choices) > 1:
        return _choices(question, choices, rng)
    if context:
        asked = "the exact span from the context that answers the question"
        suffix = _suffix(asked) if rng.random() < 1 / 3 else ""
        return rng.choice(PASSAGE_FRAMES).format(c=context, q=question) + suffix
    if row["category"] == "open_math" and rng.random() < 0.25:
        return question + _suffix("the computed solution")
    return rng.choice(QUESTION_FRAMES).format(q=question)


def _choices(question: str, choices: dict[str, str], rng: random.Random) -> str:
    if rng.random() < 0.3:
        return question
    stem = question[: answers.first_option(question)].strip()
    listed = "\n".join(f"{letter}) {text}" for letter, text in choices.items())
    suffix = _suffix("the letter of the correct choice") if rng.random() < 0.5 else ""
    return CHOICE_FRAME.format(q=stem, c=listed) + suffix


def _suffix(asked: str) -> str:
    return f'\n\nConclude your response with "Final answer: X", where X is {asked}.'
