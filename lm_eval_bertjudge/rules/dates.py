"""Dates and centuries."""

from __future__ import annotations

import re
from datetime import date

from lm_eval_bertjudge.rules.quantities import ORDINALS

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DAYS = {word: n for n, word in enumerate(ORDINALS, start=1)} | {
    "thirtieth": 30, **{f"twenty {word}": 20 + n for n, word in enumerate(ORDINALS[:9], start=1)}, "thirty first": 31,
}  # fmt: skip
_ORDER = re.compile(r"\((?:(day|dd)|(month|mm))\b[^()]*\)", re.IGNORECASE)


def same_date(gold: str, said: str) -> bool:
    """Whether both texts are the same full date."""
    first = read_date(gold)
    return first is not None and first == read_date(said)


def same_century(gold: str, said: str) -> bool:
    """Whether both texts are the same century, or the second is a year or a decade's hundred within the first."""
    century = _century(gold)
    return century is not None and century in (_century(said), _year_century(said))


def read_date(text: str) -> date | None:
    """The date a text is, in words or digits; day and month in digits count only where their order is certain."""
    words = re.sub(
        r"\b(?:on|the|of|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|[,.]", " ", text.casefold()
    )
    words = " ".join(
        re.sub(r"\b(\d{1,2})(?:st|nd|rd|th)\b", r"\1", words.replace("-", " - ")).split()
    )
    if iso := re.fullmatch(r"(\d{4}) - (\d\d?) - (\d\d?)", words):
        return _valid(iso[1], iso[2], iso[3])
    if found := re.fullmatch(r"(\d\d?|[a-z]+(?: - )?(?: [a-z]+)??) ([a-z]+) (\d{4})", words):
        return _valid(found[3], found[2], found[1]) or _valid(found[3], found[1], found[2])
    if found := re.fullmatch(r"([a-z]+) (\d\d?|[a-z]+(?:[ -]+[a-z]+)?) (\d{4})", words):
        return _valid(found[3], found[1], found[2])
    return _in_digits(text)


def _in_digits(text: str) -> date | None:
    order = _ORDER.search(text)
    found = re.fullmatch(r"(\d\d?)[/.](\d\d?)[/.](\d{4})", _ORDER.sub("", text).strip())
    if not found:
        return None
    day_first, month_first = (
        _valid(found[3], found[2], found[1]),
        _valid(found[3], found[1], found[2]),
    )
    if order:
        return day_first if order[1] else month_first
    return (
        day_first
        if month_first in (None, day_first)
        else month_first
        if day_first is None
        else None
    )


def _valid(year: str, month: str, day: str) -> date | None:
    names = [
        i
        for i, name in enumerate(_MONTHS, start=1)
        if name == month or (len(month) > 2 and name[:3] == month)
    ]
    number = int(month) if month.isdigit() else names[0] if names else 0
    day = " ".join(day.replace("-", " ").split())
    try:
        return date(int(year), number, int(day) if day.isdigit() else _DAYS.get(day, 0))
    except ValueError:
        return None


def _century(text: str) -> int | None:
    words = re.sub(r"^(?:in|during)?\s*(?:the)?\s*", "", text.casefold().rstrip("."))
    if hundreds := re.fullmatch(r"(\d{1,2})00'?s", words):
        return int(hundreds[1]) + 1
    if found := re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th) century(?: (?:ad|ce))?", words):
        return int(found[1])
    named = re.fullmatch(r"([a-z -]+) century(?: (?:ad|ce))?", words)
    return _DAYS.get(" ".join(named[1].replace("-", " ").split())) if named else None


def _year_century(text: str) -> int | None:
    found = re.fullmatch(r"(?:in )?(\d{3,4})(?: ad| ce)?", text.casefold().rstrip("."))
    return (int(found[1]) - 1) // 100 + 1 if found else None
