"""The configs and mistakes that people make, beside a healthy task, in one real run of the harness each."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from lm_eval_bertjudge import cli
from lm_eval_bertjudge.harness import outcome
from tests.conftest import byte_level_tokenizer
from tests.test_harness_run import QUESTIONS
from tests.test_processes import HangingServer, results, started

BASE = {
    "dataset_path": "json",
    "test_split": "train",
    "output_type": "generate_until",
    "doc_to_text": "question",
    "doc_to_target": "{{ answer.split('#### ')[-1] }}",
    "generation_kwargs": {"until": ["</s>"], "max_gen_toks": 4},
    "metadata": {"version": 1.0},
}
JUDGE = {
    "function": "bertjudge",
    "question": "{{ question }}",
    "reference": "{{ answer.split('#### ')[-1] }}",
}
EXTRACT = {
    "name": "extract",
    "filter": [{"function": "regex", "regex_pattern": "(-?[0-9]+)"}, {"function": "take_first"}],
}
BERTJUDGE = {"metric": "bertjudge", "aggregation": "mean", "higher_is_better": True}
EXACT = {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}


def pipeline(*after: dict[str, Any], name: str = "judge", **options: Any) -> dict[str, Any]:
    return {"name": name, "filter": [JUDGE | options, *after]}


PYTHON = """
from lm_eval.api.task import ConfigurableTask

class Mine(ConfigurableTask):
    def __init__(self, config):
        ignored = ("filter_list", "metric_list", "class")
        super().__init__(config={key: config[key] for key in config if key not in ignored})

def only_text(doc, results):
    return {"acc": float(results[0].endswith("8"))}
