"""Numbers with their units: how they are written, and when two are the same.

Strict: a text is a quantity only when all of it can be read as one; "18 or 19" is none. Read are thousands separators,
currency, percent, units, scale words, fractions, scientific notation and English number words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth",
)  # fmt: skip
_PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_PARTS |= {word + s: n for n, word in enumerate(ORDINALS, start=1) if n > 2 for s in ("", "s")}

# Unit -> (what it measures, how many of the base unit).
_UNITS: dict[str, tuple[str, Fraction]] = {}
for _kind, _names in {
    "length": "mm millimeter 1/1000|cm centimeter 1/100|m meter 1|km kilometer 1000|in inch inches 127/5000"
    "|ft foot feet 381/1250|yd yard 1143/1250|mi mile 1609344/1000",
    "time": "ms millisecond 1/1000|s sec second 1|min minute 60|h hr hour 3600|day 86400|week 604800",
    "mass": "mg milligram 1/1000|g gram 1|kg kilogram 1000|t tonne 1000000|lb pound 45359237/100000",
    "volume": "ml milliliter 1/1000|l liter 1",
    "money": "cent 1/100|dollar usd 1",
    "angle": "degree 1",
}.items():
    for _entry in _names.split("|"):
        *_spellings, _factor = _entry.split()
        _UNITS |= {name: (_kind, Fraction(_factor)) for name in _spellings}

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:[ '’]\d{3})+|\d+)(?:\.\d*)?|\.\d+"
_NUMBER = re.compile(
    rf"(?P<sign>[-+]?)\s*(?P<currency>[$€£¥₹]?)\s*(?P<digits>{_DIGITS})"
    r"(?:\s*(?:[x*]\s*10\s*(?:\^|\*\*)\s*\(?|[eE])(?P<exponent>[-+]?\d{1,3})\)?)?"
    rf"(?:\s*/\s*(?P<over>\d+)|\s+(?P<top>\d+)/(?P<bottom>\d+))?(?P<rest>.*)",
    re.DOTALL,
)
_SCALE = re.compile(
    r"[\s-]*(hundred|thousand|million|billion|trillion|k\b|mn\b|bn\b)(.*)", re.DOTALL
)
_SUMMAND = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*(?:,|and)?")
_UNIT_WORD = re.compile(r"[^\W\d_]+(?:\^[23])?|[%€£¥₹]")
_MAX_UNIT_WORDS = 4
_SHORT_SCALES = {"k": 10**3, "mn": 10**6, "bn": 10**9}
_HEDGE = re.compile(
    r"^(?:about|around|approximately|approx\.?|roughly|nearly|exactly|only|~|≈)\s*", re.IGNORECASE
)
_ROUNDED = re.compile(r"\s*\(?\b(?:rounded|approximately|approx\.?)\)?\.?$", re.IGNORECASE)
_SIGN_WORD = re.compile(r"^(?:minus|negative)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it counts.

    Attributes:
        number: Its exact value as written.
        decimals: Digits after the point; None when written as a fraction or in words, which are exact.
        unit: "" or "%" or the unit's words in lower case and the singular.
    """

    number: Fraction
    decimals: int | None
    unit: str


def quantity(text: str) -> Quantity | None:
    """The one quantity that a plain text is; None when it is anything else, or more."""
    text = _ROUNDED.sub("", _HEDGE.sub("", text.strip()))
    if word := _SIGN_WORD.match(text):
        positive = quantity(text[word.end() :])
        return Quantity(-positive.number, positive.decimals, positive.unit) if positive else None
    found = _NUMBER.fullmatch(text)
    return _written(found) if found else _in_words(text)


def _written(found: re.Match[str]) -> Quantity | None:
    digits = re.sub(r"[,\s'’]", "", found["digits"])
    decimals: int | None = len(digits.partition(".")[2])
    number = Fraction(digits.rstrip(".") or "0")
    rest = found["rest"]
    if found["exponent"]:
        number, decimals = number * Fraction(10) ** int(found["exponent"]), None
    if found["top"] and int(found["bottom"]):
        number, decimals = number + Fraction(int(found["top"]), int(found["bottom"])), None
    if found["over"]:
        if not int(found["over"]):
            return None
        number, decimals = number / int(found["over"]), None
    if scale := _SCALE.fullmatch(rest):
        factor = _SCALES.get(scale[1]) or _SHORT_SCALES[scale[1]]
        number, decimals, rest = number * factor, None, scale[2]
    unit = _unit(("dollar " if found["currency"] == "$" else found["currency"] + " ") + rest)
    if unit is None or rest[:1].isdigit():  # a superscript 2 is a digit, and a letter to a pattern
        return None
    return Quantity(-number if found["sign"] == "-" else number, decimals, unit)


