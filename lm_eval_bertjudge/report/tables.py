"""The tables of a report. A table is a `Section`; page.py and markdown write the same ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lm_eval_bertjudge.analysis import agreement, harness_metrics
from lm_eval_bertjudge.analysis.agree import decisions, questions
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.types import Source

RULES = "rules"  # the column of each task's strongest rule

Rates = Mapping[tuple[str, str], Mapping[str, float]]  # by generator and task, by column


class Section(NamedTuple):
    """A table of the page with what to know about it."""

    title: str
    note: str
    header: list[str]
    rows: list[list[Any]]


@dataclass(frozen=True)
class Judged:
    """Verdict rows and what they are compared by.

    Attributes:
        rows: As `verdicts.read` gives them.
        main: The method that the page is about, "judge" where there is one.
        rule_of: By task its strongest rule.
        columns: The ways of deciding that the page compares; the lexical stage stands under `RULES`, where it is one.
    """

    rows: Sequence[Row]
    main: str
    rule_of: Mapping[str, str]
    columns: list[str]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Judged:
        """The rows with the main method and the rules that they have.

        Raises:
            InputError: No method judged every row.
        """
        main = verdict_files.main_method(rows)
        rule_of = harness_metrics.strongest(rows, main)
        others = [
            name
            for name in verdict_files.methods(rows)
            if name not in (main, harness_metrics.LEXICAL)
        ]
        return cls(rows, main, rule_of, [main, *others, *([RULES] if rule_of else [])])

    def cells(self) -> dict[tuple[str, str], list[Row]]:
        """The rows by generator and task, ordered by task."""
        found: dict[tuple[str, str], list[Row]] = {}
        for row in sorted(self.rows, key=lambda row: (row["task"], row["generator"])):
            found.setdefault((row["generator"], row["task"]), []).append(row)
        return found

    def generators(self) -> dict[str, list[Row]]:
        """The rows by generator, ordered by its name."""
        names = sorted({row["generator"] for row in self.rows})
        return {name: [row for row in self.rows if row["generator"] == name] for name in names}

    def said(self, rows: Sequence[Row], column: str) -> agreement.Ints | None:
        """0 or 1 per row; None where a row's task has no rule."""
        if column != RULES:
            return decisions(rows, column)
        if any(row["task"] not in self.rule_of for row in rows):
            return None
        return np.array(
            [verdict_files.decision(row, self.rule_of[row["task"]]) for row in rows], dtype=np.int64
        )

    def rates(self, rows: Sequence[Row]) -> dict[str, float]:
        """The share decided right, by column; without the columns that do not cover the rows."""
        said = {name: self.said(rows, name) for name in self.columns}
        return {name: float(found.mean()) for name, found in said.items() if found is not None}


def accuracy(judged: Judged) -> Section:
    """The share decided right by every column, per model and task."""
    body = []
    for (generator, task), own in judged.cells().items():
        unjudged = np.mean([row["verdicts"][judged.main]["source"] == Source.NONE for row in own])
        rates = [_rate(judged.said(own, name)) for name in judged.columns]
        body.append([generator, task, len(own), *rates, float(unjudged)])
    note = "Share of answers decided right, with Wilson's 95% interval."
    if judged.rule_of:
        note += f" {_named(judged.rule_of)}"
    return Section("Accuracy", note, ["model", "task", "n", *judged.columns, "unjudged"], body)


def _named(rule_of: Mapping[str, str]) -> str:
    by_rule: dict[str, list[str]] = {}
    for task, rule in sorted(rule_of.items()):
        by_rule.setdefault(rule, []).append(task or "the answers")
    if len(by_rule) == 1:
        return f"Rules: {next(iter(by_rule))}."
    listed = "; ".join(f"{rule} for {', '.join(tasks)}" for rule, tasks in by_rule.items())
    return f"Rules: of a task's scores by rules the one that is closest to the judge ({listed})."


def _rate(said: agreement.Ints | None) -> str | None:
    if said is None:
        return None
    low, high = agreement.wilson(int(said.sum()), len(said))
    return f"{said.mean():.3f} [{low:.3f}, {high:.3f}]"


def by_rule(judged: Judged) -> Section:
    """What every rule changes against the judge, split as in the paper's Table 1 (arXiv 2604.09497)."""
    body = []
    names = {task: harness_metrics.names([row for row in judged.rows if row["task"] == task], judged.main)
             for task in judged.rule_of}  # fmt: skip
    for (generator, task), own in judged.cells().items():
        for name in names.get(task, []):
            found = harness_metrics.difference(own, {task: name}, judged.main)
            gaps = decisions(own, name) - decisions(own, judged.main)
            failed = np.array([harness_metrics.unparsed(row, name) for row in own])
            parts = [float(gaps.sum()), float(gaps[failed].sum()), float(gaps[~failed].sum())]
            shares = [f"{part / len(own):+.3f}" for part in parts]
            lost = found.n_lost_parsing + found.n_lost_matching
            body.append([generator, task, name, len(own), *shares, found.n_unparsed / len(own), lost,
                         found.n_rule_alone])  # fmt: skip
    note = (
        f"Accuracy by a rule minus accuracy by {judged.main}, and how much of it comes from answers that could not be "
        "parsed and from parsed answers that were compared otherwise; then the share that could not be parsed, and the "
        "answers that one alone calls right. Who of the two is right there, only labels or reading the answers tell."
    )
    header = ["model", "task", "rule", "n", "difference", "by parsing", "by matching", "not parsed",
              f"{judged.main} alone", "rule alone"]  # fmt: skip
    return Section("What the rules change", note, header, body)


