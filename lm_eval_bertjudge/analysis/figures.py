"""Everything that `bertjudge agree` says, as JSON-ready values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lm_eval_bertjudge.analysis import agreement, baselines
from lm_eval_bertjudge.analysis.columns import Labels, decisions, labelled, probabilities, questions
from lm_eval_bertjudge.analysis.comparison import compare
from lm_eval_bertjudge.analysis.intervals import Ints
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.output import open_output
from lm_eval_bertjudge.io.rows import Row


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
    clusters = questions(kept)
    judge = decisions(kept, method)
    p = probabilities(kept, method)
    has_p = not np.isnan(p).all()
    overall = agreement.agreement(judge, gold, p if has_p else None)
    overall |= agreement.figure_intervals(judge, gold, clusters, seed=seed)
    overall |= agreement.rate_gap(judge, gold, clusters)
    everybody = baselines.decisions_of_all(kept, method) | dict(against or {})
    content = {
        "method": method,
        "runs": sorted({row["run"] for row in kept if row.get("run")}),
        "n_unlabelled": len(rows) - len(kept),
        "overall": overall,
        "threshold_sweep": agreement.threshold_sweep(p, gold) if has_p else [],
        "judges": baselines.against_labels(everybody, gold),
        "by": _by(kept, judge, gold),
    }
    for name, scores in baselines.text_scores(kept, bertscore=bertscore).items():
        content[f"{name}_pearson"] = agreement.pearson(scores, gold)
    return content


def _by(rows: Sequence[Row], judge: Ints, gold: Ints) -> dict[str, dict[str, Any]]:
    """The figures of parts of the rows: by generator, task and category where they have one, and by length."""
    keys: dict[str, list[str]] = {}
    for name in ("generator", "task", "category"):
        values = [str(row.get(name) or "") for row in rows]
        if any(values):
            keys[name] = values
    keys["length"] = [agreement.length_bucket(row["candidate"]) for row in rows]
    return {name: _sliced(rows, judge, gold, values) for name, values in keys.items()}


def _sliced(
    rows: Sequence[Row], judge: Ints, gold: Ints, keys: Sequence[str]
) -> dict[str, dict[str, Any]]:
    names = np.array(keys, dtype=object)
    clusters = np.array(questions(rows), dtype=object)
    parts = {}
    for key in sorted(set(keys)):
        is_in = names == key
        decided = judge[is_in]
        right = gold[is_in]
        part = agreement.agreement(decided, right)
        part |= agreement.rate_gap(decided, right, clusters[is_in].tolist())
        parts[key or "(none)"] = part
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
    matched = verdict_files.match(rows, others, name)
    by_id = {row["id"]: row for row in matched}
    theirs = [by_id[row["id"]] for row in kept]
    return decisions(theirs, verdict_files.main_method(others))


def compared(
    rows: Sequence[Row], labels: Labels, method: str, others: Mapping[str, Ints], *, seed: int = 0
) -> dict[str, dict[str, Any]]:
    """By the name of another judge how the judge differs from it, over the rows that have a label."""
    kept, gold = labelled(rows, labels)
    judge = decisions(kept, method)
    clusters = questions(kept)
    comparisons = {}
    for name, each in others.items():
        comparisons[name] = compare(judge, each, gold, clusters, seed=seed)
    return comparisons


def people(
    rows: Sequence[Row], labels: Labels, second: Labels, method: str
) -> dict[str, dict[str, Any]]:
    """How far two people agree, and the judge with each of them, over the answers that both labelled."""
    kept, _ = labelled(rows, second)
    both, gold = labelled(kept, labels)
    _, other = labelled(both, second)
    judge = decisions(both, method)
    pairs = {
        "labels and second labels": (gold, other),
        f"{method} and labels": (gold, judge),
        f"{method} and second labels": (other, judge),
    }
    clusters = questions(both)
    figures_of = {}
    for name, (one, another) in pairs.items():
        figures_of[name] = agreement.between_people(one, another, clusters)
    return figures_of


def write(path: Path | None, content: Mapping[str, Any]) -> None:
    """Writes figures as JSON, where a file is wanted."""
    if path is None:
        return
    text = json.dumps(content, indent=2, ensure_ascii=False)
    with open_output(path) as out:
        out.write(f"{text}\n")
