"""Runs of one model: the newest is the model's, the others are listed under a name of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lm_eval_bertjudge.io.rows import Row

Runs = Mapping[tuple[str, str], str]


def newest_runs(rows: Iterable[Row]) -> Runs:
    """By model and task the newest run, of rows with `generator`, `task` and, where it is known, `model_run`."""
    newest: dict[tuple[str, str], str] = {}
    for row in rows:
        key = _key(row)
        known = newest.get(key, "")
        newest[key] = max(known, _run(row))
    return newest


def model_name(row: Row, newest: Runs) -> str:
    """The model's name, with the run where there is a newer one of the same task."""
    generator: str = row["generator"]
    run = _run(row)
    if newest.get(_key(row), run) == run:
        return generator
    return generator + _suffix(row)


def is_older(row: Row) -> bool:
    """Whether `model_name` has named a row by its run, since a newer one replaces it."""
    generator = str(row["generator"])
    return generator.endswith(_suffix(row))


def _key(row: Row) -> tuple[str, str]:
    return row["generator"], row["task"]


def _run(row: Row) -> str:
    return row.get("model_run") or ""


def _suffix(row: Row) -> str:
    run = _run(row) or "earlier run"
    return f" ({run})"
