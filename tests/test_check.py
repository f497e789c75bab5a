"""`bertjudge check`: what it takes, and what it says before hours of generation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from lm_eval_bertjudge import cli
from tests.test_harness_run import QUESTIONS, config

Shown = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Task files, in a harness without its thousands of tasks, whose indexing takes seconds."""
    from lm_eval.tasks import TaskManager

    made = TaskManager.__init__

    def without_defaults(self: TaskManager, include_path: Any = None) -> None:
        made(self, include_path=include_path, include_defaults=False)

    monkeypatch.setattr(TaskManager, "__init__", without_defaults)
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    return tmp_path


BARE = {
    "filter_list": [{"name": "judge", "filter": [{"function": "bertjudge", "method": "lexical"}]}]
}


def write(folder: Path, **changes: Any) -> str:
    path = folder / "mine.yaml"
    path.write_text(yaml.safe_dump(config(folder / "questions.jsonl", **changes)))
    return str(path)


def test_a_yaml_file_is_checked(folder: Path, capsys: Shown) -> None:
    assert cli.main(["check", write(folder, **BARE)]) == 0
    shown = capsys.readouterr().out
    assert (
        "pipeline judge (lexical)\n  question  ...'6 * 3?'\n  reference '18'; judged against"
        in shown
    )
    assert "task mine is ready" in shown


def test_the_metric_alone_is_checked(folder: Path, capsys: Shown) -> None:
    assert cli.main(["check", write(folder)]) == 0
    assert (
        "pipeline (the metric alone) (judge)\n  question  ...''\n  reference '18'"
        in capsys.readouterr().out
    )


def test_the_load_hooks_refusals_are_what_it_says(folder: Path, capsys: Shown) -> None:
    voted = [
        {"name": "judge", "filter": [{"function": "bertjudge"}, {"function": "majority_vote"}]}
    ]
    assert cli.main(["check", write(folder, filter_list=voted)]) == 2
    shown = capsys.readouterr().err
    assert "bertjudge: task mine: pipeline judge: `function: majority_vote` stands after" in shown


@pytest.mark.parametrize(
    ("generation", "warning"),
    [
        (
            {"until": ["\n", "</s>", "Question:"]},
            "answers end at '\\n', and only what comes before",
        ),
        ({"until": ["</s>"], "max_gen_toks": 32}, "answers end after 32 tokens"),
    ],
)
def test_what_cuts_answers_is_warned_of(
    folder: Path, caplog: pytest.LogCaptureFixture, generation: dict[str, Any], warning: str
) -> None:
    assert cli.main(["check", write(folder, **BARE, generation_kwargs=generation)]) == 0
    assert warning in caplog.text
    assert "max_gen_toks: 2048" in caplog.text


def test_a_dataset_that_cannot_be_reached_is_no_failed_write(folder: Path, capsys: Shown) -> None:
    path = write(folder, **BARE, dataset_path="no-such/data", dataset_kwargs={})
    assert cli.main(["check", path]) == 2
    shown = capsys.readouterr().err
    assert "its data cannot be read" in shown
    assert "writing the output failed" not in shown


def test_an_error_of_the_harness_is_one_line(folder: Path, capsys: Shown) -> None:
    assert cli.main(["check", write(folder, **BARE, test_split="no_such_split")]) == 2
    shown = capsys.readouterr().err
    assert "the harness cannot load it: KeyError('no_such_split')" in shown
    assert "Traceback" not in shown


def test_a_group_is_listed_without_loading_its_tasks(folder: Path, capsys: Shown) -> None:
    assert cli.main(["check", "bertjudge"]) == 2
    shown = capsys.readouterr().err
    assert "bertjudge is a group of" in shown
    assert "_bertjudge" in shown


def test_a_file_that_the_harness_leaves_out_says_why(folder: Path, capsys: Shown) -> None:
    (folder / "gone.yaml").write_text(
        "include: LM_EVAL/no.yaml\ntask: gone\nmetric_list: [{metric: bertjudge}]\n"
    )
    for arguments in (["gone", "--include_path", str(folder)], [str(folder / "gone.yaml")]):
        assert cli.main(["check", *arguments]) == 2
        assert "which does not exist: LM_EVAL stands for" in capsys.readouterr().err
