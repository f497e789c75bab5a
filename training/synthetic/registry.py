"""The kinds of rows that a mixture may ask for, {"exchanged": 900}, and how rows of a kind are drawn.

A kind is a generator function of a labelled row and a `Draw`, decorated with `synthetic` or `from_labels`. It yields
the training rows that it makes from the row; none where the row does not fit. Its name is that of the function.

Every row of every kind has a generator of random numbers of its own, seeded by the kind's name and the row's id. So a
new kind changes no row of the others.
"""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from training.data.rows import Row, in_turns
from training.synthetic import answers
from training.synthetic.pool import Pool


@dataclass(frozen=True, slots=True)
class Draw:
    """What a kind may draw from beside the row itself."""

    rng: random.Random
    source_rows: list[Row] = field(default_factory=list)  # of the row's own source
    pool: Pool = field(default_factory=lambda: Pool([], {}))

    def wrong_answers(self, row: Row) -> list[str]:
        """Answers that look right and answer something else; of a number, one that is near it."""
        reference = row["references"][0]
        if answers.is_number(reference) and self.rng.random() < 0.7:
            return [answers.other_number(reference, row["question"], self.rng)]
        return self.pool.near(row) if self.rng.random() < 0.85 else self.pool.of_shape(row)


Make = Callable[[Row, Draw], Iterator[Row]]


class Kind(NamedTuple):
    """How rows are made, and whether of a choice balanced by label and generator."""

    make: Make
    balanced: bool


KINDS: dict[str, Kind] = {}


def synthetic(make: Make) -> Make:
    """Registers a kind whose label follows from how it is made; rows are taken in a random order."""
    KINDS[make.__name__] = Kind(make, balanced=False)
    return make


def from_labels(make: Make) -> Make:
    """Registers a kind that keeps the row's label; as many right as wrong rows are taken."""
    KINDS[make.__name__] = Kind(make, balanced=True)
    return make


def balanced(rows: list[Row], n: int, rng: random.Random) -> list[Row]:
    """`n` rows, half of each label as far as there are enough, spread evenly over the generators of each label."""
    chosen: list[Row] = []
    for label in (0, 1):
        by_generator: dict[str, list[Row]] = defaultdict(list)
        for row in rng.sample(rows, len(rows)):
            if row["label"] == label:
                by_generator[row["generator"]].append(row)
        turns = in_turns(reversed(queue) for queue in by_generator.values())
        chosen += itertools.islice(turns, n // 2)
    return chosen


def rows_of_kind(name: str, rows: list[Row], n: int, *, seed: int, pool: Pool) -> Iterator[Row]:
    """`n` rows of a kind from the rows of one source; fewer where the source runs out."""
    rng = random.Random(f"{seed}/{name}/{rows[0]['source']}")
    order = balanced(rows, n, rng) if KINDS[name].balanced else rng.sample(rows, len(rows))
    return itertools.islice(made_from(name, order, rows, seed=seed, pool=pool), n)


def made_from(
    name: str,
    order: Iterable[Row],
    source_rows: list[Row],
    *,
    seed: int,
    pool: Pool | None = None,
) -> Iterator[Row]:
    """What a kind makes from each of the rows. The id of a new row ends in its `kind`."""
    pool = pool or Pool([], {})
    for row in order:
        draw = Draw(random.Random(f"{seed}/{name}/{row['id']}"), source_rows, pool)
        for number, new in enumerate(KINDS[name].make(row, draw)):
            suffix = f"{name}.{number}" if number else name
            yield new | {
                "id": f"{row['id']}#{suffix}",
                "parent_id": row["id"],
                "kind": name,
            }
