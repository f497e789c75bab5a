"""Task files that the harness leaves out of its index without a word, and why.

A file whose `include` does not exist is skipped at debug level; all that is said later is "Tasks not found".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import lm_eval
import yaml

_TASK = re.compile(r"^(?:task|group):\s*([\w.-]+)", re.MULTILINE)  # task: gsm8k_mine
_OURS = "bertjudge"


def left_out(folders: Iterable[str | Path], index: Mapping[str, Any]) -> dict[str, str]:
    """Why the harness left out files that mean to judge, by the name of their task or else of the file.

    Args:
        folders: The user's folders of task files.
        index: What the harness has read, by the task's name.
    """
    known = {str(entry.yaml_path) for entry in index.values()}
    reasons = {}
    for path in (path for folder in folders for path in sorted(Path(folder).rglob("*.yaml"))):
        text = path.read_text(encoding="utf-8", errors="replace")
        if _OURS in text and str(path) not in known and (reason := why(path)):
            named = _TASK.search(text)
            reasons[named[1] if named else path.name] = reason
    return reasons


def why(path: Path) -> str:
    """Why the harness cannot read a task file; nothing where it can."""
    from lm_eval.tasks._yaml_loader import load_yaml  # lm_eval.tasks, when imported, imports this

    try:
        load_yaml(path, resolve_func=False)
    except FileNotFoundError as error:
        missing = str(error.filename)
        hint = (
            f"LM_EVAL stands for {lm_eval.__path__[0]}" if "LM_EVAL" in missing else "mend the path"
        )
        return f"{path} includes {missing}, which does not exist: {hint}"
    except (OSError, ValueError, yaml.YAMLError) as error:
        return f"{path} cannot be read: {error}"
    return ""
