"""Whether an answer is a reference's: the same text, the same value, or the same option."""

from __future__ import annotations

from lm_eval_bertjudge import rules
from lm_eval_bertjudge.rules import choices
from lm_eval_bertjudge.text.markup import strip_markup
from lm_eval_bertjudge.text.question import Question


def matches(gold: str, answer: str, question: Question) -> bool:
    """Same text, same value, or an option named by its letter or its text (or both, agreeing)."""
    gold, answer = strip_markup(gold), strip_markup(answer)
    if choices.is_another_option(gold, answer, question):
        return False
    if choices.same_text(gold, answer, question):
        return True
    return choices.equivalent(gold, answer, question)


def is_apart(gold: str, answer: str, question: Question) -> bool:
    """Whether an answer is surely another value than a reference's, or another option."""
    gold = strip_markup(gold)
    apart = rules.contradicts(gold, answer, question) or choices.contradicts(gold, answer, question)
    return apart and not matches(gold, answer, question)
