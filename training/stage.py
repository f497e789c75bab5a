"""What the command lines of all stages share."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable

from lm_eval_bertjudge.errors import BertJudgeError

Main = Callable[[list[str] | None], None]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """A parser whose --help begins with a stage's docstring as it stands."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def command(main: Main) -> Callable[..., None]:
    """Has a stage's `main` end with status 2 and one line, without a traceback, on what the user can mend."""

    @functools.wraps(main)
    def run(argv: list[str] | None = None) -> None:
        try:
            main(argv)
        except BertJudgeError as error:
            sys.stderr.write(f"training: {error}\n")
            raise SystemExit(2) from error

    return run
