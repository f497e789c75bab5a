"""Rules: what decides without a judge, because any reader would agree."""

from __future__ import annotations

from lm_eval_bertjudge.rules import (
    centuries,
    dates,
    formulas,
    intervals,
    lists,
    quantities,
    weekdays_months,
    yes_no,
)
from lm_eval_bertjudge.rules.kind import Kind
from lm_eval_bertjudge.text.latex import normalize_latex
from lm_eval_bertjudge.text.question import Question

KINDS: tuple[Kind, ...] = (
    quantities,
    dates,
    centuries,
    weekdays_months,
    yes_no,
    formulas,
    intervals,
    lists,
)
_MAX_LENGTH = 200  # characters; longer texts are no bare values
_NO_QUESTION = Question()


def equivalent(gold: str, answer: str, question: Question = _NO_QUESTION) -> bool:
    """Whether two texts are the same value, read with what the question asks for.

    It may ask for a unit, a percentage, an order.
    """
    if max(len(gold), len(answer)) > _MAX_LENGTH:
        return False
    gold, answer = normalize_latex(gold), normalize_latex(answer)
    if not gold or not answer:
        return False
    return any(kind.equivalent(gold, answer, question) for kind in KINDS)


def contradicts(gold: str, answer: str, question: Question = _NO_QUESTION) -> bool:
    """Whether two texts are values of one kind that no unit, rounding or convention makes the same."""
    if max(len(gold), len(answer)) > _MAX_LENGTH:
        return False
    gold, answer = normalize_latex(gold), normalize_latex(answer)
    return any(kind.contradicts(gold, answer, question) for kind in KINDS)
