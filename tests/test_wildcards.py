"""Other people's wildcards match what they matched before this package was installed."""

from __future__ import annotations

from pathlib import Path

import pytest
from lm_eval.tasks import TaskManager

from lm_eval_bertjudge.tasks_folder import tasks_dir


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> TaskManager:
    theirs = tmp_path_factory.mktemp("theirs")
    for name in ("hendrycks_math_algebra", "gsm8k", "mine_bertjudge"):
        (theirs / f"{name}.yaml").write_text(f"task: {name}\ndataset_path: json\ntag: maths\n")
    return TaskManager(include_path=[tasks_dir(), str(theirs)], include_defaults=False)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("hendrycks_math*", {"hendrycks_math_algebra"}),
        ("gsm8k*", {"gsm8k"}),
        ("gsm8k_bertjudge", {"gsm8k_bertjudge"}),
        ("gsm8k_bertjudge*", {"gsm8k_bertjudge", "gsm8k_bertjudge_free", "gsm8k_bertjudge_strict"}),
        ("*_mat?_*", {"hendrycks_math_algebra"}),
        ("*", {"hendrycks_math_algebra", "gsm8k", "mine_bertjudge", "maths"}),
        ("bertjudge_open_math", {"bertjudge_open_math"}),
    ],
)
def test_a_pattern_that_does_not_say_bertjudge_matches_none_of_our_names(
    manager: TaskManager, pattern: str, names: set[str]
) -> None:
    assert set(manager.match_tasks([pattern])) == names


def test_patterns_that_say_bertjudge_match_ours_beside_others(manager: TaskManager) -> None:
    assert len(manager.match_tasks(["*bertjudge*"])) > 250
    both = manager.match_tasks(["hendrycks_math*", "gsm8k_bertjudge_*"])
    assert both == ["gsm8k_bertjudge_free", "gsm8k_bertjudge_strict", "hendrycks_math_algebra"]
    assert manager.match_tasks("gsm8k*") == ["gsm8k"]


def test_all_our_names_are_still_listed(manager: TaskManager) -> None:
    shown = manager.list_all_tasks()
    assert all(path.stem in shown for path in Path(tasks_dir()).glob("*_bertjudge.yaml"))
