"""Statistics of a judge against labels.

Arrays are one entry per answer: `decisions` and `labels` are 0 or 1, `p` is p_correct in [0, 1] and NaN where unjudged,
`clusters` names each answer's question. Answers to one question are not independent, so intervals take whole questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lm_eval_bertjudge.analysis.intervals import (
    FIGURES,
    Floats,
    Interval,
    Ints,
    bootstrap,
    by_question,
    wilson,
)
from lm_eval_bertjudge.errors import InputError

THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))
LENGTHS = ((10, "0-9 words"), (50, "10-49 words"), (200, "50-199 words"), (500, "200-499 words"))


def agreement(decisions: Ints, labels: Ints, p: Floats | None = None) -> dict[str, Any]:
    """How well decisions meet labels.

    Returns:
        n, accuracy, accuracy_interval (Wilson, 95%), precision, recall, f1 (of "right"), pearson, kappa (Cohen), and
        confusion with n_tp, n_fp, n_fn, n_tn. With `p` also n_unjudged, and brier and ece over the judged answers.
        None where a figure is not defined, such as a correlation with labels that are all the same.

    Raises:
        InputError: There is nothing to compare, or the arrays differ in length.
    """
    if not len(decisions) or len(decisions) != len(labels):
        raise InputError(
            f"{len(decisions)} decisions and {len(labels)} labels: equally many, at least one, expected"
        )
    n_right = int((decisions == labels).sum())
    figures = {
        "n": len(labels),
        "accuracy": n_right / len(labels),
        "accuracy_interval": wilson(n_right, len(labels)),
        **_of_the_right(decisions, labels),
        "pearson": pearson(decisions.astype(float), labels),
        "kappa": _kappa(decisions, labels),
        "confusion": _confusion(decisions, labels),
    }
    return figures if p is None else figures | _of_probabilities(p, labels)


def _of_the_right(decisions: Ints, labels: Ints) -> dict[str, float]:
    from sklearn.metrics import precision_recall_fscore_support  # type: ignore[import-untyped]

    precision, recall, f1, _ = precision_recall_fscore_support(
        labels, decisions, average="binary", zero_division=0.0
    )
    return {"precision": float(precision), "recall": float(recall), "f1": float(f1)}


def _kappa(decisions: Ints, labels: Ints) -> float | None:
    from sklearn.metrics import cohen_kappa_score

    values = np.unique([decisions, labels])
    if len(values) == 1:
        return None  # chance agreement is 1
    return float(cohen_kappa_score(decisions, labels))


def _confusion(decisions: Ints, labels: Ints) -> dict[str, int]:
    n = len(labels)
    n_called = int(decisions.sum())
    n_right = int(labels.sum())
    n_both = int((decisions & labels).sum())
    return {
        "n_tp": n_both,
        "n_fp": n_called - n_both,
        "n_fn": n_right - n_both,
        "n_tn": n - n_called - n_right + n_both,
    }


def _of_probabilities(p: Floats, labels: Ints) -> dict[str, Any]:
    is_judged = ~np.isnan(p)
    judged_p = p[is_judged]
    gold = labels[is_judged]
    n_unjudged = len(p) - len(judged_p)
    if not len(judged_p):
        return {"n_unjudged": n_unjudged, "brier": None, "ece": None}
    errors = judged_p - gold
    return {
        "n_unjudged": n_unjudged,
        "brier": float(np.mean(errors**2)),
        "ece": ece(judged_p, gold),
    }


def figure_intervals(
    decisions: Ints, labels: Ints, clusters: Sequence[str], *, seed: int = 0
) -> dict[str, Interval]:
    """95% intervals of F1, Pearson and kappa by name, by resampling questions."""
    names = ("f1", "pearson", "kappa")
    sums = by_question(clusters, np.ones_like(labels), decisions, labels, decisions * labels)

    def figures(*totals: Any) -> Any:
        return np.stack([FIGURES[name](*totals) for name in names])

    intervals = bootstrap(figures, sums, seed=seed)
    return {f"{name}_interval": ends for name, ends in zip(names, intervals, strict=True)}


def between_people(first: Ints, second: Ints, clusters: Sequence[str]) -> dict[str, Any]:
    """How far two people agree on the same answers, the ceiling of what a judge can reach.

    Returns:
        n, n_questions, agreement with agreement_interval (Wilson, 95%), kappa with kappa_interval (bootstrap over
        questions, 95%); kappa is None where both give one label throughout.
    """
    figures = agreement(second, first)
    return {
        "n": figures["n"],
        "n_questions": len(set(clusters)),
        "agreement": figures["accuracy"],
        "agreement_interval": figures["accuracy_interval"],
        "kappa": figures["kappa"],
        "kappa_interval": figure_intervals(second, first, clusters)["kappa_interval"],
    }


def pearson(scores: Floats, labels: Ints) -> float | None:
    """Correlation of scores with labels in [-1, 1]; None where either is constant."""
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(labels) == 0:
        return None
    from scipy.stats import pearsonr  # type: ignore[import-untyped]

    return float(pearsonr(scores, labels).statistic)


def ece(p: Floats, labels: Ints, *, n_bins: int = 10) -> float:
    """Expected calibration error over bins of equal width: mean |share right - mean p|, weighted by size, in [0, 1]."""
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    gaps = np.bincount(bins, weights=labels - p)
    return float(np.abs(gaps).sum() / len(p))


def threshold_sweep(
    p: Floats, labels: Ints, thresholds: Sequence[float] = THRESHOLDS
) -> list[dict[str, float]]:
    """Accuracy, precision, recall, F1 and share decided "right" at each threshold; unjudged answers count as wrong."""
    judged_p = np.nan_to_num(p, nan=-1.0)
    rows = []
    for threshold in thresholds:
        decisions = (judged_p >= threshold).astype(np.int64)
        shares = {
            "threshold": threshold,
            "accuracy": float((decisions == labels).mean()),
            "rate": float(decisions.mean()),
        }
        rows.append(shares | _of_the_right(decisions, labels))
    return rows


def rate_gap(decisions: Ints, labels: Ints, clusters: Sequence[str]) -> dict[str, Any]:
    """The share decided right, the share that is right, and the difference with its cluster-robust 95% interval.

    The difference is what a leaderboard is off by. Its interval is cut at -1 and 1, and None with fewer than two
    questions.
    """
    gaps = (decisions - labels).astype(float)
    gap = float(gaps.mean())
    [by_cluster] = by_question(clusters, gaps - gap)
    n_clusters = len(by_cluster)
    interval = None
    if n_clusters > 1:
        from scipy.stats import t

        n_free = n_clusters - 1
        squares = (by_cluster**2).sum()
        spread = np.sqrt(squares * n_clusters / n_free) / len(gaps)
        reach = float(t.ppf(0.975, n_free) * spread)
        interval = (max(-1.0, gap - reach), min(1.0, gap + reach))
    return {
        "judge_rate": float(decisions.mean()),
        "gold_rate": float(labels.mean()),
        "gap": gap,
        "gap_interval": interval,
        "n_questions": n_clusters,
    }


def accuracy_for_true_labels(accuracy: float, label_accuracy: float) -> float:
    """Accuracy against perfect labels, from that against labels of known accuracy (arXiv 2604.09497, equation 6).

    A_H = (2 rho - 1) A_S + 1 - rho, where rho is the labels' agreement with a human. It assumes that a label's being
    wrong is independent of the judge's agreeing with it.

    Raises:
        InputError: A share is not in [0, 1].
    """
    if not (0 <= accuracy <= 1 and 0 <= label_accuracy <= 1):
        raise InputError(
            f"accuracy {accuracy} and label accuracy {label_accuracy} must be in [0, 1]"
        )
    return (2 * label_accuracy - 1) * accuracy + 1 - label_accuracy


def length_bucket(candidate: str) -> str:
    """The name of the class of lengths that an answer falls in."""
    n_words = len(candidate.split())
    for below, name in LENGTHS:
        if n_words < below:
            return name
    return "500+ words"