def _unit(text: str) -> str | None:
    """The unit's words in lower case and the singular; None when the text goes on in another way."""
    text = text.strip().casefold().rstrip(".").replace("per cent", "%").replace("percent", "%")
    text = re.sub(
        r"\bsq(?:uare|\.)?\s+([a-z]+)", r"\1^2", re.sub(r"\bcubic\s+([a-z]+)", r"\1^3", text)
    )
    text = re.sub(r"(?<=[a-z\d])[-/](?=[a-z])|^-(?=[a-z]{2})|(?<=%)|(?=%)", " ", text)
    words = text.split()
    if (
        len(words) > _MAX_UNIT_WORDS
        or {"repeating", "recurring"} & set(words)
        or not all(_UNIT_WORD.fullmatch(word) for word in words)
    ):
        return None
    return " ".join(_singular(word) for word in words)


def _singular(word: str) -> str:
    stem, power, exponent = word.partition("^")
    stem = re.sub(r"(met|lit)re(s?)$", r"\1er\2", stem)
    stem = stem[:-1] if len(stem) > 3 and stem.endswith("s") and not stem.endswith("ss") else stem
    return (
        {"hr": "hour", "hrs": "hour", "min": "minute", "sec": "second"}.get(stem, stem)
        + power
        + exponent
    )


def _in_words(text: str) -> Quantity | None:
    """A number in English words, "eighty-eight" or "two thirds", with its unit."""
    words = text.casefold().replace("-", " ").rstrip(".").split()
    n = next(
        (
            i
            for i, word in enumerate(words)
            if word not in _WORDS and word not in _SCALES and word != "and"
        ),
        None,
    )
    if (
        words
        and words[0] in ("a", "an")
        and len(words) > 1
        and (words[1] in _SCALES or words[1] in _PARTS)
    ):
        words[0] = "one"
        return _in_words(" ".join(words))
    n = len(words) if n is None else n
    number = _counted(words[:n])
    if number is None:
        return None
    rest = words[n:]
    if rest and rest[0] in _PARTS:
        return Quantity(Fraction(number, _PARTS[rest[0]]), None, _unit(" ".join(rest[1:])) or "")
    unit = _unit(" ".join(rest))
    return None if unit is None else Quantity(Fraction(number), None, unit)


def _counted(words: list[str]) -> int | None:
    """The whole number that words are; None when they are not one number, as in "two three"."""
    if not words or words[0] == "and" or words[-1] == "and":
        return None
    total, group, last = 0, 0, 10**15
    for word in words:
        if word == "and":
            if last not in (100, 1000):
                return None
            last = 100
        elif word == "hundred":
            group, last = max(group, 1) * 100, 100
        elif word in _SCALES:
            total, group, last = total + max(group, 1) * _SCALES[word], 0, 1000
        else:
            value = _WORDS[word]
            if value >= last or (last < 100 and (last < 20 or value >= 10)):
                return None
            group, last = group + value, value
    return total + group


def same_quantity(gold: str, said: str, question: str) -> bool:
    """Whether two plain texts are the same quantity, in the same unit or one that converts to it.

    A unit may be left out; one that the reference does not have must be named in the question.
    """
    gold_ratio, said_ratio = _ratio(gold), _ratio(said)
    if gold_ratio is not None:
        gold, said = gold_ratio, said_ratio or said
    a, b = quantity(unnamed(gold)), quantity(unnamed(said))
    if a is None or b is None:
        a, b = _summed(gold) or a, _summed(said) or b
    return a is not None and b is not None and _equal(a, b, question)


