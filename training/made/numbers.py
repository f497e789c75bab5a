"""Whole numbers, money, units: how they are written, and what is one step away."""

from __future__ import annotations

import random

from num2words import num2words

from training.made.case import Case

DIGITS = {"fullwidth": 0xFF10, "arabic": 0x0660, "devanagari": 0x0966, "persian": 0x06F0, "bengali": 0x09E6}


SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


LANGUAGES = {
    "de": ("Wie viel ist {q}?", ("Die Antwort ist {a}.", "Das ergibt {a}.", "Es sind {a}.", "Antwort: {a}")),
    "fr": ("Combien font {q} ?", ("La réponse est {a}.", "Cela fait {a}.", "On obtient {a}.", "Réponse : {a}")),
    "es": ("¿Cuánto es {q}?", ("La respuesta es {a}.", "El resultado es {a}.", "Son {a}.", "Respuesta: {a}")),
    "it": ("Quanto fa {q}?", ("La risposta è {a}.", "Il risultato è {a}.", "Fa {a}.", "Risposta: {a}")),
    "pt": ("Quanto é {q}?", ("A resposta é {a}.", "O resultado é {a}.", "São {a}.", "Resposta: {a}")),
}


THINGS = ("apples", "pages", "tickets", "coins", "pupils", "boxes", "eggs", "cars", "trees", "litres", "steps", "cards")


FIRST = (
    "Anna", "Peter", "Maria", "John", "Helen", "David", "Laura", "James", "Sofia", "Thomas", "Emma", "Robert", "Clara",
    "William", "Julia", "George", "Alice", "Henry", "Nora", "Edward", "Ruth", "Oscar", "Irene", "Hugo", "Vera", "Paul",
)  # fmt: skip


ROMAN = ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def _sum(rng: random.Random) -> tuple[str, int]:
    a, b = rng.choice(((9, 9), (60, 90), (900, 90), (9000, 7000), (90000, 70000)))
    a, b = rng.randint(2, a), rng.randint(2, b)
    signs = ((f"{a} + {b}", a + b), (f"{a} - {b}", a - b), (f"{a} times {b}", a * b), (f"{b} less than {a}", a - b))
    return rng.choice(signs)


def near(value: int, rng: random.Random) -> int:
    """Another whole number: a step, a sign, a zero or two digits away."""
    digits = list(str(abs(value)))
    turned = int("".join(reversed(digits[-2:])).join(("".join(digits[:-2]), "")) or 0)
    made = (
        value + 1,
        value - 1,
        value + 10,
        value - 10,
        value * 10,
        -value,
        value // 10,
        turned,
        value + 100,
        value * 2,
    )
    return rng.choice([m for m in made if m != value] or [value + 2])


def written(value: int, rng: random.Random) -> list[str]:
    """Ways to write a whole number."""
    sign, size = ("-" if value < 0 else ""), abs(value)
    forms = [str(value), f"{value:,}", f"{value}.0", f"{value}.00", f"+{value}" if value > 0 else f"\u2212{size}"]
    forms += [sign + f"{size:,}".replace(",", s) for s in (" ", "\u202f", "'")] if size > 9999 else []
    forms += [num2words(value)] * 3 + [num2words(value).replace("-", " ")] if size < 10**6 else []
    zero = DIGITS[rng.choice(list(DIGITS))]
    forms.append(sign + "".join(chr(zero + int(d)) for d in str(size)))
    if value < 0:
        forms += [f"negative {size}", f"minus {size}", f"negative {num2words(size)}"]
    if 0 < value < 60:
        forms.append(roman(value))
    if 1000 <= size < 10**6 and size % 100 == 0:
        forms += [f"{value / 1000:g} thousand", f"{value / 1000:g}k"]
    return forms + [short for short in (f"{value:.3g}", f"{value:.3e}") if size > 999 and float(short) == value]


def roman(value: int) -> str:
    """1 to 59 as a Roman numeral."""
    text = ""
    for size, letters in ROMAN:
        while value >= size:
            text, value = text + letters, value - size
    return text


