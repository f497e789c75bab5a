"""Short answers that may stand in for a wrong one."""

from __future__ import annotations

from collections import defaultdict

from training.data.rows import Row
from training.synthetic import answers

SHORT = 60  # characters


class Pool:
    """Short answers of several sources, by what they look like and by whose question is similar."""

    def __init__(self, texts: list[str], neighbours: dict[str, list[str]]) -> None:
        self._texts = texts
        self._neighbours = neighbours
        self._by_shape: dict[str, list[str]] = defaultdict(list)
        for text in texts:
            self._by_shape[answers.shape(text)].append(text)

    def of_shape(self, row: Row) -> list[str]:
        """Answers that look like the row's (a number, a year, a name); all of them where none does."""
        return self._by_shape.get(answers.shape(row["references"][0])) or self._texts

    def near(self, row: Row) -> list[str]:
        """Answers to similar questions (training.neighbours), of the row's shape where there are any."""
        near = self._neighbours.get(row["question"], [])
        shape = answers.shape(row["references"][0])
        return [text for text in near if answers.shape(text) == shape] or near or self.of_shape(row)
