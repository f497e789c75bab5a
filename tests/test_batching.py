from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lm_eval_bertjudge.judges.encoder.batching import PAD_TO_MULTIPLE, batches

rows = st.lists(st.lists(st.integers(1, 99), max_size=70), max_size=60)


@given(rows=rows, batch_tokens=st.integers(1, 600))
def test_every_row_comes_once_and_unchanged(rows: list[list[int]], batch_tokens: int) -> None:
    seen: dict[int, list[int]] = {}
    for batch in batches(rows, batch_tokens=batch_tokens, pad_id=0):
        for index, ids, mask in zip(
            batch.indices, batch.input_ids, batch.attention_mask, strict=True
        ):
            assert index not in seen
            seen[index] = ids[mask == 1].tolist()
            assert (ids[mask == 0] == 0).all()
    assert seen == dict(enumerate(rows))


@given(rows=rows, batch_tokens=st.integers(80, 600))
def test_a_batch_stays_within_its_token_budget(rows: list[list[int]], batch_tokens: int) -> None:
    for batch in batches(rows, batch_tokens=batch_tokens, pad_id=0):
        assert batch.input_ids.size <= batch_tokens
        assert batch.input_ids.shape[1] % PAD_TO_MULTIPLE == 0


def test_the_longest_rows_come_first() -> None:
    lengths = [
        b.input_ids.shape[1]
        for b in batches([[1] * n for n in (3, 60, 9, 30)], batch_tokens=64, pad_id=0)
    ]
    assert lengths == sorted(lengths, reverse=True)
