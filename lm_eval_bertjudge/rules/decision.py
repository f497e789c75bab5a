"""What the rules decide without a judge: answers on which any reader would agree.

A match is an answer that is the reference, or the same value in another spelling; a mismatch one that is surely another
value. Everything else is for a judge to read.
"""

from __future__ import annotations

import re

from lm_eval_bertjudge import rules
from lm_eval_bertjudge.rules import quantities
from lm_eval_bertjudge.rules.matching import is_apart, matches
from lm_eval_bertjudge.text.final_answer import (
    MAX_LENGTH,
    answer_line,
    implied_answers,
    is_doubtful,
    last_statements,
    last_value,
    without_markup,
)
from lm_eval_bertjudge.text.item import PreparedItem, prepare
from lm_eval_bertjudge.text.latex import normalize_latex
from lm_eval_bertjudge.text.response import has_next_task
from lm_eval_bertjudge.types import JudgeItem, Reason, Verdict, by_rule

# What makes a stated answer one of several, or somebody else's.
_OTHERS = re.compile(
    r"""
    \b(?:other|another|second|next|first|extraneous|trivial|distractor|common|student|part|step)\b | ['’]s\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SIDES = re.compile(r"^(?:B:|Q)", re.MULTILINE)
_NUMBERED = (
    (re.compile(r"(?:^|[\s(])1[).]\s*\S"), re.compile(r"[\s(]2[).]\s*\S")),  # Which? 1) 7 2) 8
    (re.compile("①"), re.compile("②")),
)
_MAX_STATEMENTS = 8


def decide_by_rules(item: JudgeItem | PreparedItem) -> Verdict | None:
    """The verdict where any reader would agree with a rule, right or wrong; None where a judge has to read."""
    prepared = prepare(item)
    if is_match(prepared):
        return by_rule(True, Reason.MATCH)
    return by_rule(False, Reason.MISMATCH) if is_mismatch(prepared) else None


def is_match(item: JudgeItem | PreparedItem) -> bool:
    """Whether the candidate is, or ends with a stated final answer that is, one of the references or the same value.

    Ends with: after "Final answer: B" a model may still change its mind, and only a reader can tell. So it is where a
    next question follows the model's text: the last answer may be that one's.
    """
    item = prepare(item)
    text = item.response
    if has_next_task(text):
        return False
    answers = [each.rest for each in last_statements(item.stated)]
    answers += implied_answers(text, item.question)
    if any(
        matches(gold, answer, item.asked) for gold in item.golds for answer in answers if answer
    ):
        return True
    if text.rpartition("\n")[2].startswith("A:") and _has_sides(item):
        return False
    value = last_value(text)
    return value is not None and any(
        quantities.parse(normalize_latex(gold)) is not None
        and rules.equivalent(gold, value, item.asked)
        for gold in item.golds
    )


def is_mismatch(item: JudgeItem | PreparedItem) -> bool:
    """Whether all that the candidate states as its answer, the last thing it says, is surely another value than each
    reference: another number, date, formula or interval (`rules.contradicts`), or another option.
    """
    item = prepare(item)
    answers = _only_answers(item)
    return bool(answers and item.golds) and all(
        is_apart(gold, answer, item.asked) for answer in answers for gold in item.golds
    )


def _only_answers(item: PreparedItem) -> list[str]:
    """Every answer that a text states, the last one at its end; none where it may be read in another way."""
    text, stated = item.response, item.stated
    if not stated and (line := answer_line(text)) and not _has_sides(item):
        return [line.rest]
    boxes = [each for each in stated if each.cue == "box"]
    others = [each for each in stated if each.cue != "box"]
    if max(len(boxes), len(others)) >= _MAX_STATEMENTS or any(e.cue == "loose" for e in others):
        return []
    if has_next_task(text) or _has_numbered_options(item.question):
        return []
    if stated and _is_qualified(text[: (others or stated)[-1].start]):
        return []
    final = stated[-1].rest if stated else without_markup(text)
    earlier = [each.answer for each in stated[:-1]]
    return [*filter(None, earlier), final] if final else []


def _has_sides(item: PreparedItem) -> bool:
    """Whether an "A:" may stand for an option, or for one of two sides, and not for "answer"."""
    return bool(item.choices) or _SIDES.search(item.response) is not None


def _has_numbered_options(question: str) -> bool:
    """Whether a question numbers its options, so that a number may name one."""
    firsts = [(first.search(question), second) for first, second in _NUMBERED]
    return any(first and second.search(question, first.end()) for first, second in firsts)


def _is_qualified(before: str) -> bool:
    """Whether the sentence that leads to a statement speaks of another answer, or doubts it."""
    sentence = re.split(r"[.!?]\s|\n", before[-MAX_LENGTH:])[-1]
    return is_doubtful(sentence) or _OTHERS.search(sentence) is not None
