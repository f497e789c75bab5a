"""Rows of the training files: labelled triplets in, training rows out. One JSON object a line, gzip by file name."""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

Row = dict[str, Any]


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a .jsonl or .jsonl.gz file, in order."""
    with (
        gzip.open(path, "rt", encoding="utf-8")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8") as lines
    ):
        try:
            for number, line in enumerate(lines, start=1):
                yield _row(line, path, number)
        except EOFError as error:
            raise SystemExit(
                f"{path} ends too early ({error}): what wrote it was cut short"
            ) from error


def _row(line: str, path: Path, number: int) -> Row:
    try:
        found: Row = json.loads(line)
    except ValueError as error:
        raise SystemExit(
            f"{path}, line {number} is not JSON ({error}): what wrote it was cut short"
        ) from error
    return found


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Writes rows beside `path` first and renames at the end, so that a half-written file never has its name."""
    part = path.with_name(path.name + ".tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    n = 0
    with _packed(part) if path.suffix == ".gz" else part.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            n += 1
    os.replace(part, path)
    return n


@contextmanager
def _packed(path: Path) -> Iterator[TextIO]:
    """A gzip file to write text into, with no time and no name inside, so that equal rows are equal bytes."""
    with (
        path.open("wb") as out,
        gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8") as text,
    ):
        yield text


def write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Writes `path`.manifest.json, the last thing a stage does: where it is, the stage has ended."""
    part = path.with_name(path.name + ".manifest.json.tmp")
    part.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(part, path.with_name(path.name + ".manifest.json"))


def in_turns(lists: Iterable[Iterable[Row]]) -> Iterator[Row]:
    """One row of each list, then the next of each, until all are used up."""
    for several in itertools.zip_longest(*lists):
        yield from (row for row in several if row is not None)


def source_files(folder: Path, names: str | None) -> dict[str, Path]:
    """Source to its SOURCE.jsonl.gz in a folder of triplets: all of them, or the comma-separated ones."""
    files = {
        path.name.removesuffix(".jsonl.gz"): path for path in sorted(folder.glob("*.jsonl.gz"))
    }
    chosen = {name: path for name, path in files.items() if not names or name in names.split(",")}
    if not chosen:
        raise SystemExit(f"{folder} has none of the sources asked for; it has {', '.join(files)}")
    return chosen


def sha256(path: Path) -> str:
    """Hex digest of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
