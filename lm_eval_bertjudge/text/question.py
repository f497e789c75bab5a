"""A question as the comparison of answers needs it: its options, and the words in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from lm_eval_bertjudge.text.choices import parse_choices

_WORD = re.compile(r"[^\W\d]+")
_END = 400  # characters, where a prompt asks


@dataclass(frozen=True)
class Question:
    """The text of a question, read when it is needed."""

    text: str = ""

    @cached_property
    def choices(self) -> dict[str, str]:
        """The options that it offers, by letter; empty where it offers none."""
        return parse_choices(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, in lower case."""
        return frozenset(_WORD.findall(self.text.casefold()))

    @property
    def end(self) -> str:
        """The part where a prompt asks."""
        return self.text[-_END:]
