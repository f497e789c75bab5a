"""`NAME_judged`: the harness's task as it is, and the judge's rows beside its own."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import lm_eval
import pytest
import yaml
from lm_eval.tasks import TaskManager

from lm_eval_bertjudge import cli, known_tasks
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.harness import ReplayModel
from lm_eval_bertjudge.harness.judgeable import refusal
from tests.test_harness_run import QUESTIONS, config
from tests.test_load_hook import EXACT, EXTRACT

JUDGE = {"bertjudge,judge", "bertjudge,cascade"}
PYTHON = """
def only_text(doc, results):
    return {"acc": float(results[0].endswith("8"))}

def question(doc):
    return doc["question"]
"""
ACC = {"metric": "acc", "aggregation": "mean", "higher_is_better": True}
PLAIN = {"filter_list": [EXTRACT], "metric_list": [EXACT]}
LIKELIHOODS = {
    "output_type": "multiple_choice", "doc_to_choice": ["18", "7"], "doc_to_target": 0,
    "metric_list": [ACC], "generation_kwargs": None,
}  # fmt: skip
TASKS: dict[str, dict[str, Any]] = {
    "sums": PLAIN | {"tag": "maths"},
    "sums_scored": {"metric_list": [ACC], "process_results": "!function mine.only_text"},
    "sums_by_function": PLAIN | {"doc_to_text": "!function mine.question", "tag": "maths"},
    "sums_repeated": PLAIN | {"repeats": 2},
    "likely": LIKELIHOODS,
}
GROUP = {
    "group": "all_sums",
    "task": ["sums", "sums_scored", "likely"],
    "aggregate_metric_list": [{"metric": "exact_match", "filter_list": ["extract"]}],
}


def write(folder: Path, name: str, settings: dict[str, Any]) -> None:
    text = yaml.safe_dump(settings)
    text = re.sub(r"'(!function [\w.]+)'", r"\1", text)  # '!function mine.question' is no tag
    (folder / f"{name}.yaml").write_text(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "questions.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    (tmp_path / "mine.py").write_text(PYTHON)
    for name, changes in TASKS.items():
        write(tmp_path, name, config(data) | {"task": name} | changes)
    write(tmp_path, "all_sums", GROUP)
    return tmp_path


@pytest.fixture
def manager(folder: Path) -> TaskManager:
    return TaskManager(include_path=str(folder), include_defaults=False)


class Model(ReplayModel):
    """Answers, and has likelihoods too."""

    tokenizer_name = "none"

    def __init__(self) -> None:
        super().__init__({row["question"]: row["said"] for row in QUESTIONS})

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        return [self._answer(request.args[0]) for request in requests]

    def _answer(self, prompt: str) -> str:
        return next(said for asked, said in self._answers.items() if asked in prompt)

    def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> list[Any]:
        return [(-1.0, False) for _ in requests]

    def apply_chat_template(self, messages: list[Any], add_generation_prompt: bool = True) -> str:
        return "".join(f"<{each['role']}>{each['content']}" for each in messages)

    def chat_template(self, name: Any = False) -> str:
        return ""


def run(manager: TaskManager, *names: str, **options: Any) -> dict[str, Any]:
    return lm_eval.simple_evaluate(
        model=Model(), tasks=list(names), task_manager=manager, bootstrap_iters=0, **options
    )


def rows(found: dict[str, Any], task: str) -> dict[str, float]:
    kept = {name: value for name, value in found["results"][task].items() if "," in name}
    return {name: value for name, value in kept.items() if "_stderr" not in name}


@pytest.mark.parametrize("name", ["sums", "sums_scored", "sums_by_function", "sums_repeated"])
def test_a_tasks_own_rows_and_prompts_stay_and_two_rows_come(
    manager: TaskManager, name: str
) -> None:
    found = run(manager, name, f"{name}_judged")
    own, judged = rows(found, name), rows(found, f"{name}_judged")
    assert judged.keys() - own.keys() == JUDGE
    assert {key: judged[key] for key in own} == own
    assert 0 < judged["bertjudge,cascade"] < 1
    prompts = [
        {s["prompt_hash"] for s in found["samples"][task]} for task in (name, f"{name}_judged")
    ]
    assert prompts[0] == prompts[1]


def test_question_and_reference_are_the_tasks_own(manager: TaskManager) -> None:
    task = manager.load(["sums_by_function_judged"])["tasks"]["sums_by_function_judged"]
    options = task._filters[-1].filters[0].keywords
    assert [options["question"](doc) for doc in task.eval_docs] == [
        q["question"] for q in QUESTIONS
    ]
    assert [options["reference"](doc) for doc in task.eval_docs] == ["18", "7", "4"]


def test_a_chat_template_changes_the_prompt_and_not_the_question(manager: TaskManager) -> None:
    found = run(manager, "sums_judged", apply_chat_template=True)
    assert found["samples"]["sums_judged"][0]["arguments"][0][0].startswith("<user>")
    assert rows(found, "sums_judged") == rows(run(manager, "sums_judged"), "sums_judged")


def test_a_groups_members_are_judged_and_its_rows_stay(
    manager: TaskManager, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        found = run(manager, "all_sums_judged")
    assert (
        "all_sums_judged: 1 of 3 tasks run without a judge: likely: its output_type" in caplog.text
    )
    assert found["group_subtasks"] == {
        "all_sums_judged": ["sums_judged", "sums_scored_judged", "likely"]
    }
    plain = run(TaskManager(include_path=manager.include_path, include_defaults=False), "all_sums")
    group = {k: v for k, v in found["groups"]["all_sums_judged"].items() if "," in k}
    own = {k: v for k, v in plain["groups"]["all_sums"].items() if "," in k}
    assert {key: group[key] for key in own} == own
    assert {key for key in group if "_stderr" not in key} - own.keys() == JUDGE
    members = [
        rows(found, f"{name}_judged")["bertjudge,cascade"] for name in ("sums", "sums_scored")
    ]
    assert group["bertjudge,cascade"] == pytest.approx(sum(members) / 2)


@pytest.mark.filterwarnings("ignore:Use TaskManager.load")
def test_a_tag_and_the_older_loader_give_judged_tasks_too(manager: TaskManager) -> None:
    names = {"sums_judged", "sums_by_function_judged"}
    assert set(manager.load(["maths_judged"])["tasks"]) == names
    assert set(manager.load_task_or_group(["maths_judged"])) == names


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("sums_judged", {"sums_judged"}),
        ("all_sums_judged", {"all_sums_judged"}),
        ("sums_s*_judged", {"sums_scored_judged"}),
        ("likel*_judged", set()),
        ("sums*", {"sums", "sums_scored", "sums_by_function", "sums_repeated"}),
        ("no_such_judged", set()),
        ("likely_judged", {"likely_judged"}),
    ],
)
def test_names_match_only_where_they_say_judged(
    manager: TaskManager, pattern: str, names: set[str]
) -> None:
    assert set(manager.match_tasks([pattern])) == names
    assert not any(name.endswith("_judged") for name in manager.all_tasks)


def test_a_file_that_has_the_name_itself_wins(folder: Path) -> None:
    write(folder, "other", config(folder / "questions.jsonl") | {"task": "sums_judged"} | PLAIN)
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    assert manager.match_tasks(["sums_judged"]) == ["sums_judged"]
    assert len(manager.load(["sums_judged"])["tasks"]["sums_judged"]._filters) == 1


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "likelihoods": (LIKELIHOODS, "its output_type is multiple_choice"),
    "code": ({"metric_list": [{"metric": "code_eval"}]}, "its answers are programs"),
    "code in a file": ({"unsafe_code": True}, "its answers are programs"),
    "a function's name": ({"metric_list": [{"metric": "utils.pass_at_k"}]}, "are programs"),
    "instructions": (
        {"metric_list": [{"metric": "prompt_level_strict_acc"}, {"metric": "inst_level_loose_acc"}]},
        "check how an answer is written",
    ),
    "translation": ({"metric_list": [{"metric": "bleu"}, {"metric": "chrf"}]}, "near a translation"),
    "summary": ({"metric_list": [{"metric": "rougeL"}, {"metric": "bertscore_f1"}]}, "a summary"),
    "ratings": ({"metric_list": [{"metric": "pearsonr"}]}, "its answers are ratings"),
    "one number for all": ({"doc_to_target": 0}, "its doc_to_target is 0 for every document"),
    "nothing": ({"doc_to_target": ""}, "its doc_to_target is '' for every document"),
    "Python": ({"class": "Mine"}, "it is a task in Python code"),
    "judged": ({"metric_list": [{"metric": "bertjudge"}]}, "it judges already"),
}  # fmt: skip
JUDGEABLE: dict[str, list[str]] = {
    "exact": ["exact_match"],
    "truthfulqa_gen": ["bleu_max", "bleu_acc", "bleu_diff", "rouge1_acc", "rougeL_diff"],
    "overlap beside a match": ["exact_match", "rouge1"],
    "own names": ["em", "f1"],
}


@pytest.mark.parametrize(("changes", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_config_that_has_nothing_to_judge_is_refused(
    changes: dict[str, Any], reason: str
) -> None:
    told = refusal({"doc_to_target": "answer"} | changes)
    assert reason in told
    assert "\n" not in told


@pytest.mark.parametrize("names", JUDGEABLE.values(), ids=JUDGEABLE)
def test_other_metrics_are_not_refused(names: list[str]) -> None:
    listed = [{"metric": name} for name in names]
    assert refusal({"doc_to_target": "answer", "metric_list": listed}) == ""


def test_a_refusal_needs_no_data_and_names_the_task(folder: Path, manager: TaskManager) -> None:
    (folder / "questions.jsonl").unlink()
    with pytest.raises(InputError, match="likely_judged: likely cannot be judged: its output_type"):
        manager.load(["likely_judged"])


def test_a_group_in_which_nothing_can_be_judged_is_refused(folder: Path) -> None:
    write(folder, "guesses", {"group": "guesses", "task": ["likely"]})
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    with pytest.raises(InputError, match="guesses_judged: none of its 1 tasks can be judged"):
        manager.load(["guesses_judged"])


def test_check_shows_items_of_a_judged_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = TaskManager.__init__

    def without_defaults(self: TaskManager, include_path: Any = None) -> None:
        made(self, include_path=include_path, include_defaults=False)

    monkeypatch.setattr(TaskManager, "__init__", without_defaults)
    assert cli.main(["check", "sums_judged", "--include_path", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert shown.count("  question  ") == 6
    assert "task sums_judged is ready" in shown
    assert cli.main(["check", "all_sums_judged", "--include_path", str(folder)]) == 2
    assert "such as sums_judged, sums_scored_judged, likely_judged" in capsys.readouterr().err


def test_a_judged_name_has_the_templates_of_the_plain_one() -> None:
    assert known_tasks.templates("gsm8k_cot_judged") == known_tasks.templates("gsm8k_cot")
    assert known_tasks.templates("drop_judged") is known_tasks.KNOWN["drop"]
