"""What the cascade settles without a judge: answers on which any reader would agree with a rule.

A strict yes is an answer that is the reference, or the same value in another spelling; a strict no one that is surely
another value. Everything else is for a judge to read.
"""

from __future__ import annotations

import re

from lm_eval_bertjudge import rules
from lm_eval_bertjudge.rules import quantities
from lm_eval_bertjudge.rules.matching import is_apart, matches
from lm_eval_bertjudge.text.final_answer import MAX_LENGTH, StatedAnswer, trim_unclosed
from lm_eval_bertjudge.text.item import PreparedItem, prepare
from lm_eval_bertjudge.text.latex import normalize_latex
from lm_eval_bertjudge.text.markup import strip_markup
from lm_eval_bertjudge.types import JudgeItem, Reason, Verdict, by_rule

STRICT_YES = by_rule(True, Reason.MATCH)
STRICT_NO = by_rule(False, Reason.MISMATCH)

# The end of a sentence that gives a number: "so the total is 36", "18 + 18 = 36". Doubt in it is for a reader.
_GIVES = re.compile(
    r"\b(?:is|are|was|were|has|have|equals|gives|makes|costs|stays|remains|get|of"
    r"|ist|sind|ergibt|est|sont|égale|es|son|è|é|igual a)\b|[=≈:]",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:not?|never|wrong|incorrect|mistake|might|may|could|if|or|than)\b|n['’]t\b", re.IGNORECASE
)
_EMPHASISED = re.compile(r"\n[>#\s]*\*\*([^*\n]{1,100})\*\*[.\s]*\Z")
_COMPARED = re.compile(r"(.{1,40}?) is (\w{3,20}) than [^.!?\n]{1,40}(?:\.\d+)?\.?")
# What makes a stated answer one of several, or somebody else's.
_OTHERS = re.compile(
    r"\b(?:other|another|second|next|first|extraneous|trivial|distractor|common|student|part|step)\b|['’]s\b",
    re.IGNORECASE,
)
_NEXT_TASK = re.compile(
    r"(?<=\S)\s*\n[\W_]{0,9}(?:next )?"
    r"(?:question|q\d*|problem|example|exercise|input|instruction|passage|context|human|user)\b",
    re.IGNORECASE,
)
_ANSWER_LINE = re.compile(r"\nA:[ \t]+([^\n]+)\Z")
_NUMBERED = re.compile(r"(?:^|[\s(])1[).]\s*\S.*[\s(]2[).]\s*\S|①.*②", re.DOTALL)
_YES_NO = re.compile(r"\b(?:yes|no|true|false)\b", re.IGNORECASE)
_MAX_STATEMENTS = 8


def decide_by_rules(item: JudgeItem | PreparedItem) -> Verdict | None:
    """The verdict where any reader would agree with a rule, right or wrong; None where a judge has to read."""
    prepared = prepare(item)
    if _is_right(prepared):
        return STRICT_YES
    return STRICT_NO if _is_wrong(prepared) else None


def is_match(item: JudgeItem | PreparedItem) -> bool:
    """Whether the candidate is, or ends with a stated final answer that is, one of the references or the same value.

    Ends with: after "Final answer: B" a model may still change its mind, and only a reader can tell. So it is where a
    next question follows the model's text: the last answer may be that one's.
    """
    return _is_right(prepare(item))


def is_mismatch(item: JudgeItem | PreparedItem) -> bool:
    """Whether all that the candidate states as its answer, the last thing it says, is surely another value than each
    reference: another number, date, formula or interval (`values.apart`), or the letter of another option.
    """
    return _is_wrong(prepare(item))


def _is_right(item: PreparedItem) -> bool:
    text, question = item.response, item.question
    if _NEXT_TASK.search(text):
        return False
    answers = [answer for answer in (*_statements(item), _compared(text, question)) if answer]
    if any(matches(gold, answer, item.asked) for gold in item.golds for answer in answers):
        return True
    number = _last_number(text)
    if text.rpartition("\n")[2].startswith("A:") and _has_sides(item):
        return False
    return number is not None and any(
        quantities.parse(normalize_latex(gold)) is not None
        and rules.equivalent(gold, number, item.asked)
        for gold in item.golds
    )


