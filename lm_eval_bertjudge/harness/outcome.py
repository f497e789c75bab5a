"""What a run says after a failed judging: strict JSON in its files, and an exit status that is not 0.

The run itself goes on, since it holds the answers of other tasks; nothing of this touches a run whose judging works.
"""

from __future__ import annotations

import functools
import importlib
import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

from lm_eval_bertjudge.errors import BertJudgeError

REFUSED, FAILED = (
    2,
    3,
)  # exit statuses of `lm_eval`: a config was refused; everything is saved but some verdicts

_SAVERS = ("save_results_aggregated", "save_results_samples")
_failures: dict[str, None] = {}


def note_failure(where: str) -> None:
    """Remembers that judging failed, for the end of the process, and has NaN saved as null from here on.

    Args:
        where: What was not judged, for the last line of the run.
    """
    _failures[where] = None
    tracker = importlib.import_module("lm_eval.loggers.evaluation_tracker").EvaluationTracker
    for name in _SAVERS:
        saver = getattr(tracker, name, None)
        if saver is not None and not hasattr(saver, "__wrapped_by_bertjudge__"):
            setattr(tracker, name, _strict(saver))


def failures() -> list[str]:
    """What was not judged in this process."""
    return list(_failures)


def _strict(saver: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(saver)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = {name: without_nan(value) for name, value in kwargs.items()}
        return saver(self, *map(without_nan, args), **given)

    wrapper.__wrapped_by_bertjudge__ = True  # type: ignore[attr-defined]
    return wrapper


def without_nan(value: Any) -> Any:
    """Results or samples of the harness with None for our scores that are not a number; JSON has no NaN."""
    if isinstance(value, list):
        return [without_nan(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "results" not in value:
        return _row(value)
    tables = {name: value[name] for name in ("results", "groups") if name in value}
    return value | {
        name: {task: _row(row) for task, row in each.items()} for name, each in tables.items()
    }


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: None if _is_ours(key) and _is_nan(value) else value for key, value in row.items()}


def _is_ours(key: str) -> bool:
    return key.startswith("bertjudge")


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def install(cli: type) -> None:
    """Has the harness's command line print our refusals as one message, and end with a status that tells.

    Args:
        cli: `lm_eval._cli.harness.HarnessCLI`, or what takes its place.
    """
    execute = getattr(cli, "execute", None)
    if execute is not None and not hasattr(execute, "__wrapped_by_bertjudge__"):
        cli.execute = _telling(execute)  # type: ignore[attr-defined]


def _telling(execute: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(execute)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            done = execute(self, *args, **kwargs)
        except BertJudgeError as error:
            sys.stderr.write(f"lm_eval: {error}\n")
            raise SystemExit(REFUSED) from None
        if _failures:
            sys.stderr.write(
                f"lm_eval: judging failed for {', '.join(_failures)}. All else is saved\n"
            )
            raise SystemExit(FAILED)
        return done

    wrapper.__wrapped_by_bertjudge__ = True  # type: ignore[attr-defined]
    return wrapper
