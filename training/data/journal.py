"""A file of results that survives being killed: a line each, on the disk before the next, read back by id.

A run begins with a line {"session": n, "started": time, "settings": {...}}. Its other lines have id, session, and
elapsed_s, the seconds since the run began.
"""

from __future__ import annotations

import time
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io.output import AppendLog, finished_rows
from lm_eval_bertjudge.io.rows import Row


def finished_lines(path: Path) -> tuple[list[Row], list[Row]]:
    """The session lines and the result lines of a journal; a last line that was never finished is left out."""
    rows = list(finished_rows(path)) if path.exists() else []
    return (
        [row for row in rows if "settings" in row],
        [row for row in rows if "settings" not in row],
    )


class Journal:
    """A journal open for adding; `ids` are the results that it has already."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self._path = path
        self._settings = settings
        self.ids: set[str] = set()

    def __enter__(self) -> Journal:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._log = AppendLog(self._path)
        end = 0
        sessions = 0
        for row, end in self._log.rows():  # noqa: B007
            if "settings" not in row:
                self.ids.add(row["id"])
                continue
            sessions += 1
            if row["settings"] != self._settings:
                raise InputError(
                    f"{self._path} was begun with {row['settings']}, not {self._settings}: use another file"
                )
        self._log.cut(end)
        self._session = sessions
        self._began = time.monotonic()
        started = datetime.now(timezone.utc).isoformat(timespec="seconds")
        session = {
            "session": self._session,
            "started": started,
            "settings": self._settings,
        }
        self._log.append([session], durable=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._log.close()

    def append(self, row: Row) -> None:
        """Writes a result. Once this returns, it stays.

        Raises:
            ValueError: There is one with this id.
        """
        if row["id"] in self.ids:
            raise ValueError(f"{row['id']} is in {self._path} already")
        elapsed = round(time.monotonic() - self._began, 3)
        self._log.append([row | {"session": self._session, "elapsed_s": elapsed}], durable=True)
        self.ids.add(row["id"])
