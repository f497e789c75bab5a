"""Which versions of lm_eval this package fits."""

from __future__ import annotations

import re
from importlib import metadata

OLDEST, TOO_NEW = (0, 4, 12), (0, 6)
NEEDED = "lm_eval >= 0.4.12, < 0.6"


def found() -> str:
    """The installed version of lm_eval, as it says it."""
    return metadata.version("lm_eval")


def misfit() -> str:
    """What to tell where the installed lm_eval is too old; nothing where it is not."""
    installed = found()
    numbers = tuple(int(digits) for digits in re.findall(r"\d+", installed)[:3])
    if numbers >= OLDEST:
        return ""
    return f"{needs(installed)}: pip install --upgrade 'lm_eval>=0.4.12'"


def needs(installed: str) -> str:
    """The sentence that names the needed and the found version."""
    return f"lm-eval-bertjudge needs {NEEDED}, found {installed}"