def _equal(gold: Quantity, said: Quantity, question: str) -> bool:
    if gold.unit == said.unit:
        return _same_number(gold, said)
    if "%" in (gold.unit, said.unit):
        return _same_share(gold, said, question)
    known_gold, known_said = measure(gold.unit), measure(said.unit)
    if known_gold and known_said:
        return (
            known_gold[0] == known_said[0]
            and gold.number * known_gold[1] == said.number * known_said[1]
        )
    if not gold.unit and without_currency(said.unit) and not _named(question, said.unit):
        return False
    if gold.unit and said.unit and (_is_physical(gold.unit) or _is_physical(said.unit)):
        return False
    if (
        gold.unit
        and said.unit
        and not _named(gold.unit, said.unit)
        and not _named(said.unit, gold.unit)
    ):
        return False
    return _same_number(gold, said)


def _same_number(gold: Quantity, said: Quantity) -> bool:
    """Equal, or one an exact fraction without end and the other that fraction rounded to at least three digits."""
    if gold.number == said.number:
        return True
    for exact, rounded in ((gold, said), (said, gold)):
        if exact.decimals is None and rounded.decimals is not None and _endless(exact.number):
            digits = len(str(abs(int(rounded.number * 10**rounded.decimals))))
            if digits >= 3 and round(exact.number, rounded.decimals) == rounded.number:
                return True
    return False


def _endless(number: Fraction) -> bool:
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest != 1


def _same_share(gold: Quantity, said: Quantity, question: str) -> bool:
    """A percentage against a bare number: the same figure if a percentage is asked for, else the same share.

    A bare decimal is no share of a reference in percent: 0.18 may be meant as 0.18%.
    """
    percent, share = (gold, said) if gold.unit == "%" else (said, gold)
    if share.unit:
        return False
    if share.decimals is not None and re.search(r"%|percent|per cent", question, re.IGNORECASE):
        return gold.number == said.number
    if share is said and share.decimals is not None:
        return False
    decimals = None if percent.decimals is None else percent.decimals + 2
    return _same_number(Quantity(percent.number / 100, decimals, ""), share)


def measure(unit: str) -> tuple[str, Fraction] | None:
    """What a unit measures and how many of the base unit it is; None for words that convert to nothing."""
    found = re.fullmatch(r"([^\s^]+)(?:\^([23]))?", unit)
    if found is None or found[1] not in _UNITS:
        return None
    kind, factor = _UNITS[found[1]]
    return (kind + (found[2] or ""), factor ** int(found[2] or 1))


def _is_physical(unit: str) -> bool:
    """Whether one of its words is a unit that converts, or has a power: other words beside it make another unit."""
    return any(measure(word) or "^" in word for word in unit.split())


def without_currency(unit: str) -> str:
    """A unit, without the currencies that an amount may leave out."""
    return "" if unit in ("", "dollar", "€", "£", "¥", "₹") else unit


def _named(text: str, unit: str) -> bool:
    """Whether every word of a unit stands in a text, plural or not."""
    known = _words(text)
    return all(
        _singular(word) in known or word in ("in", "total", "of", "per", "each")
        for word in unit.split()
    )


@lru_cache(
    maxsize=64
)  # one question is compared with many answers, and each answer in several ways
def _words(text: str) -> frozenset[str]:
    return frozenset(_singular(word) for word in re.findall(r"[^\W\d]+", text.casefold()))


def _summed(text: str) -> Quantity | None:
    """Reads "2 h 15 min" as one quantity of the first unit's kind."""
    text = text.casefold()
    parts = _SUMMAND.findall(text)
    if len(parts) < 2 or _SUMMAND.sub("", text).strip():
        return None
    measures = [(Fraction(number), measure(_singular(unit))) for number, unit in parts]
    kinds = {measure[0] for _, measure in measures if measure}
    if len(kinds) != 1 or any(measure is None for _, measure in measures):
        return None
    base = {
        "time": "second",
        "length": "meter",
        "mass": "gram",
        "volume": "liter",
        "money": "dollar",
    }.get(kinds.pop())
    return (
        Quantity(sum((n * m[1] for n, m in measures if m), Fraction(0)), None, base)
        if base
        else None
    )


def _ratio(text: str) -> str | None:
    found = re.fullmatch(r"(\d+)\s*(?::|to)\s*(\d+)", text)
    return f"{found[1]}/{found[2]}" if found else None


def unnamed(text: str) -> str:
    """A text without the name that a value is given: "x = 5"."""
    return re.sub(r"^[A-Za-z](?:_\w+|\([a-z]\))?\s*=\s*", "", text)