def borda(rates: Rates, column: str) -> dict[str, float]:
    """Borda points per generator: on each task one for every other generator it beats, half a point for a tie."""
    points = {generator: 0.0 for generator, _ in rates}
    for generator, task in rates:
        own = rates[generator, task][column]
        others = [
            rate[column] for (other, at), rate in rates.items() if at == task and other != generator
        ]
        points[generator] += sum((own > other) + 0.5 * (own == other) for other in others)
    return points


def ranking(judged: Judged) -> Section:
    """Ranks by Borda count over the tasks that every column covers (the paper's Table 1 and Figure 1)."""
    every = {cell: judged.rates(own) for cell, own in judged.cells().items()}
    rates = {cell: found for cell, found in every.items() if len(found) == len(judged.columns)}
    points = {name: borda(rates, name) for name in judged.columns}
    ranks = {
        m: {g: 1 + sum(other > own for other in p.values()) for g, own in p.items()}
        for m, p in points.items()
    }
    main, body = judged.main, []
    for generator in sorted(points[main], key=lambda g: (ranks[main][g], g)):
        each = [f"{ranks[m][generator]} ({points[m][generator]:g})" for m in judged.columns]
        moved = ranks[RULES][generator] - ranks[main][generator] if RULES in ranks else None
        body.append(
            [
                generator,
                sum(g == generator for g, _ in rates),
                *each,
                None if moved is None else f"{moved:+d}",
            ]
        )
    note = f"Rank by Borda count over the tasks (points). The last column: places won by {main} against the rules."
    return Section("Ranking", note, ["model", "tasks", *judged.columns, "delta rank"], body)


def sources(rows: Sequence[Row]) -> Section:
    """Who decided: the share of verdicts by source."""
    names = tuple(map(str, Source))
    body = []
    for method in verdict_files.methods(rows):
        counts = Counter(row["verdicts"][method]["source"] for row in rows)
        cut = sum(bool(row["verdicts"][method]["truncated"]) for row in rows)
        body.append(
            [method, len(rows), *(counts[name] / len(rows) for name in names), cut / len(rows)]
        )
    header = ["method", "n", *names, "shortened text"]
    return Section(
        "Who decided",
        "Share of verdicts by source, and of those on a shortened text.",
        header,
        body,
    )


def against_labels(judged: Judged, labels: Mapping[str, Row]) -> Section:
    """Every column against labels, and whether it is as often right as the main method (McNemar)."""
    labelled = [row for row in judged.rows if row["id"] in labels]
    gold = np.array([labels[row["id"]]["label"] for row in labelled], dtype=np.int64)
    by_main = decisions(labelled, judged.main) == gold
    body: list[list[Any]] = []
    for name in judged.columns:
        said = judged.said(labelled, name)
        if said is None:
            continue
        right = said == gold
        p = (
            None
            if name == judged.main
            else agreement.mcnemar(int((by_main > right).sum()), int((right > by_main).sum()))
        )
        body.append(
            [name, *_agreed(said, gold, questions(labelled)), None if p is None else f"{p:.2g}"]
        )
    header = [
        "method",
        "n",
        "accuracy",
        "precision",
        "recall",
        "f1",
        "kappa",
        "rate minus gold rate",
        "McNemar p",
    ]
    note = (
        f"Against the labels of {len(labelled)} answers. The interval of the rates' difference treats questions as "
        f"clusters; the last column tests whether the method is as often right as {judged.main}."
    )
    return Section("Agreement with labels", note, header, body)


def _agreed(said: agreement.Ints, gold: agreement.Ints, asked: Sequence[str]) -> list[Any]:
    one, gap = agreement.agreement(said, gold), agreement.rate_gap(said, gold, asked)
    low, high = one["accuracy_interval"]
    reach = gap["gap_interval"]
    spread = f" [{reach[0]:+.3f}, {reach[1]:+.3f}]" if reach else ""
    figures = [one[name] for name in ("precision", "recall", "f1", "kappa")]
    return [
        one["n"],
        f"{one['accuracy']:.3f} [{low:.3f}, {high:.3f}]",
        *figures,
        f"{gap['gap']:+.3f}{spread}",
    ]
