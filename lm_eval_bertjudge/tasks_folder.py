"""Where our task files are. Imported at every Python start, so it imports little."""

from __future__ import annotations

import os


def tasks_dir() -> str:
    """The folder with our task files: in a checkout beside the package, in an installed wheel inside it."""
    package = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(os.path.dirname(package), "task_yamls")
    is_checkout = os.path.exists(os.path.join(os.path.dirname(package), "pyproject.toml"))
    return beside if is_checkout and os.path.isdir(beside) else os.path.join(package, "task_yamls")
