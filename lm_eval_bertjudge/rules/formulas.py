"""Formulas with letters or roots: two are the same when they agree at several points.

Only sums, products, quotients, small powers and square roots of numbers and one-letter variables are read, so nothing
that comes from a model is ever run: a formula becomes a syntax tree, and the tree is walked.
"""

from __future__ import annotations

import ast
import math
import re

_POINTS = (
    0.37,
    1.73,
    2.41,
)  # where formulas are compared; variables get different multiples of them
_MAX_LENGTH = 80  # characters
_MAX_POWER = 12
_TOLERANCE = 1e-9
_AMBIGUOUS = re.compile(r"/\s*(?:\d+\s*[a-zA-Z(]|[a-zA-Z]\s*[\w(])|^[A-Z]-[A-Z]$")


def same_formula(gold: str, said: str, question: str) -> bool:
    """Whether two plain texts are equal formulas or equations in the same variables.

    Bare numbers are none (an unevaluated sum is for a reader to judge), and neither is a formula that the question
    itself holds: whoever repeats what is to be simplified has not answered.
    """
    if max(len(gold), len(said)) > _MAX_LENGTH or not re.search(r"[a-z]", gold):
        return False
    if gold != said and _squeezed(said) in _squeezed(question):
        return False
    return _agree(
        [_parsed(side) for side in gold.split("=")], [_parsed(side) for side in said.split("=")]
    )


def sampled(text: str) -> tuple[set[str], list[float]] | None:
    """The letters of a formula and its values at a few points; None when the text is no formula with letters, or one
    that may be read in two ways, as 1/2x.
    """
    readable = len(text) <= _MAX_LENGTH and not _AMBIGUOUS.search(text)
    tree = _parsed(text) if readable else None
    letters = _letters([tree])
    if tree is None or not letters:
        return None
    try:
        return letters, [_value(tree, point) for point in _POINTS]
    except (ArithmeticError, ValueError, TypeError):
        return None


def _squeezed(text: str) -> str:
    return re.sub(r"[\s\\{}$]", "", text)


def _agree(gold: list[ast.expr | None], said: list[ast.expr | None]) -> bool:
    """Formulas by their values; equations by the ratio of what they set to zero, which has to be one constant."""
    if len(gold) != len(said) or len(gold) > 2 or None in gold or None in said:
        return False
    if _letters(gold) != _letters(said):
        return False
    try:
        rows = [(_difference(gold, point), _difference(said, point)) for point in _POINTS]
    except (ArithmeticError, ValueError, TypeError):
        return False
    if len(gold) == 1:
        return all(math.isclose(a, b, rel_tol=_TOLERANCE) for a, b in rows)
    if any(min(abs(a), abs(b)) < _TOLERANCE for a, b in rows):
        return False
    return all(math.isclose(a / b, rows[0][0] / rows[0][1], rel_tol=_TOLERANCE) for a, b in rows)


def _difference(sides: list[ast.expr | None], point: float) -> float:
    values = [_value(side, point) for side in sides if side is not None]
    return values[0] - values[1] if len(values) > 1 else values[0]


def _letters(sides: list[ast.expr | None]) -> set[str]:
    return {
        node.id for side in sides if side for node in ast.walk(side) if isinstance(node, ast.Name)
    } - {"pi", "sqrt"}


def _parsed(text: str) -> ast.expr | None:
    """The syntax tree of a formula; None when the text is none."""
    if not re.fullmatch(r"[\w\s.+*/^()-]+", text) or re.search(
        r"[a-z]{2}", re.sub(r"sqrt|pi", "", text)
    ):
        return None
    text = re.sub(r"(?<=[\w)])\s*(?=sqrt|pi)|(?<=pi)\s*(?=[\w(])", "*", text.strip())
    text = re.sub(
        r"(?<=[\d)])\s*(?=[a-zA-Z(])|(?<=\b[a-zA-Z])\s*(?=\()|(?<=\))\s*(?=\d)", "*", text
    )
    try:
        return ast.parse(text.replace("^", "**"), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return None


def _value(node: ast.expr, point: float) -> float:
    """The formula's value where each variable is a multiple of `point` that its letter determines."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name):
        return math.pi if node.id == "pi" else point * (1 + ord(node.id[0]) / 29)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return (
            -_value(node.operand, point)
            if isinstance(node.op, ast.USub)
            else _value(node.operand, point)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sqrt":
        return math.sqrt(_value(node.args[0], point))
    if isinstance(node, ast.BinOp):
        return _combined(node.op, _value(node.left, point), _value(node.right, point))
    raise ValueError(f"no formula: {ast.dump(node)[:40]}")


def _combined(operator: ast.operator, left: float, right: float) -> float:
    if isinstance(operator, ast.Pow):
        if abs(right) > _MAX_POWER:
            raise ValueError(f"the power {right} is too large")
        return float(left**right)
    if isinstance(operator, ast.Add):
        return left + right
    if isinstance(operator, ast.Sub):
        return left - right
    if isinstance(operator, ast.Mult):
        return left * right
    if isinstance(operator, ast.Div):
        return left / right
    raise ValueError("no formula")
