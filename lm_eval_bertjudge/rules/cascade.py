"""What the cascade settles without a judge: answers on which any reader would agree with a rule.

A strict yes is an answer that is the reference, or the same value in another spelling; a strict no one that is surely
another value. Everything else is for a judge to read.
"""

from __future__ import annotations

import re
from itertools import islice

from lm_eval_bertjudge.rules import values
from lm_eval_bertjudge.rules.baseline import MARKUP, bare, exact, option, references_of, same_text
from lm_eval_bertjudge.rules.quantities import quantity
from lm_eval_bertjudge.text.latex import plain
from lm_eval_bertjudge.text.response import choices, visible
from lm_eval_bertjudge.types import JudgeItem, Reason, Verdict, by_rule

STRICT_YES = by_rule(True, Reason.MATCH)
STRICT_NO = by_rule(False, Reason.MISMATCH)

# How outputs state their final answer, besides the paper's "Final answer: X". The last one counts.
_STATED = re.compile(
    r"####|<(?:final_)?answer>|[\"']?\b(?:final_)?answer[\"']?\s{0,3}:(?=\s)"
    r"|\b(?:(?:final|correct|right|best)\s)*(?:answer|(?P<loose>option|choice|result|solution))"
    rf"{MARKUP}(?:is|would be|:|=)(?=\W)"
    r"(?:\s*(?:option|choice)\b)?:?|\b(?:Antwort(?: lautet| ist)?|réponse est|réponse|respuesta es|respuesta|resposta é"
    r"|risposta è)\b:?|(?:答案|选)(?:是|为)?[:：]?",
    re.IGNORECASE,
)
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
_STATED_END = re.compile(r"</(?:final_)?answer>|[\"']?\s{0,9},?\s{0,9}\}\s{0,9}(?:```)?")
_MAX_STATED = 300  # characters; longer statements are no bare answers
_MAX_STATEMENTS = 8


def settled(item: JudgeItem) -> Verdict | None:
    """The verdict where any reader would agree with a rule, right or wrong; None where a judge has to read."""
    text, references = _read(item)
    if _is_right(text, references, item.question):
        return STRICT_YES
    return STRICT_NO if _is_wrong(text, references, item.question) else None


def strict_yes(item: JudgeItem) -> bool:
    """Whether the candidate is, or ends with a stated final answer that is, one of the references or the same value.

    Ends with: after "Final answer: B" a model may still change its mind, and only a reader can tell. So it is where a
    next question follows the model's text: the last answer may be that one's.
    """
    return _is_right(*_read(item), item.question)


def strict_no(item: JudgeItem) -> bool:
    """Whether all that the candidate states as its answer, the last thing it says, is surely another value than each
    reference: another number, date, formula or interval (`values.apart`), or the letter of another option.
    """
    return _is_wrong(*_read(item), item.question)


def _read(item: JudgeItem) -> tuple[str, list[str]]:
    """What the candidate says, and the answers that the references give."""
    return visible(item.candidate, item.question), references_of(item)


def _is_right(text: str, references: list[str], question: str) -> bool:
    if _NEXT_TASK.search(text):
        return False
    said = [answer for answer in (*_statements(text), _compared(text, question)) if answer]
    if any(exact(reference, answer, question) for reference in references for answer in said):
        return True
    number = _last_number(text)
    if text.rpartition("\n")[2].startswith("A:") and _has_sides(text, question):
        return False
    return number is not None and any(
        quantity(plain(reference)) is not None and values.same(reference, number, question)
        for reference in references
    )


def _is_wrong(text: str, references: list[str], question: str) -> bool:
    said = _only_answers(text, question)
    return bool(said and references) and all(
        values.apart(bare(reference), answer, question)
        or _other_option(reference, answer, question)
        for answer in said
        for reference in references
    )


