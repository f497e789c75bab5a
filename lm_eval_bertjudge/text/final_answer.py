"""The final answers that a text states: "The answer is 18", "#### 18", a box, a JSON field.

One extractor for the rules, for the prompts of LLM judges and for training data.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from lm_eval_bertjudge.text.markup import first_sentence, strip_markup

Cue = Literal["words", "loose", "box", "json"]

MAX_LENGTH = 300  # characters; longer statements are no bare answers
_MARKUP = r"[*_`#>\s]*"
# How outputs state their final answer. What is `loose` is not always final.
_CUE = re.compile(
    rf"""
    \#\#\#\#                                                           # GSM8K: "#### 18"
    | <(?:final_)?answer>                                              # "<answer>18</answer>"
    | ["']?\b(?:final_)?answer["']?\s{{0,3}}:(?=\s)                    # JSON: "answer": "18"
    | \b(?:(?:final|correct|right|best)\s){{0,3}}                      # "The final answer is **18**"
      (?:answer|(?P<loose>option|choice|result|solution))
      {_MARKUP}(?:is|would\ be|:|=)(?=\W)(?:\s*(?:option|choice)\b)?:?
    | \b(?: Antwort(?:\ lautet|\ ist)? | réponse(?:\ est)? | respuesta(?:\ es)? | resposta\ é | risposta\ è
      | antwoord\ is | ответ )\b:?                                     # "Die Antwort lautet 18"
    | (?:答案|选)(?:是|为)?[:：]? | (?:答え|正解)(?:は|[:：]) | (?:정답|답)(?:은|[:：])
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ANSWER_LINE = re.compile(r"\nA:[ \t]+([^\n]+)\Z")
_BOX = re.compile(r"\\boxed")
_WHOLE_BOX = re.compile(r"\\boxed\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_CLOSING = re.compile(
    r"""
    </(?:final_)?answer>
    | ["']?\s{0,9},?\s{0,9}\}\s{0,9}(?:```)?                           # JSON: `18"}`
    """,
    re.VERBOSE,
)
_PAPER = re.compile(rf"final answer{_MARKUP}:{_MARKUP}(\S.*)", re.IGNORECASE)
# The end of a sentence that gives a value: "so the total is 36", "18 + 18 = 36".
_GIVES = re.compile(
    r"""
    \b(?:is|are|was|were|has|have|equals|gives|makes|costs|stays|remains|get|of
    | ist|sind|ergibt | est|sont|égale | es|son | è | é|igual\ a)\b | (?<=[가-힣])[은는]\s | [=≈:]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DOUBT = re.compile(
    r"""
    \b(?:not?|never|wrong|incorrect|mistake|might|may|could|if|or|than)\b   # "it might be 18"
    | n['’]t\b                                                           # "it isn't 18"
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BOLD_LINE = re.compile(r"[>#\s]*\*\*([^*]{1,100})\*\*")
_YES_NO = re.compile(r"\b(?:yes|no|true|false)\b", re.IGNORECASE)
_COMPARED = re.compile(r"(.{1,40}?) is (\w{3,20}) than [^.!?\n]{1,40}(?:\.\d+)?\.?")
# A first line that is an answer and not an opening: "330", "Paris"; not "Sure!" or "Let's restate it:".
_FEW_WORDS = re.compile(r"\S{1,30}(?: \S{1,30}){0,2}(?<![.:!?,])")
_SHORT_WITH_DIGIT = re.compile(r"[^\n]{0,30}\d[^\n:]{0,30}")
_FENCE = re.compile(r"\A\s*```(?:json)?\s*|\s*```\s*\Z")
_ANSWER_FIRST = re.compile(
    r"""
    \{\s*"(?:final_)?answer"\s*:\s*
    ("(?:[^"\\]|\\.)*"|(?!null)[\w.+-]+)                               # {"answer": 18, "why": ...
    \s*(?=[,}])
    """,
    re.IGNORECASE | re.VERBOSE,
)
_KEYS = ("answer", "final answer", "finalanswer")
# The last field of an object that may be no JSON for what is in its other fields.
_LAST_FIELD = re.compile(r'\s*"((?:[^"\\\n]|\\.)*\S)"\s*\}\s*(?:```)?\s*\Z')
# JSON's own escapes; any other backslash of a model's JSON is LaTeX: "\frac" and not a form feed.
_ESCAPE = re.compile(r'\\(?:["\\/n]|u[0-9a-fA-F]{4})|\\')


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """A final answer that a text states.

    Attributes:
        cue: What states it: "words" such as "the answer is", "#### " and tags among them; "loose"
            words such as "the result is", which may speak of a step; a "box"; a field of a text
            that is "json".
        start: Where the statement begins in the text.
        answer_start: Where the answer begins in it; a box is part of the answer.
        source: The whole text.
        value: The value of a field that ends an object; else empty.
    """

    cue: Cue
    start: int
    answer_start: int
    source: str = field(repr=False)
    value: str = ""

    @property
    def answer(self) -> str:
        """The answer without markup: its first line or sentence, or its box."""
        text = self.value or self.source[self.answer_start : self.answer_start + MAX_LENGTH]
        box = _WHOLE_BOX.match(text)
        return without_markup(box[0] if box else first_sentence(text))

    @property
    def rest(self) -> str:
        """All that follows, without markup; "" where that is too much for a bare answer."""
        return without_markup(self.value or self.source[self.answer_start :])


def stated_answers(text: str) -> tuple[StatedAnswer, ...]:
    """Every final answer that a text states, by the place where the answer begins."""
    if by_field := _in_json(text):
        return (by_field,)
    stated = [_by_cue(cue, text) for cue in _CUE.finditer(text)]
    stated += [StatedAnswer("box", box.start(), box.start(), text) for box in _BOX.finditer(text)]
    return tuple(sorted(stated, key=lambda each: each.answer_start))


def _by_cue(cue: re.Match[str], text: str) -> StatedAnswer:
    start, end = cue.span()
    if cue[0].endswith('":') and (last := _LAST_FIELD.match(text, end)):
        value = _ESCAPE.sub(lambda match: match[0][-1], last[1])
        return StatedAnswer("words", start, end, text, value)
    kind: Cue = "loose" if cue["loose"] else "words"
    return StatedAnswer(kind, start, end, text)


def last_statements(stated: tuple[StatedAnswer, ...]) -> list[StatedAnswer]:
    """The last statement in words, and the last box."""
    return list({each.cue == "box": each for each in stated}.values())


def final_answer(text: str) -> StatedAnswer | None:
    """The statement that ends a text, with nothing after its answer; None where no statement does."""
    ends = [each for each in last_statements(stated_answers(text)) if _is_one_line(each.rest)]
    return max(ends, key=lambda each: each.answer_start, default=None)


def _is_one_line(answer: str) -> bool:
    return bool(answer) and "\n" not in answer


def answer_line(text: str) -> StatedAnswer | None:
    """A last line "A: 18", where "A" is no option and no side: whoever asks has to know."""
    start = max(len(text) - MAX_LENGTH, 0)
    line = _ANSWER_LINE.search(text, start)
    if line is None:
        return None
    return StatedAnswer("words", line.start(), line.start(1), text)


def json_fields(text: str) -> dict[str, Any]:
    """The fields of a text that is a JSON object, in a code fence or not; empty for others.

    LaTeX in its values may be escaped or not.
    """
    text = _FENCE.sub("", text)
    if not text.startswith("{"):
        return {}
    escaped = _ESCAPE.sub(lambda match: match[0] if len(match[0]) > 1 else r"\\", text)
    try:
        fields = json.loads(escaped, strict=False)
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _in_json(text: str) -> StatedAnswer | None:
    """The "answer" field of a text that is a JSON object, or is cut but begins with that field."""
    if "{" not in text[:20]:
        return None
    value = _answer_field(text)
    if not value.strip() or _CUE.search(value):
        return None
    at = max(text.casefold().rfind('answer"'), 0)
    return StatedAnswer("json", at, at, text, value)


def _answer_field(text: str) -> str:
    """The field's value; a number, a list or another object as JSON."""
    fields = {key.casefold().replace("_", " "): value for key, value in json_fields(text).items()}
    values = [fields[key] for key in _KEYS if fields.get(key) is not None]
    if not values:
        first = _ANSWER_FIRST.match(_FENCE.sub("", text))
        return first[1].strip('"') if first else ""
    value = values[0]
    return value if isinstance(value, str) else json.dumps(value)


def paper_answer(text: str) -> str | None:
    """What the last "Final answer: X" of a text says; None without.

    It is the one form that arXiv 2604.09497 parses.
    """
    answers: list[str] = _PAPER.findall(text)
    return strip_markup(answers[-1]) or None if answers else None


def implied_answers(text: str, question: str) -> list[str]:
    """What a text without a statement may come to.

    Itself, its last line in bold, its yes, or the larger of two.
    """
    answers = (text, _bold_line(text), _leading_word(text), _compared(text, question))
    return [without_markup(answer) for answer in answers]


def _bold_line(text: str) -> str:
    """The last of several lines where it is bold; else ""."""
    last = text.rstrip(". \t\r\n").rpartition("\n")[2]
    bold = _BOLD_LINE.fullmatch(last)
    return bold[1] if bold and "\n" in text.strip() else ""


def last_value(text: str) -> str | None:
    """What the last line ends with as a result; None in doubt.

    "36 stickers" of "that is 18 + 18 = 36 stickers".
    """
    line = text[-MAX_LENGTH:].rpartition("\n")[2]
    gives = list(_GIVES.finditer(line))
    sentence = re.split(r"[.!?]\s", line)[-1]
    if not gives or is_doubtful(sentence):
        return None
    return without_markup(line[gives[-1].end() :])


def states_answer(text: str) -> bool:
    """Whether a text states an answer in any way, so that what is beside it may be left out."""
    stated = last_statements(stated_answers(text))
    if any(each.cue != "loose" and each.rest for each in stated):
        return True
    return bool(last_value(text)) or _is(_FEW_WORDS, text)


def is_bare(text: str) -> bool:
    """Whether a text is a number or a few words, and no opening such as "Sure!"."""
    return _is(_FEW_WORDS, text) or _is(_SHORT_WITH_DIGIT, text)


def _is(form: re.Pattern[str], text: str) -> bool:
    return form.fullmatch(text[:MAX_LENGTH].strip()) is not None


def is_doubtful(sentence: str) -> bool:
    """Whether a sentence denies or doubts: "it might be 18", "it is not 18"."""
    return _DOUBT.search(sentence) is not None


def _leading_word(text: str) -> str:
    """The yes or no that a short text begins with and does not take back: "No, 91 = 7 * 13."; else ""."""
    if len(text) > MAX_LENGTH or not re.match(r"\w+[,.;:!]", text):
        return ""
    words: set[str] = {word.casefold() for word in _YES_NO.findall(text)}
    if len(words) > 1 or not _YES_NO.match(text):
        return ""
    return words.pop()


def _compared(text: str, question: str) -> str:
    """What "9.9 is larger than 9.11" names where the question asks which is larger; else ""."""
    match = _COMPARED.fullmatch(text[:MAX_LENGTH])
    if match is None:
        return ""
    larger, quality = match.groups()
    asked = re.search(rf"\b{quality}\b", question, re.IGNORECASE)
    return larger if asked else ""


def without_markup(text: str) -> str:
    """A short text without markup, its own or what closes what stands before it; "" for a long one."""
    text = text.strip()
    if len(text) > MAX_LENGTH:
        return ""
    return strip_markup(_trim_unclosed(text))


def _trim_unclosed(answer: str) -> str:
    """An answer without what was opened before it: tags, JSON, bold, math."""
    answer = answer.strip(" \t\r\n*_`:：")
    closings = list(_CLOSING.finditer(answer))
    if closings and closings[-1].end() == len(answer):
        before = answer[: closings[-1].start()]
        answer = answer if "{" in before else before
    if answer.count("$") % 2 and not re.match(r"\\?\$\s?\d", answer):
        answer = answer.strip("$. ")
    if answer.count('"') % 2:
        answer = answer.strip('"')
    if not re.search(r"\\[(\[]", answer):
        answer = re.sub(r"[\s.]*\\[)\]][\s.*]*\Z", "", answer)
    return answer.strip()
