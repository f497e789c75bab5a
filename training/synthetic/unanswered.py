"""Made candidates that give no answer to the question, all of them wrong: cut off, the question said again, chatter, an
answer to something else, several answers at once.

An encoder that has only seen wrong answers takes whatever resembles none of them for a right one.
"""

from __future__ import annotations

import random
import re

from training.data.rows import Row
from training.synthetic import answers, phrasing
from training.synthetic.answers import letter_of, options, take_apart


def cut(row: Row, rng: random.Random) -> Row | None:
    """A candidate whose generation ended on the way, before any final answer: wrong. None where the answer shows."""
    parts = take_apart(row["candidate"])
    if parts is None or len(parts.reasoning) < 80:
        return None
    shown = parts.reasoning[: int(len(parts.reasoning) * rng.uniform(0.2, 0.7))]
    choices = options(row["question"])
    if any(_shows(answer, shown, choices) for answer in (parts.answer, *row["references"])):
        return None
    return _unanswered(row, shown, "cut", rng)


def echo(row: Row, rng: random.Random) -> Row | None:
    """A candidate that says the question again and stops: wrong, though the answer's characters may occur in it."""
    choices, question = options(row["question"]), row["question"].strip()
    if choices:
        listed = [f"{letter}) {text}" for letter, text in choices.items()]
        said = rng.choice(("\n".join(listed), f"The options are {', '.join(listed)}.", question))
        return _unanswered(row, rng.choice(phrasing.OPENINGS) + said, "echo", rng)
    sentences = re.split(r"(?<=[.?!])\s+", question)
    start = rng.randrange(len(sentences))
    said = " ".join(sentences[start : start + rng.randint(1, 3)])
    return _unanswered(row, rng.choice(phrasing.OPENINGS) + said, "echo", rng)


def _unanswered(row: Row, said: str, made: str, rng: random.Random) -> Row:
    reference, _ = answers.reference_form(row["references"][0], options(row["question"]), rng)
    return row | {
        "candidate": said,
        "reference": reference,
        "label": 0,
        "label_source": "made",
        "made": made,
    }


def _shows(answer: str, text: str, choices: dict[str, str]) -> bool:
    """Whether an answer, as a letter or as an option's text, already stands in a text."""
    letter = letter_of(answer)
    if letter in choices:
        return (
            re.search(rf"\b{letter}\b", text) is not None or choices[letter].lower() in text.lower()
        )
    return answer.strip().lower() in text.lower()


def listed(row: Row, rng: random.Random) -> Row | None:
    """The options of a multiple-choice question up to some of them, the right one perhaps the last. None without."""
    choices = options(row["question"])
    if len(choices) < 2:
        return None
    shown = list(choices.items())[: rng.randint(2, len(choices))]
    mark = rng.choice((")", ".", ":", ") "))
    said = rng.choice(("\n", "\n", ", ", " ")).join(
        f"{letter}{mark} {text}" for letter, text in shown
    )
    return _unanswered(row, rng.choice(phrasing.OPENINGS) + said, "listed", rng)


def several(row: Row, rng: random.Random) -> Row | None:
    """Two or more answers and no decision, once or over and over. None where there is only a free text."""
    choices, reference = options(row["question"]), row["references"][0]
    letter = letter_of(reference)
    if len(choices) > 1 and letter in choices:
        letters = rng.sample(
            [c for c in choices if c != letter], rng.randint(1, min(3, len(choices) - 1))
        )
        shown = rng.choice(
            (str, str, lambda c: f"({c})", lambda c: f"{c}) {choices[c]}", lambda c: choices[c])
        )
        said = [shown(c) for c in rng.sample([letter, *letters], len(letters) + 1)]
    elif answers.is_number(reference):
        said = rng.sample(
            [
                reference,
                *(answers.other_number(reference, "", rng) for _ in range(rng.choice((1, 2)))),
            ],
            2,
        )
    else:
        return None
    text = rng.choice((" or ", " or ", ", ", "/", " and ", " or maybe ", "\n", " vs ")).join(said)
    text = rng.choice(phrasing.SEVERAL).format(a=text)
    return _unanswered(row, "\n".join([text] * rng.choice((1, 1, 1, 4, 20))), "several", rng)


def chatter(row: Row, rng: random.Random) -> Row:
    """Small talk, a refusal, noise: nothing about the question."""
    return _unanswered(row, phrasing.small_talk(rng), "chatter", rng)


def elsewhere(row: Row, other: Row, rng: random.Random) -> Row | None:
    """What was said to another question. None where it may answer this one."""
    choices = options(row["question"])
    if any(_shows(answer, other["candidate"], choices) for answer in row["references"]):
        return None
    return _unanswered(row, other["candidate"], "elsewhere", rng)
