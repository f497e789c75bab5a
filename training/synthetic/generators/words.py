"""Dates, places, people, lists."""

from __future__ import annotations

import random
from datetime import date

from num2words import num2words

from training.synthetic.generators.case import Case
from training.synthetic.generators.quantities import FIRST, THINGS

COLOURS = (
    "red",
    "green",
    "blue",
    "yellow",
    "black",
    "white",
    "orange",
    "purple",
    "brown",
    "grey",
    "pink",
    "silver",
)


LAST = (
    "Miller", "Hughes", "Novak", "Fischer", "Moreau", "Silva", "Larsen", "Kowalski", "Rossi", "Tanaka", "Walker",
    "Bauer",
    "Jensen", "Carter", "Dubois", "Ferrari", "Hansen", "Keller", "Lopez", "Morgan", "Nilsson", "Parker", "Quinn",
    "Reyes",
)  # fmt: skip


PLACES = {
    "Lisbon": "Portugal", "Porto": "Portugal", "Krakow": "Poland", "Gdansk": "Poland", "Kyoto": "Japan",
    "Osaka": "Japan",
    "Bergen": "Norway", "Turin": "Italy", "Naples": "Italy", "Seville": "Spain", "Valencia": "Spain", "Graz": "Austria",
    "Ghent": "Belgium", "Basel": "Switzerland", "Malmo": "Sweden", "Tartu": "Estonia", "Cork": "Ireland",
    "Lille": "France", "Nantes": "France", "Leipzig": "Germany", "Bremen": "Germany", "Boston": "Massachusetts",
    "New Haven": "Connecticut", "Santa Cruz": "Bolivia", "San Miguel": "El Salvador", "Cape Coast": "Ghana",
    "East London": "South Africa", "Port Louis": "Mauritius", "Fort Worth": "Texas", "Baton Rouge": "Louisiana",
    "Denver": "Colorado", "Austin": "Texas", "Portland": "Oregon", "Chicago": "Illinois", "Seattle": "Washington",
}  # fmt: skip


MONTHS = tuple(date(2000, month, 1).strftime("%B") for month in range(1, 13))


def on_date(rng: random.Random) -> Case:
    """A date in several orders; wrong are a day, month or year off, or less than the date."""
    day = date(rng.randint(1650, 2020), rng.randint(1, 12), rng.randint(1, 28))
    misses = [
        day.replace(day=day.day % 28 + 1),
        day.replace(month=day.month % 12 + 1),
        day.replace(year=day.year + rng.choice((1, -1, 10))),
    ]
    right = [
        *_date_forms(day),
        f"{day.day:02}/{day.month:02}/{day.year} (day first)",
        f"{day.month:02}/{day.day:02}/{day.year} (month/day/year)",
    ]
    month = MONTHS[day.month - 1]
    wrong = [form for miss in misses for form in _date_forms(miss)]
    less = (
        f"{month} {day.year}",
        f"in {day.year}",
        f"{month} {day.year}",
        f"in {month} {day.year}",
        f"{day.day} {month}",
    )
    ask = (
        "When was the {} opened?",
        "On what date was the {} finished?",
        "When did the {} burn down?",
    )
    question = rng.choice(ask).format(rng.choice(("bridge", "theatre", "school", "station")))
    return Case(question, rng.choice(right[:5]), right, [*wrong, *less, *less])


def _date_forms(day: date) -> list[str]:
    month = MONTHS[day.month - 1]
    ordinal = num2words(day.day, to="ordinal_num")
    return [
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{month} {ordinal}, {day.year}",
        f"the {ordinal} of {month} {day.year}",
        day.isoformat(),
        f"{day.day} {month[:3]} {day.year}",
        f"{day.day}.{day.month}.{day.year}",
        f"on {month} {day.day}, {day.year}",
    ]


