"""Which versions of lm_eval this package fits."""

from __future__ import annotations

import re
from importlib import metadata

OLDEST = (0, 4, 12)
NEEDED = "lm_eval >= 0.4.12, < 0.6"


def installed() -> str:
    """The installed version of lm_eval, as it says it."""
    return metadata.version("lm_eval")


def misfit() -> str:
    """What to tell where the installed lm_eval is too old; nothing where it is not."""
    numbers = re.findall(r"\d+", installed())[:3]
    if tuple(map(int, numbers)) >= OLDEST:
        return ""
    return f"{needs()}: pip install --upgrade 'lm_eval>=0.4.12'"


def needs() -> str:
    """The sentence that names the needed and the installed version."""
    return f"lm-eval-bertjudge needs {NEEDED}, found {installed()}"
