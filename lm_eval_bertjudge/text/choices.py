"""The options of a multiple-choice question, and which of them an answer names by its letter."""

from __future__ import annotations

import re
import unicodedata

from lm_eval_bertjudge.text.markup import strip_markup

# `A) `, `(A) `, `A. ` or `A: ` after white space; in a row the next has to be `B) ` or `(B) `.
_HEAD = re.compile(r"(?:^|[\s(])\(?([A-Z])[).:]\s*(?=\S)", re.MULTILINE)
_END = re.compile(r"\n|\s\(?[A-Z]\)\s*\S")
# "B", "(B)", "[B]", "B) text", "B. text", "option B"
_LETTER = re.compile(
    r"(?:option\s+|choice\s+)?[(\[]?([A-Z])(?:[)\].:]+\s*(.*))?", re.DOTALL | re.IGNORECASE
)


def parse_choices(question: str) -> dict[str, str]:
    """The options of a multiple-choice question by letter; empty when it offers none.

    Options stand one a line or in a row, from A on: `A) text`, `(A) text`, `A. text` or `A: text`.
    """
    return {letter: text for letter, text, _ in _options(question)}


def choices_start(question: str) -> int:
    """Where the options begin in a question; its length where it offers none."""
    options = _options(question)
    return options[0][2] if options else len(question)


def _options(question: str) -> list[tuple[str, str, int]]:
    """Letter, text and place of each option."""
    options: list[tuple[str, str, int]] = []
    end = 0
    while head := _HEAD.search(question, end):
        letter = head[1]
        start = head.end()
        stop = _END.search(question, start + 1)
        end = stop.start() if stop else len(question)
        if letter == "A":
            options = []
        if letter == chr(ord("A") + len(options)):
            text = question[start:end].rstrip()
            options.append((letter, text, head.start()))
    return options if len(options) > 1 else []


def choice_letter(answer: str) -> tuple[str | None, str]:
    """The letter of "B", "(B)", "B) text", "B. text" or "option B", and the text after it.

    None and "" where an answer names no letter.
    """
    match = _LETTER.fullmatch(unicodedata.normalize("NFKC", answer.strip()))
    if match is None:
        return None, ""
    letter, text = match.groups(default="")
    return letter.upper(), strip_markup(text)
