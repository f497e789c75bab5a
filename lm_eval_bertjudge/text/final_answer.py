"""The final answers that a text states, with their places: "The answer is 18", "#### 18", a box, a JSON field.

One extractor for the rules, for the prompts of LLM judges and for training data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from lm_eval_bertjudge.text.markup import first_sentence, strip_markup

Cue = Literal["words", "loose", "box"]

MARKUP = r"[*_`#>\s]*"
# How outputs state their final answer. "option", "choice", "result" and "solution" are loose: not every one is final.
_CUE = re.compile(
    rf"""
    \#\#\#\#                                                           # GSM8K: "#### 18"
    | <(?:final_)?answer>                                              # "<answer>18</answer>"
    | ["']?\b(?:final_)?answer["']?\s{{0,3}}:(?=\s)                    # JSON: "answer": "18"
    | \b(?:(?:final|correct|right|best)\s){{0,3}}                      # "The final answer is **18**"
      (?:answer|(?P<loose>option|choice|result|solution))
      {MARKUP}(?:is|would\ be|:|=)(?=\W)(?:\s*(?:option|choice)\b)?:?
    | \b(?:Antwort(?:\ lautet|\ ist)?|réponse\ est|réponse)\b:?
    | \b(?:respuesta\ es|respuesta|resposta\ é|risposta\ è)\b:?
    | (?:答案|选)(?:是|为)?[:：]?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BOX = re.compile(r"\\boxed")
_WHOLE_BOX = re.compile(r"\\boxed\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_CLOSING = re.compile(r"</(?:final_)?answer>|[\"']?\s{0,9},?\s{0,9}\}\s{0,9}(?:```)?")
_PAPER = re.compile(rf"final answer{MARKUP}:{MARKUP}(\S.*)", re.IGNORECASE)
MAX_LENGTH = 300  # characters; longer statements are no bare answers


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """A final answer that a text states.

    Attributes:
        cue: What states it: "words" such as "the answer is", "#### " and JSON keys among them; "loose" words such as
            "the result is", which may speak of a step; a "box".
        start: Where the statement begins in the text.
        answer_start: Where the answer begins in it; a box is part of the answer.
        source: The whole text.
    """

    cue: Cue
    start: int
    answer_start: int
    source: str = field(repr=False)

    @property
    def answer(self) -> str:
        """The answer without markup: its first line or sentence, or its box."""
        text = self.source[self.answer_start : self.answer_start + MAX_LENGTH]
        box = _WHOLE_BOX.match(text)
        return strip_markup(trim_unclosed(box[0] if box else first_sentence(text)))

    @property
    def rest(self) -> str:
        """All that the text says from the answer on, without markup; "" where that is too much for a bare answer."""
        text = self.source[self.answer_start :]
        return strip_markup(trim_unclosed(text)) if len(text.strip()) <= MAX_LENGTH else ""


def stated_answers(text: str) -> tuple[StatedAnswer, ...]:
    """Every final answer that a text states, by the place where the answer begins."""
    stated = [
        StatedAnswer("loose" if cue["loose"] else "words", cue.start(), cue.end(), text)
        for cue in _CUE.finditer(text)
    ]
    stated += [StatedAnswer("box", box.start(), box.start(), text) for box in _BOX.finditer(text)]
    return tuple(sorted(stated, key=lambda each: each.answer_start))


def paper_answer(text: str) -> str | None:
    """What the last "Final answer: X" of a text says, the one form that arXiv 2604.09497 parses; None without."""
    answers = _PAPER.findall(text)
    return strip_markup(answers[-1]) or None if answers else None


def trim_unclosed(answer: str) -> str:
    """The end of a text without the closing half of what was opened before it: tags, JSON, bold, math."""
    answer = answer.strip(" \t\r\n*_`:：")
    if closings := list(_CLOSING.finditer(answer)):
        last = closings[-1]
        if last.end() == len(answer) and "{" not in answer[: last.start()]:
            answer = answer[: last.start()]
    if answer.count("$") % 2 and not re.match(r"\\?\$\s?\d", answer):
        answer = answer.strip("$. ")
    if answer.count('"') % 2:
        answer = answer.strip('"')
    if not re.search(r"\\[(\[]", answer):
        answer = re.sub(r"[\s.]*\\[)\]][\s.*]*\Z", "", answer)
    return answer.strip()
