"""The tables of a report. A table is a `Section`; the page and markdown write the same ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lm_eval_bertjudge.analysis import agreement, harness_metrics
from lm_eval_bertjudge.analysis.baselines import alone
from lm_eval_bertjudge.analysis.figures import labelled, questions
from lm_eval_bertjudge.analysis.intervals import Ints, wilson
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.render import estimate
from lm_eval_bertjudge.report.judged import RULES, Cell, Judged, run_of
from lm_eval_bertjudge.types import Source

Rates = Mapping[Cell, Mapping[str, float]]  # by generator and task, by column


class Section(NamedTuple):
    """A table of the page with what to know about it.

    Attributes:
        title: Its heading.
        note: What its columns are.
        header: Their names.
        rows: Texts and numbers.
        shaded: Whether its numbers are shares that the page shades by size.
        prose: Whether its last column holds sentences.
    """

    title: str
    note: str
    header: list[str]
    rows: list[list[Any]]
    shaded: bool = False
    prose: bool = False


def accuracy(judged: Judged) -> Section:
    """The share decided right by every column, per model and task."""
    body = []
    for (generator, task), rows in judged.cells().items():
        unjudged = [row["verdicts"][judged.main]["source"] == Source.NONE for row in rows]
        rates = [_rate(judged, rows, name) for name in judged.columns]
        body.append([generator, task, len(rows), *rates, float(np.mean(unjudged))])
    note = "Share of answers decided right, with Wilson's 95% interval."
    if judged.rule_of:
        note += f" {_rules_by_name(judged.rule_of)}"
    return Section("Accuracy", note, ["model", "task", "n", *judged.columns, "unjudged"], body)


def _rules_by_name(rule_of: Mapping[str, str]) -> str:
    tasks: dict[str, list[str]] = {}
    for task, rule in sorted(rule_of.items()):
        tasks.setdefault(rule, []).append(task or "the answers")
    if len(tasks) == 1:
        return f"Rules: {next(iter(tasks))}."
    listed = "; ".join(f"{rule} for {', '.join(names)}" for rule, names in tasks.items())
    return f"Rules: of a task's scores by rules the one that is closest to the judge ({listed})."


def _rate(judged: Judged, rows: Sequence[Row], column: str) -> str | None:
    """The rate; of rules that decide some answers only, also the main method's on these."""
    if column != RULES:
        return _with_wilson(judged.decisions(rows, column))
    both = judged.comparable(rows)
    if not both:
        return None
    rate = _with_wilson(judged.decisions(both, RULES))
    if len(both) == len(rows):
        return rate
    by_main = float(judged.decisions(both, judged.main).mean())
    return f"{rate} of {len(both)}; {judged.main} {by_main:.3f} of these"


def _with_wilson(decided: Ints) -> str:
    return estimate(float(decided.mean()), wilson(int(decided.sum()), len(decided)))


def by_rule(judged: Judged) -> Section:
    """What every rule changes against the judge, split as in the paper's Table 1 (arXiv 2604.09497)."""
    tasks: dict[str, list[Row]] = {task: [] for task in judged.rule_of}
    for row in judged.rows:
        if row["task"] in tasks:
            tasks[row["task"]].append(row)
    rules = {task: harness_metrics.names(rows, judged.main) for task, rows in tasks.items()}
    body = [
        [generator, task, rule, *_change(judged, rows, rule)]
        for (generator, task), rows in judged.cells().items()
        for rule in rules.get(task, [])
        if any(harness_metrics.decides(row, rule) for row in rows)
    ]
    note = (
        f"Accuracy by a rule minus accuracy by {judged.main} on the same answers, and how much of it comes from "
        "answers that could not be parsed and from parsed answers that were compared otherwise. Then the share that "
        "could not be parsed, and the answers that one alone calls right: who is right there, only labels or reading "
        "them tell."
    )
    changes = ["n", "difference", "by parsing", "by matching", "not parsed"]
    alone = [f"{judged.main} alone", "rule alone"]
    return Section("What the rules change", note, ["model", "task", "rule", *changes, *alone], body)


def _change(judged: Judged, rows: Sequence[Row], rule: str) -> list[Any]:
    both = [row for row in rows if harness_metrics.decides(row, rule)]
    counts = harness_metrics.difference(both, {both[0]["task"]: rule}, judged.main)
    by_main = judged.decisions(both, judged.main)
    gaps = np.array([verdict_files.decision(row, rule) for row in both]) - by_main
    failed = np.array([harness_metrics.unparsed(row, rule) for row in both])
    parts = (gaps.sum(), gaps[failed].sum(), gaps[~failed].sum())
    shares = [f"{float(part) / len(both):+.3f}" for part in parts]
    unparsed = counts.n_unparsed / len(both)
    return [len(both), *shares, unparsed, counts.n_judge_alone, counts.n_rule_alone]


def borda(rates: Rates, column: str) -> dict[str, float]:
    """Borda points per generator: on each task one for every other generator it beats, half a point for a tie."""
    points = {generator: 0.0 for generator, _ in rates}
    for (generator, task), each in rates.items():
        for (other, where), theirs in rates.items():
            if where == task and other != generator:
                points[generator] += float(np.heaviside(each[column] - theirs[column], 0.5))
    return points