def _is_wrong(item: PreparedItem) -> bool:
    answers = _only_answers(item)
    return bool(answers and item.golds) and all(
        is_apart(gold, answer, item.asked) for answer in answers for gold in item.golds
    )


def _only_answers(item: PreparedItem) -> list[str]:
    """Every answer that a text states, the last one at its end; none where it may be read in another way."""
    text, stated = item.response, item.stated
    if not stated and (line := _ANSWER_LINE.search(text[-MAX_LENGTH:])) and not _has_sides(item):
        return [strip_markup(trim_unclosed(line[1]))]
    if (
        any(each.cue == "loose" for each in stated)
        or _NEXT_TASK.search(text)
        or _NUMBERED.search(item.question)
    ):
        return []
    boxes = [each for each in stated if each.cue == "box"]
    others = [each for each in stated if each.cue != "box"]
    if max(len(boxes), len(others)) >= _MAX_STATEMENTS:
        return []
    if stated and _qualified(text[: (others or stated)[-1].start]):
        return []
    final = stated[-1].rest if stated else _whole(text)
    earlier = [each.answer for each in stated[:-1]]
    return [*filter(None, earlier), final] if final else []


def _whole(text: str) -> str:
    return strip_markup(trim_unclosed(text)) if len(text) <= MAX_LENGTH else ""


def _has_sides(item: PreparedItem) -> bool:
    """Whether an "A:" may stand for an option, or for one of two sides, and not for "answer"."""
    return bool(item.choices) or re.search(r"^(?:B:|Q)", item.response, re.MULTILINE) is not None


def _qualified(before: str) -> bool:
    """Whether the sentence that leads to a statement speaks of another answer, or doubts it."""
    sentence = re.split(r"[.!?]\s|\n", before[-MAX_LENGTH:])[-1]
    return bool(_DOUBT.search(sentence) or _OTHERS.search(sentence))


def _statements(item: PreparedItem) -> list[str]:
    """What a text may come to: itself, what follows the last "answer is", the last box, a last line in bold, a yes."""
    text = item.response
    emphasised = _EMPHASISED.search(text)
    ends = [text, emphasised[1] if emphasised else "", _leading_word(text)]
    return _stated_ends(item.stated) + [
        strip_markup(trim_unclosed(end)) for end in ends if len(end.strip()) <= MAX_LENGTH
    ]


def _stated_ends(stated: tuple[StatedAnswer, ...]) -> list[str]:
    """What follows the last "answer is", and the last box."""
    lasts = {each.cue == "box": each for each in stated}
    return [each.rest for each in lasts.values()]


def _leading_word(text: str) -> str:
    """The yes or no that a short text begins with and does not take back: "No, 91 = 7 * 13."; else ""."""
    words = (
        {word.casefold() for word in _YES_NO.findall(text)} if len(text) <= MAX_LENGTH else set()
    )
    return (
        words.pop()
        if len(words) == 1 and re.match(r"\w+[,.;:!]", text) and _YES_NO.match(text)
        else ""
    )


def _compared(text: str, question: str) -> str:
    """What "9.9 is larger than 9.11" names, where the question asks for just that comparison; else ""."""
    found = _COMPARED.fullmatch(text)
    return found[1] if found and re.search(rf"\b{found[2]}\b", question, re.IGNORECASE) else ""


def _last_number(text: str) -> str | None:
    """What the last line ends with as a result: "36 stickers" of "that is 18 + 18 = 36 stickers"."""
    line = text[-MAX_LENGTH:].rpartition("\n")[2]
    gives = list(_GIVES.finditer(line))
    if not gives or _DOUBT.search(re.split(r"[.!?]\s", line)[-1]):
        return None
    return strip_markup(trim_unclosed(line[gives[-1].end() :]))
