"""Whether two short texts are surely different values: numbers, dates, formulas, tuples and intervals, ranked lists.

Strict in the other direction: what a convention could reconcile (a unit, a percentage, thousands, a rounding, a sign, a
multiple of a vector, a constant of integration) is left to a reader, and so is what cannot be read as one value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations

from lm_eval_bertjudge.rules.dates import read_date
from lm_eval_bertjudge.rules.formulas import sampled
from lm_eval_bertjudge.rules.lists import members, same_order, same_set
from lm_eval_bertjudge.rules.quantities import (
    Quantity,
    measure,
    quantity,
    unnamed,
    without_currency,
)

_ROUNDING = Fraction(1, 20)  # of the larger number
_WHOLE_ROUNDING = Fraction(
    1, 100
)  # where both are whole numbers, and nobody speaks of about how many
_ABOUT = re.compile(
    r"about|around|approx|roughly|nearly|almost|estimate|nearest|~|≈", re.IGNORECASE
)
_YEARS = re.compile(
    r"(?:1[5-9]|20)\d\d\s*/\s*(?:\d\d|\d{4})"
)  # a season or a fiscal year, no fraction
_DECADE = re.compile(r"(?:\d\d)?\d0s")
_GROUPED = re.compile(r"\d[.,]\d{3}(?!\d)")  # a thousands separator, or three decimals elsewhere
_TUPLES = ("()", "(]", "[)", "[]")
_RANKS = re.compile(
    r"\brank the\b|\b(?:rank|sort|order|arrange|list|name|put|give|place)\b[^.?!\n]{0,80}\b(?:in (?:\w+ ){0,2}order"
    r"|from \w+ to \w+|first to last|last to first|ascending|descending|[a-z]+est first)\b",
    re.IGNORECASE,
)
_ANY_ORDER = re.compile(r"\bany order|in order (?:to|that|for)\b", re.IGNORECASE)
_POINT = re.compile(r"\b(?:coordinates|ordered pair|polar|point)\b", re.IGNORECASE)
_QUESTION_END = 400  # characters, where a prompt asks


def apart_quantities(gold: str, said: str, question: str) -> bool:
    """Whether two plain texts are numbers of the same unit, or of units that convert, and far from each other."""
    gold, said = unnamed(gold), unnamed(said)
    a, b = quantity(gold), quantity(said)
    if (
        a is None
        or b is None
        or any(form.fullmatch(text) for form in (_YEARS, _DECADE) for text in (gold, said))
    ):
        return False
    if ("/" in gold) != ("/" in said) and gold.partition("/")[0].strip() == said.partition("/")[
        0
    ].strip():
        return False  # 17 and 17/20: how many, or how many of how many
    if a.unit == b.unit == "degree" and (a.number - b.number) % 360 == 0:
        return False
    known = measure(a.unit), measure(b.unit)
    if (
        known[0]
        and known[1]
        and known[0][0] == known[1][0] != "money"
        and not _GROUPED.search(f"{gold} {said}")
    ):
        return _far(a.number * known[0][1], b.number * known[1][1], _ROUNDING)
    about = _ABOUT.search(f"{gold} {said} {question}") is not None
    return without_currency(a.unit) == without_currency(b.unit) and _far_at_any_scale(
        a, b, about=about
    )


def _far_at_any_scale(a: Quantity, b: Quantity, *, about: bool) -> bool:
    """Whether no rounding and no power of ten brings them together: thousands may be meant, or a percentage."""
    if a.decimals is not None and b.decimals is not None:
        digits = min(a.decimals, b.decimals)
        if round(abs(a.number), digits) == round(abs(b.number), digits):
            return False
    low, high = sorted((abs(a.number), abs(b.number)))
    whole = (
        a.decimals == b.decimals == 0
        and low * 2 >= high
        and not (about or without_currency(a.unit))
    )
    while low and low * 2 < high:
        low *= 10
    return _far(low, high, _WHOLE_ROUNDING if whole else _ROUNDING)


def _far(a: Fraction, b: Fraction, rounding: Fraction) -> bool:
    low, high = sorted((abs(a), abs(b)))
    return high - low > high * rounding


def apart_dates(gold: str, said: str) -> bool:
    """Whether two plain texts are different full dates."""
    first, second = read_date(gold), read_date(said)
    return first is not None and second is not None and first != second


def apart_formulas(gold: str, said: str) -> bool:
    """Whether two plain texts are formulas of the same variables with far values.

    Left to a reader: another sign, `i` and `O`, which may be no variables, and a constant term or factor beside a
    letter that may stand for a constant or an index, as in "+ C" and "4k + 3".
    """
    gold, said = unnamed(gold), unnamed(said)
    first, second = sampled(gold), sampled(said)
    if first is None or second is None or quantity(gold) or quantity(said):
        return False
    letters, pairs = first[0], [(abs(a), abs(b)) for a, b in zip(first[1], second[1], strict=True)]
    if letters != second[0] or letters & {"i", "O"}:
        return False
    if letters & set("Ccknm") and (
        _one(a - b for a, b in pairs) or _one(a / b for a, b in pairs if b)
    ):
        return False
    return any(abs(a - b) > float(_ROUNDING) * max(a, b) for a, b in pairs)


def _one(numbers: Iterable[float]) -> bool:
    """Whether numbers are all the same."""
    found = list(numbers)
    return not found or max(found) - min(found) < 1e-9


def apart_lists(gold: str, said: str, question: str) -> bool:
    """Whether two plain texts are half-lines that end differently, tuples or intervals of different numbers, or the
    same members in another order where the question asks for one.
    """
    (gold_brackets, gold_members), (said_brackets, said_members) = members(gold), members(said)
    if len(gold_members) != len(said_members) or len(gold_members) < 2:
        return False
    if _is_half_line(gold_brackets, gold_members) and _is_half_line(said_brackets, said_members):
        return _apart_half_lines(
            gold_brackets + said_brackets, gold_members, said_members, question
        )
    if same_set(gold_members, said_members, question):
        return _asks_for_order(
            question, gold_brackets, said_brackets, gold_members
        ) and not same_order(gold_members, said_members, question)
    if gold_brackets != said_brackets or gold_brackets not in _TUPLES:
        return False
    directions = gold_brackets in ("()", "[]") and _proportional(gold_members, said_members)
    return not directions and _any_apart(gold_members, said_members, question)


def _apart_half_lines(brackets: str, gold: list[str], said: list[str], question: str) -> bool:
    """`brackets` are those of both; the one at the infinite end says nothing."""
    ends = [_infinite(end) for end in gold]
    if ends != [_infinite(end) for end in said]:
        return True
    at = ends.index(False)
    whole = re.search(r"\b(?:integer|whole|natural)", question, re.IGNORECASE)
    other_end = brackets[at] != brackets[at + 2] and not whole
    return other_end or (not whole and apart_quantities(gold[at], said[at], question))


def _asks_for_order(question: str, gold_brackets: str, said_brackets: str, gold: list[str]) -> bool:
    asked = question[-_QUESTION_END:]
    if gold_brackets == said_brackets == "()" and _POINT.search(asked):
        return True
    plain_members = not any(re.search(r"[=()\[\]{}]", member) for member in gold)
    ranks = _RANKS.search(asked) and not _ANY_ORDER.search(asked)
    return bool(ranks) and plain_members and "{}" not in (gold_brackets, said_brackets)


def _any_apart(gold: list[str], said: list[str], question: str) -> bool:
    return any(apart_quantities(g, s, question) for g, s in zip(gold, said, strict=True))


def _proportional(gold: list[str], said: list[str]) -> bool:
    """Whether one is a multiple of the other, as directions are, or the same in another order; or no numbers."""
    read = [[quantity(member) for member in both] for both in (gold, said)]
    numbers = [[member.number for member in both if member] for both in read]
    if (
        len(numbers[0]) != len(gold)
        or len(numbers[1]) != len(said)
        or sorted(numbers[0]) == sorted(numbers[1])
    ):
        return True
    pairs = list(zip(*numbers, strict=True))
    return all(a * d == b * c for (a, b), (c, d) in combinations(pairs, 2))


def _is_half_line(brackets: str, ends: list[str]) -> bool:
    return brackets in ("()", "(]", "[)") and len(ends) == 2 and sum(map(_infinite, ends)) == 1


def _infinite(end: str) -> bool:
    return re.fullmatch(r"[-+]?\s*inf(?:inity|ty)?", end.strip()) is not None
