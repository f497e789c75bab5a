"""Verdict files while they are written: what a killed run leaves is gone on with.

Rows are judged in chunks that are appended whole, so a killed run leaves a prefix. The next one cuts that back to the
last whole chunk: the same batches then give the same probabilities, and the same bytes as a run that was never killed.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io.output import AppendLog, finished_rows
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.types import JudgeItem

Items = Sequence[JudgeItem]
Verdicts = list[dict[str, Any]]  # per item the verdict's fields by method
Engine = Callable[
    [Iterable[Items]], Iterable[Verdicts]
]  # in order; it may take items ahead of what it gives


class Source(NamedTuple):
    """One input file, what becomes of it, and what its verdicts depend on."""

    file: Path
    output: Path
    rows: list[Row]
    run: str
    chunk: int


class _Output:
    """The verdicts of a source on disk: all under their name, or the first chunks under the name that ends in .tmp."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.n_done = _n_rows(source.output, source) if source.output.exists() else 0
        if self.n_done == len(source.rows):
            return
        part = source.output.with_name(source.output.name + ".tmp")
        if self.n_done:  # it lost its last lines
            os.replace(source.output, part)
        part.parent.mkdir(parents=True, exist_ok=True)
        self._log = AppendLog(part)
        self.n_done = self._cut_to_chunks()
        self._finish_if_whole()

    def _cut_to_chunks(self) -> int:
        """Leaves out what is after the last whole chunk; how many rows are left."""
        n_done = end_done = 0
        for n, (row, end) in enumerate(self._log.rows(), start=1):
            _check_run(row, self._log.path, self._source)
            if n % self._source.chunk == 0 or n == len(self._source.rows):
                n_done, end_done = n, end
        if n_done > len(self._source.rows):
            raise _other_rows(self._log.path)
        self._log.cut(end_done)
        return n_done

    def append(self, rows: Sequence[Row]) -> None:
        """Adds a chunk; the last one gives the file its name."""
        self._log.append(rows)
        self.n_done += len(rows)
        self._finish_if_whole()

    def _finish_if_whole(self) -> None:
        if self.n_done == len(self._source.rows):
            self._log.rename(self._source.output)
            self._log.close()


def judge_files(sources: Iterable[Source], engine: Engine, bar: tqdm[Any]) -> None:
    """Writes the verdicts of files to their outputs, going on where a killed run stopped.

    Args:
        sources: The files; each is read when the engine asks for its items.
        engine: Gives the verdicts.
        bar: Counts the rows that are on disk.

    Raises:
        InputError: An output exists and is of another input or of other options, or another process writes it.
    """
    ahead: deque[tuple[_Output, str, list[Row]]] = deque()

    def items() -> Iterator[Items]:
        for source in sources:
            output = _Output(source)
            bar.update(output.n_done)
            for start in range(output.n_done, len(source.rows), source.chunk):
                rows = source.rows[start : start + source.chunk]
                ahead.append((output, source.run, rows))
                yield list(map(_item, rows))

    for verdicts in engine(items()):
        output, run, rows = ahead.popleft()
        judged = []
        for row, by_method in zip(rows, verdicts, strict=True):
            judged.append(row | {"verdicts": by_method, "run": run})
        output.append(judged)
        bar.update(len(rows))


def _item(row: Row) -> JudgeItem:
    references = tuple(row["references"])
    return JudgeItem(row["question"], references, row["candidate"])


def _n_rows(path: Path, source: Source) -> int:
    n = 0
    for row in finished_rows(path):
        _check_run(row, path, source)
        n += 1
    if n > len(source.rows):
        raise _other_rows(path)
    return n


def _check_run(row: Row, path: Path, source: Source) -> None:
    if row.get("run") != source.run:
        raise _other_rows(path)


def _other_rows(path: Path) -> InputError:
    return InputError(
        f"{path} was made from other rows or with other options than these. Give another --output, or delete it"
    )
