from __future__ import annotations

import json
from pathlib import Path

import pytest

from lm_eval_bertjudge import cli
from lm_eval_bertjudge.tasks_folder import tasks_dir

CASES = Path(__file__).parent / "fixtures" / "cases.jsonl"
PAIR = ("judge", "--question", "Capital of Peru?", "--reference", "Lima", "--candidate")


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def read(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_one_pair_prints_its_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*PAIR, "Final answer: Lima", "--method", "cascade"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["correct"], row["source"], row["references"]) == (True, "rule", ["Lima"])


def test_a_file_keeps_every_field_and_adds_the_verdict(tmp_path: Path) -> None:
    rows = [
        {
            "id": 7,
            "question": "Capital of Peru?",
            "reference": "Lima",
            "candidate": "Final answer: Lima",
            "note": "é",
        },
        {"id": 8, "references": ["1", "one"], "candidate": "Final answer: one"},
        {"id": 9, "reference": 3, "candidate": None},
    ]
    out = tmp_path / "out.jsonl"
    assert (
        cli.main(
            ["judge", "--input", str(write(tmp_path / "in.jsonl", *rows)), "--output", str(out)]
        )
        == 0
    )
    found = read(out)
    assert [{k: row[k] for k in before} for row, before in zip(found, rows, strict=True)] == rows
    assert all(
        row.keys() >= {"p_correct", "correct", "source", "truncated", "reason"} for row in found
    )
    assert found[2]["reason"] == "empty_answer"
    assert not (tmp_path / "out.jsonl.tmp").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"candidate": "a"}\n',
            "line 1: a reference was expected; it has candidate. Name the column: --reference",
        ),
        (
            '{"reference": "a"}\n',
            "line 1: a candidate was expected; it has reference. Name the column: --candidate",
        ),
        ('{"reference": "a", "candidate": "b"}\n{"broken\n', "line 2 is not JSON"),
        ('["a"]\n', "row 1 is not a JSON object"),
        (
            '{"candidate": "a", "doc": {"x": 1}}\n',
            "a reference was expected; it has candidate, doc",
        ),
    ],
)
def test_bad_rows_are_named_before_anything_is_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    (tmp_path / "in.jsonl").write_text(content)
    assert (
        cli.main(
            [
                "judge",
                "--input",
                str(tmp_path / "in.jsonl"),
                "--output",
                str(tmp_path / "out.jsonl"),
            ]
        )
        == 2
    )
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["judge"], "give either --candidate and --reference, or --input FILE"),
        (["judge", "--candidate", "a"], "--reference is missing"),
        (["judge", "--input", "nowhere.jsonl"], "--output is missing"),
        (
            ["judge", "--input", "nowhere.jsonl", "--output", "x"],
            "nowhere.jsonl cannot be read: No such file",
        ),
        ([*PAIR, "a", "--threshold", "2"], "a probability in [0, 1]"),
        ([*PAIR, "a", "--judge", "/nowhere"], "no judge at '/nowhere'"),
        ([*PAIR, "a", "--llm", "model=m"], "add --method llm, or --judge llm"),
        (
            ["rejudge", str(CASES), "--output", "x", "--method", "judge", "--llm", "model=m"],
            "add --method llm",
        ),
        (["check", "gsm8k_bert"], "did you mean gsm8k_bertjudge"),
        (["check", "nosuchtask"], "`lm_eval ls tasks` shows all"),
        (
            ["judge", "--input", str(CASES), "--output", "/nowhere/x.jsonl"],
            "make its folder first: mkdir -p /nowhere",
        ),
    ],
)
def test_bad_input_exits_with_2_and_says_what_to_type(
    capsys: pytest.CaptureFixture[str], args: list[str], message: str
) -> None:
    assert cli.main(args) == 2
    assert message in capsys.readouterr().err


def test_check_renders_the_first_documents(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "gsm8k_bertjudge"]) == 0
    shown = capsys.readouterr().out
    assert "task gsm8k_bertjudge is ready" in shown
    assert "reference '70000'; judged against itself: 1.000 (match)" in shown


def test_check_names_what_a_task_lacks(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "gsm8k"]) == 2
    shown = capsys.readouterr().err
    assert "it has neither the filter nor the metric `bertjudge`. Add to its file" in shown
    assert "- function: bertjudge" in shown


def test_tasks_dir_is_printed_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tasks-dir"]) == 0
    assert capsys.readouterr().out == tasks_dir() + "\n"


def test_the_demo_shows_the_table_and_where_the_pipelines_differ(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["demo"]) == 0
    shown = capsys.readouterr().out
    for text in (
        "demo_maths",
        "demo_passage",
        "demo_multiple_choice",
        "lexical",
        "cascade",
        "|judge",
        "± ",
    ):
        assert text in shown.replace("±  ", "± ")
    assert "answers on which the pipelines differ" in shown
    assert "of 30: lexical" in shown
