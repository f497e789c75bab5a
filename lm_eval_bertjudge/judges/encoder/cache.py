"""Verdicts that were computed before: the last ones in memory, all of them in one sqlite file that processes share.

A verdict is found by the judge (a hash of its weights and of what runs them) and by the token ids it would
read, so that a new checkpoint, tokenizer or input format never meets an old verdict. The file is a
convenience: where it cannot be read or written, a warning says so once and judging goes on.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
import struct
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

logger = logging.getLogger(__name__)

ENVIRONMENT = "LM_EVAL_BERTJUDGE_CACHE"
_FILE = "verdicts.sqlite"
_ON, _OFF = ("", "1", "on", "true", "yes"), ("0", "off", "false", "no")
_TABLE = "CREATE TABLE IF NOT EXISTS verdicts (key BLOB PRIMARY KEY, p REAL, checksum INTEGER) WITHOUT ROWID"
_ASKED_AT_ONCE = 500  # keys per query; sqlite's oldest limit on variables is 999
_RECENT = 200_000  # verdicts in memory: 30 MB
_LOCKED_S = 30.0
_WEIGHTS = ("*.onnx", "*.safetensors", "*.bin", "config.json")

T = TypeVar("T")


def location(choice: bool | str | None = None) -> Path | None:
    """Where the file is; None when there is none.

    Args:
        choice: True or False, a file or folder, or the words of the environment variable ("0", "1");
            None leaves it to LM_EVAL_BERTJUDGE_CACHE, and without that to the user's cache folder.
    """
    if isinstance(choice, bool):
        choice = "1" if choice else "0"
    chosen = os.environ.get(ENVIRONMENT, "") if choice is None else str(choice)
    if chosen.lower() in _OFF:
        return None
    if chosen.lower() in _ON:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        return Path(home) / "lm_eval_bertjudge" / _FILE
    path = Path(chosen).expanduser()
    return path / _FILE if path.is_dir() else path


def identity(folder: Path, kind: str) -> bytes:
    """A hash of a judge folder's weights and config and of what runs them, such as "torch float32".

    Weights are also the files that an ONNX graph names: it may have them outside itself, under any name.
    """
    files = {file for pattern in _WEIGHTS for file in folder.glob(pattern)}
    graphs = [graph.read_bytes() for graph in sorted(folder.glob("*.onnx"))]
    for file in folder.rglob("*"):
        name = file.relative_to(folder).as_posix().encode()
        if file.is_file() and any(name in graph for graph in graphs):
            files.add(file)
    total = hashlib.sha256(kind.encode())
    for file in sorted(files):
        total.update(_sha256(file))
    return total.digest()


def _sha256(file: Path) -> bytes:
    total = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(1 << 20):
            total.update(block)
    return total.digest()


class _DamagedError(sqlite3.DatabaseError):
    """A row is not what was written."""


class VerdictCache:
    """p_correct by what one judge would read. Without a path only the last verdicts are kept, in memory."""

    def __init__(
        self, judge: bytes = b"", path: Path | None = None, *, remember: bool = True
    ) -> None:
        """Opens nothing yet.

        Args:
            judge: The judge's `identity`.
            path: The file.
            remember: Whether verdicts that no file keeps are kept in memory.
        """
        self._judge = judge
        self._path = path
        self._remember_all = remember
        self._recent: dict[bytes, float] = {}

    def key(self, ids: Sequence[int]) -> bytes:
        """What a row of token ids is found by."""
        content = array("q", ids).tobytes()
        return hashlib.blake2b(content, key=self._judge[:64], digest_size=16).digest()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, float]:
        """The verdicts that are known."""
        wanted = dict.fromkeys(keys)
        known = {key: self._recent[key] for key in wanted if key in self._recent}
        left = [key for key in wanted if key not in known]
        if left:
            nothing: dict[bytes, float] = {}
            read = self._on_file(lambda file: _read(file, left), nothing)
            self._remember(read)
            known |= read
        return known

    def put(self, verdicts: Mapping[bytes, float]) -> None:
        """Keeps verdicts, each of them finite."""
        if verdicts:
            self._remember(verdicts)
            self._on_file(lambda file: _write(file, verdicts), None)

    def _remember(self, verdicts: Mapping[bytes, float]) -> None:
        if self._path is None and not self._remember_all:
            self._recent.clear()
            return
        self._recent.update(verdicts)
        if (excess := len(self._recent) - _RECENT) > 0:
            for key in list(islice(self._recent, excess)):
                del self._recent[key]

    def _on_file(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Opens the file for one piece of work: connections survive neither forks nor other threads."""
        if self._path is None:
            return otherwise
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_LOCKED_S)) as file, file:
                with suppress(sqlite3.OperationalError):  # another process is just switching it on
                    file.execute("PRAGMA journal_mode=WAL")
                # A power cut may cost the cache, which is no loss.
                file.execute("PRAGMA synchronous=OFF")
                file.execute(_TABLE)
                return work(file)
        except (sqlite3.OperationalError, OSError) as error:
            logger.warning(
                "the verdict cache %s cannot be used (%s): going on without it. %s names another file, or 0",
                self._path, error, ENVIRONMENT,
            )  # fmt: skip
            self._path = None
        except sqlite3.DatabaseError as error:
            self._move_aside(self._path, error)
        return otherwise

    def _move_aside(self, path: Path, error: Exception) -> None:
        aside = path.with_name(path.name + ".damaged")
        text = "the verdict cache %s is damaged (%s): moved to %s, a new one begins"
        logger.warning(text, path, error, aside)
        try:
            for suffix in ("-wal", "-shm", ""):  # the log first: a new file must not meet it
                with suppress(FileNotFoundError):
                    os.replace(f"{path}{suffix}", f"{aside}{suffix}")
        except OSError as refused:
            logger.warning("it cannot be moved (%s): going on without a cache", refused)
            self._path = None


def _checksum(key: bytes, p: float) -> int:
    """Sqlite does not notice a flipped bit in a number; a wrong verdict would be the result."""
    return zlib.crc32(key + struct.pack("<d", p))


def _read(file: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, float]:
    known: dict[bytes, float] = {}
    for start in range(0, len(keys), _ASKED_AT_ONCE):
        some = keys[start : start + _ASKED_AT_ONCE]
        marks = ",".join("?" * len(some))
        query = f"SELECT key, p, checksum FROM verdicts WHERE key IN ({marks})"
        for key, p, checksum in file.execute(query, some):
            if not isinstance(p, float) or not 0.0 <= p <= 1.0 or _checksum(key, p) != checksum:
                raise _DamagedError("a row is not what was written")
            known[key] = p
    return known


def _write(file: sqlite3.Connection, verdicts: Mapping[bytes, float]) -> None:
    rows = [(key, p, _checksum(key, p)) for key, p in sorted(verdicts.items())]
    file.executemany("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", rows)
