"""Passages of several facts, long as reports are, asked for one of them: the answer may be a sentence of its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from num2words import num2words

from training.synthetic import phrasing
from training.synthetic.made.case import Case, ways
from training.synthetic.made.quantities import FIRST
from training.synthetic.made.words import LAST, PLACES

CLUBS = (
    "Rovers", "Falcons", "Harriers", "Lions", "Comets", "Pirates", "Wolves", "Miners", "Sharks", "Eagles", "Raiders",
)  # fmt: skip
COUNTED = (
    "tackles", "goals", "interceptions", "points", "rebounds", "warships", "soldiers", "settlers", "horses", "cannons",
    "paintings", "letters", "schools", "workers", "ships", "prisoners", "villages", "votes", "tons of wheat", "sheep",
    "touchdowns", "yards", "patents", "songs", "bridges", "families", "hospitals", "species of birds", "mines",
)  # fmt: skip
VERBS = (
    "recorded", "counted", "lost", "gathered", "reported", "kept", "brought", "received", "left behind", "registered",
)  # fmt: skip
FILLERS = (
    "Little else is known about this period.", "The weather was poor for most of the season.",
    "Local newspapers wrote about it for weeks.", "Several accounts of these events disagree on details.",
    "It was the first time that this had happened in the region.", "A monument was put up many years later.",
    "This is described at length in the official history.", "Many of the records were destroyed in a fire.",
    "Trade with the neighbouring towns grew slowly.", "The decision was criticised by some of the members.",
    "After a long debate the plan went ahead.", "Later studies came to similar conclusions.",
    "The building still stands and can be visited.", "Supporters had travelled from all parts of the country.",
)  # fmt: skip
FRAMES = (
    phrasing.PASSAGE, phrasing.PASSAGE, phrasing.PASSAGE, "{c}\n\nQuestion: {q}\nAnswer:", "{c}\n{q}", "{c} {q}",
    "Passage: {c}\n\n{q}", "Background: {c}\n\nQuestion: {q}\n\nAnswer:", "Question: {q}\n\nContext: {c}",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence of a passage, a question about it, its answer, and sentences with `{a}` in the answer's place."""

    sentence: str
    question: str
    answer: str
    other_words: Sequence[str]
    sentences: Sequence[str]
    kind: str


def report(rng: random.Random) -> Case:
    """A fact of a long passage, answered in a word or a sentence; wrong is another one, or that there is none."""
    facts = [rng.choice((_count, _move, _match, _escort))(rng) for _ in range(rng.randint(3, 9))]
    about = rng.choice(facts)
    told = [fact for fact in facts if fact is about or fact.question != about.question]
    alike = [
        fact.answer for fact in told if fact.kind == about.kind and fact.answer != about.answer
    ]
    other = _another(about, rng)
    missing = rng.random() < 0.12
    if missing:
        told = [fact for fact in told if fact is not about]
    shown = [fact.sentence for fact in told] + rng.sample(FILLERS, rng.randint(0, 6))
    rng.shuffle(shown)
    question = rng.choice(FRAMES).format(c=" ".join(shown), q=about.question)
    wrong = [text for answer in [*alike, other, other] for text in _said(about, answer)]
    if missing:
        return Case(
            question,
            "Unanswerable",
            phrasing.NO_ANSWER_IN_CONTEXT,
            [*wrong, *_said(about, about.answer)],
        )
    refused = rng.sample(phrasing.NO_ANSWER_IN_CONTEXT, 2)
    return Case(
        question,
        about.answer,
        [*_said(about, about.answer), *about.other_words],
        [*wrong, *refused],
    )


def _said(fact: Fact, answer: str) -> list[str]:
    return [answer, *(sentence.format(a=answer) for sentence in fact.sentences)]


def _another(fact: Fact, rng: random.Random) -> str:
    """An answer of the same kind that the passage does not give."""
    if fact.kind == "number":
        near = int(fact.answer) + rng.choice((-10, -1, 1, 2, 10, 100))
        return str(abs(near) or 7)
    drawn = {"year": _year, "place": _place, "club": _club, "person": _person, "things": _things}[
        fact.kind
    ]
    return next(text for text in iter(lambda: drawn(rng), "") if text != fact.answer)


