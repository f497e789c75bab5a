"""Labelled candidates as training rows just as they are, balanced as the paper's (arXiv 2604.09497, section 2.3).

The question is the whole prompt, the reference the first of the row's; nothing is restated. That is what the published
checkpoints were trained on.
"""

from __future__ import annotations

import collections
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

from training.data.rows import Row, in_turns


def as_it_is(row: Row) -> Row:
    """The row with its first reference, to be asked about by its prompt."""
    if "prompt" not in row:
        raise SystemExit(
            f"{row['id']} has no `prompt`, as rows of training.triplets have: mix its source by `rows`"
        )
    return row | {"reference": row["references"][0], "made": "labelled"}


def balanced(rows: list[Row], n: int, rng: random.Random) -> list[Row]:
    """`n` rows, spread evenly over category x generator x label as far as each has rows, as they are."""
    cells: dict[tuple[str, str, int], list[Row]] = collections.defaultdict(list)
    for row in rng.sample(rows, len(rows)):
        cells[row["category"], row["generator"], row["label"]].append(row)
    return [
        as_it_is(row)
        for row in itertools.islice(in_turns(reversed(cell) for cell in cells.values()), n)
    ]


def of_generators(rows: list[Row], plan: dict[str, int], rng: random.Random) -> Iterator[Row]:
    """Rows in the numbers that a plan in the form of upstream's --training_mix gives: {generator: rows}.

    A generator is known by the last part of its name, as upstream. Where it has fewer rows, all are taken.
    """
    by_name: dict[str, list[Row]] = collections.defaultdict(list)
    for row in rows:
        by_name[_short(row["generator"])].append(row)
    for name, n in plan.items():
        found = by_name.get(_short(name))
        if found is None:
            have = ", ".join(sorted({row["generator"] for row in rows}))
            raise SystemExit(
                f"the mix asks {rows[0]['source']} for rows of {name!r}; it has those of {have}"
            )
        yield from map(as_it_is, rng.sample(found, min(n, len(found))))


def _short(generator: str) -> str:
    return generator.rstrip("/").rsplit("/", 1)[-1].replace("-", "_")


def sources_in(folders: list[Path]) -> list[str]:
    """Names of all sources in folders of triplets."""
    return sorted(
        {
            path.name.removesuffix(".jsonl.gz")
            for folder in folders
            for path in folder.glob("*.jsonl.gz")
        }
    )


def our_names(plans: dict[str, dict[str, int]], have: list[str]) -> dict[str, dict[str, int]]:
    """The plans by our names of the sources: upstream's squad_v2_train is squadv2_train, hotpot_qa_train likewise."""
    by_letters = {name.replace("_", ""): name for name in have}
    return {by_letters.get(name.replace("_", ""), name): plan for name, plan in plans.items()}
