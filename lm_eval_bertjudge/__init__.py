"""BERT-as-a-Judge for lm-evaluation-harness. Importing this package imports nothing heavy; names load on first use."""

from __future__ import annotations

TYPE_CHECKING = False  # this module is imported at every Python start; typing would cost more than all of it
if TYPE_CHECKING:
    from typing import Any

    from lm_eval_bertjudge.judge import Judge, load_judge
    from lm_eval_bertjudge.records import JudgeItem, Verdict

__version__ = "0.1.0"
__all__ = ["Judge", "JudgeItem", "Verdict", "load_judge"]

_HOMES = {"Judge": "judge", "load_judge": "judge", "JudgeItem": "records", "Verdict": "records"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
