"""Rows out: a file gets its name only when all of it is there, and only one process writes it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io.rows import FORMULA, Row

try:
    import fcntl
except ImportError:  # Windows has none: two processes are then not kept apart
    fcntl = None  # type: ignore[assignment]

_STREAMS = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")
_NUMBER = re.compile(r"[-+]?\d[\d.,eE+-]*")


@contextmanager
def open_output(path: Path, *, newline: str | None = None) -> Iterator[IO[str]]:
    """A file to write text into; it gets its name when the context is left without an error, and is NAME.tmp till then.

    A symlink is followed. A device, a pipe, `-` or /dev/stdout is written to as it is. A name in .gz is packed, with
    neither time nor name inside, so that equal rows are equal bytes. A lone surrogate becomes \\udXXX, its JSON escape.

    Args:
        path: Its name.
        newline: As for `open`; "" for csv.

    Raises:
        InputError: Its folder does not exist, it is a folder, or another process is writing it.
    """
    path = Path("/dev/stdout") if str(path) == "-" else path
    target = _target(path)
    if target is None:
        with path.open("wb") as device, _text(device, path, newline) as out:
            yield out
        return
    part = target.with_name(target.name + ".tmp")
    with locked_file(part) as raw:
        raw.truncate()
        with _text(raw, path, newline) as out:
            yield out
        if target.exists():
            os.chmod(part, target.stat().st_mode & 0o777)
        os.replace(part, target)


def write_rows(path: Path, rows: Iterable[Row]) -> int:
    """Writes a JSON line per row, as `open_output` does; how many. Makes the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    n = 0
    with open_output(path, newline="\n") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            n += 1
    return n


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes rows with the columns of the first; lists as JSON, and an apostrophe before what would be a formula."""
    with open_output(path, newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    is_formula = isinstance(value, str) and value.startswith(FORMULA)
    return f"'{value}" if is_formula and not _NUMBER.fullmatch(value) else value


def _target(path: Path) -> Path | None:
    """The file that gets the name; None for what is written to as it is."""
    if str(path).startswith(_STREAMS):
        return None
    target = path.resolve()
    if target.is_dir():
        raise InputError(f"{path} is a folder; name a file in it")
    return None if target.exists() and not target.is_file() else target


@contextmanager
def _text(raw: IO[bytes], path: Path, newline: str | None) -> Iterator[IO[str]]:
    """The binary file as text, left open: the lock on it must outlive its last byte."""
    packed = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if path.suffix == ".gz" else raw
    text = io.TextIOWrapper(packed, encoding="utf-8", errors="backslashreplace", newline=newline)
    try:
        yield text
    finally:
        text.detach()
        if packed is not raw:
            packed.close()
        raw.flush()


@contextmanager
def locked_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to read and write, made where it is not there, that no other process writes meanwhile.

    Raises:
        InputError: Its folder does not exist, or another process is writing it.
    """
    with _opened(path) as file:
        yield file


def _opened(path: Path) -> IO[bytes]:
    while True:
        try:
            file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        except FileNotFoundError as error:
            raise InputError(
                f"{path}: {error.strerror}; make its folder first: mkdir -p {path.parent}"
            ) from error
        _lock(file, path)
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()  # who had it before has given it its name: it is no longer the one to write


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keeps other processes that ask for the same out of a folder; makes it where it is not there.

    Raises:
        InputError: Another process has it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder, os.O_RDONLY)
    try:
        _lock(handle, folder)
        yield
    finally:
        os.close(handle)


def _lock(file: IO[bytes] | int, path: Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(
            f"another process is writing {path}: wait for it, or give another output"
        ) from error
    except OSError:  # a file system without locks
        return


class AppendLog:
    """A file of JSON lines that grows by whole lines, and by one process only; for results that must survive a kill."""

    def __init__(self, path: Path) -> None:
        """Opens the file, which is made where it is not there.

        Raises:
            InputError: As `locked_file`.
        """
        self.path = path
        self._file = _opened(path)
        self._end = 0

    def rows(self) -> Iterator[tuple[Row, int]]:
        """The rows, each with the offset in bytes of its end; a last line that was never finished is left out.

        Raises:
            InputError: A line is not JSON.
        """
        self._file.seek(0)
        end = 0
        for number, line in enumerate(self._file, start=1):
            if line.endswith(b"\n"):
                end += len(line)
                yield _finished(line, self.path, number), end

    def cut(self, end: int) -> None:
        """Leaves out what is after an offset; what is added goes there."""
        self._file.truncate(end)
        self._end = end

    def append(self, rows: Iterable[Row], *, durable: bool = False) -> None:
        """Adds rows after `cut`.

        Args:
            rows: A line each.
            durable: Returns when they are on the disk, and not in the system's memory only.

        Raises:
            InputError: Someone else has changed the file.
        """
        if os.fstat(self._file.fileno()).st_size != self._end:
            raise InputError(
                f"{self.path} was changed by another program while it was written: delete it, and run again"
            )
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        self._file.seek(self._end)
        self._end += self._file.write(lines.encode(errors="backslashreplace"))
        self._file.flush()
        if durable:
            os.fsync(self._file.fileno())

    def rename(self, path: Path) -> None:
        """Gives the file its name, while nobody else can write it."""
        os.replace(self.path, path)

    def close(self) -> None:
        """Lets others write it."""
        self._file.close()


def finished_rows(path: Path) -> Iterator[Row]:
    """The rows of an `AppendLog`'s file; a last line that was never finished is left out.

    Raises:
        InputError: A line is not JSON.
    """
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.endswith(b"\n"):
                yield _finished(line, path, number)


def _finished(line: bytes, path: Path, number: int) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}, line {number} is damaged ({error}): delete this line, and run again"
        ) from error
    if not isinstance(row, dict):
        raise InputError(f"{path}, line {number} is no JSON object: delete it, and run again")
    return row
