"""What a kind of value has to offer. One file a kind; `rules.KINDS` lists them."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple, Protocol

from lm_eval_bertjudge.text.question import Question

Relation = Literal["==", "!=", "??"]


class Kind(Protocol):
    """A kind of value that a short text may be, such as a date.

    Texts come through `normalize_latex`. A text is of a kind only when all of it can be read as such.

    Attributes:
        EXAMPLES: A table that the tests read, one pair a line: `gold == answer` are equivalent, `gold != answer`
            contradict each other, `gold ?? answer` is for a reader; ` :: ` and the question may follow.
    """

    EXAMPLES: str

    def parse(self, text: str) -> Any:
        """The value that a text is; None, or an empty value, when it is of another kind."""

    def equivalent(self, gold: str, answer: str, question: Question) -> bool:
        """Whether two texts are the same value to any reader."""

    def contradicts(self, gold: str, answer: str, question: Question) -> bool:
        """Whether two texts are values that no unit, rounding or convention makes the same."""


class Example(NamedTuple):
    """One line of a kind's table."""

    gold: str
    relation: Relation
    answer: str
    question: str


_LINE = re.compile(r"(.+?) +(==|!=|\?\?) +(.+?)(?: +:: +(.+))?")


def examples(table: str) -> list[Example]:
    """The lines of an example table.

    Raises:
        ValueError: A line is none.
    """
    read = []
    for line in filter(str.strip, table.splitlines()):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise ValueError(f"`gold == answer` was expected, with !=, ?? or ==: {line!r}")
        read.append(Example(match[1], match[2], match[3], match[4] or ""))  # type: ignore[arg-type]
    return read
