"""The tables that compare the judge with rules: what each rule changes, and the ranks of the models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from lm_eval_bertjudge.analysis import harness_metrics
from lm_eval_bertjudge.analysis.columns import decisions
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.report.judged import RULES, Cell, Judged
from lm_eval_bertjudge.report.section import Record, Section

Rates = Mapping[Cell, Mapping[str, float]]  # by generator and task, by column


def by_rule(judged: Judged) -> Section:
    """What every rule changes against the judge, split as in the paper's Table 1 (arXiv 2604.09497)."""
    records = []
    rules = _rules(judged)
    for (generator, task), rows in judged.cells().items():
        for rule in rules.get(task, []):
            both = [row for row in rows if harness_metrics.decides(row, rule)]
            if both:
                record: Record = {"model": generator, "task": task, "rule": rule}
                record |= _change(judged, both, rule)
                records.append(record)
    note = (
        f"Accuracy by a rule minus accuracy by {judged.main} on the same answers, and how much of it comes from "
        "answers that could not be parsed and from parsed answers that were compared otherwise. Then the share that "
        "could not be parsed, and the answers that one alone calls right: who is right there, only labels or reading "
        "them tell."
    )
    return Section("What the rules change", note, records)


def _rules(judged: Judged) -> dict[str, list[str]]:
    """By task all its rules."""
    tasks: dict[str, list[Row]] = {}
    for row in judged.rows:
        tasks.setdefault(row["task"], []).append(row)
    return {task: harness_metrics.names(rows, judged.main) for task, rows in tasks.items()}


def _change(judged: Judged, rows: Sequence[Row], rule: str) -> Record:
    n = len(rows)
    gaps = decisions(rows, rule) - judged.decisions(rows, judged.main)
    is_unparsed = np.array([harness_metrics.unparsed(row, rule) for row in rows])
    by_parsing = gaps[is_unparsed].sum() / n
    by_matching = gaps[~is_unparsed].sum() / n
    return {
        "n": n,
        "difference": f"{gaps.mean():+.3f}",
        "by parsing": f"{by_parsing:+.3f}",
        "by matching": f"{by_matching:+.3f}",
        "not parsed": float(is_unparsed.mean()),
        f"{judged.main} alone": int((gaps < 0).sum()),
        "rule alone": int((gaps > 0).sum()),
    }


def borda(rates: Rates, column: str) -> dict[str, float]:
    """Borda points per generator: on each task one for every other generator it beats, half a point for a tie."""
    points = {generator: 0.0 for generator, _ in rates}
    for (generator, task), rate in rates.items():
        for (other, other_task), other_rate in rates.items():
            if other_task != task or other == generator:
                continue
            if rate[column] > other_rate[column]:
                points[generator] += 1
            elif rate[column] == other_rate[column]:
                points[generator] += 0.5
    return points


def ranking(judged: Judged) -> Section:
    """Ranks by Borda count over the tasks that every column covers (the paper's Table 1 and Figure 1)."""
    rates = {}
    for cell, rows in judged.cells().items():
        rate = judged.rates(rows)
        if len(rate) == len(judged.columns):
            rates[cell] = rate
    points = {column: borda(rates, column) for column in judged.columns}
    ranks = {column: _ranks(each) for column, each in points.items()}
    n_tasks = Counter(generator for generator, _ in rates)
    by_main = ranks[judged.main]
    records = []
    for generator in sorted(by_main, key=lambda name: (by_main[name], name)):
        record: Record = {"model": generator, "tasks": n_tasks[generator]}
        for column in judged.columns:
            rank = ranks[column][generator]
            record[column] = f"{rank} ({points[column][generator]:g})"
        record["delta rank"] = None
        if RULES in ranks:
            gain = ranks[RULES][generator] - by_main[generator]
            record["delta rank"] = f"{gain:+d}"
        records.append(record)
    note = (
        "Rank by Borda count over the tasks (points). "
        f"The last column: places won by {judged.main} against the rules."
    )
    return Section("Ranking", note, records)


def _ranks(points: Mapping[str, float]) -> dict[str, int]:
    ordered = sorted(points.values(), reverse=True)
    return {name: 1 + ordered.index(each) for name, each in points.items()}
