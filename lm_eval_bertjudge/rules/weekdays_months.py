"""Names of weekdays and months, also shortened: "Friday", "on Fri.", "Sept"."""

from __future__ import annotations

import re

from lm_eval_bertjudge.rules.dates import MONTHS
from lm_eval_bertjudge.text.question import Question

EXAMPLES = r"""
Friday == Fri.
Tuesday == on Tuesday
September == Sept.
Friday != Thursday
Saturday != Friday
March != April
Friday ?? Friday or Saturday
Friday ?? Thursday evening
May ?? might
"""

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NAMES = {name: name for name in _WEEKDAYS + MONTHS}
_NAMES |= {name[:3]: name for name in _WEEKDAYS + MONTHS}
_NAMES |= {"tues": "tuesday", "thur": "thursday", "thurs": "thursday", "sept": "september"}
_LEAD = re.compile(r"^(?:on|in)\s+")


def parse(text: str) -> str | None:
    """The weekday or month that a plain text names, in lower case and in full."""
    return _NAMES.get(_LEAD.sub("", text.strip().casefold().rstrip(".")))


def equivalent(gold: str, answer: str, question: Question) -> bool:
    """Whether both are the same weekday or month."""
    name = parse(gold)
    return name is not None and name == parse(answer)


def contradicts(gold: str, answer: str, question: Question) -> bool:
    """Whether both are weekdays, or both months, and different ones."""
    first, second = parse(gold), parse(answer)
    if first is None or second is None or first == second:
        return False
    return (first in _WEEKDAYS) == (second in _WEEKDAYS)
