"""Rows of the training files: labelled triplets in, training rows out. One JSON object a line, gzip by file name."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a .jsonl or .jsonl.gz file, in order."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Writes rows beside `path` first and renames at the end, so that a half-written file never has its name."""
    part = path.with_name(path.name + ".tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    n = 0
    with part.open("w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            n += 1
    os.replace(part, path)
    return n


def sha256(path: Path) -> str:
    """Hex digest of a file's content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
