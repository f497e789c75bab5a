from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lm_eval_bertjudge.errors import InputError
from tests.stages import refused
from tests.triplet_rows import made
from training.data import mixture, triplets
from training.data.rows import read_rows, write_rows

GENERATORS = ("org/model-1B", "org/model-7B", "other/rare")


def rows(n: int = 60) -> list[dict[str, Any]]:
    """Candidates of two categories and three models; the third model is rare and always wrong."""
    found = []
    for i in range(n):
        category, source = (("open_math", "gsm8k_train"), ("context_extraction", "squadv2_train"))[
            i % 2
        ]
        generator = GENERATORS[2] if i % 10 == 9 else GENERATORS[i // 2 % 2]
        found.append({
            "id": f"{generator}/{i}", "source": source, "task": f"{source}_bertjudge", "category": category,
            "question": f"question {i // 3}", "prompt": f"question {i // 3} <soft>", "references": ["one", "1"],
            "candidate": f"said {i}", "label": 0 if i % 10 == 9 else int(i % 8 < 5), "generator": generator,
            "label_source": "llm:x", "licence": "MIT",
        })  # fmt: skip
    return found


def test_a_balance_is_over_category_generator_and_label() -> None:
    chosen = list(mixture.balanced(rows(400), 60, seed=0))
    counts = Counter((row["category"], row["generator"], row["label"]) for row in chosen)
    have = {(row["category"], row["generator"], row["label"]) for row in rows(400)}
    assert counts.keys() == have
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len({row["id"] for row in chosen}) == len(chosen) == 60


def test_a_small_cell_gives_all_it_has_and_the_others_the_rest() -> None:
    few = [row for row in rows(400) if row["generator"] != GENERATORS[2]]
    few += [row for row in rows(400) if row["generator"] == GENERATORS[2]][:2]
    counts = Counter(row["generator"] for row in mixture.balanced(few, 60, seed=0))
    assert counts[GENERATORS[2]] == 2
    assert sum(counts.values()) == 60


def test_upstreams_mix_takes_rows_by_the_last_part_of_a_models_name() -> None:
    plan = {"model_1B": 5, "org/model-7B": 3, "rare": 1000}
    counts = Counter(row["generator"] for row in mixture.of_generators(rows(), plan, seed=0))
    assert counts == {GENERATORS[0]: 5, GENERATORS[1]: 3, GENERATORS[2]: 6}
    with pytest.raises(InputError, match="'model-2B'; it has those of org/model-1B"):
        list(mixture.of_generators(rows(), {"model-2B": 1}, seed=0))


def test_a_row_without_a_prompt_cannot_be_taken_as_it_is() -> None:
    with pytest.raises(InputError, match="has no `prompt`"):
        made("labelled", {"id": "a", "references": ["1"]})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for source in ("gsm8k_train", "squadv2_train"):
        write_rows(
            tmp_path / "t" / f"{source}.jsonl.gz",
            [row for row in rows() if row["source"] == source],
        )
    return tmp_path / "t"


def mixed(folder: Path, *flags: str) -> list[dict[str, Any]]:
    mixture.main(
        ["--triplets", str(folder), "--output", str(folder.parent / "train.jsonl"), *flags]
    )
    return list(read_rows(folder.parent / "train.jsonl"))


def test_labelled_rows_reach_the_training_file_as_they_are(folder: Path) -> None:
    by_id = {row["id"]: row for row in rows()}
    found = mixed(folder, "--balance", "20")
    assert len(found) == 20
    for row in found:
        parent = by_id[row["parent_id"]]
        assert (row["question"], row["reference"]) == (parent["prompt"], "one")
        assert (row["candidate"], row["label"]) == (parent["candidate"], parent["label"])


def test_a_mix_file_may_be_upstreams_or_ours(folder: Path) -> None:
    upstream = {"squad_v2_train": {"model-1B": 4}, "gsm8k_train": {"labelled": 6}}
    (folder.parent / "mix.json").write_text(json.dumps(upstream))
    found = mixed(folder, "--mix", str(folder.parent / "mix.json"))
    assert Counter(row["source"] for row in found) == {"squadv2_train": 4, "gsm8k_train": 6}
    assert Counter(row["label"] for row in found if row["source"] == "gsm8k_train") == {0: 3, 1: 3}


def joined(
    tmp_path: Path, *flags: str, labels: dict[str, int | None] | None = None
) -> dict[str, list[dict[str, Any]]]:
    write_rows(
        tmp_path / "c.jsonl", [{k: v for k, v in row.items() if "label" not in k} for row in rows()]
    )
    lines = [{"session": 0, "started": "now", "settings": {"labeller": "x"}}]
    said = {row["id"]: row["label"] for row in rows()} if labels is None else labels
    write_rows(
        tmp_path / "l.jsonl",
        [*lines, *({"id": name, "label": label} for name, label in said.items())],
    )
    out = tmp_path / "out"
    given = (
        "--candidates",
        tmp_path / "c.jsonl",
        "--labels",
        tmp_path / "l.jsonl",
        "--output",
        out,
    )
    triplets.main([*map(str, given), *flags])
    return {
        split.name: [row for file in sorted(split.iterdir()) for row in read_rows(file)]
        for split in out.iterdir()
        if split.is_dir()
    }


def test_a_question_is_in_one_split_and_an_unseen_generator_in_neither(tmp_path: Path) -> None:
    found = joined(tmp_path, "--dev_percent", "40", "--unseen_generators", GENERATORS[2])
    questions = {split: {row["question"] for row in found[split]} for split in found}
    assert questions["train"]
    assert questions["dev"]
    assert not questions["train"] & (questions["dev"] | questions["dev_unseen_generators"])
    assert {row["generator"] for row in found["dev_unseen_generators"]} == {GENERATORS[2]}
    assert GENERATORS[2] not in {row["generator"] for row in found["train"] + found["dev"]}


def test_unlabelled_rows_are_in_no_split_and_the_others_all(tmp_path: Path) -> None:
    labels = {
        row["id"]: None if number % 3 == 0 else row["label"] for number, row in enumerate(rows())
    }
    found = [row for split in joined(tmp_path, labels=labels).values() for row in split]
    assert {row["id"]: row["label"] for row in found} == {
        k: v for k, v in labels.items() if v is not None
    }
    assert {row["label_source"] for row in found} == {"llm:x"}


def test_candidates_that_nobody_labelled_yet_are_an_error(tmp_path: Path) -> None:
    labels = {row["id"]: 1 for row in rows()[:-2]}
    with refused(match=r"lacks 2 of 60 candidates.*run training.label again"):
        joined(tmp_path, labels=labels)
    assert not (tmp_path / "out").exists()


def test_equal_rows_are_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_rows(tmp_path / name, rows())
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    with gzip.open(tmp_path / "a.jsonl.gz", "rt") as lines:
        assert sum(1 for _ in lines) == 60
