"""A file of results that survives being killed: a line each, on the disk before the next, read back by id.

A run begins with a line {"session": n, "started": time, "settings": {...}}. Its other lines have id, session, and
elapsed_s, the seconds since the run began.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any

from training.data.rows import Row


def finished_lines(path: Path) -> tuple[list[Row], list[Row]]:
    """The session lines and the result lines of a journal; a last line that was never finished is left out."""
    sessions: list[Row] = []
    results: list[Row] = []
    whole, _, _ = path.read_bytes().rpartition(b"\n") if path.exists() else (b"", b"", b"")
    for number, line in enumerate(whole.split(b"\n") if whole else [], start=1):
        try:
            row = json.loads(line)
            (sessions if "settings" in row else results).append(row)
        except (ValueError, TypeError) as error:
            raise SystemExit(
                f"{path}, line {number} is damaged ({error}): remove the line, and run again"
            ) from error
    return sessions, results


class Journal:
    """A journal open for adding; `ids` are the results that it has already."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self._path, self._settings = path, settings
        self.ids: set[str] = set()

    def __enter__(self) -> Journal:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("ab")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise SystemExit(
                f"another process is writing {self._path}: wait for it, or give another file"
            ) from error
        sessions, results = finished_lines(self._path)
        for before in sessions:
            if before["settings"] != self._settings:
                raise SystemExit(
                    f"{self._path} was begun with {before['settings']}, not {self._settings}: use another file"
                )
        self._drop_half_line()
        self.ids = {row["id"] for row in results}
        self._session, self._began = len(sessions), time.monotonic()
        started = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self._write({"session": self._session, "started": started, "settings": self._settings})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._file.close()

    def append(self, row: Row) -> None:
        """Writes a result. Once this returns, it stays.

        Raises:
            ValueError: There is one with this id.
        """
        if row["id"] in self.ids:
            raise ValueError(f"{row['id']} is in {self._path} already")
        self._write(
            row | {"session": self._session, "elapsed_s": round(time.monotonic() - self._began, 3)}
        )
        self.ids.add(row["id"])

    def _write(self, row: Row) -> None:
        self._file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def _drop_half_line(self) -> None:
        content = self._path.read_bytes()
        os.truncate(self._path, content.rfind(b"\n") + 1)