"""
RUN: dict[str, tuple[dict[str, Any], set[str]]] = {
    "healthy": ({"filter_list": [pipeline()], "metric_list": [BERTJUDGE]}, {"bertjudge,judge"}),
    "both": (
        {"filter_list": [EXTRACT, pipeline()], "metric_list": [EXACT | {"regexes_to_ignore": [","]}, BERTJUDGE]},
        {"exact_match,extract", "bertjudge,judge"},
    ),
    "both_without_regexes": (
        {"filter_list": [EXTRACT, pipeline()], "metric_list": [EXACT, BERTJUDGE]},
        {"exact_match,extract", "bertjudge,judge"},
    ),
    "ends_with_take_first": (
        {"filter_list": [pipeline({"function": "take_first"})], "metric_list": [BERTJUDGE]},
        {"bertjudge,judge"},
    ),
    "own_process_results": (
        {"filter_list": [pipeline()], "metric_list": [BERTJUDGE], "process_results": "only_text"},
        {"bertjudge,judge"},
    ),
    "metric_forgotten": ({"filter_list": [pipeline()], "metric_list": [EXACT]}, {"bertjudge,judge"}),
    "metric_alone": ({"metric_list": [BERTJUDGE]}, {"bertjudge,none"}),
}  # fmt: skip
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "wrong_column": (
        {"filter_list": [pipeline()], "metric_list": [BERTJUDGE | {"columns": ["unjudge"]}]},
        "columns is ['unjudge']",
    ),
    "likelihoods": (
        {"filter_list": [pipeline()], "metric_list": [BERTJUDGE], "output_type": "multiple_choice",
         "doc_to_choice": ["18", "7"], "doc_to_target": 0, "generation_kwargs": None},
        "its output_type is multiple_choice",
    ),
    "in_python": ({"filter_list": [pipeline()], "metric_list": [BERTJUDGE], "class": "Mine"}, "a task in Python code"),
    "misspelt_field": ({"filter_list": [pipeline(question="questoin")]}, "no field 'questoin'"),
    "misspelt_option": ({"filter_list": [pipeline(treshold=0.5)]}, "no option treshold"),
    "threshold_60": ({"filter_list": [pipeline(threshold=60)]}, "threshold is 60"),
    "no_such_judge": ({"filter_list": [pipeline(judge="/no/such/judge")]}, "no judge at '/no/such/judge'"),
    "voted": ({"filter_list": [pipeline({"function": "majority_vote"})]}, "`function: majority_vote` stands after"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "questions.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    (tmp_path / "mine.py").write_text(PYTHON)
    for name, (changes, _) in (RUN | REFUSED).items():
        write(tmp_path, name, changes)
    return tmp_path


def write(folder: Path, name: str, changes: dict[str, Any]) -> None:
    given = {
        "task": name,
        "dataset_kwargs": {"data_files": str(folder / "questions.jsonl")},
        **BASE,
        **changes,
    }
    text = yaml.safe_dump(given)
    for key in ("class", "process_results"):
        if key in changes:
            text = text.replace(f"{key}: {changes[key]}", f"{key}: !function mine.{changes[key]}")
    (folder / f"{name}.yaml").write_text(text)


def lm_eval(folder: Path, *tasks: str) -> tuple[int, str]:
    done = started(
        folder,
        "--model",
        "dummy",
        "--tasks",
        ",".join(tasks),
        "--log_samples",
        "--output_path",
        str(folder / "out"),
    )
    stdout, stderr = done.communicate()
    return done.returncode, stdout + stderr


def test_configs_that_crashed_after_generation_give_right_rows(folder: Path) -> None:
    status, shown = lm_eval(folder, *RUN)
    assert status == 0, shown[-3000:]
    rows = results(folder / "out")["results"]
    for name, (_, expected) in RUN.items():
        assert {key for key in rows[name] if "," in key and "stderr" not in key} == expected, name
    assert len(list((folder / "out").rglob("samples_*"))) == len(RUN)


def test_mistakes_are_refused_in_one_message_before_generation(folder: Path) -> None:
    status, shown = lm_eval(folder, "healthy", *REFUSED)
    assert status == outcome.REFUSED, shown[-3000:]
    assert "Traceback" not in shown
    assert "Running generate_until requests" not in shown
    for name, (_, reason) in REFUSED.items():
        [line] = [line for line in shown.splitlines() if line.startswith(f"  task {name}")]
        assert reason in line


@pytest.fixture
def damaged(folder: Path) -> Iterator[Path]:
    """A judge that nothing but loading it can tell from a whole one."""
    pytest.importorskip("transformers", reason="needs the extra `torch`")
    judge = folder / "damaged"
    judge.mkdir()
    (judge / "judge_card.json").write_text('{"name": "damaged", "max_length": 128}')
    (judge / "tokenizer.json").write_text(byte_level_tokenizer().to_str())
    (judge / "model.safetensors").write_text("{}")
    return judge


def answers(folder: Path) -> dict[str, list[str]]:
    return {
        path.stem: [json.loads(line)["candidate"] for line in path.read_text().splitlines()]
        for path in folder.glob("*.jsonl")
    }


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
def test_a_judge_that_is_killed_leaves_every_answer_of_the_run(folder: Path, number: int) -> None:
    server = HangingServer()
    write(
        folder,
        "killed",
        {"filter_list": [pipeline(**server.options)], "metric_list": [BERTJUDGE]},
    )
    write(folder, "gsm8k", {"metric_list": [EXACT], "doc_to_target": "answer"})
    run = started(folder, "--model", "dummy", "--tasks", "healthy,killed,gsm8k")
    server.wait_for_request(run)
    run.send_signal(number)
    _, shown = run.communicate()
    server.close()
    assert run.returncode == (143 if number == signal.SIGTERM else -9), shown[-3000:]
    [kept] = [path for path in folder.glob("bertjudge_unjudged_*") if path.is_dir()]
    assert answers(kept) == {name: ["lol"] * 3 for name in ("healthy", "killed", "gsm8k")}
    if number == signal.SIGTERM:
        assert "those of the run's other tasks are saved too" in shown
        assert f"bertjudge rejudge {kept} --output" in shown
    assert (
        cli.main(
            ["rejudge", str(kept), "--output", str(folder / "rejudged"), "--method", "lexical"]
        )
        == 0
    )
    assert (
        cli.main(["report", str(folder / "rejudged"), "--output", str(folder / "report.md")]) == 0
    )
    report = (folder / "report.md").read_text()
    assert all(name in report for name in ("healthy", "killed", "gsm8k"))


def test_a_task_of_others_that_crashes_after_generation_takes_no_answers_along(
    folder: Path,
) -> None:
    broken = EXACT | {"regexes_to_ignore": ["("]}
    write(folder, "theirs", {"metric_list": [broken]})
    status, shown = lm_eval(folder, "healthy", "theirs")
    assert status == 1
    assert "the run ended after its answers were generated" in shown
    [kept] = folder.glob("bertjudge_unjudged_*")
    assert answers(kept) == {"healthy": ["lol"] * 3, "theirs": ["lol"] * 3}


def strict(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


def test_a_judging_that_fails_ends_with_its_own_status_and_everything_saved_as_strict_json(
    folder: Path, damaged: Path
) -> None:
    write(folder, "fails", {"filter_list": [pipeline(judge=str(damaged)), EXTRACT], "metric_list": [EXACT],
                            "doc_to_target": "{{ ['18', '7'] }}"})  # fmt: skip
    status, shown = lm_eval(folder, "fails", "healthy")
    assert status == outcome.FAILED, shown[-3000:]
    assert "judging failed for task fails, pipeline judge. All else is saved" in shown
    assert "NaN" in shown
    saved = strict(next((folder / "out").rglob("results_*.json")).read_text())["results"]
    assert saved["fails"]["bertjudge,judge"] is None
    assert saved["fails"]["exact_match,extract"] == 0.0
    assert 0 <= saved["healthy"]["bertjudge,judge"] <= 1
    lines = next((folder / "out").rglob("samples_fails_*")).read_text().splitlines()
    assert {strict(line).get("bertjudge", "none") for line in lines} == {None, "none"}
    [spilled] = folder.glob("bertjudge_unjudged_*")
    assert len(spilled.read_text().splitlines()) == len(QUESTIONS)
    rejudged = folder / "rejudged"
    assert (
        cli.main(["rejudge", str(spilled), "--output", str(rejudged), "--method", "lexical"]) == 0
    )
    assert cli.main(["report", str(rejudged), "--output", str(folder / "report.md")]) == 0
    assert "fails" in (folder / "report.md").read_text()