def ranking(judged: Judged) -> Section:
    """Ranks by Borda count over the tasks that every column covers (the paper's Table 1 and Figure 1)."""
    every = {cell: judged.rates(rows) for cell, rows in judged.cells().items()}
    rates = {cell: each for cell, each in every.items() if len(each) == len(judged.columns)}
    points = {name: borda(rates, name) for name in judged.columns}
    ranks = {name: _ranks(each) for name, each in points.items()}
    by_main, body = ranks[judged.main], []
    for generator in sorted(by_main, key=lambda name: (by_main[name], name)):
        n_tasks = sum(name == generator for name, _ in rates)
        cells = [f"{ranks[m][generator]} ({points[m][generator]:g})" for m in judged.columns]
        moved = None
        if RULES in ranks:
            moved = f"{ranks[RULES][generator] - by_main[generator]:+d}"
        body.append([generator, n_tasks, *cells, moved])
    note = (
        "Rank by Borda count over the tasks (points). "
        f"The last column: places won by {judged.main} against the rules."
    )
    return Section("Ranking", note, ["model", "tasks", *judged.columns, "delta rank"], body)


def _ranks(points: Mapping[str, float]) -> dict[str, int]:
    return {name: 1 + sum(other > own for other in points.values()) for name, own in points.items()}


def sources(judged: Judged) -> Section:
    """Who decided: the share of verdicts by source."""
    names = tuple(map(str, Source))
    is_rule = harness_metrics.LEXICAL in judged.rule_of.values()
    body = []
    for method in verdict_files.methods(judged.rows):
        if method == harness_metrics.LEXICAL != judged.main and not is_rule:
            continue  # its format was not asked for
        verdicts = [row["verdicts"][method] for row in judged.rows]
        counts = Counter(verdict["source"] for verdict in verdicts)
        shares = [counts[name] / len(verdicts) for name in names]
        shortened = float(np.mean([bool(verdict["truncated"]) for verdict in verdicts]))
        body.append([method, len(verdicts), *shares, shortened])
    header = ["method", "n", *names, "shortened text"]
    note = "Share of verdicts by source, and of those on a shortened text."
    return Section("Who decided", note, header, body)


def lengths(judged: Judged) -> Section:
    """How long each model's answers are, right and wrong."""
    body = []
    for generator, rows in judged.generators().items():
        words = np.array([len(row["candidate"].split()) for row in rows])
        right = judged.decisions(rows, judged.main) == 1
        means = [
            float(part.mean()) if len(part) else None
            for part in (words, words[right], words[~right])
        ]
        shown = [None if mean is None else f"{mean:.1f}" for mean in means]
        body.append(
            [generator, len(rows), *shown, f"{np.median(words):g}", float((words == 0).mean())]
        )
    header = ["model", "n", "mean", "mean of right", "mean of wrong", "median", "empty"]
    return Section("Length of the answers", "In words, reasoning included.", header, body)


def older_runs(judged: Judged) -> Section:
    """Runs of a model and task that a newer one replaces; the page is about the newer ones."""
    runs: dict[tuple[str, ...], list[Row]] = {}
    for row in judged.older:
        runs.setdefault((row["generator"], row["task"], *run_of(row)), []).append(row)
    body = []
    for (generator, task, date, run), rows in sorted(runs.items()):
        by_main = [row for row in rows if judged.main in row["verdicts"]]
        rate = _with_wilson(judged.decisions(by_main, judged.main)) if by_main else None
        body.append([generator, task, date or run, len(rows), rate])
    note = "A newer run of the same model and task stands in the other tables."
    return Section("Older runs", note, ["model", "task", "run", "n", judged.main], body)


def against_labels(judged: Judged, labels: Mapping[str, Row]) -> Section:
    """Every column against labels, and whether it is as often right as the main method (McNemar)."""
    rows, _ = labelled(judged.rows, labels)
    both = judged.comparable(rows)
    body = [_agreed(judged, rows, labels, name) for name in judged.columns if name != RULES]
    if judged.rule_of and both:
        if len(both) < len(rows):
            on_these = _agreed(judged, both, labels, judged.main)
            body.append([f"{judged.main}, where rules decide", *on_these[1:]])
        body.append(_agreed(judged, both, labels, RULES))
    header = ["method", "n", "accuracy", "precision", "recall", "f1", "pearson", "kappa"]
    header += ["rate minus gold rate", "McNemar p"]
    note = (
        f"Against the labels of {len(rows)} answers. The interval of the rates' difference treats questions as "
        f"clusters; the last column tests whether the method is as often right as {judged.main}."
    )
    return Section("Agreement with labels", note, header, body)


def _agreed(
    judged: Judged, rows: Sequence[Row], labels: Mapping[str, Row], column: str
) -> list[Any]:
    _, gold = labelled(rows, labels)
    decided = judged.decisions(rows, column)
    figures = agreement.agreement(decided, gold)
    gap = agreement.rate_gap(decided, gold, questions(rows))
    shown = [figures[name] for name in ("precision", "recall", "f1", "pearson", "kappa")]
    p = None
    if column != judged.main:
        by_main = judged.decisions(rows, judged.main)
        p = f"{alone(by_main == gold, decided == gold)['mcnemar_p']:.2g}"
    return [
        column,
        figures["n"],
        estimate(figures["accuracy"], figures["accuracy_interval"]),
        *shown,
        estimate(gap["gap"], gap["gap_interval"], signed=True),
        p,
    ]


def by_generator(judged: Judged, labels: Mapping[str, Row]) -> Section:
    """How often each column agrees with the labels, by model: a judge may favour one."""
    body: list[list[Any]] = []
    for generator, every in judged.generators().items():
        rows, gold = labelled(every, labels)
        if rows:
            shares = [_agreement(judged, rows, gold, name) for name in judged.columns]
            body.append([generator, len(rows), *shares])
    note = "Share of labelled answers on which the method agrees with the label, by model."
    title = "Agreement by method and model"
    return Section(title, note, ["model", "n", *judged.columns], body, shaded=True)


def _agreement(judged: Judged, rows: Sequence[Row], gold: Ints, column: str) -> float | None:
    if column == RULES and len(judged.comparable(rows)) < len(rows):
        return None
    return float((judged.decisions(rows, column) == gold).mean())
