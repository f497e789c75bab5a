"""What tests of the training stages' command lines share."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator

import pytest


@contextlib.contextmanager
def refused(match: str) -> Iterator[None]:
    """Expects a stage to end with status 2 and one message on stderr that `match` finds."""
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown), pytest.raises(SystemExit) as ended:
        yield
    assert ended.value.code == 2
    assert re.search(match, shown.getvalue()), shown.getvalue()
