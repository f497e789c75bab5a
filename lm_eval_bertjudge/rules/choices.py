"""Options of a multiple-choice question: "B", "(B)", "B) the sky", "the sky".

Their texts are compared as they are written, so this kind is asked before `normalize_latex`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lm_eval_bertjudge import rules
from lm_eval_bertjudge.text.choices import choice_letter
from lm_eval_bertjudge.text.markup import normalize_text, strip_markup
from lm_eval_bertjudge.text.question import Question

EXAMPLES = r"""
B) the sky == (B).
B) the sky == the sky
B) the sky == B: The sky
the sky == b)
B) the sky != C
B) the sky != C) coal
B) the sky != A and B
B) the sky != A, C
A) Ann: acting, Bo: crew != (b) - Ann: crew, Bo: acting
B) the sky ?? D
B) the sky ?? C) the sky
B) the sky ?? not B
the sky ?? C
"""

# What option texts are compared with: "True, False" is another option than "False, True".
_AS_WRITTEN = Question("in this order")
_NO_QUESTION = Question()
_TWO_LETTERS = re.compile(r"\(?([A-Z])\)?(?: ?(?:,|and|&|or|/) ?\(?([A-Z])\)?)+")

parse = choice_letter


def same_text(gold: str, answer: str, question: Question) -> bool:
    """Whether two bare answers are the same value, or text but for case, accents and articles."""
    if normalize_text(gold) == normalize_text(answer):
        return True
    return rules.equivalent(gold, answer, question)


def equivalent(gold: str, answer: str, question: Question) -> bool:
    """Whether both name the same option, by its letter, its text, or both."""
    gold_letter, gold_text = parse(gold)
    letter, text = parse(answer)
    if gold_letter is None:
        if letter is None or text or letter not in question.choices:
            return False
        offered = strip_markup(question.choices[letter])
        return same_text(gold, offered, _AS_WRITTEN)
    if letter is None:
        return bool(gold_text) and same_text(gold_text, answer, _AS_WRITTEN)
    if letter != gold_letter:
        return False
    return not gold_text or not text or same_text(gold_text, text, _AS_WRITTEN)


def contradicts(gold: str, answer: str, question: Question) -> bool:
    """Whether the answer names another option by its letter, or several."""
    gold_letter, gold_text = parse(gold)
    letter, text = parse(answer)
    if gold_letter is None or letter == gold_letter:
        return False
    choices = question.choices
    if letter is None:
        return gold_letter in choices and _names_several(answer, choices)
    if choices and not {letter, gold_letter} <= choices.keys():
        return False
    right = strip_markup(choices.get(gold_letter, gold_text))
    other = strip_markup(choices.get(letter, text))
    if text and not _is_same(other, text):
        return False
    return _is_unlike(right, other, answer)


def _is_unlike(right: str, other: str, answer: str) -> bool:
    """Whether both options have a text, and neither the other one nor the answer says the right one."""
    if not right or not other:
        return False
    return not _is_same(other, right) and not _is_same(answer, right)


def _is_same(option: str, text: str) -> bool:
    return same_text(option, text, _NO_QUESTION)


def _names_several(answer: str, choices: Mapping[str, str]) -> bool:
    """Whether an answer is a list of letters, and no option is one: "C) both A and B"."""
    if not _TWO_LETTERS.fullmatch(answer):
        return False
    letters = set(re.findall("[A-Z]", answer))
    if len(letters) < 2 or not letters <= choices.keys():
        return False
    return not any(re.search(r"\b[A-Z]\b.*\b[A-Z]\b", text) for text in choices.values())


def is_another_option(gold: str, answer: str, question: Question) -> bool:
    """Whether the question offers both, which differ in letter case or notation: Bb Bb and Bb BB."""
    offered = {strip_markup(text) for text in question.choices.values()}
    named = parse(gold)[1] or gold
    return answer != named and {answer, named} <= offered
