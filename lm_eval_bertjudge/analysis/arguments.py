"""Arguments that the commands on verdict files share."""

from __future__ import annotations

import argparse
from pathlib import Path

LABELS_HELP = "file with columns id and label (1, 0 or empty), or a field of the verdict rows"


def whole_number(text: str) -> int:
    """A number from 0 on, for argparse.

    Raises:
        ArgumentTypeError: It is none.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number from 0 on was expected")
    return int(text)


def add_verdicts(parser: argparse.ArgumentParser) -> None:
    """Adds the verdict files, --method and --seed."""
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="VERDICTS", help="verdicts_*.jsonl, or their folders"
    )
    parser.add_argument(
        "--method", help="which verdict of the rows: judge, cascade, lexical (default: judge)"
    )
    parser.add_argument("--seed", type=whole_number, default=0, help="of everything random")
