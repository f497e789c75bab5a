"""Log formats, an adapter each.

An adapter is a module here with `matches(first, file)`, whether a file with this first row is its, and `rows(file,
reading)`, the answers in it as `io.answers.answer_row` makes them. A new one is found by being here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Protocol, cast

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io.answers import Reading
from lm_eval_bertjudge.io.rows import Row, read_rows


class Format(Protocol):
    """What an adapter has."""

    __name__: str

    def matches(self, first: Row, file: Path) -> bool:
        """Whether a file is of this format; `first` is its first row."""

    def rows(self, file: Path, reading: Reading) -> Iterator[Row]:
        """The answers in a file, in its order.

        Raises:
            InputError: A row is not as it should be.
        """


_FALLBACK = "plain"  # rows of any program: whatever no other format takes


def read_answers(file: Path, reading: Reading) -> list[Row]:
    """The answers in a file, one row each, whatever wrote it.

    Raises:
        InputError: The file cannot be read as any format, or has no answer.
        LeftOutError: There is nothing to judge in it.
    """
    first = next(read_rows(file), None)
    if first is None:
        raise InputError(f"{file} is empty")
    adapter = _format_of(first, file)
    try:
        answers = list(adapter.rows(file, reading))
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        kind = adapter.__name__.rpartition(".")[2]
        raise InputError(
            f"{file}: it looks like a log of the format {kind}, but is not as these are: {error!r}"
        ) from error
    if not answers:
        raise InputError(f"{file} has no answer in it")
    if not any(row["references"] for row in answers):
        raise InputError(
            f"{file}: the reference is empty on every document; give another --reference"
        )
    return [_in_run(row, reading.run) for row in answers] if reading.run else answers


def _in_run(row: Row, run: str) -> Row:
    named = " ".join(filter(None, (row.get("model_run"), run)))
    return row | {"id": f"{run}/{row['id']}", "model_run": named}


def _format_of(first: Row, file: Path) -> Format:
    return next(each for each in _formats() if each.matches(first, file))


@lru_cache(maxsize=1)
def _formats() -> list[Format]:
    names = sorted(
        (each.name for each in iter_modules(__path__)), key=lambda n: (n == _FALLBACK, n)
    )
    return [cast(Format, import_module(f"{__name__}.{name}")) for name in names]
