"""Columns of verdict rows as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lm_eval_bertjudge.analysis.intervals import Floats, Ints
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.rows import Row

Labels = Mapping[str, Row]  # by id


def decisions(rows: Sequence[Row], name: str) -> Ints:
    """0 or 1 per row, by the name of a method, a logged metric or a field; unjudged is 0."""
    return np.array([verdict_files.decision(row, name) for row in rows], dtype=np.int64)


def probabilities(rows: Sequence[Row], method: str) -> Floats:
    """p_correct per row, NaN where the method gave none."""
    p = np.full(len(rows), np.nan)
    for i, row in enumerate(rows):
        verdict = row["verdicts"].get(method, {})
        value = verdict.get("p_correct")
        if value is not None:
            p[i] = value
    return p


def questions(rows: Sequence[Row]) -> list[str]:
    """What makes answers belong together: the question's text, or the row itself where it has none."""
    return [row["question"] or row["id"] for row in rows]


def labelled(rows: Sequence[Row], labels: Labels) -> tuple[list[Row], Ints]:
    """The rows that have a label, and their labels."""
    kept = []
    gold = []
    for row in rows:
        label = labels.get(row["id"])
        if label is not None:
            kept.append(row)
            gold.append(label["label"])
    return kept, np.array(gold, dtype=np.int64)
