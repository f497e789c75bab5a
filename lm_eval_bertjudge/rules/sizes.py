"""How far two numbers are from each other, and which of them no decimals can write."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeVar

Size = TypeVar("Size", float, Fraction)

ROUNDING = Fraction(1, 20)  # of the larger number
WHOLE_ROUNDING = Fraction(1, 100)  # where both are whole, and nobody speaks of about how many


def is_far(a: Size, b: Size, rounding: Fraction = ROUNDING) -> bool:
    """Whether two numbers differ in size by more than a share of the larger one."""
    low, high = sorted((abs(a), abs(b)))
    return high - low > high * rounding


def is_endless(number: Fraction) -> bool:
    """Whether a number has decimals without end, as 1/3 has."""
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest != 1
