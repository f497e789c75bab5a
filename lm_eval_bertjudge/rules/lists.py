"""Lists, tuples and sets of texts, quantities and formulas."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations

from lm_eval_bertjudge.rules import formulas, quantities
from lm_eval_bertjudge.rules.brackets import members
from lm_eval_bertjudge.text.question import Question

EXAMPLES = r"""
red, green, blue  ==  blue, red and green
7 and -7  ==  \pm 7
x = 2, x = 3  ==  3, 2
\{1, 2\}  ==  {2, 1}
$2.41; $2.70  ==  ['$2.41', '$2.70']
\left( 2, \frac{\pi}{2} \right)  ==  (2, \pi/2)
(4, 7)  ==  (4; 7)
(4, 7)  ==  4 and 7
(-3, 3)  ==  ]-3, 3[
(-3, 3)  ==  -3 < x < 3
(-3, 3)  ==  |x| < 3
[4, \infty)  ==  x \geq 4
(-1, 3)  !=  (-3, 1)
\left( 3, \frac{1}{2} \right)  !=  (3, 2)
red, green, blue  ??  red and green
7 and -7  ??  7
1, 2  ??  1, 2, 3
1, 1, 2  ??  1, 2, 2
(4, 7)  ??  (7, 4)
(4, 7)  ??  [4, 7]
(-3, 3)  ??  x < 3
(4, 7)  ??  4
{1, 2}  ??  {1, 3}
1, 2  ??  1, 3
x = 5, y = 7  ??  x = 7, y = 5
Bo, Cy  ==  Cy, Bo  ::  Who came?
Bo, Cy  ??  Cy, Bo  ::  Who came, in order of arrival?
x = 5, y = 7  ==  y = 7, x = 5  ::  Find x and y, respectively.
(3, 4]  ??  3, 4
"""

_ORDERED = re.compile(
    r"""
    \b(?:order(?:ed)? | respectively | first\ to\ last | last\ to\ first | sequence | ascending | descending
    | rank(?:ed|ing)? | sort(?:ed)? | steps? | pairs? | coordinates? | point | from\ [a-z]+est | [a-z]+est\ first
    | chronological(?:ly)? )\b                                                  # "Who came, in order of arrival?"
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RANKS = re.compile(
    r"""
    \brank\ the\b | \b(?:rank|sort|order|arrange|list|name|put|give|place)\b [^.?!\n]{0,80}
    \b(?:in\ (?:\w+\ ){0,2}order | from\ \w+\ to\ \w+ | first\ to\ last | last\ to\ first | ascending | descending
    | [a-z]+est\ first)\b                                                       # "List the cities, largest first."
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ANY_ORDER = re.compile(r"\bany order|in order (?:to|that|for)\b", re.IGNORECASE)
_POINT = re.compile(r"\b(?:coordinates|ordered pair|polar|point)\b", re.IGNORECASE)
_NAMED = re.compile(r"([A-Za-z])\s*=\s*(.+)", re.DOTALL)
_HALF_OPEN = ("(]", "[)")
_TUPLES = ("()", "[]", *_HALF_OPEN)

parse = members


def equivalent(gold: str, answer: str, question: Question) -> bool:
    """Whether both texts list the same members: in the same order where it matters, and within the same brackets.

    Order matters in tuples and intervals, and where the question speaks of one. A list without
    brackets goes with any but an interval's that is open on one side.
    """
    gold_brackets, gold_members = parse(gold)
    if len(gold_members) < 2:
        return False
    brackets, answer_members = parse(answer)
    if len(gold_members) != len(answer_members):
        return False
    if gold_brackets != brackets and not _go_together(gold_brackets, brackets):
        return False
    if same_order(gold_members, answer_members, question):
        return True
    named = all(_NAMED.fullmatch(member) for member in gold_members + answer_members)
    ordered = gold_brackets not in ("", "{}") or _ORDERED.search(question.text)
    return bool(named or not ordered) and _same_set(gold_members, answer_members, question)


def _go_together(gold: str, answer: str) -> bool:
    return "" in (gold, answer) and not {gold, answer} & set(_HALF_OPEN)


def contradicts(gold: str, answer: str, question: Question) -> bool:
    """Whether two plain texts are tuples of different numbers, or lists in another order.

    Order counts where the question asks for one.
    """
    gold_brackets, gold_members = parse(gold)
    if len(gold_members) < 2:
        return False
    brackets, answer_members = parse(answer)
    if len(gold_members) != len(answer_members):
        return False
    if _same_set(gold_members, answer_members, question):
        asked = _asks_for_order(question, gold_brackets, brackets, gold_members)
        return asked and not same_order(gold_members, answer_members, question)
    if gold_brackets != brackets or gold_brackets not in _TUPLES:
        return False
    if gold_brackets not in _HALF_OPEN and _proportional(gold_members, answer_members):
        return False
    pairs = zip(gold_members, answer_members, strict=True)
    return any(quantities.contradicts(one, other, question) for one, other in pairs)


def same_order(gold: list[str], answer: list[str], question: Question) -> bool:
    """Whether both have the same members in the same places."""
    return all(_same_member(g, a, question) for g, a in zip(gold, answer, strict=True))


def _same_set(gold: list[str], answer: list[str], question: Question) -> bool:
    """Whether both have the same members, in any order."""
    unmatched = list(answer)
    for member in gold:
        match = next((each for each in unmatched if _same_member(member, each, question)), None)
        if match is None:
            return False
        unmatched.remove(match)
    return True


def _same_member(gold: str, answer: str, question: Question) -> bool:
    """Whether two members are the same value; where both have a name, "x = 5", under the same name."""
    gold_name, answer_name = _NAMED.fullmatch(gold), _NAMED.fullmatch(answer)
    if gold_name and answer_name and gold_name[1] != answer_name[1]:
        return False
    gold = gold_name[2] if gold_name else gold
    answer = answer_name[2] if answer_name else answer
    return (
        _squeezed(gold) == _squeezed(answer)
        or quantities.equivalent(gold, answer, question)
        or formulas.equivalent(gold, answer, question)
    )


def _squeezed(text: str) -> str:
    return re.sub(r"[\s'\"“”‘’]", "", text).casefold()


def _asks_for_order(question: Question, gold_brackets: str, brackets: str, gold: list[str]) -> bool:
    if gold_brackets == brackets == "()" and _POINT.search(question.end):
        return True
    if "{}" in (gold_brackets, brackets):
        return False
    if any(re.search(r"[=()\[\]{}]", member) for member in gold):
        return False
    return bool(_RANKS.search(question.end)) and not _ANY_ORDER.search(question.end)


def _proportional(gold: list[str], answer: list[str]) -> bool:
    """Whether one is a multiple of the other, as directions are, or a reordering; or no numbers."""
    first, second = _numbers(gold), _numbers(answer)
    if first is None or second is None or sorted(first) == sorted(second):
        return True
    pairs = list(zip(first, second, strict=True))
    return all(a * d == b * c for (a, b), (c, d) in combinations(pairs, 2))


def _numbers(texts: list[str]) -> list[Fraction] | None:
    parsed = [quantities.parse(text) for text in texts]
    numbers = [quantity.number for quantity in parsed if quantity]
    return numbers if len(numbers) == len(texts) else None
