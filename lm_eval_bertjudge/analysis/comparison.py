"""Whether one judge is better than another on the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lm_eval_bertjudge.analysis.intervals import (
    RESAMPLES,
    Ints,
    Sums,
    accuracy,
    bootstrap,
    by_question,
    f1,
    pearson,
)

_COMPARED = {"": accuracy, "f1_": f1, "pearson_": pearson}
Bools = NDArray[np.bool_]
_AT_ONCE = 10**7  # exchanges of a question drawn at once, for the memory


def compare(
    decisions: Ints,
    others: Ints,
    labels: Ints,
    clusters: Sequence[str],
    *,
    seed: int = 0,
    n_resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """Accuracy, F1 and Pearson of one judge minus those of another.

    Args:
        decisions: 0 or 1 per answer, of the first judge.
        others: The same of the second.
        labels: 0 or 1 per answer.
        clusters: The questions.
        seed: Of bootstrap and permutation.
        n_resamples: Of each.

    Returns:
        For accuracy difference (first minus second), difference_interval (paired bootstrap over questions, 95%) and
        permutation_p (paired, whole questions exchanged between the judges, two-sided); the same with f1_ and pearson_
        before it; and n_only_first and n_only_second right, mcnemar_p (exact, two-sided).
    """
    sums = by_question(
        clusters,
        np.ones_like(labels),
        labels,
        decisions,
        decisions * labels,
        others,
        others * labels,
    )
    differences = _differences(*sums.sum(axis=-1))
    intervals = bootstrap(_differences, sums, seed=seed, n_resamples=n_resamples)
    p_values = _permutation_p(sums, np.random.default_rng(seed), n_resamples)
    compared: dict[str, Any] = {}
    for i, name in enumerate(_COMPARED):
        compared[f"{name}difference"] = float(differences[i])
        compared[f"{name}difference_interval"] = intervals[i]
        compared[f"{name}permutation_p"] = p_values[i]
    return compared | alone(decisions == labels, others == labels)


def alone(first_right: Bools, second_right: Bools) -> dict[str, Any]:
    """On how many answers one of two judges alone is right: n_only_first, n_only_second, mcnemar_p."""
    n_first = int((first_right & ~second_right).sum())
    n_second = int((second_right & ~first_right).sum())
    return {
        "n_only_first": n_first,
        "n_only_second": n_second,
        "mcnemar_p": mcnemar(n_first, n_second),
    }


def _differences(n: Any, right: Any, first: Any, both: Any, second: Any, both_second: Any) -> Any:
    """One difference per figure of `_COMPARED`."""
    gaps = []
    for figure in _COMPARED.values():
        of_first = figure(n, first, right, both)
        of_second = figure(n, second, right, both_second)
        gaps.append(of_first - of_second)
    return np.stack(gaps)


def _permutation_p(sums: Sums, rng: np.random.Generator, n_resamples: int) -> list[float]:
    """Per figure how often a random exchange of questions is as far from 0 as what was seen."""
    totals = sums.sum(axis=-1)
    observed = np.abs(_differences(*totals)) - 1e-9
    n, right = totals[:2]
    first = totals[2:4, None]
    second = totals[4:, None]
    gains = _gains(sums)
    size = max(1, _AT_ONCE // max(1, len(gains)))
    n_as_far = np.zeros(len(observed))
    for start in range(0, n_resamples, size):
        n_drawn = min(size, n_resamples - start)
        is_exchanged = rng.integers(0, 2, (n_drawn, len(gains)))
        gained = (is_exchanged @ gains).T
        differences = _differences(n, right, *(first + gained), *(second - gained))
        is_as_far = np.abs(differences) >= observed[:, None]
        n_as_far += is_as_far.sum(axis=-1)
    p_values = (n_as_far + 1) / (n_resamples + 1)
    return [float(p) for p in p_values]


def _gains(sums: Sums) -> Sums:
    """What an exchange adds to the first judge's sums and takes from the second's, by question that it changes."""
    gains: Sums = (sums[4:] - sums[2:4]).T
    is_changed = gains.any(axis=-1)
    changed: Sums = gains[is_changed]
    return changed


def mcnemar(n_only_first: int, n_only_second: int) -> float:
    """McNemar's exact two-sided p: of the answers on which one judge alone is right, is it half and half?"""
    from scipy.stats import binomtest  # type: ignore[import-untyped]

    n = n_only_first + n_only_second
    return float(binomtest(n_only_first, n).pvalue) if n else 1.0
