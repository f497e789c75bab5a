"""Intervals of shares and of figures. Answers to one question are not independent: they are resampled together.

What a figure needs of a question are sums over its answers: how many there are, are right, were called right, and both.
`Sums` holds one such sum in each row and one question in each column; a figure is a function of their totals.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Sums = NDArray[np.float64]  # (sums, questions)
Interval = tuple[float, float]

RESAMPLES = 10_000
# Questions drawn in all; of very many questions a few thousand resamples are as good.
_DRAWS = 10**8
_AT_ONCE = 10**6  # questions drawn at once, for the memory
_MANY = 3_000  # questions from which the simple percentiles and BCa's are the same


def wilson(n_right: int, n: int, *, level: float = 0.95) -> Interval:
    """Wilson's interval of a proportion, both ends in [0, 1]."""
    from scipy.stats import binomtest  # type: ignore[import-untyped]

    interval = binomtest(n_right, n).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


def by_question(clusters: Sequence[str], *columns: Ints | Floats) -> Sums:
    """The sum of every column over the answers to each question."""
    names = np.asarray(clusters, dtype=object).astype(str)
    _, index = np.unique(names, return_inverse=True)
    return np.stack([np.bincount(index, weights=column) for column in columns])


def accuracy(n: Any, called: Any, right: Any, both: Any) -> Any:
    """Share of answers on which decision and label are the same."""
    both_wrong = n - called - right + both
    return (both + both_wrong) / n


def f1(n: Any, called: Any, right: Any, both: Any) -> Any:
    """F1 of "right"; 0 where nothing is and nothing is called right."""
    return _ratio(2 * both, called + right)


def pearson(n: Any, called: Any, right: Any, both: Any) -> Any:
    """Correlation of decisions with labels (phi); 0 where either is constant."""
    covariance = n * both - called * right
    spread = called * (n - called) * right * (n - right)
    return _ratio(covariance, np.sqrt(spread))


def kappa(n: Any, called: Any, right: Any, both: Any) -> Any:
    """Cohen's kappa; 0 where chance alone agrees always."""
    both_right = called * right
    both_wrong = (n - called) * (n - right)
    by_chance = (both_right + both_wrong) / n**2
    beyond_chance = accuracy(n, called, right, both) - by_chance
    return _ratio(beyond_chance, 1 - by_chance)


FIGURES: dict[str, Callable[..., Any]] = {
    "accuracy": accuracy,
    "f1": f1,
    "pearson": pearson,
    "kappa": kappa,
}


def _ratio(above: Any, below: Any) -> Any:
    above = np.asarray(above, dtype=float)
    below = np.asarray(below, dtype=float)
    return np.divide(above, below, out=np.zeros_like(above), where=below > 1e-12)


def bootstrap(
    figures: Callable[..., Any], sums: Sums, *, seed: int = 0, n_resamples: int = RESAMPLES
) -> list[Interval]:
    """95% intervals of figures, by resampling whole questions (BCa, Efron 1987).

    An interval holds only values that the figure takes on some resample, so it stays in the figure's range.

    Args:
        figures: Gives an array of figures from the totals of `sums`.
        sums: Of each question, shape (sums, questions).
        seed: Of the resamples.
        n_resamples: How many; fewer where there are very many questions.

    Returns:
        One interval per figure. Where BCa is not defined, since all resamples are alike, the percentiles.
    """
    from scipy import stats  # type: ignore[import-untyped]

    def statistic(*columns: Any, axis: int) -> Any:
        totals = [column.sum(axis=axis) for column in columns]
        return figures(*totals)

    n_questions = sums.shape[1]
    if n_questions == 1:
        values = statistic(*sums, axis=-1)
        return [(float(value), float(value)) for value in values]
    n_affordable = max(1000, _DRAWS // n_questions)
    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        drawn = stats.bootstrap(
            tuple(sums),
            statistic,
            paired=True,
            vectorized=True,
            method="BCa" if n_questions < _MANY else "percentile",
            n_resamples=min(n_resamples, n_affordable),
            batch=max(1, _AT_ONCE // n_questions),
            random_state=np.random.default_rng(seed),
        )
    ends = np.stack(drawn.confidence_interval)
    percentiles = np.quantile(drawn.bootstrap_distribution, (0.025, 0.975), axis=-1)
    is_undefined = np.isnan(ends).any(axis=0)
    ends[:, is_undefined] = percentiles[:, is_undefined]
    return [(float(low), float(high)) for low, high in ends.T]