def _count(rng: random.Random) -> Fact:
    who, thing, verb, n = _person(rng), _things(rng), rng.choice(VERBS), str(rng.randint(2, 400))
    place, year = _place(rng), _year(rng)
    words = num2words(int(n))
    return Fact(
        f"{who} {verb} {rng.choice((n, n, words))} {thing} near {place} in {year}.",
        f"How many {thing} were {verb} by {who}?",
        n,
        (f"{n} {thing}", words, f"{words} {thing}"),
        (
            f"{who} {verb} {{a}} {thing}.",
            f"{who} {verb} {{a}} {thing} in {year}.",
            f"There were {{a}} {thing}.",
            f"In {year}, {who} {verb} {{a}} {thing} near {place}.",
            f"{{a}} {thing} were {verb} by {who}.",
            "{a} of them.",
        ),
        "number",
    )


def _move(rng: random.Random) -> Fact:
    who, club, year, place = _person(rng), _club(rng), _year(rng), _place(rng)
    sentence = rng.choice(
        (
            f"In {year}, {who} joined the {club} and settled in {place}.",
            f"{who}, who had moved to {place}, signed for the {club} in {year}.",
        )
    )
    asked, answer, kind, sentences = rng.choice(
        (
            (
                f"When did {who} join the {club}?",
                year,
                "year",
                (
                    f"{who} joined the {club} in {{a}}.",
                    "In {a}.",
                    "It was in {a}.",
                    f"It happened in {{a}}, when {who} joined.",
                ),
            ),
            (
                f"Which club did {who} join?",
                club,
                "club",
                (
                    f"{who} joined the {{a}}.",
                    "The {a}.",
                    f"In {year}, {who} joined the {{a}}.",
                    "It was the {a}.",
                ),
            ),
            (
                f"Where did {who} live?",
                place,
                "place",
                (
                    f"{who} lived in {{a}}.",
                    "In {a}.",
                    f"{who} settled in {{a}} in {year}.",
                    "He or she lived in {a}.",
                ),
            ),
            (
                f"Who joined the {club} in {year}?",
                who,
                "person",
                (
                    f"{{a}} joined the {club}.",
                    f"{{a}} joined the {club} in {year}.",
                    f"The {club} were joined by {{a}}.",
                ),
            ),
        )
    )
    last = (who.rpartition(" ")[2],) if kind == "person" else ()
    return Fact(sentence, asked, answer, last, sentences, kind)


def _match(rng: random.Random) -> Fact:
    a, b = rng.sample(CLUBS, 2)
    town, other, n, m = _place(rng), _place(rng), rng.randint(20, 60), rng.randint(0, 19)
    home, away = f"{town} {a}", f"{other} {b}"
    asked, answer, kind, sentences = rng.choice(
        (
            (
                f"Who won, the {home} or the {away}?",
                home,
                "club",
                (
                    "The {a} won.",
                    f"The {{a}} won the game with {n} points.",
                    "The winners were the {a}.",
                    "{a} won it.",
                ),
            ),
            (
                f"Against whom did the {home} win?",
                away,
                "club",
                (
                    f"The {home} won against the {{a}}.",
                    f"The {home} beat the {{a}} in {town}.",
                    "Against the {a}.",
                ),
            ),
            (
                f"How many points did the {home} score?",
                str(n),
                "number",
                (
                    f"The {home} scored {{a}} points.",
                    "They scored {a}.",
                    f"They beat the {away} with {{a}} points.",
                    "{a} points",
                ),
            ),
        )
    )
    words = () if kind == "number" else (f"the {answer}",)
    return Fact(
        f"The {home} beat the {away} {n} to {m} in {town}.", asked, answer, words, sentences, kind
    )


def _escort(rng: random.Random) -> Fact:
    who, place, n, m = _person(rng), _place(rng), rng.randint(3, 90), rng.randint(100, 9000)
    thing, others = rng.sample([thing for thing in COUNTED if " of " not in thing], 2)
    return Fact(
        f"{who} was sent to {place} with {n} {thing} and {m} {others}.",
        f"What was {who} sent to {place} with besides {others}?",
        thing,
        (
            f"{n} {thing}",
            f"{n} {thing}",
            f"{num2words(n)} {thing}",
            f"the {n} {thing}",
            f"With {n} {thing}.",
        ),
        ways(
            "{who} was sent with {{a}}.",
            "{who} was sent to {place} with {n} {{a}}.",
            "With {{a}} besides {others}.",
            "{who} also had {{a}}.",
            "Besides the {others}, there were {{a}}.",
            who=who,
            place=place,
            n=n,
            others=others,
        ),
        "things",
    )


def _person(rng: random.Random) -> str:
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def _place(rng: random.Random) -> str:
    return rng.choice(list(PLACES))


def _club(rng: random.Random) -> str:
    return f"{_place(rng)} {rng.choice(CLUBS)}"


def _year(rng: random.Random) -> str:
    return str(rng.randint(1500, 2022))


def _things(rng: random.Random) -> str:
    return rng.choice(COUNTED)
