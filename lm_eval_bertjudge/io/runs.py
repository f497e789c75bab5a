"""Runs of one model: the newest is the model's, the others are listed under a name of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lm_eval_bertjudge.io.rows import Row

Runs = Mapping[tuple[str, str], str]


def newest_runs(rows: Iterable[Row]) -> Runs:
    """By model and task the newest run, of rows with `generator`, `task` and, where it is known, `model_run`."""
    newest: dict[tuple[str, str], str] = {}
    for row in rows:
        key = (row["generator"], row["task"])
        newest[key] = max(newest.get(key, ""), row.get("model_run") or "")
    return newest


def model_name(row: Row, newest: Runs) -> str:
    """The model's name, with the run where there is a newer one of the same task."""
    run = row.get("model_run") or ""
    is_newest = newest.get((row["generator"], row["task"]), run) == run
    return row["generator"] if is_newest else f"{row['generator']}{_suffix(row)}"


def is_older(row: Row) -> bool:
    """Whether `model_name` has named a row by its run, since a newer one replaces it."""
    return str(row["generator"]).endswith(_suffix(row))


def _suffix(row: Row) -> str:
    return f" ({row.get('model_run') or 'earlier run'})"
