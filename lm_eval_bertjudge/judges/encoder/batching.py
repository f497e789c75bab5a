"""Batches of similar length: little padding, bounded memory, order restored by the caller through indices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PAD_TO_MULTIPLE = 8


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a longer list, padded to one length.

    Attributes:
        indices: Position of each row in the list the batch was cut from, shape (n,).
        input_ids: Token ids, int64, shape (n, length).
        attention_mask: 1 for tokens and 0 for padding, int64, shape (n, length).
    """

    indices: list[int]
    input_ids: NDArray[np.int64]
    attention_mask: NDArray[np.int64]


def batches(rows: Sequence[Sequence[int]], *, batch_tokens: int, pad_id: int) -> Iterator[Batch]:
    """Cuts `rows` of token ids into batches of at most `batch_tokens` padded tokens, longest first.

    Longest first, so that a batch that does not fit in memory fails at once and not after an hour. A
    single row longer than `batch_tokens` is a batch of its own.
    """
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]), reverse=True)
    start = 0
    while start < len(order):
        length = _padded_length(rows[order[start]])
        n_rows = max(1, batch_tokens // length)
        indices = order[start : start + n_rows]
        yield _padded(rows, indices, length, pad_id)
        start += len(indices)


def _padded_length(row: Sequence[int]) -> int:
    blocks = -(-len(row) // PAD_TO_MULTIPLE)
    return max(1, blocks) * PAD_TO_MULTIPLE


def _padded(rows: Sequence[Sequence[int]], indices: list[int], length: int, pad_id: int) -> Batch:
    shape = (len(indices), length)
    input_ids = np.full(shape, pad_id, dtype=np.int64)
    attention_mask = np.zeros(shape, dtype=np.int64)
    for row, index in enumerate(indices):
        ids = rows[index]
        input_ids[row, : len(ids)] = ids
        attention_mask[row, : len(ids)] = 1
    return Batch(indices, input_ids, attention_mask)
