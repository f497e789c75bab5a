"""Whether two short texts are surely different values: numbers far enough apart, and half-lines.

Strict in the other direction: what a convention could reconcile (a unit, a percentage, thousands, a rounding, a sign)
is left to a reader, and so is what cannot be read as one value.
"""

from __future__ import annotations

import re
from fractions import Fraction

from lm_eval_bertjudge.values.lists import members
from lm_eval_bertjudge.values.quantities import Quantity, unnamed, without_currency
from lm_eval_bertjudge.values.quantities import quantity as read

_ROUNDING = Fraction(1, 20)  # of the larger number, where one is written in another way than by digits alone
_WHOLE_ROUNDING = Fraction(1, 100)  # where both are


def apart_quantities(gold: str, said: str) -> bool:
    """Whether two plain texts are numbers in the same unit, neither a rounding nor a rescaling of the other."""
    a, b = read(unnamed(gold)), read(unnamed(said))
    return a is not None and b is not None and without_currency(a.unit) == without_currency(b.unit) and _far(a, b)


def _far(a: Quantity, b: Quantity) -> bool:
    low, high = sorted((abs(a.number), abs(b.number)))
    if not low:
        return bool(high)
    rounding = _WHOLE_ROUNDING if a.decimals == b.decimals == 0 else _ROUNDING
    while low * 2 < high:  # thousands, or a share and its percentage
        low *= 10
    low, high = sorted((low, high))
    return high - low > high * rounding


def apart_half_lines(gold: str, said: str) -> bool:
    """Whether two plain texts are half-lines ("x > 5", "[5, inf)") that end differently or at different numbers."""
    (gold_brackets, gold_ends), (said_brackets, said_ends) = members(gold), members(said)
    if not (_is_half_line(gold_brackets, gold_ends) and _is_half_line(said_brackets, said_ends)):
        return False
    if gold_brackets != said_brackets or [_infinite(end) for end in gold_ends] != [_infinite(end) for end in said_ends]:
        return True
    return any(apart_quantities(g, s) for g, s in zip(gold_ends, said_ends, strict=True))


def _is_half_line(brackets: str, ends: list[str]) -> bool:
    return brackets in ("()", "(]", "[)") and len(ends) == 2 and sum(map(_infinite, ends)) == 1


def _infinite(end: str) -> bool:
    return re.fullmatch(r"[-+]?\s*inf(?:inity|ty)?", end.strip()) is not None