def _only_answers(text: str, question: str) -> list[str]:
    """Every answer that a text states, the last one at its end; none where it may be read in another way."""
    stated = list(islice(_STATED.finditer(text), _MAX_STATEMENTS))
    boxes = [found.start() for found in islice(re.finditer(r"\\boxed", text), _MAX_STATEMENTS)]
    starts = [found.end() for found in stated] + boxes
    if (
        not starts
        and (line := _ANSWER_LINE.search(text[-_MAX_STATED:]))
        and not _has_sides(text, question)
    ):
        return [bare(_stated(line[1]))]
    last = max(starts, default=0)
    if len(text) - last > _MAX_STATED or max(len(stated), len(boxes)) == _MAX_STATEMENTS:
        return []
    if (
        any(found["loose"] for found in stated)
        or _NEXT_TASK.search(text)
        or _NUMBERED.search(question)
    ):
        return []
    if starts and _qualified(text[: stated[-1].start() if stated else last]):
        return []
    final = bare(_stated(text[last:]))
    earlier = [_sentence(text[start : start + _MAX_STATED]) for start in starts if start != last]
    return [*filter(None, (bare(_stated(end)) for end in earlier)), final] if final else []


def _has_sides(text: str, question: str) -> bool:
    """Whether an "A:" may stand for an option, or for one of two sides, and not for "answer"."""
    return bool(choices(question)) or re.search(r"^(?:B:|Q)", text, re.MULTILINE) is not None


def _qualified(before: str) -> bool:
    """Whether the sentence that leads to a statement speaks of another answer, or doubts it."""
    sentence = re.split(r"[.!?]\s|\n", before[-_MAX_STATED:])[-1]
    return bool(_DOUBT.search(sentence) or _OTHERS.search(sentence))


def _sentence(text: str) -> str:
    """The first line or sentence of a text; of one that begins with a box the box."""
    box = re.match(r"\\boxed\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", text)
    return box[0] if box else re.split(r"[.!?](?:\s|\Z)|\n", text.lstrip(), maxsplit=1)[0]


def _other_option(gold: str, said: str, question: str) -> bool:
    """Whether both name options of the question by their letters, and these have different letters and texts."""
    offered = choices(question)
    gold_letter, (letter, text) = option(bare(gold))[0], option(said)
    if (
        letter is None
        or gold_letter is None
        or letter == gold_letter
        or not {letter, gold_letter} <= offered.keys()
    ):
        return False
    other, right = bare(offered[letter]), bare(offered[gold_letter])
    return (
        not same_text(other, right, "")
        and not same_text(said, right, "")
        and (not text or same_text(other, text, ""))
    )


def _statements(text: str) -> list[str]:
    """What a text may come to: itself, what follows the last "answer is", the last box, a last line in bold, a yes."""
    emphasised = _EMPHASISED.search(text)
    return _stated_ends(text) + _bare_ends(
        [text, emphasised[1] if emphasised else "", _leading_word(text)]
    )


def _stated_ends(text: str) -> list[str]:
    """What follows the last "answer is", and the last box."""
    found = []
    if stated := list(_STATED.finditer(text)):
        found.append(text[stated[-1].end() :])
    if "\\boxed" in text:
        found.append(text[text.rfind("\\boxed") :])
    return _bare_ends(found)


def _bare_ends(ends: list[str]) -> list[str]:
    return [bare(_stated(end)) for end in ends if len(end.strip()) <= _MAX_STATED]


def _leading_word(text: str) -> str:
    """The yes or no that a short text begins with and does not take back: "No, 91 = 7 * 13."; else ""."""
    words = (
        {word.casefold() for word in _YES_NO.findall(text)} if len(text) <= _MAX_STATED else set()
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
    line = text[-_MAX_STATED:].rpartition("\n")[2]
    gives = list(_GIVES.finditer(line))
    if not gives or _DOUBT.search(re.split(r"[.!?]\s", line)[-1]):
        return None
    return bare(_stated(line[gives[-1].end() :]))


def _stated(end: str) -> str:
    """The end of a text without the closing half of what was opened before it: tags, JSON, bold, math."""
    end = end.strip(" \t\r\n*_`:：")
    if close := list(_STATED_END.finditer(end)):
        end = (
            end[: close[-1].start()]
            if close[-1].end() == len(end) and "{" not in end[: close[-1].start()]
            else end
        )
    if end.count("$") % 2 and not re.match(r"\\?\$\s?\d", end):
        end = end.strip("$. ")
    if end.count('"') % 2:
        end = end.strip('"')
    end = re.sub(r"[\s.]*\\[)\]][\s.*]*\Z", "", end) if not re.search(r"\\[(\[]", end) else end
    return end.strip()
