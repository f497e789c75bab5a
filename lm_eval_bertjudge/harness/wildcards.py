"""Keeps our task names out of other people's wildcards: a nightly `hendrycks_math*` must not grow by installing this.

A pattern that says `bertjudge` matches them, a name without a wildcard does, and `lm_eval ls` lists them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.tasks_folder import tasks_dir

_OURS = "bertjudge"
_MAGIC = frozenset("*?[")


def install(manager: type) -> None:
    """Wraps a TaskManager's method that matches patterns with names; another harness may not have it."""
    matching = getattr(manager, "match_tasks", None)
    if matching is not None and not hasattr(matching, "__wrapped_by_bertjudge__"):
        manager.match_tasks = _without_ours(matching)  # type: ignore[attr-defined]


def _without_ours(matching: Callable[..., list[str]]) -> Callable[..., list[str]]:
    @functools.wraps(matching)
    def wrapper(self: Any, task_list: str | Iterable[str], *args: Any, **kwargs: Any) -> list[str]:
        patterns = [task_list] if isinstance(task_list, str) else list(task_list)
        names = matching(self, patterns, *args, **kwargs)
        meant = [pattern for pattern in patterns if _means_ours(pattern)]
        kept = set(matching(self, meant, *args, **kwargs))
        return [name for name in names if name in kept or not _is_ours(self, name)]

    wrapper.__wrapped_by_bertjudge__ = True  # type: ignore[attr-defined]
    return wrapper


def _means_ours(pattern: str) -> bool:
    return _OURS in pattern or not has_wildcard(pattern)


def has_wildcard(pattern: str) -> bool:
    """Whether a pattern may match several names."""
    return bool(_MAGIC & set(pattern))


def _is_ours(manager: Any, name: str) -> bool:
    entry = manager.task_index.get(name)
    if entry is None:
        return False
    if entry.yaml_path is not None:
        return Path(tasks_dir()) in Path(entry.yaml_path).parents
    return bool(entry.tags) and all(_is_ours(manager, task) for task in entry.tags)
