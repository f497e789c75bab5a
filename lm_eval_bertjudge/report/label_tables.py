"""The tables against labels: every method, and every method by model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lm_eval_bertjudge.analysis.agreement import agreement, rate_gap
from lm_eval_bertjudge.analysis.columns import labelled, questions
from lm_eval_bertjudge.analysis.comparison import alone
from lm_eval_bertjudge.analysis.intervals import Ints
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.render import estimate
from lm_eval_bertjudge.report.judged import RULES, Judged
from lm_eval_bertjudge.report.section import Record, Section

Labels = Mapping[str, Row]


def against_labels(judged: Judged, labels: Labels) -> Section:
    """Every column against labels, and whether it is as often right as the main method (McNemar)."""
    rows, _ = labelled(judged.rows, labels)
    both = judged.comparable(rows)
    records = [_agreed(judged, rows, labels, name) for name in judged.columns if name != RULES]
    if judged.rule_of and both:
        if len(both) < len(rows):
            on_these = _agreed(judged, both, labels, judged.main)
            records.append(on_these | {"method": f"{judged.main}, where rules decide"})
        records.append(_agreed(judged, both, labels, RULES))
    note = (
        f"Against the labels of {len(rows)} answers. The interval of the rates' difference treats questions as "
        f"clusters; the last column tests whether the method is as often right as {judged.main}."
    )
    return Section("Agreement with labels", note, records)


def _agreed(judged: Judged, rows: Sequence[Row], labels: Labels, column: str) -> Record:
    _, gold = labelled(rows, labels)
    decided = judged.decisions(rows, column)
    figures = agreement(decided, gold)
    gap = rate_gap(decided, gold, questions(rows))
    p = None
    if column != judged.main:
        by_main = judged.decisions(rows, judged.main)
        p = f"{alone(by_main == gold, decided == gold)['mcnemar_p']:.2g}"
    return {
        "method": column,
        "n": figures["n"],
        "accuracy": estimate(figures["accuracy"], figures["accuracy_interval"]),
        "precision": figures["precision"],
        "recall": figures["recall"],
        "f1": figures["f1"],
        "pearson": figures["pearson"],
        "kappa": figures["kappa"],
        "rate minus gold rate": estimate(gap["gap"], gap["gap_interval"], signed=True),
        "McNemar p": p,
    }


def by_generator(judged: Judged, labels: Labels) -> Section:
    """How often each column agrees with the labels, by model: a judge may favour one."""
    records = []
    for generator, every in judged.generators().items():
        rows, gold = labelled(every, labels)
        if rows:
            record: Record = {"model": generator, "n": len(rows)}
            for column in judged.columns:
                record[column] = _share_agreed(judged, rows, gold, column)
            records.append(record)
    return Section(
        "Agreement by method and model",
        "Share of labelled answers on which the method agrees with the label, by model.",
        records,
        shaded=True,
    )


def _share_agreed(judged: Judged, rows: Sequence[Row], gold: Ints, column: str) -> float | None:
    if column == RULES and len(judged.comparable(rows)) < len(rows):
        return None
    is_same = judged.decisions(rows, column) == gold
    return float(is_same.mean())
