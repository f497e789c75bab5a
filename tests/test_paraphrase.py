from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

pytest.importorskip("openai", reason="needs the extra `llm`")

from lm_eval_bertjudge.judges.llm.prompts import Reply
from tests.fake_llm import serving
from tests.stages import refused
from training.data import mixture, paraphrase
from training.data.rows import Row, read_rows


def row(number: int, reference: str) -> Row:
    return {
        "id": f"r{number}", "source": "qa", "category": "open_qa", "question": f"Question {number}?",
        "references": [reference], "candidate": "no idea", "label": 0, "generator": "g", "label_source": "human",
        "licence": "MIT",
    }  # fmt: skip


@pytest.fixture
def triplets(tmp_path: Path) -> Path:
    rows = [row(i, f"{i} metres") for i in range(6)] + [row(0, "0 metres") | {"id": "r0 again"}]
    with gzip.open(tmp_path / "qa.jsonl.gz", "wt") as out:
        out.writelines(json.dumps(each) + "\n" for each in rows)
    return tmp_path


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("A length of 18 m", ("reworded", "A length of 18 m")),
        ('<think>18?</think> "it is 18 m"', ("reworded", "it is 18 m")),
        ("18 Metres.", ("repeated", "")),
        ("eighteen metres", ("number_lost", "")),
        ("180 metres", ("number_lost", "")),
        ("18 m\nor so", ("rambling", "")),
        ("18 " + "m" * 200, ("rambling", "")),
        ("", ("rambling", "")),
    ],
)
def test_only_a_rewording_that_keeps_the_numbers_becomes_a_row(
    said: str, outcome: tuple[str, str]
) -> None:
    assert paraphrase.reworded(Reply(said), "18 metres") == outcome
    assert paraphrase.reworded(Reply(said, "length"), "18 metres") == ("cut", "")


def test_reworded_references_are_right_answers_of_a_source_that_mix_takes(
    triplets: Path, tmp_path: Path
) -> None:
    def answer(prompt: str, _: int) -> str:
        number = prompt.split("[ANSWER starts here]\n")[1].split()[0]
        return f"it measures {number} m" if number != "3" else "three metres"

    out = tmp_path / "out"
    call = ["--triplets", str(triplets), "--source", "qa", "--output", str(out), "--n", "5"]
    with serving(answer) as fake:
        llm = ["--llm", f"model=m,base_url={fake.url}"]
        paraphrase.main([*call, *llm])
        paraphrase.main([*call, *llm])
        assert len(fake.bodies) == 5
    rows = list(read_rows(out / "qa_reworded.jsonl.gz"))
    assert len({each["question"] for each in rows}) == len(rows)
    assert all(
        each["candidate"] == f"it measures {each['references'][0].split()[0]} m" for each in rows
    )
    assert {(each["label"], each["label_source"], each["generator"]) for each in rows} == {
        (1, "made:m", "m")
    }
    manifest = json.loads((out / "qa_reworded.jsonl.gz.manifest.json").read_text())
    assert manifest["rows"] == len(rows) == manifest["outcomes"]["reworded"]
    (tmp_path / "mix.json").write_text('{"qa_reworded": {"verbatim": 10}}')
    mixture.main(
        [
            "--triplets",
            str(out),
            "--mix",
            str(tmp_path / "mix.json"),
            "--output",
            str(tmp_path / "train.jsonl"),
        ]
    )
    mixed = list(read_rows(tmp_path / "train.jsonl"))
    assert sorted(each["candidate"] for each in mixed) == sorted(each["candidate"] for each in rows)


def test_a_server_that_fails_leaves_what_it_gave_and_says_so(
    triplets: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    call = ["--triplets", str(triplets), "--source", "qa", "--output", str(out)]
    trouble = {"1 metres": "it measures 1 m", "2 metres": 400}  # the others: 500
    with (
        serving(
            lambda prompt, _: next(
                (said for answer, said in trouble.items() if answer in prompt), 500
            )
        ) as fake,
        refused(match="4 of 6 got no reply"),
    ):
        paraphrase.main([*call, "--llm", f"model=m,base_url={fake.url},retries=0"])
    assert not (out / "qa_reworded.jsonl.gz").exists()
    with serving(lambda prompt, _: "it measures 0 1 2 3 4 5 m") as fake:
        paraphrase.main([*call, "--llm", json.dumps({"model": "m", "base_url": fake.url})])
        assert len(fake.bodies) == 4
