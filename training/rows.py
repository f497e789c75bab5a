"""Rows of the training files: labelled triplets in, training rows out. One JSON object a line, gzip by file name."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

Row = dict[str, Any]


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a .jsonl or .jsonl.gz file, in order."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise SystemExit(f"{path}, line {number} is not JSON ({error}): what wrote it was cut short") from error


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


def sha256(path: Path) -> str:
    """Hex digest of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
