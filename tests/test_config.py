from __future__ import annotations

from pathlib import Path

import pytest

from lm_eval_bertjudge.errors import CheckpointError
from lm_eval_bertjudge.judges.encoder.card import CARD_FILE, JudgeCard


def test_a_card_reads_back_as_written(tmp_path: Path) -> None:
    card = JudgeCard(
        name="x", max_length=256, threshold=0.7, parity={"n": 3}, accuracy=[{"source": "s", "n": 1}]
    )
    card.write(tmp_path)
    assert JudgeCard.read(tmp_path) == card


def test_fields_of_later_versions_are_ignored(tmp_path: Path) -> None:
    (tmp_path / CARD_FILE).write_text('{"name": "x", "max_length": 8, "new": 1}')
    assert JudgeCard.read(tmp_path).max_length == 8


@pytest.mark.parametrize("content", ["", "[]", '{"name": "x"}', "not json"])
def test_what_is_not_a_card_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / CARD_FILE).write_text(content)
    with pytest.raises(CheckpointError, match="cannot be read as a judge card"):
        JudgeCard.read(tmp_path)


def test_a_missing_card_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="is missing"):
        JudgeCard.read(tmp_path)
