from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lm_eval_bertjudge.judges.encoder.load import load_judge
from tests.fake_llm import completion, says, serving
from tests.stages import refused
from training.data.journal import finished_lines
from training.data.rows import Row
from training.evaluation import costs
from training.evaluation.costs import main, sample, table, with_final_answer


def rows(n: int = 12) -> list[Row]:
    return [
        {"id": f"{category}{i}", "source": f"s{i % 2}", "category": category, "question": "6 * 3?",
         "references": ["18"], "candidate": f"The answer is {18 if i % 3 else 19}.", "label": int(i % 3 > 0)}
        for category in ("open_math", "open_qa") for i in range(n)
    ]  # fmt: skip


@pytest.fixture
def triplets(tmp_path: Path) -> Path:
    for source in ("s0", "s1"):
        with gzip.open(tmp_path / f"{source}.jsonl.gz", "wt") as out:
            out.writelines(json.dumps(row) + "\n" for row in rows() if row["source"] == source)
    return tmp_path


def test_a_sample_is_half_right_in_each_category_and_so_are_its_first_rows() -> None:
    found = sample(rows(60), 20, seed=1)
    assert len(found) == 40
    for start in range(0, 40, 8):
        part = found[start : start + 8]
        assert [(row["category"], row["label"]) for row in part] == [
            (category, label)
            for _ in range(2)
            for category in ("open_math", "open_qa")
            for label in (0, 1)
        ]
        assert {row["source"] for row in part} == {"s0", "s1"}
    assert sample(rows(60), 20, seed=1) == found
    assert sample(rows(60), 20, seed=2) != found


@pytest.mark.parametrize(
    ("candidate", "put"),
    [
        ("6 * 3 is 18. The answer is 18.", "6 * 3 is 18.\n\nFinal answer: 18"),
        ("#### 18", "Final answer: 18"),
        ('{"reasoning": "so", "answer": "18"}', "so\n\nFinal answer: 18"),
        ("It is eighteen", "It is eighteen"),
    ],
)
def test_final_answers_are_put_as_the_papers_prompts_ask(candidate: str, put: str) -> None:
    assert with_final_answer({"candidate": candidate})["candidate"] == put


def test_rules_encoder_and_llm_stand_side_by_side(
    triplets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai", reason="needs the extra `llm`")
    out = tmp_path / "costs"
    drawn = ["--triplets", str(triplets), "--output", str(out), "--n", "4", "--final_answer"]
    main([*drawn, "--parameters", "1000000"])
    with serving(lambda prompt, _: "Hm." if "19" in prompt else says(prompt)) as fake:
        main(
            [
                *drawn,
                "--parameters",
                "2000000",
                "--llm",
                f"model=a/b,base_url={fake.url}",
                "--first",
                "2",
            ]
        )
        assert len(fake.bodies) == 4
        main([*drawn, "--parameters", "2000000", "--llm", f"model=a/b,base_url={fake.url}"])
        assert len(fake.bodies) == 8
    found = {
        line.split(" | ")[0].strip("| "): line.split(" | ")[1:]
        for line in table(out).splitlines()[2:]
    }
    assert found["lexical"][:3] == ["4", "1.000 [0.510, 1.000]", "1.000 [0.510, 1.000]"]
    assert found["lexical"][3:5] == ["1.000 [0.676, 1.000]", "0.000"]
    # Half of its answers are no verdict, and so no agreement; 100 tokens read and 5 generated, as the server says.
    assert found["a/b, short"][1:4] == [
        "0.500 [0.150, 0.850]",
        "0.500 [0.150, 0.850]",
        "0.500 [0.215, 0.785]",
    ]
    assert found["a/b, short"][4:9] == ["0.500", "100.0", "5.0", "0.0", "0.4"]
    encoder = found[load_judge().card.name]
    assert float(encoder[5]) > 10
    assert encoder[7] == encoder[8]
    assert table(out) in capsys.readouterr().out


def test_flops_are_the_papers_for_generation_and_for_encoders(tmp_path: Path) -> None:
    about = {"judge": "x", "parameters": 500_000_000, "kind": "llm"}
    row = {"id": "1", "source": "s", "category": "open_qa", "label": 1}
    decision = (0, costs.Decision(True, 100, 8, 0.25))
    costs.measure([row], tmp_path / "llm.jsonl", about, lambda _: iter([decision]))
    costs.measure(
        [row], tmp_path / "encoder.jsonl", about | {"kind": "encoder"}, lambda _: iter([decision])
    )
    by_kind = {path.stem: costs._entry(path) for path in tmp_path.glob("*.jsonl")}
    assert by_kind["llm"]["gflops"] == pytest.approx(8.0)
    assert by_kind["encoder"]["gflops"] == pytest.approx(100.0)
    assert by_kind["llm"]["gflops_all"] == pytest.approx(108.0)
    assert by_kind["llm"]["s_per_1000"] == pytest.approx(250.0)


def test_trouble_that_passes_is_no_verdict_of_the_judge(triplets: Path, tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="needs the extra `llm`")
    out = tmp_path / "costs"
    call = [
        "--triplets",
        str(triplets),
        "--output",
        str(out),
        "--n",
        "4",
        "--parameters",
        "1",
        "--final_answer",
    ]
    with serving(lambda prompt, _: 400 if "19" in prompt else 500) as fake:
        main([*call, "--llm", f"model=m,base_url={fake.url},retries=0"])
    assert [line["said"] for line in finished_lines(out / "m_short.jsonl")[1]] == [None] * 4
    with serving(says) as fake:
        main([*call, "--llm", f"model=m,base_url={fake.url}"])
    assert (
        sorted(line["said"] is None for line in finished_lines(out / "m_short.jsonl")[1])
        == [False] * 4 + [True] * 4
    )


def test_a_server_that_dies_leaves_what_was_judged(triplets: Path, tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="needs the extra `llm`")
    out = tmp_path / "costs"
    with serving(lambda prompt, _: completion("Final answer: True")) as fake:
        pass
    call = ["--triplets", str(triplets), "--output", str(out), "--n", "4", "--parameters", "1"]
    with refused(match=r"no LLM server answers(.|\n)*The same command goes on from there"):
        main([*call, "--llm", f"model=m,base_url={fake.url},retries=0"])
    assert finished_lines(out / "m_short.jsonl")[1] == []
