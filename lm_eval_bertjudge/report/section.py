"""A table of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]  # a row by column


@dataclass(frozen=True)
class Section:
    """A table with what to know about it.

    Attributes:
        title: Its heading.
        note: What its columns are.
        records: Its rows, texts and numbers by column, all with the same columns.
        shaded: Whether its numbers are shares that the page shades by size.
        prose: Whether its last column holds sentences.
    """

    title: str
    note: str
    records: Sequence[Record]
    shaded: bool = False
    prose: bool = False

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return list(self.records[0]) if self.records else []

    @property
    def rows(self) -> list[list[Any]]:
        """The cells, row by row."""
        return [list(record.values()) for record in self.records]
