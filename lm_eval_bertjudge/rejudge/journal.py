"""Verdict files while they are written: what a killed run leaves is gone on with.

Rows are judged in chunks that are appended whole, so a killed run leaves a prefix. The next one cuts that back to the
last whole chunk: the same batches then give the same probabilities, and the same bytes as a run that was never killed.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tqdm import tqdm

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io.verdict_files import Row
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

    @property
    def part(self) -> Path:
        """The output until it is whole."""
        return self.output.with_name(self.output.name + ".tmp")


def judge_files(sources: Iterable[Source], engine: Engine, bar: tqdm[Any]) -> None:
    """Writes the verdicts of files to their outputs, going on where a killed run stopped.

    Args:
        sources: The files; each is read when the engine asks for its items.
        engine: Gives the verdicts.
        bar: Counts the rows that are on disk.

    Raises:
        InputError: An output exists and is of another input or of other options.
    """
    ahead: deque[tuple[Source, int, list[Row]]] = deque()

    def items() -> Iterator[Items]:
        for source in sources:
            done = _begun(source)
            bar.update(done)
            for start in range(done, len(source.rows), source.chunk):
                rows = source.rows[start : start + source.chunk]
                ahead.append((source, start, rows))
                yield [
                    JudgeItem(row["question"], tuple(row["references"]), row["candidate"])
                    for row in rows
                ]

    for found in engine(items()):
        source, start, rows = ahead.popleft()
        _append(
            source,
            [row | {"verdicts": v, "run": source.run} for row, v in zip(rows, found, strict=True)],
        )
        if start + len(rows) == len(source.rows):
            os.replace(source.part, source.output)
        bar.update(len(rows))


def _begun(source: Source) -> int:
    """How many verdicts are on disk; where all are, the output has its name."""
    if source.output.exists():
        return _kept(source.output, source)
    source.output.parent.mkdir(parents=True, exist_ok=True)
    source.part.touch()
    done = _kept(source.part, source)
    if done == len(source.rows):
        os.replace(source.part, source.output)
    return done


def _append(source: Source, lines: Sequence[Row]) -> None:
    # A lone surrogate in an answer becomes \\udXXX, which is its JSON escape.
    with source.part.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
        out.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def _kept(path: Path, source: Source) -> int:
    """How many rows are on disk; of an unfinished file what is after its last whole chunk is cut off."""
    lines = path.read_bytes().splitlines(keepends=True)
    whole = [line for line in lines if line.endswith(b"\n")]
    n = len(whole) if len(whole) == len(source.rows) else len(whole) // source.chunk * source.chunk
    if n > len(source.rows) or any(
        json.loads(line)["run"] != source.run for line in whole[: max(n, 1)]
    ):
        raise InputError(
            f"{path} was made from other rows or with other options than these. Give another --output, or delete it"
        )
    if path.suffix == ".tmp":
        os.truncate(path, sum(len(line) for line in whole[:n]))
    return n
