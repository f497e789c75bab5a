"""How far people agree with the labels: a sample for them to fill in, and the agreement per category.

The sample has equally many rows of each category, drawn at random inside it, so that a category's agreement and its
interval are those of its labels as they are. It does not show the label.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

import numpy as np

from lm_eval_bertjudge import render
from lm_eval_bertjudge.analysis.intervals import wilson
from lm_eval_bertjudge.errors import InputError
from training.data.rows import Row

COLUMNS = ("human_label", "category", "question", "references", "candidate", "id")


def draw(rows: list[Row], n: int, path: Path, *, seed: int) -> None:
    """Writes a CSV file with `n` of the labelled rows, `human_label` left empty: 1 right, 0 wrong."""
    if path.exists():
        raise InputError(f"{path} exists and may be filled in: move it, then draw again")
    rng = random.Random(seed)
    by_category = {
        c: [r for r in rows if r["category"] == c] for c in sorted({r["category"] for r in rows})
    }
    drawn: list[Row] = []
    smallest_first = sorted(by_category, key=lambda category: len(by_category[category]))
    for left, category in zip(range(len(by_category), 0, -1), smallest_first, strict=True):
        share = min(len(by_category[category]), (n - len(drawn)) // left)
        drawn += rng.sample(by_category[category], share)
    rng.shuffle(drawn)
    with path.open("w", encoding="utf-8", newline="") as out:
        table = csv.DictWriter(out, COLUMNS, extrasaction="ignore")
        table.writeheader()
        for row in drawn:
            shown = {
                "question": row["prompt"],
                "references": "\n".join(row["references"]),
                "human_label": "",
            }
            table.writerow(row | shown)
    print(f"{len(drawn)} rows to fill in (human_label: 1 right, 0 wrong) -> {path}")


def filled_in(path: Path) -> dict[str, int]:
    """Label by id; rows left empty are left out."""
    with path.open(encoding="utf-8", newline="") as lines:
        found = {row["id"]: row["human_label"].strip() for row in csv.DictReader(lines)}
    given = {name: said for name, said in found.items() if said}
    if odd := set(given.values()) - {"0", "1"}:
        raise InputError(
            f"{path}: human_label must be 1, 0 or empty; it has {', '.join(sorted(odd))}"
        )
    if not given:
        raise InputError(f"{path}: no human_label is filled in")
    return {name: int(said) for name, said in given.items()}


def score(rows: list[Row], path: Path) -> str:
    """Agreement of the labels with people's, per category and as their mean, as the paper's Table 12, with n and 95%
    intervals (Wilson's; of the mean Agresti and Coull's)."""
    people, labels = filled_in(path), {row["id"]: row for row in rows}
    if unknown := sorted(people.keys() - labels.keys()):
        raise InputError(f"{path}: {len(unknown)} ids have no label, such as {unknown[0]}")
    rows_shown, shares, variances = [], [], []
    for category in sorted({labels[name]["category"] for name in people}):
        same = [
            labels[name]["label"] == said
            for name, said in people.items()
            if labels[name]["category"] == category
        ]
        n, n_same = len(same), sum(same)
        shares.append(n_same / n)
        # So that full agreement on few rows is not an interval of none.
        shrunk = (n_same + 2) / (n + 4)
        variances.append(shrunk * (1 - shrunk) / (n + 4))
        rows_shown.append(_line(category, n, shares[-1], wilson(n_same, n)))
    mean, reach = float(np.mean(shares)), 1.96 * float(np.sqrt(np.sum(variances))) / len(shares)
    ends = (max(0.0, mean - reach), min(1.0, mean + reach))
    rows_shown.append(_line("mean", len(people), mean, ends))
    return render.table(["category", "n", "agreement", "95% interval"], rows_shown)


def _line(name: str, n: int, share: float, ends: render.Interval) -> list[str | int]:
    return [name, n, f"{share:.4f}", render.interval(ends, digits=4)]
