"""Everything that `bertjudge agree` says, as JSON-ready values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lm_eval_bertjudge.analysis import agreement, baselines
from lm_eval_bertjudge.analysis.comparison import compare
from lm_eval_bertjudge.analysis.intervals import Floats, Ints
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.output import open_output
from lm_eval_bertjudge.io.rows import Row

Labels = Mapping[str, Row]


def decisions(rows: Sequence[Row], name: str) -> Ints:
    """0 or 1 per row, by the name of a method, a logged metric or a field; unjudged is 0."""
    return np.array([verdict_files.decision(row, name) for row in rows], dtype=np.int64)


def probabilities(rows: Sequence[Row], method: str) -> Floats:
    """p_correct per row, NaN where the method gave none."""
    values = [row["verdicts"].get(method, {}).get("p_correct") for row in rows]
    return np.array([np.nan if p is None else p for p in values], dtype=np.float64)


def questions(rows: Sequence[Row]) -> list[str]:
    """What makes answers belong together: the question's text, or the row itself where it has none."""
    return [row["question"] or row["id"] for row in rows]


def labelled(rows: Sequence[Row], labels: Labels) -> tuple[list[Row], Ints]:
    """The rows that have a label, and their labels."""
    kept = [row for row in rows if row["id"] in labels]
    return kept, np.array([labels[row["id"]]["label"] for row in kept], dtype=np.int64)


def figures(
    rows: Sequence[Row],
    labels: Labels,
    method: str,
    *,
    against: Mapping[str, Ints] | None = None,
    bertscore: str | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """A judge against labels, over the rows that have one.

    Args:
        rows: All verdict rows.
        labels: Label rows by id.
        method: The judge's name in the rows.
        against: What other judges decide on the labelled rows, by name.
        bertscore: Model for BERTScore; None leaves it out.
        seed: Of everything random.
    """
    kept, gold = labelled(rows, labels)
    judge, p = decisions(kept, method), probabilities(kept, method)
    has_p = not np.isnan(p).all()
    overall = agreement.agreement(judge, gold, p if has_p else None)
    overall |= agreement.figure_intervals(judge, gold, questions(kept), seed=seed)
    scores = baselines.text_scores(kept, bertscore=bertscore)
    everybody = baselines.decisions_of_all(kept, method) | dict(against or {})
    return {
        "method": method,
        "runs": sorted({row["run"] for row in kept if row.get("run")}),
        "n_unlabelled": len(rows) - len(kept),
        "overall": overall | agreement.rate_gap(judge, gold, questions(kept)),
        "threshold_sweep": agreement.threshold_sweep(p, gold) if has_p else [],
        **{f"{name}_pearson": agreement.pearson(each, gold) for name, each in scores.items()},
        "judges": baselines.against_labels(everybody, gold),
        "by": {name: _sliced(kept, judge, gold, keys) for name, keys in _slices(kept).items()},
    }


def _slices(rows: Sequence[Row]) -> dict[str, list[str]]:
    named = {
        name: [str(row.get(name) or "") for row in rows]
        for name in ("generator", "task", "category")
    }
    lengths = [agreement.length_bucket(row["candidate"]) for row in rows]
    return {name: keys for name, keys in named.items() if any(keys)} | {"length": lengths}


def _sliced(
    rows: Sequence[Row], judge: Ints, gold: Ints, keys: Sequence[str]
) -> dict[str, dict[str, Any]]:
    parts = {}
    for key in sorted(set(keys)):
        at = [i for i, each in enumerate(keys) if each == key]
        clusters = questions([rows[i] for i in at])
        parts[key or "(none)"] = agreement.agreement(judge[at], gold[at]) | agreement.rate_gap(
            judge[at], gold[at], clusters
        )
    return parts


def other_judge(rows: Sequence[Row], kept: Sequence[Row], name: str) -> Ints:
    """What another judge decides.

    Args:
        rows: All verdict rows.
        kept: Those of them that are asked for.
        name: A verdict file with the same ids, or a method, logged metric or field of the rows.

    Raises:
        InputError: The file has other ids, or a row has nothing by this name.
    """
    if not Path(name).exists():
        return decisions(kept, name)
    others = verdict_files.read([Path(name)])
    by_id = {row["id"]: row for row in verdict_files.match(rows, others, name)}
    return decisions([by_id[row["id"]] for row in kept], verdict_files.main_method(others))


def compared(
    rows: Sequence[Row], labels: Labels, method: str, others: Mapping[str, Ints], *, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """By the name of another judge how the judge differs from it, over the rows that have a label."""
    kept, gold = labelled(rows, labels)
    judge = decisions(kept, method)
    return {
        name: compare(judge, each, gold, questions(kept), seed=seed)
        for name, each in others.items()
    }


def people(
    rows: Sequence[Row], labels: Labels, second: Labels, method: str
) -> dict[str, dict[str, Any]]:
    """How far two people agree, and the judge with each of them, over the answers that both labelled."""
    both, gold = labelled([row for row in rows if row["id"] in second], labels)
    _, other = labelled(both, second)
    judge, clusters = decisions(both, method), questions(both)
    return {
        "labels and second labels": agreement.between_people(gold, other, clusters),
        f"{method} and labels": agreement.between_people(gold, judge, clusters),
        f"{method} and second labels": agreement.between_people(other, judge, clusters),
    }


def write(path: Path | None, content: Mapping[str, Any]) -> None:
    """Writes figures as JSON, where a file is wanted."""
    if path is not None:
        with open_output(path) as out:
            out.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
