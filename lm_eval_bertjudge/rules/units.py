"""Units: which words are one, and what converts to what. Only two different units need the package pint."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pint import UnitRegistry

# As answers write them, in the singular and lower case, and the name that pint knows. Units that are read in
# two ways (mw, a billion calories) are left out: they convert to nothing.
_NAMES = """
mm millimeter = millimeter | cm centimeter = centimeter | m meter = meter | km kilometer = kilometer
in inch inche = inch | ft foot feet = foot | yd yard = yard | mi mile = mile
ms millisecond = millisecond | s sec second = second | min minute = minute | h hr hour = hour | day = day | week = week
mg milligram = milligram | g gram = gram | kg kilogram = kilogram | t tonne = tonne
lb pound = pound | oz ounce = ounce
ml milliliter cc = milliliter | cl centiliter = centiliter | l liter = liter
gallon gal = gallon | quart = quart | pint = pint
j joule = joule | kj kilojoule = kilojoule | cal calorie = calorie | kcal kilocalorie = kilocalorie
wh = watt_hour | kwh = kilowatt_hour | w watt = watt | kw kilowatt = kilowatt
pa pascal = pascal | kpa kilopascal = kilopascal | atm atmosphere = atmosphere | mmhg torr = mmHg
hz hertz = hertz | khz kilohertz = kilohertz | ghz gigahertz = gigahertz
byte = byte | kilobyte = kilobyte | megabyte = megabyte | gigabyte = gigabyte
acre = acre | hectare ha = hectare | degree = degree
cent = currency_cent | dollar usd = currency_dollar | mph = mile/hour | kph kmh = kilometer/hour
"""


def _by_word(names: str) -> dict[str, str]:
    units: dict[str, str] = {}
    for entry in names.replace("\n", "|").split("|"):
        words, _, name = entry.partition("=")
        units |= dict.fromkeys(words.split(), name.strip())
    return units


_UNITS = _by_word(_NAMES)
_MONEY = ("currency_cent", "currency_dollar")
_CURRENCIES = ("", "dollar", "€", "£", "¥", "₹")
_FILLERS = ("in", "total", "of", "per", "each")
_SHORT = {"hr": "hour", "hrs": "hour", "min": "minute", "sec": "second"}
_DOLLAR = re.compile(r"^\$ ?")
_CUBIC = re.compile(r"\bcubic\s+([a-z]+)")
_SQUARE = re.compile(r"\bsq(?:uare|\.)?\s+([a-z]+)")
_PER = re.compile(r"(?<=[a-z\d])\s*/\s*(?=[a-z])")
_JOINT = re.compile(r"(?<=[a-z\d])-(?=[a-z])|^-(?=[a-z]{2})|(?<=%)|(?=%)")  # 5-mile, 5%
_UNIT_WORD = re.compile(r"[^\W\d_]+(?:\^[23])?|[%€£¥₹]")
_POWER = re.compile(r"([^\s^]+)(?:\^([23]))?")  # m^2
_MAX_WORDS = 4


def read_unit(text: str) -> str | None:
    """A unit's words in lower case and the singular, m/s as "m per s".

    None when the text goes on in another way.
    """
    text = text.strip().casefold().rstrip(".")
    text = text.replace("per cent", "%").replace("percent", "%")
    text = _CUBIC.sub(r"\1^3", _DOLLAR.sub("dollar ", text))
    text = _PER.sub(" per ", _SQUARE.sub(r"\1^2", text))
    words = _JOINT.sub(" ", text).split()
    if len(words) > _MAX_WORDS or {"repeating", "recurring"} & set(words):
        return None
    if not all(_UNIT_WORD.fullmatch(word) for word in words):
        return None
    return " ".join(map(singular, words))


def singular(word: str) -> str:
    """A unit's word in the singular, American and in full: metres as meter, hrs as hour."""
    stem, power, exponent = word.partition("^")
    stem = re.sub(r"(met|lit)re(s?)$", r"\1er\2", stem)
    if len(stem) > 3 and stem.endswith("s") and not stem.endswith("ss"):
        stem = stem[:-1]
    return _SHORT.get(stem, stem) + power + exponent


def is_physical(unit: str) -> bool:
    """Whether a word of it is a unit that converts, or has a power: words beside it make another unit."""
    return any(word.partition("^")[0] in _UNITS or "^" in word for word in unit.split())


def is_money(unit: str) -> bool:
    """Whether a unit is dollars or cents."""
    return _UNITS.get(unit) in _MONEY


def without_currency(unit: str) -> str:
    """A unit, without the currencies that an amount may leave out."""
    return "" if unit in _CURRENCIES else unit


def is_named(unit: str, words: frozenset[str]) -> bool:
    """Whether every word of a unit is among these words, plural or not."""
    known = {singular(word) for word in words}
    return all(singular(word) in known or word in _FILLERS for word in unit.split())


def convert(value: Fraction, unit: str, other: str) -> Fraction | None:
    """A value of a unit in another unit; None where one does not convert, or not into the other."""
    name, other_name = _pint_name(unit), _pint_name(other)
    if name is None or other_name is None:
        return None
    if name == other_name:
        return value
    from pint import DimensionalityError

    quantity = _registry().Quantity(value, name)
    try:
        return Fraction(quantity.to(other_name).magnitude)
    except DimensionalityError:
        return None


def _pint_name(unit: str) -> str | None:
    """What pint calls a unit: "km per h" is (kilometer)**1/(hour)**1; None where it does not convert."""
    names = []
    for part in unit.split(" per "):
        match = _POWER.fullmatch(part)
        if match is None or match[1] not in _UNITS:
            return None
        names.append(f"({_UNITS[match[1]]})**{match[2] or 1}")
    return "/".join(names)


@cache
def _registry() -> UnitRegistry[Any]:
    """Made at the first conversion, which takes most of a second."""
    from pint import UnitRegistry

    registry: UnitRegistry[Any] = UnitRegistry(non_int_type=Fraction)
    registry.define("currency_dollar = [currency]")
    registry.define("currency_cent = 1/100 currency_dollar")
    return registry
