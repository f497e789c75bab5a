"""Full dates, in words or digits."""

from __future__ import annotations

import re
from datetime import date

from lm_eval_bertjudge.rules.numbers import ORDINALS
from lm_eval_bertjudge.text.question import Question

EXAMPLES = r"""
4 March 1987  ==  March 4, 1987
4 March 1987  ==  1987-03-04
4 March 1987  ==  4th of March 1987
4 March 1987  ==  the fourth of March, 1987
24 March 1987  ==  24/03/1987
4 March 1987  ==  04/03/1987 (day first)
4 March 1987  !=  3 April 1987
9 June 1931  !=  July 9, 1931
4 March 1987  ??  March 1987
4 March 1987  ??  04/03/1987
4 March 1987  ==  4-Mar-1987
4 September 1987  ==  Sept. 4, 1987
4 March 1987  ==  1987/03/04
"""

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
DAYS = {word: day for day, word in enumerate(ORDINALS, start=1)}
DAYS |= {f"twenty {word}": day for day, word in enumerate(ORDINALS[:9], start=21)}
DAYS |= {"thirtieth": 30, "thirty first": 31}
_DECORATION = re.compile(
    r"""
    \b(?:on|the|of|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b | [,.]     # on Friday, the 4th
    """,
    re.VERBOSE,
)
_SUFFIX = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")
_ISO = re.compile(r"(\d{4})(?: - |/)(\d\d?)(?: - |/)(\d\d?)")  # 1987-03-04, 1987/03/04
_DAY_MONTH = re.compile(
    r"""
    (\d\d?|[a-z]+(?:\ -\ )?(?:\ [a-z]+)??)(?:\ -\ |\ )     # twenty - first march 1987
    ([a-z]+)(?:\ -\ |\ )(\d{4})                           # 4 - mar - 1987
    """,
    re.VERBOSE,
)
_MONTH_DAY = re.compile(r"([a-z]+) (\d\d?|[a-z]+(?:[ -]+[a-z]+)?) (\d{4})")  # march 4 1987
_IN_DIGITS = re.compile(r"(\d\d?)[/.](\d\d?)[/.](\d{4})")
_ORDER = re.compile(r"\((?:(day|dd)|(month|mm))\b[^()]*\)", re.IGNORECASE)


def parse(text: str) -> date | None:
    """The date a plain text is; day and month in digits count only where their order is certain."""
    words = _DECORATION.sub(" ", text.casefold()).replace("-", " - ")
    words = _SUFFIX.sub(r"\1", words)
    words = " ".join(words.split())
    if match := _ISO.fullmatch(words):
        year, month, day = match.groups()
        return _valid(year, month, day)
    if match := _DAY_MONTH.fullmatch(words):
        day, month, year = match.groups()
        return _valid(year, month, day) or _valid(year, day, month)
    if match := _MONTH_DAY.fullmatch(words):
        month, day, year = match.groups()
        return _valid(year, month, day)
    return _in_digits(text)


def equivalent(gold: str, answer: str, question: Question) -> bool:
    """Whether both texts are the same date."""
    first = parse(gold)
    return first is not None and first == parse(answer)


def contradicts(gold: str, answer: str, question: Question) -> bool:
    """Whether both texts are dates, and different ones."""
    first, second = parse(gold), parse(answer)
    return first is not None and second is not None and first != second


def _in_digits(text: str) -> date | None:
    match = _IN_DIGITS.fullmatch(_ORDER.sub("", text).strip())
    if not match:
        return None
    first, second, year = match.groups()
    day_first = _valid(year, second, first)
    month_first = _valid(year, first, second)
    if order := _ORDER.search(text):
        return day_first if order[1] else month_first
    if month_first in (None, day_first):
        return day_first
    return month_first if day_first is None else None


def _valid(year: str, month: str, day: str) -> date | None:
    day = " ".join(day.replace("-", " ").split())
    number = int(day) if day.isdigit() else DAYS.get(day, 0)
    try:
        return date(int(year), _month(month), number)
    except ValueError:
        return None


def _month(text: str) -> int:
    """The month's number by its name or its first letters, or in digits; 0 where it is none."""
    if text.isdigit():
        return int(text)
    for number, name in enumerate(MONTHS, start=1):
        if name == text or text in (name[:3], name[:4]):
            return number
    return 0
