"""`bertjudge check`: a task's judging config, read as the harness would, before any generation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.harness.filter import BertJudgeFilter
from lm_eval_bertjudge.harness.load_hook import unhooked
from lm_eval_bertjudge.scorer import Pipeline
from lm_eval_bertjudge.tasks_folder import tasks_dir


@dataclass(frozen=True)
class TaskCheck:
    """What `bertjudge check` looks at: a task's documents, its judging pipelines, and what is wrong with its config."""

    docs: list[dict[str, Any]]
    pipelines: dict[str, Pipeline]
    problems: list[str]


def check_task(name: str, *, include_path: str | None = None, n_docs: int = 3) -> TaskCheck:
    """Loads a task as the harness would, and reads its judging pipelines before any generation.

    Raises:
        InputError: The harness knows no single task of this name, or a pipeline has a wrong option.
    """
    from lm_eval.tasks import TaskManager

    known = TaskManager(include_path=[p for p in (tasks_dir(), include_path) if p])
    if name in known.all_groups or name in known.all_tags:
        members = ", ".join(list(known.load([name])["tasks"])[:5])
        raise InputError(f"{name} is a group; check one of its tasks, such as {members}")
    if name not in known.all_subtasks:
        near = [task for task in known.all_subtasks if name.lower() in task.lower()][:5]
        meant = f"did you mean {', '.join(near)}? " if near else ""
        raise InputError(
            f"lm_eval knows no task {name!r}: {meant}`lm_eval ls tasks` shows all; for one of your own give "
            "--include_path FOLDER"
        )
    task = unhooked(known, "load")([name])["tasks"][name]
    pipelines = {
        ensemble.name: Pipeline.read(part.keywords)
        for ensemble in task._filters
        for part in ensemble.filters
        if part.func is BertJudgeFilter
    }
    problems = []
    metrics = [entry["metric"] for entry in task.config.metric_list or []]
    if task.config.process_results is not None:
        problems.append(
            "it has its own process_results, so the harness ignores metric_list: use `bertjudge rejudge`"
        )
    elif "bertjudge" not in metrics:
        problems.append(f"its metric_list is {metrics}: add `- metric: bertjudge`")
    if not pipelines:
        problems.append(
            "no pipeline of its filter_list has `function: bertjudge`, so the question is not seen"
        )
    docs = [dict(doc) for doc, _ in zip(task.eval_docs, range(n_docs))]  # noqa: B905 (the shorter ends it)
    return TaskCheck(docs, pipelines, problems)