def whole_number(rng: random.Random) -> Case:
    asked, value = _sum(rng)
    question = rng.choice(("What is {q}?", "Compute {q}.", "{q} = ?", "How much is {q}?")).replace("{q}", asked)
    wrong = [form for _ in range(4) for form in written(near(value, rng), rng)]
    reference = rng.choice((str(value), str(value), f"{value:,}", f"{asked} = {value}\n#### {value}"))
    return Case(question, reference, written(value, rng), wrong)


def with_unit(rng: random.Random) -> Case:
    value, thing = rng.randint(3, 4000), rng.choice(THINGS)
    name, other = rng.choice(FIRST), rng.choice([t for t in THINGS if t != thing])
    question = f"{name} counts the {thing} and then the {other}. How many {thing} are there?"
    right = [f"{value} {thing}", f"{num2words(value)} {thing}", f"{value:,}", f"There are {value} {thing}."]
    miss = near(value, rng)
    right += [f"{thing}: {value}, {other}: {miss}", f"{miss} {other} and {value} {thing}"]
    wrong = [f"{miss} {thing}", f"{num2words(miss)} {thing}", str(miss), f"There are {miss} {thing}."]
    wrong += [f"{thing}: {miss}, {other}: {value}", f"{value} {other} and {miss} {thing}", f"{value} {other}"]
    return Case(question, rng.choice((str(value), f"{value} {thing}")), right, wrong)


def in_language(rng: random.Random) -> Case:
    language = rng.choice(list(LANGUAGES))
    frame, says = LANGUAGES[language]
    asked, value = _sum(rng)
    while any(word in asked for word in ("times", "less")) or abs(value) > 5000:
        asked, value = _sum(rng)
    miss = near(value, rng)
    right, wrong = (
        [rng.choice(says).format(a=a) for a in (n, num2words(n, lang=language), f"{asked} = {n}") for _ in range(2)]
        for n in (value, miss)
    )
    return Case(frame.format(q=asked), str(value), right, wrong)


def money(rng: random.Random) -> Case:
    cents = rng.choice((0, 0, 50, 25, 5, 99, 10))
    value, miss = (rng.randint(2, 9000) + cents / 100 for _ in range(2))
    thing = rng.choice(("bicycle", "ticket", "phone", "lamp", "course", "meal"))

    def forms(n: float) -> list[str]:
        plain = f"{n:,.2f}"
        short = [f"${n:,.0f}", f"{n:.0f}", f"{n:,.0f} USD"] if n == int(n) else [f"{n * 100:.0f} cents"]
        return [f"${plain}", plain, f"{plain} dollars", f"USD {plain}", f"\\${plain}", f"$ {n:.2f}", *short]

    reference = rng.choice((f"{value:g}" if value < 1e5 else f"{value:.2f}", f"${value:,.2f}"))
    wrong = [*forms(miss), *forms(value * 10), *forms(value + 1), *forms(value / 10), *forms(value + 0.1)]
    return Case(f"How much does the {thing} cost in dollars?", reference, forms(value), wrong)


def scientific(rng: random.Random) -> Case:
    digits, power = (
        rng.choice((rng.randint(11, 99) / 10, rng.randint(101, 999) / 100)),
        rng.choice((-9, -4, 3, 5, 6, 8, 12, 23)),
    )

    def forms(m: float, e: int) -> list[str]:
        small = str(e).translate(SUPERSCRIPT)
        plain = [f"{m * 10**e:,.0f}"] if 3 <= e <= 8 else []
        return [
            f"{m} \\times 10^{{{e}}}",
            f"{m}e{e}",
            f"{m} x 10^{e}",
            f"{m} × 10{small}",
            f"{m}*10^{e}",
            f"{m}E{e:+d}",
            *plain,
        ]

    wrong = [
        *forms(digits, power + 1),
        *forms(digits, power - 1),
        *forms(digits, -power),
        *forms(round(digits + 0.1, 2), power),
    ]
    return Case(
        "Give the value in scientific notation.", rng.choice(forms(digits, power)[:4]), forms(digits, power), wrong
    )


