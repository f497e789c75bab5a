"""Whether two short texts are the same value (quantity, date, century, formula, list, tuple, set or interval), or are
surely different ones.

Strict: a text is a value only when all of it can be read as one, and what cannot be read is neither.
"""

from __future__ import annotations

from lm_eval_bertjudge.rules.apart import apart_dates, apart_formulas, apart_lists, apart_quantities
from lm_eval_bertjudge.rules.dates import same_century, same_date
from lm_eval_bertjudge.rules.formulas import same_formula
from lm_eval_bertjudge.rules.lists import same_list
from lm_eval_bertjudge.rules.quantities import same_quantity
from lm_eval_bertjudge.text.latex import normalize_latex

_MAX_LENGTH = 200  # characters; longer texts are no bare values


def same(gold: str, said: str, question: str = "") -> bool:
    """Whether two texts are the same value, read with what the question asks for (a unit, a percentage, an order)."""
    if max(len(gold), len(said)) > _MAX_LENGTH:
        return False
    gold, said = normalize_latex(gold), normalize_latex(said)
    if not gold or not said:
        return False
    return (
        same_quantity(gold, said, question)
        or same_date(gold, said)
        or same_century(gold, said)
        or same_formula(gold, said, question)
        or same_list(gold, said, question)
    )


def apart(gold: str, said: str, question: str = "") -> bool:
    """Whether two texts are values of one kind that no unit, rounding or convention makes the same."""
    if max(len(gold), len(said)) > _MAX_LENGTH:
        return False
    gold, said = normalize_latex(gold), normalize_latex(said)
    return (
        apart_quantities(gold, said, question)
        or apart_dates(gold, said)
        or apart_formulas(gold, said)
        or apart_lists(gold, said, question)
    )
