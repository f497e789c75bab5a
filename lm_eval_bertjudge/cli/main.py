"""`bertjudge COMMAND`: reads the command line, runs the command, prints what it returns."""

from __future__ import annotations

import argparse
import io
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from lm_eval_bertjudge import __version__
from lm_eval_bertjudge.analysis import agree
from lm_eval_bertjudge.cli import check, demo, judge, tasks_dir
from lm_eval_bertjudge.errors import BertJudgeError, InputError
from lm_eval_bertjudge.rejudge import command as rejudge
from lm_eval_bertjudge.render import visible
from lm_eval_bertjudge.report import command as report

# What one wants to do, and the commands for it.
_GROUPS: dict[str, tuple[Callable[[Any], None], ...]] = {
    "judge answers": (judge.add_parser, rejudge.add_parser),
    "before a run of lm_eval": (check.add_parser, tasks_dir.add_parser, demo.add_parser),
    "how far to trust it, and what came out": (agree.add_parsers, report.add_parser),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status: 0, or 2 for anything the user can mend."""
    args = build_parser().parse_args(argv)
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter("%(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    if isinstance(sys.stdout, io.TextIOWrapper):
        # An answer may hold what no terminal can show.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        if text := args.run(args):
            print(visible(text))
    except BertJudgeError as error:
        sys.stderr.write(visible(f"bertjudge: {error}{_flag(error)}\n"))
        return 2
    except OSError as error:  # a full disk, a folder that is read-only or not there
        where = error.filename or "writing the output failed"
        sys.stderr.write(visible(f"bertjudge: {where}: {error.strerror or error}\n"))
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("bertjudge: interrupted\n")
        return 130
    return 0


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """The line, with nothing in it that a terminal would obey."""
        return visible(super().format(record))


def _flag(error: BertJudgeError) -> str:
    """How the option is written here that the error speaks of."""
    named = isinstance(error, InputError) and error.option
    return f" (here: --{named})" if named else ""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """The error first, where it is read, and the usage after it."""
        self.exit(2, f"bertjudge: {message}\n\n{self.format_usage()}")


class _Commands:
    """Adds commands, and keeps what each is for."""

    def __init__(self, parsers: Any) -> None:
        self._parsers = parsers
        self.lines: list[str] = []

    def add_parser(self, name: str, *, help: str) -> Any:
        self.lines.append(f"  {name:<14}{help}")
        return self._parsers.add_parser(name, description=help[:1].upper() + help[1:] + ".")


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = _Parser(
        prog="bertjudge",
        usage="bertjudge [-h] [--version] COMMAND ...",
        description="Judge answers of language models by meaning.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"bertjudge {__version__}")
    parsers = parser.add_subparsers(
        prog="bertjudge", required=True, metavar="COMMAND", help=argparse.SUPPRESS
    )
    commands = _Commands(parsers)
    for title, adders in _GROUPS.items():
        commands.lines.append(f"\n{title}:")
        for add in adders:
            add(commands)
    parser.epilog = "\n".join([*commands.lines, "", "bertjudge COMMAND --help says more"]).lstrip()
    return parser
