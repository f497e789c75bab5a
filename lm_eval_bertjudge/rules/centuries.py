"""Centuries: "18th century", "the 1700s", "in 1743"."""

from __future__ import annotations

import re

from lm_eval_bertjudge.rules.dates import DAYS
from lm_eval_bertjudge.text.question import Question

EXAMPLES = r"""
18th century  ==  the 1700s
18th century  ==  in 1743
18th century  ??  the 1800s
18th century  ??  in 1800 BC
18th century  ??  1801
"""

_LEAD = re.compile(r"^(?:in|during)?\s*(?:the)?\s*")
_HUNDREDS = re.compile(r"(\d{1,2})00'?s")
_CENTURY = re.compile(
    r"""
    (?:(\d{1,2})(?:st|nd|rd|th) | ([a-z -]+))\ century    # "18th century", "eighteenth century"
    (?:\ (?:ad|ce))?
    """,
    re.VERBOSE,
)
_YEAR = re.compile(r"(?:in )?(\d{3,4})(?: ad| ce)?")


def parse(text: str) -> int | None:
    """The number of the century that a plain text names."""
    words = _LEAD.sub("", text.casefold().rstrip("."))
    if hundreds := _HUNDREDS.fullmatch(words):
        return int(hundreds[1]) + 1
    match = _CENTURY.fullmatch(words)
    if match is None:
        return None
    digits, ordinal = match.groups()
    if digits:
        return int(digits)
    return DAYS.get(" ".join(ordinal.replace("-", " ").split()))


def equivalent(gold: str, answer: str, question: Question) -> bool:
    """Whether both are the same century, or the answer is a year within the reference's."""
    century = parse(gold)
    return century is not None and century in (parse(answer), _of_year(answer))


def contradicts(gold: str, answer: str, question: Question) -> bool:
    """Never: a century's beginning and its name are mixed up too often."""
    return False


def _of_year(text: str) -> int | None:
    match = _YEAR.fullmatch(text.casefold().rstrip("."))
    if match is None:
        return None
    year = int(match[1])
    return (year - 1) // 100 + 1