def century(rng: random.Random) -> Case:
    """A century by its number or a year in it."""
    number = rng.randint(12, 20)
    first = (number - 1) * 100
    year = first + rng.randint(2, 98)
    off = first + rng.choice((-100, 100, 200))
    name = num2words(number, to="ordinal")
    right = [
        f"the {first}s",
        f"in {year}",
        f"{year}",
        f"the {name} century",
        f"{num2words(number, to='ordinal_num')} century",
        f"between {first + 10} and {first + 40}",
    ]
    other = num2words(number + rng.choice((-1, 1)), to="ordinal")
    wrong = [
        f"the {off}s",
        f"in {off + year % 100}",
        f"{off + year % 100}",
        f"the {other} century",
    ]
    return Case(
        "In which century did it happen?",
        f"{num2words(number, to='ordinal_num')} century",
        right,
        wrong,
    )


def _parts(name: str) -> list[str]:
    """The words of a name that alone name something else; none of a name of one word."""
    return 2 * name.split() if " " in name else []


def place(rng: random.Random) -> Case:
    """A city; wrong are other cities, and parts of its name."""
    city = rng.choice(list(PLACES))
    where = PLACES[city]
    other = rng.choice([c for c in PLACES if PLACES[c] != PLACES[city]])
    right = [
        city,
        f"{city}, {where}",
        f"in {city}",
        f"the city of {city}",
        f"{city} in {where}",
        f"In {city}, {where}.",
    ]
    wrong = [
        other,
        f"{city}, {PLACES[other]}",
        f"{other}, {where}",
        f"in {other}",
        f"{city} or {other}",
        *_parts(city),
        f"{other}, {PLACES[other]}",
    ]
    ask = (
        "Where is the museum?",
        "In which city was it founded?",
        "Where was the treaty signed?",
        "Where was she born?",
    )
    return Case(rng.choice(ask), rng.choice((city, f"{city}, {where}")), right, wrong)


def person(rng: random.Random) -> Case:
    """A person by full or last name; wrong are people who share one."""
    first, last, other_first, other_last = (
        *rng.sample(FIRST, 1),
        *rng.sample(LAST, 1),
        rng.choice(FIRST),
        rng.choice(LAST),
    )
    while other_first == first or other_last == last:
        other_first = rng.choice(FIRST)
        other_last = rng.choice(LAST)
    middle = rng.choice("ABCDEFGHJKLMPRSTW")
    right = [
        f"{first} {last}",
        f"{last}",
        f"{first} {middle}. {last}",
        f"{last}, {first}",
        f"Dr. {first} {last}",
        f"{first.upper()} {last.upper()}",
        f"{first[0]}. {last}",
    ]
    wrong = [
        f"{other_first} {other_last}",
        f"{other_first} {last}",
        f"{first} {other_last}",
        other_last,
        f"{first} {last} or {other_first} {other_last}",
        f"{other_first}",
    ]
    ask = (
        "Who founded the company?",
        "Who wrote the report?",
        "Who won the race?",
        "Who directed the film?",
        "Who was the mayor?",
    )
    return Case(rng.choice(ask), f"{first} {last}", right, wrong)


def listing(rng: random.Random) -> Case:
    """A list of names, in order or in any."""
    n = rng.choice((2, 3, 3, 4))
    pool = rng.choice((COLOURS, FIRST, tuple(PLACES), THINGS))
    chosen = rng.sample(pool, n + 1)
    chosen, extra = chosen[:n], chosen[n]
    in_order = rng.random() < 0.5
    mixed = rng.sample(chosen, n)

    def forms(names: list[str]) -> list[str]:
        bullets = "\n".join(f"- {x}" for x in names)
        numbered = "\n".join(f"{i}. {x}" for i, x in enumerate(names, 1))
        return [
            ", ".join(names),
            f"{', '.join(names[:-1])} and {names[-1]}",
            bullets,
            numbered,
            "; ".join(names),
            " > ".join(names) if in_order else " & ".join(names),
        ]

    wrong = (
        [*forms(chosen[:-1]), chosen[0], *forms([*chosen[:-1], extra])]
        if n > 2
        else [chosen[0], chosen[1], *forms([chosen[0], extra])]
    )
    if in_order and mixed != chosen:
        wrong = wrong[::3] + 2 * forms(mixed)
    right = forms(chosen) if in_order else forms(chosen) + forms(mixed)
    ask = (
        "List them in order, first to last."
        if in_order
        else rng.choice(("Name all of them.", "Which ones are meant?"))
    )
    return Case(ask, ", ".join(chosen), right, wrong)
