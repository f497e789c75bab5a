"""A model's accuracy from a judge that errs and a small sample with labels, with an interval that holds.

All N answers have a decision, n of them a label too. The sample is stratified: answers on which judge and lexical
rules differ, or the judge is unsure, are drawn more often (sampling.py), and every estimate weights that away again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lm_eval_bertjudge.analysis.intervals import Floats, Ints
from lm_eval_bertjudge.errors import InputError

_Z = 1.959963984540054


@dataclass(frozen=True)
class _Sample:
    """The labelled answers, and how many answers each of them stands for."""

    n_all: int
    decisions: Ints
    labels: Ints
    stratum: Ints
    sizes: Mapping[int, int]

    @property
    def weights(self) -> Floats:
        weights = np.zeros(len(self.stratum))
        for name, size in self.sizes.items():
            is_in = self.stratum == name
            if is_in.any():
                weights[is_in] = size / is_in.sum()
        return weights

    def share(self, hits: Ints, of: NDArray[np.bool_]) -> float | None:
        """The weighted share of hits; None where there is nothing that could be hit."""
        if not of.any():
            return None
        share = np.average(hits[of], weights=self.weights[of])
        return float(share)

    @property
    def sensitivity(self) -> float | None:
        return self.share(self.decisions, self.labels == 1)

    @property
    def specificity(self) -> float | None:
        return self.share(1 - self.decisions, self.labels == 0)


def corrected(
    decisions: Ints,
    sample: Ints,
    labels: Ints,
    stratum: Ints | None = None,
    sizes: Mapping[int, int] | None = None,
) -> dict[str, Any]:
    """The judge's raw rate and two corrected estimates of the share that is right, each with a 95% interval.

    Args:
        decisions: The judge's decision on all N answers.
        sample: Indices of the labelled ones, shape (n,).
        labels: Their labels, shape (n,).
        stratum: Stratum of each labelled answer, shape (n,); one stratum when None.
        sizes: How many of all N answers are in each stratum.

    Returns:
        n, n_labelled, raw, sensitivity, specificity, and as {estimate, interval}: `ppi` (prediction-powered inference,
        Angelopoulos et al. 2023, as a stratified difference estimator) and `rogan_gladen` (Rogan and Gladen 1978,
        delta method); the latter None where the labelled sample lacks right or wrong answers, or the judge is not
        better than chance on it.

    Raises:
        InputError: Fewer than two labels, a stratum has no label, or the sizes do not add up to N.
    """
    if stratum is None or sizes is None:
        stratum, sizes = np.ones(len(sample), dtype=np.int64), {1: len(decisions)}
    labelled = _Sample(len(decisions), decisions[sample], labels, stratum, sizes)
    _check(labelled)
    raw = float(decisions.mean())
    return {
        "n": len(decisions),
        "n_labelled": len(sample),
        "raw": raw,
        "sensitivity": labelled.sensitivity,
        "specificity": labelled.specificity,
        "ppi": _ppi(raw, labelled),
        "rogan_gladen": _rogan_gladen(raw, labelled),
    }


def _check(sample: _Sample) -> None:
    if len(sample.stratum) < 2:
        raise InputError(
            f"{len(sample.stratum)} labels are too few for an interval; at least 2 are needed, 100 are useful"
        )
    unlabelled = [
        name for name, size in sample.sizes.items() if size and name not in sample.stratum
    ]
    n_drawn_from = sum(sample.sizes.values())
    if unlabelled or n_drawn_from != sample.n_all:
        raise InputError(
            f"the labels were drawn from {n_drawn_from} verdicts, these are {sample.n_all}: give the same "
            "verdicts, and label at least two answers of every stratum in the sample"
        )


def _ppi(raw: float, sample: _Sample) -> dict[str, Any]:
    """The raw rate plus the weighted mean error."""
    errors = sample.labels - sample.decisions
    estimate = raw + sum(
        size / sample.n_all * float(errors[sample.stratum == name].mean())
        for name, size in sample.sizes.items()
        if size
    )
    return _with_interval(estimate, errors.astype(float), sample)


def _rogan_gladen(raw: float, sample: _Sample) -> dict[str, Any] | None:
    """(raw + specificity - 1) / (sensitivity + specificity - 1); what it varies by is linear in the residuals."""
    sensitivity = sample.sensitivity
    specificity = sample.specificity
    if sensitivity is None or specificity is None or sensitivity + specificity <= 1:
        return None
    better = sensitivity + specificity - 1
    misses = sensitivity - sample.decisions
    false_alarms = 1 - sample.decisions - specificity
    residuals = np.where(sample.labels == 1, misses, false_alarms)
    value = (raw + specificity - 1) / better
    return _with_interval(value, residuals / better, sample)


def _with_interval(value: float, residuals: Floats, sample: _Sample) -> dict[str, Any]:
    estimate = min(max(value, 0.0), 1.0)
    reach = _Z * float(np.sqrt(_variance(estimate, residuals, sample)))
    low = max(0.0, estimate - reach)
    high = min(1.0, estimate + reach)
    return {"estimate": estimate, "interval": (low, high)}


def _variance(estimate: float, residuals: Floats, sample: _Sample) -> float:
    """Of two phases: of which questions a benchmark has, and of which of its answers were labelled.

    A stratum in which no error was seen is not proof that there is none: its spread is at least that of half an error
    more (Jeffreys).
    """
    variance = estimate * (1 - estimate) / sample.n_all
    for name, size in sample.sizes.items():
        values = residuals[sample.stratum == name]
        if n := len(values):
            observed = float(values.var(ddof=1)) if n > 1 else 0.25
            spread = max(observed, 0.5 / (n + 1))
            share = size / sample.n_all
            unlabelled = 1 - n / size
            variance += share**2 * unlabelled * spread / n
    return variance
