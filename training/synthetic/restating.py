"""Answers said in other ways, with the label that follows.

A judge trained on one benchmark's logs learns that benchmark's answer format ("The answer is (X).") instead of
comparing two answers. What is here changes how an answer is said, and nothing else.
"""

from __future__ import annotations

import random
import re

from training.data.rows import Row
from training.synthetic import answers, phrasing
from training.synthetic.answers import letter_of, options, take_apart


def one_reference(row: Row, rng: random.Random) -> str:
    """One of a row's right answers; more often the first, since lists of aliases get worse towards their end."""
    if rng.random() < 0.4:
        return str(row["references"][0])
    return str(rng.choice(row["references"]))


def in_a_form(right: str, choices: dict[str, str], rng: random.Random) -> Row:
    """The fields `reference` and `reference_form`: a right answer as it may be written."""
    reference, is_part = answers.reference_form(right, choices, rng)
    return {
        "reference": reference,
        "reference_form": "letter_only" if is_part else "whole",
    }


def verbatim(row: Row, rng: random.Random) -> Row:
    """The row as it is, against one of its references."""
    return row | {"reference": one_reference(row, rng), "reference_form": "verbatim"}


def restated(row: Row, rng: random.Random, *, answer_only: bool = False) -> Row:
    """The row with its final answer said in another way, and its reference written in another form.

    `answer_only` leaves the way to the answer out, so that only question, answer and reference can be compared.
    """
    choices = options(row["question"])
    new = row | in_a_form(one_reference(row, rng), choices, rng)
    parts = take_apart(row["candidate"])
    if parts is None or (rng.random() < 0.15 and not answer_only):
        return new
    answer = answers.answer_form(parts.answer, choices, rng)
    other = other_answer(parts.answer, choices, rng)
    reasoning = "" if answer_only else parts.reasoning
    if other and row["label"] and rng.random() < 0.04:  # it names two answers, and takes neither
        undecided = rng.choice(phrasing.UNDECIDED).format(a=answer, w=other)
        candidate = f"{reasoning}\n{undecided}".strip()
        return new | {"candidate": candidate, "label": 0, "label_source": "made"}
    statement = _statement(answer, other, choices, rng)
    return new | {"candidate": with_reasoning(reasoning, statement, answer, rng)}


def _statement(answer: str, other: str | None, choices: dict[str, str], rng: random.Random) -> str:
    if other and rng.random() < 0.1:
        return phrasing.overturned(rng).format(a=answer, w=other)
    fixed = phrasing.STATEMENTS + (phrasing.CHOICE_STATEMENTS if choices else ())
    return phrasing.statement(fixed, rng).format(a=answer)


def other_answer(answer: str, choices: dict[str, str], rng: random.Random) -> str | None:
    """An answer that differs from `answer` and that a model might have weighed before it."""
    letter = letter_of(answer)
    if len(choices) > 1 and letter in choices:
        return answers.answer_form(rng.choice([c for c in choices if c != letter]), choices, rng)
    return answers.other_number(answer, "", rng) if answers.is_number(answer) else None


def with_reasoning(reasoning: str, statement: str, answer: str, rng: random.Random) -> str:
    """A statement alone, before, behind, or behind the end of the reasoning; then perhaps a remark."""
    place = rng.random()
    if place < 0.22 or not reasoning:
        text = statement
    elif place < 0.34:
        lead = rng.choice(("", "Explanation: ", "Reasoning: ", "Because "))
        text = f"{statement}\n\n{lead}{reasoning}"
    elif place < 0.5:
        text = f"{reasoning[-rng.randint(40, 200) :]}\n{statement}"
    else:
        text = reasoning + rng.choice((" ", "\n", "\n\n")) + statement
    return text + added(answer, rng)


def added(answer: str, rng: random.Random) -> str:
    """What may stand behind an answer and decides nothing: a remark, a claim to be right, a question made up."""
    kind = rng.random()
    if kind < 0.15:
        return rng.choice((" ", "\n", "\n\n", "")) + phrasing.remark(rng)
    if kind < 0.17:
        return rng.choice((" ", "\n\n")) + rng.choice(phrasing.CLAIMS).format(a=answer)
    if kind < 0.19:
        a = rng.randint(2, 99)
        b = rng.randint(2, 99)
        turn = rng.choice(("Question: What is {} + {}?\nAnswer: {}", "Q: {} plus {}?\nA: {}"))
        return "\n\n" + turn.format(a, b, a + b)
    return ""


def differs(text: str, others: list[str]) -> bool:
    """Whether a text has words, and none that one of the others has."""
    words = set(re.findall(r"\w+", text.lower()))
    return bool(words) and not any(
        words & set(re.findall(r"\w+", other.lower())) for other in others
    )
