"""Computes what a report shows, from verdict rows; html.py and markdown.py write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lm_eval_bertjudge import __version__
from lm_eval_bertjudge.analysis import harness_metrics
from lm_eval_bertjudge.analysis.agreement import THRESHOLDS
from lm_eval_bertjudge.analysis.columns import labelled, probabilities
from lm_eval_bertjudge.analysis.harness_metrics import Difference
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.report import label_tables, rule_tables, tables
from lm_eval_bertjudge.report.caution import caution
from lm_eval_bertjudge.report.disagreements import Disagreement, disagreements
from lm_eval_bertjudge.report.judged import Judged
from lm_eval_bertjudge.report.section import Section

MAX_ITEMS = 500
Point = tuple[float, float, float | None]  # threshold, share decided right, accuracy against labels


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a page shows.

    Attributes:
        heading: One line: how many answers, generators, tasks.
        summary: The result in a sentence; empty where no rules are compared.
        sections: The tables.
        rates: Per generator the share decided right, by column.
        differences: Per generator the answers on which rules and judge differ.
        histogram: Answers per tenth of p_correct, of those that a judge decided.
        curve: Share decided right by threshold.
        items: The answers on which verdicts differ.
        n_items: How many there are; `items` holds some of them.
    """

    heading: str
    summary: str
    sections: list[Section]
    rates: dict[str, dict[str, float]]
    differences: dict[str, Difference]
    histogram: list[int]
    curve: list[Point]
    items: list[Disagreement] = field(default_factory=list)
    n_items: int = 0


def build(
    rows: Sequence[Row], labels: Mapping[str, Row], *, max_items: int = MAX_ITEMS, seed: int = 0
) -> Report:
    """Computes everything on the page.

    Args:
        rows: Verdict rows, as `verdict_files.read` gives them.
        labels: Label rows by id, for all, some or none of them.
        max_items: Disagreements to keep; of more, a random choice.
        seed: Of that choice.
    """
    judged = Judged.of(rows)
    generators = judged.generators()
    items = disagreements(judged, labels)
    order = np.random.default_rng(seed).permutation(len(items))
    chosen = sorted(order[:max_items].tolist())
    summary = ""
    differences: dict[str, Difference] = {}
    if judged.rule_of:
        summary = str(_difference(judged, judged.rows))
        differences = {name: _difference(judged, each) for name, each in generators.items()}
    return Report(
        heading=_heading(judged),
        summary=summary,
        sections=_sections(judged, labels),
        rates={name: judged.rates(each) for name, each in generators.items()},
        differences=differences,
        histogram=_histogram(judged),
        curve=_curve(judged, labels),
        items=[items[i] for i in chosen],
        n_items=len(items),
    )


def _difference(judged: Judged, rows: Sequence[Row]) -> Difference:
    return harness_metrics.difference(rows, judged.rule_of, judged.main)


def _heading(judged: Judged) -> str:
    n_tasks = len({row["task"] for row in judged.rows})
    counts = [
        _several(len(judged.rows), "answer"),
        _several(len(judged.generators()), "model"),
        _several(n_tasks, "task"),
    ]
    return f"{', '.join(counts)}; judged by {judged.main}, lm-eval-bertjudge {__version__}"


def _several(n: int, what: str) -> str:
    return f"{n} {what}" + "s" * (n != 1)


def _sections(judged: Judged, labels: Mapping[str, Row]) -> list[Section]:
    sections = [tables.accuracy(judged)]
    if any(row["id"] in labels for row in judged.rows):
        sections.append(label_tables.against_labels(judged, labels))
        sections.append(label_tables.by_generator(judged, labels))
    if judged.rule_of:
        sections.append(rule_tables.by_rule(judged))
    if len(judged.generators()) > 1:
        sections.append(rule_tables.ranking(judged))
    sections += [tables.sources(judged), tables.lengths(judged)]
    if doubts := caution(judged):
        sections.append(doubts)
    if judged.older:
        sections.append(tables.older_runs(judged))
    return sections


def _histogram(judged: Judged) -> list[int]:
    p = judged.judge_p(judged.rows)
    counts, _ = np.histogram(p[~np.isnan(p)], bins=10, range=(0, 1))
    return [int(count) for count in counts]


def _curve(judged: Judged, labels: Mapping[str, Row]) -> list[Point]:
    p = probabilities(judged.rows, judged.main)
    if np.isnan(p).all():
        return []
    rows, gold = labelled(judged.rows, labels)
    labelled_p = probabilities(rows, judged.main)
    points: list[Point] = []
    for threshold in THRESHOLDS:
        accuracy = None
        if rows:
            accuracy = float(((labelled_p >= threshold) == gold).mean())
        points.append((threshold, float((p >= threshold).mean()), accuracy))
    return points
