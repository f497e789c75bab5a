"""`bertjudge check`: a task's judging config, read as the harness would, before any generation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.errors import BertJudgeError, InputError
from lm_eval_bertjudge.harness import judged, preflight, task_fields
from lm_eval_bertjudge.harness.filter import POOL
from lm_eval_bertjudge.harness.left_out import left_out, why
from lm_eval_bertjudge.harness.load_hook import unhooked
from lm_eval_bertjudge.scorer import Scorer
from lm_eval_bertjudge.tasks_folder import tasks_dir

METRIC_ALONE = "(the metric alone)"

_ADD = """it has neither the filter nor the metric `bertjudge`. Add to its file:
  filter_list:
    - name: judge
      filter:
        - function: bertjudge"""
_SHOWN = 5  # names in a message


@dataclass(frozen=True)
class TaskCheck:
    """What `bertjudge check` looks at.

    Attributes:
        name: The task's name.
        docs: Its first documents.
        pipelines: Its judging pipelines; those that cannot be read are left out.
        problems: What would fail, with what to type.
        warnings: What may be meant, and may not.
    """

    name: str
    docs: list[dict[str, Any]]
    pipelines: dict[str, Scorer]
    problems: list[str]
    warnings: list[str] = field(default_factory=list)


def check_task(name: str, *, include_path: str | None = None, n_docs: int = 3) -> TaskCheck:
    """Loads a task as the harness would, and asks what the load hook asks before any generation.

    Args:
        name: A task's name, or the path of its YAML file.
        include_path: A folder with task files of the user's own.
        n_docs: How many documents to give.

    Raises:
        InputError: The harness knows no single task of this name, or cannot load it.
    """
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=[path for path in (tasks_dir(), include_path) if path])
    if not _is_file(name):
        _refuse_group(manager, name)
        _refuse_unknown(manager, name, include_path)
    task = _loaded(manager, name)
    entry = manager.task_index.get(task.task_name)
    findings = preflight.examine(task, getattr(entry, "cfg", None))
    if not preflight.judges(task) and not findings.errors:
        findings.errors.append(_ADD)
    docs = preflight.some_docs(task, n_docs, spread=False)
    pipelines = dict(_pipelines(task))
    return TaskCheck(task.task_name, docs, pipelines, findings.errors, findings.warnings)


def _is_file(name: str) -> bool:
    return name.endswith((".yaml", ".yml")) and Path(name).is_file()


def _refuse_group(manager: Any, name: str) -> None:
    """A group is listed, not loaded: that would need the data of all its tasks."""
    plain = judged.plain_name(manager, name) or name
    if plain not in manager.all_groups and plain not in manager.all_tags:
        return
    suffix = name.removeprefix(plain)
    members = [f"{each}{suffix}" for each in dict.fromkeys(_members(manager, plain))]
    shown = ", ".join(members[:_SHOWN])
    raise InputError(
        f"{name} is a group of {len(members)} tasks; check one of them, such as {shown}"
    )


def _members(manager: Any, name: str) -> Iterator[str]:
    for member in _names_in(manager.task_index[name]):
        if member != name and _is_group(manager, member):
            yield from _members(manager, member)
        elif isinstance(member, str):
            yield member


def _names_in(entry: Any) -> Iterator[Any]:
    """The names that a group or tag lists; None for a config without a name."""
    listed = (entry.cfg or {}).get("task") if not entry.tags or entry.yaml_path else None
    for member in listed or sorted(entry.tags):
        is_name = isinstance(member, str)
        yield member if is_name else member.get("task") or member.get("group")


def _is_group(manager: Any, name: Any) -> bool:
    if name not in manager.task_index:
        return False
    return name in manager.all_groups or name in manager.all_tags


def _refuse_unknown(manager: Any, name: str, include_path: str | None) -> None:
    if name in manager.all_subtasks or judged.plain_name(manager, name):
        return
    reasons = left_out([include_path], manager.task_index) if include_path else {}
    if name in reasons:
        raise InputError(f"lm_eval does not know the task {name!r}: {reasons[name]}")
    near = [task for task in manager.all_subtasks if name.lower() in task.lower()][:_SHOWN]
    meant = f"did you mean {', '.join(near)}? " if near else ""
    raise InputError(
        f"lm_eval knows no task {name!r}: {meant}`lm_eval ls tasks` shows all; for one of your own give "
        "its YAML file, or --include_path FOLDER"
    )


def _loaded(manager: Any, name: str) -> Any:
    if _is_file(name) and (reason := why(Path(name))):
        raise InputError(reason)
    try:
        tasks = unhooked(manager, "load")([name])["tasks"]
    except BertJudgeError:
        raise
    except OSError as error:  # ConnectionError and FileNotFoundError, as `datasets` raises them
        raise InputError(
            f"task {name}: its data cannot be read: {error}. It needs the network, or the data on this machine"
        ) from error
    except Exception as error:  # a task file can run any code of the harness, and fail as variously
        raise InputError(f"task {name}: the harness cannot load it: {error!r}") from error
    return next(iter(tasks.values()))


def _pipelines(task: Any) -> Iterator[tuple[str, Scorer]]:
    """The judging pipelines that can be read, by name."""
    for name, options in _options(task).items():
        try:
            yield name, Scorer.read(options, POOL)
        except BertJudgeError:  # it is among the findings
            continue


def _options(task: Any) -> Mapping[str, Mapping[str, Any]]:
    pipelines = preflight.judging_options(task)
    metric = preflight.metric_options(task.config)
    if pipelines or metric is None:
        return pipelines
    options = {name: value for name, value in metric.items() if name != "columns"}
    gold = {"reference": task_fields.references_of(task)}
    return {METRIC_ALONE: preflight.alone(options) | gold}
