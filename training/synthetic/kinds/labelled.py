"""Kinds that keep the label somebody gave."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.errors import InputError
from training.data.rows import Row
from training.synthetic import restating
from training.synthetic.registry import Draw, from_labels


@from_labels
def restated(row: Row, draw: Draw) -> Iterator[Row]:
    """The final answer said in another way, the reference written in another form."""
    yield restating.restated(row, draw.rng)


@from_labels
def answer_only(row: Row, draw: Draw) -> Iterator[Row]:
    """The same without the way to the answer."""
    yield restating.restated(row, draw.rng, answer_only=True)


@from_labels
def verbatim(row: Row, draw: Draw) -> Iterator[Row]:
    """The candidate as it is, against one of its references."""
    yield restating.verbatim(row, draw.rng)


@from_labels
def labelled(row: Row, draw: Draw) -> Iterator[Row]:
    """As the published checkpoints were trained (arXiv 2604.09497, section 2.3).

    The question is the whole prompt, the reference the first of the row's; nothing is restated.

    Raises:
        InputError: The row has no prompt.
    """
    if "prompt" not in row:
        raise InputError(
            f"{row['id']} has no `prompt`, as rows of training.triplets have: mix its source by `restated`"
        )
    yield row | {"reference": row["references"][0]}
