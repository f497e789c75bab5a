"""A model's accuracy from a judge that errs and a small sample with labels, with an interval that holds.

All N answers have a decision, n of them a label too. The sample is stratified: answers on which judge and lexical
rules differ, or the judge is unsure, are drawn more often, and every estimate weights that away again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lm_eval_bertjudge.analysis.agreement import Floats, Ints
from lm_eval_bertjudge.errors import InputError

# Strata by number, so that the file does not show the judge's verdict to the person who labels; and the expected
# spread of the judge's errors in each, which decides how the sample is shared out.
DIFFER, UNSURE, SAID_RIGHT, SAID_WRONG = 1, 2, 3, 4
_SPREAD = {DIFFER: 0.5, UNSURE: 0.5, SAID_RIGHT: 0.2, SAID_WRONG: 0.2}
UNSURE_FROM, UNSURE_TO = 0.2, 0.8
_Z = 1.959963984540054


def strata(decisions: Ints, p: Floats, lexical: Ints | None = None) -> Ints:
    """The stratum of each answer: 1 where `lexical` decides otherwise, else 2 where p is unsure, else 3 or 4."""
    unsure = np.isnan(p) | ((p > UNSURE_FROM) & (p < UNSURE_TO))
    found = np.where(unsure, UNSURE, np.where(decisions == 1, SAID_RIGHT, SAID_WRONG))
    return found if lexical is None else np.where(lexical != decisions, DIFFER, found)


def draw(stratum: Ints, n: int, *, seed: int = 0) -> Ints:
    """Indices of `n` answers to label, in random order; at least two of each stratum that has two.

    Raises:
        InputError: `n` is more than there are answers, or fewer than two per stratum.
    """
    names, sizes = np.unique(stratum, return_counts=True)
    if not 2 * len(names) <= n <= len(stratum):
        raise InputError(
            f"--n {n}: between {2 * len(names)} (two per stratum) and {len(stratum)} (all) was expected"
        )
    rng = np.random.default_rng(seed)
    shares = _allocated(n, sizes, np.array([_SPREAD[name] for name in names.tolist()]))
    parts = [
        rng.choice(np.flatnonzero(stratum == s), k, replace=False)
        for s, k in zip(names, shares, strict=True)
    ]
    return rng.permutation(np.concatenate(parts))


def _allocated(n: int, sizes: Ints, spread: Floats) -> list[int]:
    """How many of each stratum: in proportion to size times spread, from two up to all of it, `n` together."""
    shares = np.minimum(2, sizes)
    wanted = sizes * spread / (sizes * spread).sum() * n
    while shares.sum() < n:
        short = np.where(shares < sizes, wanted - shares, -np.inf)
        shares[int(np.argmax(short))] += 1
    return [int(share) for share in shares]


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
    n_all = len(decisions)
    own = np.ones(len(sample), dtype=np.int64) if stratum is None else stratum
    sizes = {1: n_all} if stratum is None or sizes is None else sizes
    _check(n_all, own, sizes)
    said = decisions[sample]
    weights = np.array([sizes[s] / int((own == s).sum()) for s in own.tolist()])
    raw = float(decisions.mean())
    return {
        "n": n_all, "n_labelled": len(sample), "raw": raw,
        "sensitivity": _rate(said, labels == 1, weights), "specificity": _rate(1 - said, labels == 0, weights),
        "ppi": _ppi(raw, n_all, labels - said, own, sizes),
        "rogan_gladen": _rogan_gladen(raw, n_all, said, labels, weights, own, sizes),
    }  # fmt: skip


def _check(n_all: int, stratum: Ints, sizes: Mapping[int, int]) -> None:
    if len(stratum) < 2:
        raise InputError(
            f"{len(stratum)} labels are too few for an interval; at least 2 are needed, 100 are useful"
        )
    unseen = sorted(name for name, size in sizes.items() if size and name not in stratum)
    if unseen or sum(sizes.values()) != n_all:
        raise InputError(
            f"the labels were drawn from {sum(sizes.values())} verdicts, these are {n_all}: give the same "
            "verdicts, and label at least two answers of every stratum in the sample"
        )


def _rate(hits: Ints, of: NDArray[np.bool_], weights: Floats) -> float | None:
    return float(np.average(hits[of], weights=weights[of])) if of.any() else None


def _ppi(
    raw: float, n_all: int, errors: Ints, stratum: Ints, sizes: Mapping[int, int]
) -> dict[str, Any]:
    """The raw rate plus the weighted mean error."""
    shares = {name: size / n_all for name, size in sizes.items() if size}
    estimate = raw + sum(
        share * float(errors[stratum == name].mean()) for name, share in shares.items()
    )
    estimate = min(max(estimate, 0.0), 1.0)
    return _with_interval(
        estimate, _variance(estimate, n_all, errors.astype(float), stratum, sizes)
    )


def _rogan_gladen(
    raw: float,
    n_all: int,
    said: Ints,
    labels: Ints,
    weights: Floats,
    stratum: Ints,
    sizes: Mapping[int, int],
) -> dict[str, Any] | None:
    """(raw + specificity - 1) / (sensitivity + specificity - 1); what it varies by is linear in the residuals."""
    sensitivity, specificity = (
        _rate(said, labels == 1, weights),
        _rate(1 - said, labels == 0, weights),
    )
    if sensitivity is None or specificity is None:
        return None
    better = sensitivity + specificity - 1
    if better <= 0:
        return None
    estimate = min(max((raw + specificity - 1) / better, 0.0), 1.0)
    residuals = np.where(labels == 1, sensitivity - said, (1 - said) - specificity) / better
    return _with_interval(estimate, _variance(estimate, n_all, residuals, stratum, sizes))


def _variance(
    estimate: float, n_all: int, residuals: Floats, stratum: Ints, sizes: Mapping[int, int]
) -> float:
    """Of two phases: of which questions a benchmark has, and of which of its answers were labelled.

    A stratum in which no error was seen is not proof that there is none: its spread is at least that of half an error
    more (Jeffreys).
    """
    variance = estimate * (1 - estimate) / n_all
    for name, size in sizes.items():
        own = residuals[stratum == name]
        if len(own):
            spread = max(float(own.var(ddof=1)) if len(own) > 1 else 0.25, 0.5 / (len(own) + 1))
            variance += (size / n_all) ** 2 * (1 - len(own) / size) * spread / len(own)
    return variance


def _with_interval(estimate: float, variance: float) -> dict[str, Any]:
    reach = _Z * float(np.sqrt(variance))
    return {
        "estimate": estimate,
        "interval": (max(0.0, estimate - reach), min(1.0, estimate + reach)),
    }


def stratum_sizes(rows: Sequence[Mapping[str, Any]]) -> tuple[Ints, dict[int, int]] | None:
    """Strata and their sizes as `bertjudge label-sample` wrote them beside the labels; None where it did not.

    Raises:
        InputError: The rows disagree about a stratum's size.
    """
    if not all(row.get("stratum") and row.get("stratum_size") for row in rows):
        return None
    pairs = {(int(row["stratum"]), int(row["stratum_size"])) for row in rows}
    if len(pairs) != len({name for name, _ in pairs}):
        raise InputError("the labels come from several samples: a stratum has two sizes")
    return np.array([int(row["stratum"]) for row in rows]), dict(pairs)
