"""Makes `lm_eval` see our tasks, filter and metric without a flag. Runs at every Python start, so it does little.

The wheel puts `lm_eval_bertjudge.pth` beside the package; Python runs its one line at start-up. That adds a finder
which waits for `lm_eval.tasks` to be imported and then (1) registers the filter and metric `bertjudge`, and (2) has
`TaskManager` also index our task folder, before the folders a user names, so a user's `--include_path` still wins.
`LM_EVAL_BERTJUDGE_AUTOLOAD=0` switches it off; then `--include_path "$(bertjudge tasks-dir)"` does the same.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing itself would cost more than the rest of this module
if TYPE_CHECKING:
    from typing import Any

_WAITS_FOR = "lm_eval.tasks"


def tasks_dir() -> str:
    """The folder with our task files: in a checkout beside the package, in an installed wheel inside it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    beside = os.path.join(os.path.dirname(package), "task_yamls")
    is_checkout = os.path.exists(os.path.join(os.path.dirname(package), "pyproject.toml"))
    return beside if is_checkout and os.path.isdir(beside) else os.path.join(package, "task_yamls")


class _Finder:
    """A meta-path finder that acts once, on the import of `lm_eval.tasks`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Python's import protocol: None lets the next finder answer."""
        if name != _WAITS_FOR:
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        import importlib.util

        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module

            def run_and_extend(module: Any) -> None:
                run(module)
                _extend(module)

            spec.loader.exec_module = run_and_extend  # type: ignore[method-assign]
        return spec


def _extend(tasks_module: Any) -> None:
    """Registers our names and folder; a failure here must not break an evaluation that does not use us."""
    try:
        import lm_eval_bertjudge.harness.registration  # noqa: F401

        manager = tasks_module.TaskManager
        original = manager.__init__

        def init(
            self: Any,
            verbosity: Any = None,
            include_path: Any = None,
            include_defaults: bool = True,
            metadata: Any = None,
        ) -> None:
            given = [] if include_path is None else include_path
            given = list(given) if isinstance(given, (list, tuple)) else [given]
            ours = [tasks_dir()] if include_defaults and tasks_dir() not in map(str, given) else []
            original(self, verbosity, (ours + given) or None, include_defaults, metadata)

        manager.__init__ = init
    except Exception as error:
        import warnings

        message = f"lm-eval-bertjudge could not add its tasks ({error!r}); LM_EVAL_BERTJUDGE_AUTOLOAD=0 silences this"
        warnings.warn(message, RuntimeWarning, stacklevel=2)


if os.environ.get("LM_EVAL_BERTJUDGE_AUTOLOAD", "1") != "0" and _WAITS_FOR not in sys.modules:
    sys.meta_path.insert(0, _Finder())
