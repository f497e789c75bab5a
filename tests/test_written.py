from __future__ import annotations

import json
from pathlib import Path

from training.data import written
from training.data.rows import read_rows, write_rows

GROUP = {
    "kind": "yes_no",
    "lang": "en",
    "question": "Is 51 prime?",
    "references": ["No"],
    "candidates": [["51 = 3 x 17.", 1], ["Nothing but 1 and 51 divides it.", 0]],
}


def test_a_group_becomes_a_row_per_candidate_and_a_question_is_in_one_split(tmp_path: Path) -> None:
    groups = [GROUP | {"question": f"Is {number} prime?"} for number in range(60)]
    write_rows(tmp_path / "in" / "a.jsonl.gz", groups)
    written.main(["--written", str(tmp_path / "in"), "--output", str(tmp_path / "out")])
    splits = {
        split: list(read_rows(tmp_path / "out" / split / "written.jsonl.gz"))
        for split in ("train", "dev")
    }
    questions = {split: {row["question"] for row in rows} for split, rows in splits.items()}
    assert sum(map(len, splits.values())) == 120
    assert questions["dev"]
    assert not questions["dev"] & questions["train"]
    row = splits["dev"][0]
    assert (row["candidate"], row["label"]) == ("51 = 3 x 17.", 1)
    assert row["licence"] == "Apache-2.0"


def test_every_committed_group_is_well_formed() -> None:
    for file in sorted(written.WRITTEN.glob("*.jsonl.gz")):
        for group in read_rows(file):
            labels = {label for _, label in group["candidates"]}
            assert labels == {0, 1}, json.dumps(group, ensure_ascii=False)
            assert all(reference.strip() for reference in group["references"])
