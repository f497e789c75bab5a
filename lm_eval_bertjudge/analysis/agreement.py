"""Statistics of a judge against labels, and of two judges against each other.

Arrays are one entry per answer: `decisions` and `labels` are 0 or 1, `p` is p_correct in [0, 1] and NaN where unjudged,
`clusters` names each answer's question. Answers to one question are not independent, so intervals and tests that
compare rates resample or flip whole questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lm_eval_bertjudge.errors import InputError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Interval = tuple[float, float]

RESAMPLES = 10_000
THRESHOLDS = tuple(round(0.05 * step, 2) for step in range(1, 20))
LENGTHS = ((10, "0-9 words"), (50, "10-49 words"), (200, "50-199 words"), (500, "200-499 words"))


def wilson(n_right: int, n: int, *, level: float = 0.95) -> Interval:
    """Wilson's interval of a proportion, both ends in [0, 1]."""
    from scipy.stats import binomtest  # type: ignore[import-untyped]

    interval = binomtest(n_right, n).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


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
    found = {
        "n": len(labels),
        "accuracy": n_right / len(labels),
        "accuracy_interval": wilson(n_right, len(labels)),
        **_of_the_right(decisions, labels),
        "pearson": pearson(decisions.astype(float), labels),
        "kappa": _kappa(decisions, labels),
        "confusion": {
            "n_tp": int((decisions & labels).sum()), "n_fp": int((decisions & (1 - labels)).sum()),
            "n_fn": int(((1 - decisions) & labels).sum()), "n_tn": int(((1 - decisions) & (1 - labels)).sum()),
        },
    }  # fmt: skip
    if p is not None:
        judged = ~np.isnan(p)
        found["n_unjudged"] = int((~judged).sum())
        found["brier"] = float(np.mean((p[judged] - labels[judged]) ** 2)) if judged.any() else None
        found["ece"] = ece(p[judged], labels[judged]) if judged.any() else None
    return found


def _of_the_right(decisions: Ints, labels: Ints) -> dict[str, float]:
    from sklearn.metrics import precision_recall_fscore_support  # type: ignore[import-untyped]

    precision, recall, f1, _ = precision_recall_fscore_support(
        labels, decisions, average="binary", zero_division=0.0
    )
    return {"precision": float(precision), "recall": float(recall), "f1": float(f1)}


def _kappa(decisions: Ints, labels: Ints) -> float | None:
    from sklearn.metrics import cohen_kappa_score

    if len(np.unique(np.concatenate([decisions, labels]))) == 1:
        return None  # chance agreement is 1
    return float(cohen_kappa_score(decisions, labels))


def pearson(scores: Floats, labels: Ints) -> float | None:
    """Correlation of scores with labels in [-1, 1]; None where either is constant."""
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(labels) == 0:
        return None
    from scipy.stats import pearsonr

    return float(pearsonr(scores, labels).statistic)


def ece(p: Floats, labels: Ints, *, n_bins: int = 10) -> float:
    """Expected calibration error over bins of equal width: mean |share right - mean p|, weighted by size, in [0, 1]."""
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    gaps = [abs(float((labels[bins == b] - p[bins == b]).sum())) for b in range(n_bins)]
    return sum(gaps) / len(p)


def sweep(
    p: Floats, labels: Ints, thresholds: Sequence[float] = THRESHOLDS
) -> list[dict[str, float]]:
    """Accuracy, precision, recall, F1 and share decided "right" at each threshold; unjudged answers count as wrong."""
    found = []
    for threshold in thresholds:
        decisions = (np.nan_to_num(p, nan=-1.0) >= threshold).astype(np.int64)
        accuracy, rate = float((decisions == labels).mean()), float(decisions.mean())
        found.append(
            {
                "threshold": threshold,
                "accuracy": accuracy,
                "rate": rate,
                **_of_the_right(decisions, labels),
            }
        )
    return found


def rate_gap(decisions: Ints, labels: Ints, clusters: Sequence[str]) -> dict[str, Any]:
    """The share decided right, the share that is right, and the difference with its cluster-robust 95% interval.

    The difference is what a leaderboard is off by. The interval is None with fewer than two questions.
    """
    gaps = (decisions - labels).astype(float)
    by_question, _ = _cluster_sums(gaps - gaps.mean(), clusters)
    n_clusters = len(by_question)
    interval = None
    if n_clusters > 1:
        from scipy.stats import t

        spread = np.sqrt((by_question**2).sum() * n_clusters / (n_clusters - 1)) / len(gaps)
        reach = float(t.ppf(0.975, n_clusters - 1) * spread)
        interval = (float(gaps.mean()) - reach, float(gaps.mean()) + reach)
    return {
        "judge_rate": float(decisions.mean()), "gold_rate": float(labels.mean()), "gap": float(gaps.mean()),
        "gap_interval": interval, "n_questions": n_clusters,
    }  # fmt: skip


def _cluster_sums(values: Floats, clusters: Sequence[str]) -> tuple[Floats, Ints]:
    """Per cluster the sum of its values, and how many there are."""
    _, index = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    return np.bincount(index, weights=values).astype(np.float64), np.bincount(index).astype(
        np.int64
    )


def compare(
    right: Ints,
    other_right: Ints,
    clusters: Sequence[str],
    *,
    seed: int = 0,
    n_resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """Whether one judge is more often right than another on the same answers.

    Args:
        right: 1 where the first judge agrees with the label.
        other_right: The same for the second.
        clusters: The questions.
        seed: Of bootstrap and permutation.
        n_resamples: Of each.

    Returns:
        difference of the accuracies (first minus second) with difference_interval (paired bootstrap over questions,
        95%), n_only_first and n_only_second, mcnemar_p (exact, two-sided) and permutation_p (paired, whole questions
        exchanged between the judges, two-sided).
    """
    gaps = (right - other_right).astype(float)
    sums, sizes = _cluster_sums(gaps, clusters)
    rng = np.random.default_rng(seed)
    drawn = np.empty(n_resamples)
    for i in range(n_resamples):
        chosen = rng.integers(0, len(sums), len(sums))
        drawn[i] = sums[chosen].sum() / sizes[chosen].sum()
    return {
        "difference": float(gaps.mean()),
        "difference_interval": (float(np.quantile(drawn, 0.025)), float(np.quantile(drawn, 0.975))),
        "n_only_first": int((gaps > 0).sum()),
        "n_only_second": int((gaps < 0).sum()),
        "mcnemar_p": mcnemar(int((gaps > 0).sum()), int((gaps < 0).sum())),
        "permutation_p": _permutation_p(sums[sums != 0], rng, n_resamples),
    }


def mcnemar(n_only_first: int, n_only_second: int) -> float:
    """McNemar's exact two-sided p: of the answers on which one judge alone is right, is it half and half?"""
    from scipy.stats import binomtest

    n = n_only_first + n_only_second
    return float(binomtest(n_only_first, n).pvalue) if n else 1.0


def _permutation_p(sums: Floats, rng: np.random.Generator, n_resamples: int) -> float:
    if not len(sums):
        return 1.0
    observed, n_as_far = abs(sums.sum()), 0
    for _ in range(n_resamples):
        n_as_far += abs((rng.integers(0, 2, len(sums)) * 2 - 1) @ sums) >= observed - 1e-9
    return float((n_as_far + 1) / (n_resamples + 1))


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
    return next((name for below, name in LENGTHS if n_words < below), "500+ words")