def percent(rng: random.Random) -> Case:
    value = rng.choice((rng.randint(1, 99), rng.randint(1, 400) / 4))
    right = [
        f"{value:g}%",
        f"{value:g} %",
        f"{value:g} percent",
        f"{value:g}\\%",
        f"{value / 100:g}",
        f"{value:g} per cent",
        f"{value:g}",
    ]
    misses = (value + 1, value * 10, value / 10, 100 - value + (value == 50))
    return Case(
        "By what percentage does it change?",
        f"{value:g}%",
        right,
        [f"{m:g}{s}" for m in misses for s in ("%", " percent", "\\%")],
    )


def decimal(rng: random.Random) -> Case:
    places = rng.choice((1, 2, 2, 3))
    value = round(rng.uniform(0.01, 60), places) + 10**-places * 0
    step = 10**-places
    miss = round(value + rng.choice((step, -step, 1, 10 * step)), places)
    right = [
        f"{value}",
        f"{value}0",
        f"{value:.{places}f}",
        f"\u2248 {value}",
        f"approximately {value}",
        f"{value} (rounded)",
    ]
    coarse = f"{value:.{places - 1}f}"
    wrong = [
        f"{miss}",
        f"{miss:.{places}f}",
        f"approximately {miss}",
        f"{value * 10:g}",
        f"{value / 10:g}",
        *([coarse] * 2 if float(coarse) != value else []),
    ]
    return Case(
        f"Give the result rounded to {num2words(places)} decimal place{'s' * (places > 1)}.", f"{value}", right, wrong
    )


def duration(rng: random.Random) -> Case:
    hours, quarter = rng.randint(1, 8), rng.choice((0, 15, 30, 45))
    minutes = 60 * hours + quarter

    def forms(total: int) -> list[str]:
        h, m = divmod(total, 60)
        return [
            f"{total} minutes",
            f"{total} min",
            f"{total / 60:g} hours",
            f"{h} h {m} min",
            f"{h} hours and {m} minutes",
            f"{h}:{m:02} hours",
        ]

    wrong = [form for miss in (minutes + 15, minutes - 10, minutes + 60, minutes * 2) for form in forms(miss)]
    wrong += [f"{minutes} hours", f"{minutes / 60:g} minutes"]
    return Case("How long does it take?", rng.choice(forms(minutes)[:3]), forms(minutes), wrong)


def measure(rng: random.Random) -> Case:
    value = rng.choice((rng.randint(1, 90), rng.randint(10, 900) / 10))
    big, small, factor = rng.choice(
        (("km", "m", 1000), ("m", "cm", 100), ("kg", "g", 1000), ("litres", "ml", 1000), ("cm", "mm", 10))
    )
    right = [
        f"{value:g} {big}",
        f"{value * factor:g} {small}",
        f"{value * factor:,.0f} {small}",
        f"{value:g}{big}",
        f"about {value:g} {big}",
    ]
    wrong = [
        f"{value:g} {small}",
        f"{value * factor:g} {big}",
        f"{value + 1:g} {big}",
        f"{value * factor * 10:g} {small}",
        f"{value * 10:g} {big}",
    ]
    return Case("How big is it?", f"{value:g} {big}", right, wrong)


def rough(rng: random.Random) -> Case:
    value = rng.randint(11, 990) * rng.choice((1000, 10000, 100000))
    millions = (
        [f"{value / 1e6:g} million", f"{value / 1e6:g}M"]
        if value >= 10**6
        else [f"{value / 1000:g} thousand", f"{value // 1000}k"]
    )
    right = [
        f"about {value:,}",
        f"{value:,}",
        f"{value}",
        f"roughly {value:,}",
        f"{value:.4g}",
        f"{value:.3e}",
        *millions,
    ]
    misses = (value * 10, value // 10, value * 2, value + 10 ** (len(str(value)) - 1))
    wrong = [form for m in misses for form in (f"about {m:,}", f"{m:,}", f"{m}", f"{m / 1e6:g} million")]
    return Case(
        "What is the population of the town?", rng.choice((f"about {value:,}", f"{value:,}", str(value))), right, wrong
    )
