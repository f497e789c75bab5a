"""Intervals and their unions: "(-3, 3]", "x > 4", "(-∞, 2) ∪ (3, ∞)", "x < 2 or x > 3"."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from lm_eval_bertjudge.rules import lists, quantities
from lm_eval_bertjudge.rules.brackets import members
from lm_eval_bertjudge.text.question import Question

EXAMPLES = r"""
[4, \infty)  !=  x > 4
[4, \infty)  !=  x \le 4
(-\infty, 3)  !=  x < 4
x >= 4  !=  [5, \infty)
[0, 5)  !=  [0, 6)
(1, 2)  ??  (2, 4)
(1, 2)  ??  (2, 1)
[1, 2]  ??  (1, 3)
[4, \infty)  ??  all numbers from 4 up
(a, b)  ??  (a, c)
(-\infty, 3)  ??  [-\infty, 3)
(2,12)\cup(12,102)  ==  (2, 12) \cup (12, 102)
(-\infty,2)\cup(3,\infty)  ==  x < 2 or x > 3
(-\infty,2)\cup(3,\infty)  ==  (3, ∞) ∪ (-∞, 2)
(-\infty,2)\cup(3,\infty)  !=  (-\infty,2)\cup(2,3)\cup(3,\infty)
(-\infty,2)\cup(3,\infty)  !=  (-\infty,2)\cup(4,\infty)
[-3,2]  !=  [-2,3)
(3,4]  !=  (3,4)
x > 4  ??  x >= 5  ::  Which whole numbers x?
"""

_UNION = re.compile(
    r"""
    (?<=[)\]])\s*(?:cup|∪|u|U|or|and)\s*(?=[(\[])      # (1, 2) ∪ (3, 4)
    | \s+or\s+(?=[a-z]\s*[<>])                         # x < 2 or x > 3
    """,
    re.VERBOSE,
)
_NAME = re.compile(r"^[A-Za-z]\s*(?:=|in|∈)\s*(?=[\[(])")
_INFINITE = re.compile(r"[-+]?\s*(?:inf(?:inity|ty)?|oo)")
_WHOLE = re.compile(r"\b(?:integer|whole|natural)", re.IGNORECASE)
_KINDS = ("()", "(]", "[)", "[]")


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval: its brackets, such as "(]", and its two ends as they are written."""

    brackets: str
    ends: tuple[str, str]

    @property
    def infinite(self) -> tuple[bool, bool]:
        """Which of its ends are infinite."""
        low, high = (_INFINITE.fullmatch(end.strip()) is not None for end in self.ends)
        return low, high

    @property
    def is_certain(self) -> bool:
        """Whether it is no pair of numbers: open on one side, or infinite."""
        return self.brackets in ("(]", "[)") or any(self.infinite)


def parse(text: str) -> list[Interval] | None:
    """The intervals that a plain text unites; None when a part is none. (4, 7) may be a pair, too."""
    intervals = []
    union = _NAME.sub("", text.strip().rstrip("."))
    for part in _UNION.split(union):
        brackets, ends = members(part)
        if brackets not in _KINDS or len(ends) != 2:
            return None
        intervals.append(Interval(brackets, (ends[0], ends[1])))
    return intervals


def equivalent(gold: str, answer: str, question: Question) -> bool:
    """Whether both unite the same intervals, in any order. Single ones are the same as lists are."""
    first = parse(gold)
    second = parse(answer) if first and len(first) > 1 else None
    if not first or not second or len(first) != len(second):
        return False
    return all(any(_same(one, other, question) for other in second) for one in first)


def _same(one: Interval, other: Interval, question: Question) -> bool:
    same_ends = lists.same_order(list(one.ends), list(other.ends), question)
    return one.brackets == other.brackets and same_ends


def contradicts(gold: str, answer: str, question: Question) -> bool:
    """Whether both are intervals for sure, or unions of them, with other ends or including others.

    In whole numbers x > 4 and x >= 5 are the same.
    """
    first = parse(gold)
    second = parse(answer) if first else None
    if not first or not second or not any(each.is_certain for each in first + second):
        return False
    whole = _WHOLE.search(question.text) is not None
    if len(first) != len(second):
        return not whole and min(len(first), len(second)) > 1
    if len(first) > 1:
        first, second = _sorted(first), _sorted(second)
    pairs = zip(first, second, strict=True)
    return any(_apart(one, other, question, whole=whole) for one, other in pairs)


def _sorted(union: list[Interval]) -> list[Interval]:
    return sorted(union, key=lambda each: _position(each.ends[0]))


def _position(end: str) -> float:
    quantity = quantities.parse(end)
    return float(quantity.number) if quantity else -math.inf


def _apart(one: Interval, other: Interval, question: Question, *, whole: bool) -> bool:
    """Whether they are half-lines of two directions, end at other numbers, or include an end or not."""
    if one.infinite != other.infinite:
        return sum(one.infinite) == sum(other.infinite) == 1
    if whole:
        return False
    finite = [at for at in (0, 1) if not one.infinite[at]]
    if any(one.brackets[at] != other.brackets[at] for at in finite):
        return True
    return any(quantities.contradicts(one.ends[at], other.ends[at], question) for at in finite)
