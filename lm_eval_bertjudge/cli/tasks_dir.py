"""`bertjudge tasks-dir`."""

from __future__ import annotations

from typing import Any

from lm_eval_bertjudge.tasks_folder import tasks_dir


def add_parser(commands: Any) -> None:
    """Adds the command to `bertjudge`."""
    parser = commands.add_parser(
        "tasks-dir", help="print the folder of our task files, for lm_eval --include_path"
    )
    parser.set_defaults(run=lambda _: tasks_dir())
