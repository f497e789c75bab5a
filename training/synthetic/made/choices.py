"""Options to choose from, and passages that answer one question and not another."""

from __future__ import annotations

import random

from num2words import num2words

from training.synthetic import phrasing
from training.synthetic.made.case import Case
from training.synthetic.made.quantities import FIRST
from training.synthetic.made.words import COLOURS, LAST, PLACES


def options(rng: random.Random) -> Case:
    """Multiple choice with short, similar options, answered by letter, position or text."""
    base = rng.choice(
        (
            list(COLOURS),
            list(FIRST),
            list(PLACES),
            [str(n) for n in rng.sample(range(400), 12)],
            ["Yes", "No"],
            ["True", "False"],
            _verdicts(rng),
        )
    )
    texts = rng.sample(base, min(len(base), rng.choice((2, 3, 4, 4, 5, 8))))
    listed = dict(zip("ABCDEFGH", texts, strict=False))
    letter = rng.choice(list(listed))
    others = [x for x in listed if x != letter]
    mark = rng.choice((")", ".", ")"))
    question = (
        "Which one is it?\n\n"
        + rng.choice(("Choices:\n", "", "Options:\n"))
        + "\n".join(f"{x}{mark} {t}" for x, t in listed.items())
    )

    def forms(x: str) -> list[str]:
        at = list(listed).index(x)
        wide = chr(0xFF21 + at)
        place = (
            ["the last option"]
            if at == len(listed) - 1
            else [f"the {num2words(at + 1, to='ordinal')} one"]
        )
        return [
            x,
            x,
            f"{x}) {listed[x]}",
            f"{x}. {listed[x]}",
            f"({x})",
            listed[x],
            listed[x],
            wide,
            f"option {x}",
            x.lower(),
            *place,
        ]

    other = rng.choice(others)
    right = [
        *forms(letter),
        *forms(letter),
        f"{letter}, because {other} cannot be.",
        f"Not {other}. {letter}",
        f"{listed[letter]}, {_because(rng)}",
        f"{listed[letter]}. {_because(rng).capitalize()}",
        f"{listed[letter]}, {_because(rng)}",
    ]
    wrong = [
        *forms(other),
        *forms(rng.choice(others)),
        f"{letter} and {other}",
        f"{letter} or {other}",
        f"Not {letter}. {other}",
        f"{listed[other]}, {_because(rng)}",
        f"{listed[other]}. {_because(rng).capitalize()}",
        f"All except {letter}",
        f"Anything but {listed[letter]}",
    ]
    reference = rng.choice(
        (f"{letter}) {listed[letter]}",) * 3
        + (letter, f"{letter}. {listed[letter]}", listed[letter], f"({letter})")
    )
    return Case(question, reference, right, wrong)


def _because(rng: random.Random) -> str:
    a, b = rng.randint(2, 20), rng.randint(2, 20)
    said = (
        f"since {a} * {b} = {a * b}.",
        f"{a} + {b} = {a + b}.",
        "as the text says.",
        "because it was so from the start.",
        "the others do not fit.",
        "which follows from the second line.",
    )
    return rng.choice(said)


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
    person, city, year = (
        f"{rng.choice(FIRST)} {rng.choice(LAST)}",
        rng.choice(list(PLACES)),
        str(rng.randint(1900, 2020)),
    )
    thing = rng.choice(("festival", "museum", "choir", "newspaper", "club"))
    told = {"Who founded it?": person, "Where was it founded?": city, "When was it founded?": year}
    missing = rng.choice(list(told))
    given = [f"The {thing} was founded"] + [
        f" {w} {v}"
        for w, (q, v) in zip(("by", "in", "in"), told.items(), strict=True)
        if q != missing
    ]
    asked = rng.choice(list(told))
    question = phrasing.PASSAGE.format(c=f"{''.join(given)}.", q=asked)
    others = [v for q, v in told.items() if q != asked and q != missing]
    if asked == missing:
        wrong = [
            *others,
            *(f"It was founded by {v}." for v in others),
            *(f"In {v}." for v in others),
            told[asked],
            "Yes",
        ]
        return Case(question, "Unanswerable", phrasing.NO_ANSWER_IN_CONTEXT, wrong)
    return Case(
        question,
        told[asked],
        [told[asked], f"By {told[asked]}" if asked[:3] == "Who" else f"In {told[asked]}"],
        [*others, *phrasing.NO_ANSWER_IN_CONTEXT[:5]],
    )
