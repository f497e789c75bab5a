"""The only package that touches lm_eval. Its names are imported when they are asked for.

`autoload` runs at every Python start and may import nothing else; task files name `lm_eval_bertjudge.harness.NAME`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself would cost more than the rest of this module
if TYPE_CHECKING:
    from typing import Any

    from lm_eval_bertjudge.harness.check import TaskCheck, check_task
    from lm_eval_bertjudge.harness.filter import BertJudgeFilter, VerdictRow
    from lm_eval_bertjudge.harness.metric import bertjudge
    from lm_eval_bertjudge.harness.replay import ReplayModel, evaluate

_HOMES = {
    "BertJudgeFilter": "filter", "VerdictRow": "filter", "bertjudge": "metric", "TaskCheck": "check",
    "check_task": "check", "ReplayModel": "replay", "evaluate": "replay",
}  # fmt: skip

__all__ = [
    "BertJudgeFilter",
    "ReplayModel",
    "TaskCheck",
    "VerdictRow",
    "bertjudge",
    "check_task",
    "evaluate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from lm_eval_bertjudge.errors import InputError
    from lm_eval_bertjudge.harness.version import misfit

    if message := misfit():
        raise InputError(message)
    importlib.import_module(f"{__name__}.registration")  # whoever uses the harness needs the names
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
