"""Whether two short texts are surely different values: numbers, dates, formulas, tuples and intervals, ranked lists.

Strict in the other direction: what a convention could reconcile (a unit, a percentage, thousands, a rounding, a sign, a
multiple of a vector) is left to a reader, and so is what cannot be read as one value.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations

from lm_eval_bertjudge.values.dates import read_date
from lm_eval_bertjudge.values.formulas import sampled
from lm_eval_bertjudge.values.lists import RANKED, members, same_list, same_set
from lm_eval_bertjudge.values.quantities import Quantity, measure, quantity, unnamed, without_currency

_ROUNDING = Fraction(1, 20)  # of the larger number, where one is written in another way than by digits alone
_WHOLE_ROUNDING = Fraction(1, 100)  # where both are
_TUPLES = ("()", "(]", "[)", "[]")


def apart_quantities(gold: str, said: str) -> bool:
    """Whether two plain texts are numbers of the same unit, or of units that convert, and far from each other."""
    a, b = quantity(unnamed(gold)), quantity(unnamed(said))
    if a is None or b is None:
        return False
    known = measure(a.unit), measure(b.unit)
    if known[0] and known[1] and known[0][0] == known[1][0] != "money":
        return _far(a.number * known[0][1], b.number * known[1][1], _ROUNDING)
    return without_currency(a.unit) == without_currency(b.unit) and _far_at_any_scale(a, b)


def _far_at_any_scale(a: Quantity, b: Quantity) -> bool:
    """Whether no power of ten brings them together: thousands may be meant, or a share for its percentage."""
    low, high = sorted((abs(a.number), abs(b.number)))
    while low and low * 2 < high:
        low *= 10
    return _far(low, high, _WHOLE_ROUNDING if a.decimals == b.decimals == 0 else _ROUNDING)


def _far(a: Fraction, b: Fraction, rounding: Fraction) -> bool:
    low, high = sorted((abs(a), abs(b)))
    return high - low > high * rounding


def apart_dates(gold: str, said: str) -> bool:
    """Whether two plain texts are different full dates."""
    first, second = read_date(gold), read_date(said)
    return first is not None and second is not None and first != second


def apart_formulas(gold: str, said: str) -> bool:
    """Whether two plain texts are formulas of the same variables with far values; `i` may be no variable."""
    first, second = sampled(unnamed(gold)), sampled(unnamed(said))
    if first is None or second is None or first[0] != second[0] or "i" in first[0]:
        return False
    return any(abs(a - b) > float(_ROUNDING) * max(abs(a), abs(b)) for a, b in zip(first[1], second[1], strict=True))


def apart_lists(gold: str, said: str, question: str) -> bool:
    """Whether two plain texts are half-lines that end differently, tuples or intervals of different numbers, or the
    same members in another order where the question asks for one.
    """
    (gold_brackets, gold_members), (said_brackets, said_members) = members(gold), members(said)
    if len(gold_members) != len(said_members) or len(gold_members) < 2:
        return False
    if _is_half_line(gold_brackets, gold_members) and _is_half_line(said_brackets, said_members):
        ends = [[_infinite(end) for end in both] for both in (gold_members, said_members)]
        return gold_brackets != said_brackets or ends[0] != ends[1] or _any_apart(gold_members, said_members)
    if RANKED.search(question) and same_set(gold_members, said_members, question):
        return not same_list(gold, said, question)
    if gold_brackets != said_brackets or gold_brackets not in _TUPLES:
        return False
    directions = gold_brackets in ("()", "[]") and _proportional(gold_members, said_members)
    return not directions and _any_apart(gold_members, said_members)


def _any_apart(gold: list[str], said: list[str]) -> bool:
    return any(apart_quantities(g, s) for g, s in zip(gold, said, strict=True))


def _proportional(gold: list[str], said: list[str]) -> bool:
    """Whether one is a multiple of the other, as directions are, or the same in another order; or no numbers."""
    read = [[quantity(member) for member in both] for both in (gold, said)]
    numbers = [[member.number for member in both if member] for both in read]
    if len(numbers[0]) != len(gold) or len(numbers[1]) != len(said) or sorted(numbers[0]) == sorted(numbers[1]):
        return True
    pairs = list(zip(*numbers, strict=True))
    return all(a * d == b * c for (a, b), (c, d) in combinations(pairs, 2))


def _is_half_line(brackets: str, ends: list[str]) -> bool:
    return brackets in ("()", "(]", "[)") and len(ends) == 2 and sum(map(_infinite, ends)) == 1


def _infinite(end: str) -> bool:
    return re.fullmatch(r"[-+]?\s*inf(?:inity|ty)?", end.strip()) is not None
