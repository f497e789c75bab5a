"""Options to choose from, and passages that answer one question and not another."""

from __future__ import annotations

import random

from num2words import num2words

from training.synthetic import phrasing
from training.synthetic.generators.case import Case
from training.synthetic.generators.quantities import FIRST
from training.synthetic.generators.words import COLOURS, LAST, PLACES


def options(rng: random.Random) -> Case:
    """Multiple choice with short, similar options, answered by letter, position or text."""
    base = _similar_texts(rng)
    texts = rng.sample(base, min(len(base), rng.choice((2, 3, 4, 4, 5, 8))))
    listed = dict(zip("ABCDEFGH", texts, strict=False))
    letter = rng.choice(list(listed))
    others = [x for x in listed if x != letter]
    mark = rng.choice((")", ".", ")"))
    head = rng.choice(("Choices:\n", "", "Options:\n"))
    lines = [f"{each}{mark} {text}" for each, text in listed.items()]
    question = f"Which one is it?\n\n{head}" + "\n".join(lines)
    other = rng.choice(others)
    text = listed[letter]
    other_text = listed[other]
    right = [
        *_forms(letter, listed),
        *_forms(letter, listed),
        f"{letter}, because {other} cannot be.",
        f"Not {other}. {letter}",
        f"{text}, {_because(rng)}",
        f"{text}. {_because(rng).capitalize()}",
        f"{text}, {_because(rng)}",
    ]
    wrong = [
        *_forms(other, listed),
        *_forms(rng.choice(others), listed),
        f"{letter} and {other}",
        f"{letter} or {other}",
        f"Not {letter}. {other}",
        f"{other_text}, {_because(rng)}",
        f"{other_text}. {_because(rng).capitalize()}",
        f"All except {letter}",
        f"Anything but {text}",
    ]
    usual = f"{letter}) {text}"
    references = (usual, usual, usual, letter, f"{letter}. {text}", text, f"({letter})")
    return Case(question, rng.choice(references), right, wrong)


def _similar_texts(rng: random.Random) -> list[str]:
    texts = (
        list(COLOURS),
        list(FIRST),
        list(PLACES),
        [str(n) for n in rng.sample(range(400), 12)],
        ["Yes", "No"],
        ["True", "False"],
        _verdicts(rng),
    )
    return rng.choice(texts)


def _forms(letter: str, options: dict[str, str]) -> list[str]:
    """Ways to name an option: letter, text, both, or its place."""
    at = list(options).index(letter)
    text = options[letter]
    place = f"the {num2words(at + 1, to='ordinal')} one"
    if at == len(options) - 1:
        place = "the last option"
    return [
        letter,
        letter,
        f"{letter}) {text}",
        f"{letter}. {text}",
        f"({letter})",
        text,
        text,
        chr(0xFF21 + at),  # a full-width letter
        f"option {letter}",
        letter.lower(),
        place,
    ]


def _because(rng: random.Random) -> str:
    a = rng.randint(2, 20)
    b = rng.randint(2, 20)
    reasons = (
        f"since {a} * {b} = {a * b}.",
        f"{a} + {b} = {a + b}.",
        "as the text says.",
        "because it was so from the start.",
        "the others do not fit.",
        "which follows from the second line.",
    )
    return rng.choice(reasons)


def _verdicts(rng: random.Random) -> list[str]:
    stem = rng.choice(("increases", "agrees", "closed", "safe", "paid"))
    return [
        stem,
        f"{stem} slightly",
        f"not {stem}",
        f"{stem} at first",
        f"{stem} only in winter",
        "cannot be determined",
    ]


def passage(rng: random.Random) -> Case:
    """A passage that names one thing and not another; asked for either."""
    person = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
    city = rng.choice(list(PLACES))
    year = str(rng.randint(1900, 2020))
    thing = rng.choice(("festival", "museum", "choir", "newspaper", "club"))
    facts = {
        "Who founded it?": (person, f"by {person}"),
        "Where was it founded?": (city, f"in {city}"),
        "When was it founded?": (year, f"in {year}"),
    }
    missing = rng.choice(list(facts))
    phrases = [phrase for question, (_, phrase) in facts.items() if question != missing]
    asked = rng.choice(list(facts))
    context = f"The {thing} was founded {' '.join(phrases)}."
    question = phrasing.PASSAGE.format(c=context, q=asked)
    answer, phrase = facts.pop(asked)
    others = [facts[each][0] for each in facts if each != missing]
    if asked == missing:
        founders = [f"It was founded by {other}." for other in others]
        places = [f"In {other}." for other in others]
        wrong = [*others, *founders, *places, answer, "Yes"]
        return Case(question, "Unanswerable", phrasing.NO_ANSWER_IN_CONTEXT, wrong)
    right = [answer, phrase[0].upper() + phrase[1:]]
    return Case(question, answer, right, [*others, *phrasing.NO_ANSWER_IN_CONTEXT[:5]])
