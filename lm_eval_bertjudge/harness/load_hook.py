"""What happens to tasks when the harness has loaded them: judging configs are examined, and verdict rows routed.

Both need the loaded task, and both must come before the first token is generated.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from lm_eval.api.task import Task

from lm_eval_bertjudge.errors import BertJudgeError, InputError
from lm_eval_bertjudge.harness import answers, metric, preflight
from lm_eval_bertjudge.harness.filter import TaskContext, part_is_ours
from lm_eval_bertjudge.harness.left_out import left_out
from lm_eval_bertjudge.harness.routing import route

logger = logging.getLogger(__name__)

_LOADERS = ("load", "load_task_or_group")  # the second one is what 0.4.9 and earlier scripts call


def install(manager: type) -> None:
    """Wraps a TaskManager's methods that load tasks; `__wrapped__` of each is the harness's own."""
    for name in _LOADERS:
        loading = getattr(manager, name, None)
        if loading is not None and not hasattr(loading, "__wrapped_by_bertjudge__"):
            setattr(manager, name, _prepared(loading))


def tell_left_out(manager: Any, folders: Iterable[Any]) -> None:
    """Says which of the user's judging tasks the harness did not read, and why."""
    for name, reason in left_out(folders, manager.task_index).items():
        logger.warning("task %s is not known to lm_eval: %s", name, reason)


def unhooked(manager: Any, name: str) -> Any:
    """A method of a TaskManager as the harness wrote it, so that a caller sees what the hook would refuse."""
    method = getattr(type(manager), name)
    if hasattr(method, "__wrapped_by_bertjudge__"):
        method = method.__wrapped__
    return functools.partial(method, manager)


def _prepared(loading: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(loading)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        loaded = loading(self, *args, **kwargs)
        try:
            prepare(list(tasks_in(loaded)), asked_configs(self, args, kwargs))
        except BertJudgeError:
            raise
        except Exception:  # another version's harness must go on working, also for other tasks
            logger.warning("lm-eval-bertjudge could not look at the loaded tasks", exc_info=True)
        return loaded

    wrapper.__wrapped_by_bertjudge__ = True  # type: ignore[attr-defined]
    return wrapper


def prepare(tasks: list[Any], configs: Mapping[str, Any]) -> None:
    """Refuses judging configs that would fail after generation, and routes the rows of all others.

    Args:
        tasks: The loaded tasks; those that judge are changed.
        configs: What the tasks' files say, by the task's name, where that is known.

    Raises:
        InputError: At least one config is refused; the message names task and pipeline, and what to type.
    """
    metric.start_run()
    refused: list[str] = []
    judging: list[Any] = []
    for task in tasks:
        findings = preflight.examine(task, configs.get(task.task_name))
        refused += [f"task {task.task_name}: {error}" for error in findings.errors]
        for warning in findings.warnings:
            logger.warning("task %s: %s", task.task_name, warning)
        if preflight.judges(task):
            judging.append(task)
    if refused:
        raise InputError(
            "nothing was generated, since judging would fail afterwards:\n  " + "\n  ".join(refused)
        )
    if judging:
        answers.watch(tasks_in, preflight.judges, preflight.judging_options)
    for task in judging:
        if not hasattr(task.process_results, "__wrapped_by_bertjudge__"):
            route(task)
            name_filters(task)


def name_filters(task: Any) -> None:
    """Tells each judging filter of a task which task and pipeline it is in."""
    for ensemble in task._filters:
        context = TaskContext(task.task_name, ensemble.name)
        ensemble.filters = [
            functools.partial(part, context=context) if part_is_ours(part) else part
            for part in ensemble.filters
        ]


def tasks_in(loaded: Any) -> Iterator[Task]:
    """The tasks in what a TaskManager gives: a flat mapping, or one that is nested by group."""
    if isinstance(loaded, Task):
        yield loaded
    elif isinstance(loaded, Mapping):
        nested = loaded["tasks"] if "tasks" in loaded and "group_map" in loaded else loaded
        for value in nested.values():
            yield from tasks_in(value)


def asked_configs(manager: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """What the files of tasks say, by name: a task in Python code may not keep it."""
    index = getattr(manager, "task_index", None) or {}
    configs = {name: entry.cfg for name, entry in index.items() if isinstance(entry.cfg, dict)}
    given = [*args, *kwargs.values()]
    for spec in given:
        listed = spec if isinstance(spec, (list, tuple)) else [spec]
        dicts = [each for each in listed if isinstance(each, dict)]
        configs |= {each["task"]: each for each in dicts if "task" in each}
    return configs
