"""`NAME_judged`: a generating task of the harness as it is, with the rows `judge` and `cascade` beside its own.

Such a name is in no file. It is made when it is asked for: the harness loads NAME, and each task of it that can be
judged gets two pipelines and a name of its own. Question, reference and metric follow as for any config that names
none (`load_hook.prepare`).
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from lm_eval.api.group import AggMetricConfig, Group
from lm_eval.api.task import ConfigurableTask
from lm_eval.filters import build_filter_ensemble

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.harness.judgeable import refusal
from lm_eval_bertjudge.harness.preflight import IN_PYTHON
from lm_eval_bertjudge.harness.wildcards import has_wildcard
from lm_eval_bertjudge.known_tasks import JUDGED

logger = logging.getLogger(__name__)

_PIPELINES: dict[str, dict[str, str]] = {"judge": {}, "cascade": {"method": "cascade"}}
_SHOWN = 3  # names in a message


def install(manager: type) -> None:
    """Wraps a TaskManager's methods that look names up; another harness may not have them."""
    for name, wrap in (("match_tasks", _matching), ("_load_spec", _loading)):
        method = getattr(manager, name, None)
        if method is not None and not hasattr(method, "__judged_by_bertjudge__"):
            wrapper = functools.wraps(method)(wrap(method))
            wrapper.__judged_by_bertjudge__ = True  # type: ignore[attr-defined]
            setattr(manager, name, wrapper)


def plain_name(manager: Any, name: Any) -> str | None:
    """NAME where `NAME_judged` is asked for; None where a file has this name, or no file has the other.

    Args:
        manager: The harness's TaskManager.
        name: What the harness was asked for: a name, a path, a config.
    """
    if not isinstance(name, str) or not name.endswith(JUDGED) or name in manager.task_index:
        return None
    plain = name.removesuffix(JUDGED)
    return plain if plain in manager.task_index else None


def _matching(matching: Callable[..., list[str]]) -> Callable[..., list[str]]:
    def wrapper(self: Any, task_list: str | Iterable[str], *args: Any, **kwargs: Any) -> list[str]:
        patterns = [task_list] if isinstance(task_list, str) else list(task_list)
        names = matching(self, patterns, *args, **kwargs)
        judged = [each for each in patterns if each.endswith(JUDGED)]
        for pattern in (each for each in judged if each not in self.task_index):
            plain = matching(self, [pattern.removesuffix(JUDGED)], *args, **kwargs)
            names += _judged_names(self, plain, quietly=has_wildcard(pattern))
        return list(dict.fromkeys(names))

    return wrapper


def _judged_names(manager: Any, plain: Iterable[str], *, quietly: bool) -> list[str]:
    """The names that stand for a pattern; a wildcard means only what can be judged."""
    index = manager.task_index
    return [f"{each}{JUDGED}" for each in plain if not (quietly and refusal(index[each].cfg))]


def _loading(loading: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(self: Any, spec: Any, *args: Any, **kwargs: Any) -> Any:
        plain = plain_name(self, spec)
        if plain is None:
            return loading(self, spec, *args, **kwargs)
        if reason := refusal(self.task_index[plain].cfg):
            raise InputError(f"{spec}: {plain} cannot be judged: {reason}")
        return _with_judge(loading(self, plain, *args, **kwargs), spec)

    return wrapper


def _with_judge(loaded: Any, name: str) -> Any:
    """What the harness has loaded, with a judge wherever there can be one."""
    tasks = list(_tasks(loaded))
    refused = {task.task_name: reason for task in tasks if (reason := _refusal(task))}
    shown = "; ".join(f"{task}: {reason}" for task, reason in list(refused.items())[:_SHOWN])
    if len(refused) == len(tasks):
        raise InputError(f"{name}: none of its {len(tasks)} tasks can be judged: {shown}")
    if refused:
        logger.warning(
            "%s: %d of %d tasks run without a judge: %s", name, len(refused), len(tasks), shown
        )
    for task in tasks:
        if task.task_name not in refused:
            _add_pipelines(task)
    _rename_groups(loaded)
    return loaded


def _refusal(task: Any) -> str:
    return refusal(task.config) if type(task) is ConfigurableTask else IN_PYTHON


def _tasks(loaded: Any) -> Iterator[Any]:
    """The tasks in what a spec stands for: a task, a tag's list of tasks, a group."""
    if isinstance(loaded, Group):
        yield from loaded.get_all_tasks()
    else:
        yield from loaded if isinstance(loaded, list) else [loaded]


def _add_pipelines(task: Any) -> None:
    task._filters += [
        build_filter_ensemble(name, [["bertjudge", options]])
        for name, options in _PIPELINES.items()
    ]
    task.set_config("task", f"{task.task_name}{JUDGED}")


def _rename_groups(loaded: Any) -> None:
    """Gives groups names of their own, so that NAME and NAME_judged stand in one table."""
    if not isinstance(loaded, Group):
        return
    for child in (children := list(loaded)):
        _rename_groups(child)
    loaded.name = f"{loaded.name}{JUDGED}"
    if loaded._config is not None:
        loaded._config.group = loaded.name
    loaded._children.clear()
    for child in children:
        loaded.add(child)
    if loaded.aggregate_metric_list:
        loaded.aggregate_metric_list.append(_of_all(loaded.aggregate_metric_list[0]))


def _of_all(theirs: AggMetricConfig) -> AggMetricConfig:
    """The judge's row of a group that has a row, weighted as that one is."""
    return replace(theirs, metric="bertjudge", filter_list=list(_PIPELINES))
