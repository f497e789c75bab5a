"""Formulas with letters or roots: two are the same when they agree at several points.

Only sums, products, quotients, small powers and square roots of numbers and one-letter variables are
read, so nothing that comes from a model is ever run: a formula becomes a syntax tree, and the tree is
walked.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from lm_eval_bertjudge.rules import quantities
from lm_eval_bertjudge.rules.sizes import is_far
from lm_eval_bertjudge.text.question import Question

EXAMPLES = r"""
8  !=  8\sqrt{3}
\sqrt{8}  ??  2.83
x^2 + 6x + 9  ==  9 + 6x + x^2
5\sqrt{2}  ==  $5\sqrt2$
5\sqrt{2}  ==  5√2
y = -2x + 3  ==  2x + y - 3 = 0
\frac{x+1}{2}  ==  (x+1)/2
x = y/4 + 1/4  ==  y = 4x - 1
\frac{1}{2x}  ==  1/(2x)
\frac{h}{2\pi}  ==  h/(2π)
2^{n-1}  ==  2^n/2
x^{1/2}  ==  \sqrt{x}
x^{12}  ==  x¹²
a\sqrt{2}  ==  √2a
y = -2x + 3  !=  y = 2x + 3
a^2 + 3a - 10  !=  a^2 - 3a - 10
y = 4x - 1  !=  y = 4x + 1
4x - 1  !=  y = -4x - 1
x^2  !=  x^3
\frac{1}{2x}  !=  x/2
2^{n-1}  !=  2^n - 1
x^{1/2}  !=  x/2
x  !=  x¹²
x^2 + 6x + 9  ??  y^2 + 6y + 9
5\sqrt{2}  !=  2\sqrt{5}
x  ??  x = 0
x^2 + 1  ??  x^2 + 1 = 0
x + 1  ??  x + 1 + y - y
a  ??  b
x + i  ??  x - i
x/3  ??  0.333x
x^2 + 1  ??  y^2 - 1
\frac{1}{2x}  ??  1/2x
x^2/2 + x + C  ??  (x+1)^2/2 + C
4k + 3  ??  4k - 1
O(n^2)  ??  O(n^2 + n)
2^n  ??  2^{n-1}
4 - t  ??  4t
3/y  ??  3y
(x+3)^2  ??  x^2+6x+9  ::  Factor $x^2 + 6x + 9$.
x^2+6x+9  ==  x^2 + 6x + 9  ::  Expand (x+3)^2.
"""

# The letters of a formula, and its values at the points.
Formula = tuple[set[str], list[float]]
# Where formulas are compared; variables get different multiples of them.
_POINTS = (0.37, 1.73, 2.41)
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_MAX_LENGTH = 80  # characters
_MAX_POWER = 12
_TOLERANCE = 1e-9
_BESIDE_NAME = re.compile(r"(?<=[\w)])\s*(?=sqrt|pi)|(?<=pi)\s*(?=[\w(])")
_PRODUCT = re.compile(
    r"""
    (?<=[\d)])\s*(?=[a-zA-Z(])         # 2x, (x+1)(x-1)
    | (?<=\b[a-zA-Z])\s*(?=\()         # x(x+1)
    | (?<=\))\s*(?=\d)                 # (x+1)2
    """,
    re.VERBOSE,
)
_AMBIGUOUS = re.compile(r"/\s*(?:\d+\s*[a-zA-Z(]|[a-zA-Z]\s*[\w(])|^[A-Z]-[A-Z]$")


def equivalent(gold: str, answer: str, question: Question) -> bool:
    """Whether two plain texts are equal formulas or equations in the same variables.

    Bare numbers are none (an unevaluated sum is for a reader to judge), and neither is a formula that
    the question itself holds: whoever repeats what is to be simplified has not answered.
    """
    if max(len(gold), len(answer)) > _MAX_LENGTH or not re.search(r"[a-z]", gold):
        return False
    if gold != answer and _squeezed(answer) in _squeezed(question.text):
        return False
    return _agree(_sides(gold), _sides(answer))


def contradicts(gold: str, answer: str, question: Question) -> bool:
    """Whether two plain texts are formulas of the same variables with far values.

    Left to a reader: another sign, `i` and `O`, which may be no variables, and a constant term or
    factor beside a letter that may stand for a constant or an index, as in "+ C" and "4k + 3".
    """
    gold, answer = quantities.without_name(gold), quantities.without_name(answer)
    if "sqrt" in gold + answer and _far_constants(gold, answer):
        return True
    if quantities.parse(gold) or quantities.parse(answer):
        return False
    first, second = parse(gold), parse(answer)
    return first is not None and second is not None and _are_far(first, second)


def _are_far(first: Formula, second: Formula) -> bool:
    letters, values = first
    other_letters, other_values = second
    if letters != other_letters or letters & {"i", "O"}:
        return False
    pairs = list(zip(map(abs, values), map(abs, other_values), strict=True))
    if letters & set("Ccknm") and _differ_in_constant(pairs):
        return False
    return any(is_far(a, b) for a, b in pairs)


def _differ_in_constant(pairs: list[tuple[float, float]]) -> bool:
    """Whether two formulas differ in one term, or in one factor."""
    return _one(a - b for a, b in pairs) or _one(a / b for a, b in pairs if b)


def _far_constants(gold: str, answer: str) -> bool:
    """Whether both are numbers, with roots, and of far sizes: 8 and 8√3."""
    trees = [None if _AMBIGUOUS.search(text) else _syntax_tree(text) for text in (gold, answer)]
    if None in trees or _letters(trees):
        return False
    try:
        size, other = [_value(tree, 1.0) for tree in trees if tree]
    except (ArithmeticError, ValueError, TypeError):
        return False
    return is_far(size, other)


def _one(numbers: Iterable[float]) -> bool:
    """Whether numbers are all the same."""
    distinct = list(numbers)
    return not distinct or max(distinct) - min(distinct) < _TOLERANCE


def parse(text: str) -> Formula | None:
    """The letters of a formula and its values at a few points.

    None when the text is no formula with letters, or one that may be read in two ways, as 1/2x.
    """
    readable = len(text) <= _MAX_LENGTH and not _AMBIGUOUS.search(text)
    tree = _syntax_tree(text) if readable else None
    letters = _letters([tree])
    if tree is None or not letters:
        return None
    try:
        return letters, [_value(tree, point) for point in _POINTS]
    except (ArithmeticError, ValueError, TypeError):
        return None


def _sides(text: str) -> list[ast.expr | None]:
    return [_syntax_tree(side) for side in text.split("=")]


def _squeezed(text: str) -> str:
    return re.sub(r"[\s\\{}$]", "", text)


def _agree(gold: list[ast.expr | None], answer: list[ast.expr | None]) -> bool:
    """Formulas by their values; equations by the ratio of what they set to zero, one constant."""
    if len(gold) != len(answer) or len(gold) > 2 or None in gold + answer:
        return False
    if _letters(gold) != _letters(answer):
        return False
    try:
        rows = [(_difference(gold, point), _difference(answer, point)) for point in _POINTS]
    except (ArithmeticError, ValueError, TypeError):
        return False
    if len(gold) == 1:
        return all(math.isclose(a, b, rel_tol=_TOLERANCE) for a, b in rows)
    return _are_proportional(rows)


def _are_proportional(rows: list[tuple[float, float]]) -> bool:
    if any(min(abs(a), abs(b)) < _TOLERANCE for a, b in rows):
        return False
    ratios = [a / b for a, b in rows]
    return all(math.isclose(ratio, ratios[0], rel_tol=_TOLERANCE) for ratio in ratios)


def _difference(sides: list[ast.expr | None], point: float) -> float:
    first, *second = [_value(side, point) for side in sides if side is not None]
    return first - sum(second)


def _letters(sides: list[ast.expr | None]) -> set[str]:
    nodes = chain.from_iterable(ast.walk(side) for side in sides if side)
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return names - {"pi", "sqrt"}


def _syntax_tree(text: str) -> ast.expr | None:
    """The syntax tree of a formula; None when the text is none."""
    has_words = re.search(r"[a-z]{2}", re.sub(r"sqrt|pi", "", text))
    if has_words or not re.fullmatch(r"[\w\s.+*/^()-]+", text):
        return None
    text = _BESIDE_NAME.sub("*", text.strip())
    text = _PRODUCT.sub("*", text)
    try:
        return ast.parse(text.replace("^", "**"), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return None


def _value(node: ast.expr, point: float) -> float:
    """The formula's value where each variable is a multiple of `point` that its letter determines."""
    match node:
        case ast.Constant(int() | float() as number):
            return float(number)
        case ast.Name("pi"):
            return math.pi
        case ast.Name(letter):
            return point * (1 + ord(letter[0]) / 29)
        case ast.UnaryOp(ast.UAdd(), operand):
            return _value(operand, point)
        case ast.UnaryOp(ast.USub(), operand):
            return -_value(operand, point)
        case ast.Call(ast.Name("sqrt"), [argument, *_]):
            return math.sqrt(_value(argument, point))
        case ast.BinOp(left, sign, right):
            return _combined(sign, _value(left, point), _value(right, point))
    raise ValueError(f"no formula: {ast.dump(node)[:40]}")


def _combined(node: ast.operator, left: float, right: float) -> float:
    if isinstance(node, ast.Pow) and abs(right) > _MAX_POWER:
        raise ValueError(f"the power {right} is too large")
    if type(node) not in _OPERATORS:
        raise ValueError("no formula")
    return float(_OPERATORS[type(node)](left, right))
