"""Options of a multiple-choice question: "B", "(B)", "B) the sky", "the sky".

Their texts are compared as they are written, so this kind is asked before `normalize_latex`.
"""

from __future__ import annotations

import re

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

# The question that option texts are compared with: "True, False" is another option than "False, True".
_AS_WRITTEN = Question("in this order")
_TWO_LETTERS = re.compile(r"\(?([A-Z])\)?(?: ?(?:,|and|&|or|/) ?\(?([A-Z])\)?)+")

parse = choice_letter


def same_text(gold: str, answer: str, question: Question) -> bool:
    """Whether two bare answers are the same text, but for case, accents and articles, or the same value."""
    if normalize_text(gold) == normalize_text(answer):
        return True
    return rules.equivalent(gold, answer, question)


def equivalent(gold: str, answer: str, question: Question) -> bool:
    """Whether both name the same option, by its letter, its text, or both."""
    gold_letter, gold_text = parse(gold)
    letter, text = parse(answer)
    if gold_letter is None:
        offered = None if text else question.choices.get(letter or "")
        return offered is not None and same_text(gold, strip_markup(offered), _AS_WRITTEN)
    if letter is None:
        return bool(gold_text) and same_text(gold_text, answer, _AS_WRITTEN)
    agree = not (gold_text and text) or same_text(gold_text, text, _AS_WRITTEN)
    return letter == gold_letter and agree


def contradicts(gold: str, answer: str, question: Question) -> bool:
    """Whether both name options by letters, and these have different letters and texts; or the answer names several."""
    gold_letter, gold_text = parse(gold)
    letter, text = parse(answer)
    if gold_letter is None:
        return False
    choices = question.choices
    if letter is None:
        return gold_letter in choices and _names_several(answer, question)
    if letter == gold_letter:
        return False
    right = strip_markup(choices.get(gold_letter, gold_text))
    other = strip_markup(choices.get(letter, text))
    if not right or not other or not _is_offered(letter, gold_letter, question, text and gold_text):
        return False
    none = Question()
    return not (
        same_text(other, right, none)
        or same_text(answer, right, none)
        or (text and not same_text(other, text, none))
    )


def _is_offered(letter: str, gold_letter: str, question: Question, both_texts: str) -> bool:
    """Whether the question offers both letters; or offers nothing, and both came with their texts."""
    choices = question.choices
    return {letter, gold_letter} <= choices.keys() or bool(both_texts and not choices)


def _names_several(answer: str, question: Question) -> bool:
    """Whether an answer is a list of letters, and no option is one: "C) both A and B"."""
    if not _TWO_LETTERS.fullmatch(answer):
        return False
    letters = set(re.findall("[A-Z]", answer))
    lists = any(re.search(r"\b[A-Z]\b.*\b[A-Z]\b", text) for text in question.choices.values())
    return len(letters) > 1 and letters <= question.choices.keys() and not lists


def is_another_option(gold: str, answer: str, question: Question) -> bool:
    """Whether the question offers both, told apart by letter case or notation alone: the genotypes Bb Bb and Bb BB."""
    offered = {strip_markup(text) for text in question.choices.values()}
    named = parse(gold)[1] or gold
    return answer != named and {answer, named} <= offered
