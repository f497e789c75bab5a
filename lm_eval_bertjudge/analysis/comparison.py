"""Whether one judge is better than another on the same answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

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
    ones = np.ones_like(labels)
    sums = by_question(
        clusters, ones, labels, decisions, decisions * labels, others, others * labels
    )
    differences = _differences(*sums.sum(axis=-1))
    intervals = bootstrap(_differences, sums, seed=seed, n_resamples=n_resamples)
    shares = _permutation_p(sums, np.random.default_rng(seed), n_resamples)
    found: dict[str, Any] = {}
    for name, value, ends, p in zip(_COMPARED, differences, intervals, shares, strict=True):
        found[f"{name}difference"] = float(value)
        found[f"{name}difference_interval"] = ends
        found[f"{name}permutation_p"] = p
    n_first = int(((decisions == labels) & (others != labels)).sum())
    n_second = int(((decisions != labels) & (others == labels)).sum())
    found["n_only_first"], found["n_only_second"] = n_first, n_second
    found["mcnemar_p"] = mcnemar(n_first, n_second)
    return found


def _differences(n: Any, right: Any, first: Any, both: Any, second: Any, both_second: Any) -> Any:
    """One difference per figure of `_COMPARED`."""
    return np.stack(
        [
            figure(n, first, right, both) - figure(n, second, right, both_second)
            for figure in _COMPARED.values()
        ]
    )


def _permutation_p(sums: Sums, rng: np.random.Generator, n_resamples: int) -> list[float]:
    """Per figure how often a random exchange of questions is as far from 0 as what was seen."""
    totals = sums.sum(axis=-1)
    seen = np.abs(_differences(*totals)) - 1e-9
    moves = (sums[4:] - sums[2:4]).T  # what the first judge's sums change by, (questions, 2)
    moves = moves[moves.any(axis=-1)]
    n_as_far = np.zeros(len(seen))
    for n in _parts(n_resamples, max(1, _AT_ONCE // max(1, len(moves)))):
        moved = (rng.integers(0, 2, (n, len(moves))) @ moves).T
        both = np.concatenate([totals[2:4, None] + moved, totals[4:, None] - moved])
        drawn = _differences(totals[0], totals[1], *both)
        n_as_far += (np.abs(drawn) >= seen[:, None]).sum(axis=-1)
    return [float((n + 1) / (n_resamples + 1)) for n in n_as_far]


def _parts(n: int, size: int) -> list[int]:
    return [min(size, n - start) for start in range(0, n, size)]


def mcnemar(n_only_first: int, n_only_second: int) -> float:
    """McNemar's exact two-sided p: of the answers on which one judge alone is right, is it half and half?"""
    from scipy.stats import binomtest  # type: ignore[import-untyped]

    n = n_only_first + n_only_second
    return float(binomtest(n_only_first, n).pvalue) if n else 1.0
