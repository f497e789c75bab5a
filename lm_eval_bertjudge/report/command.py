"""`bertjudge report`: one page for models x tasks, from verdict files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.analysis.arguments import LABELS_HELP, whole_number
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.output import open_output
from lm_eval_bertjudge.report import html, markdown
from lm_eval_bertjudge.report.build import MAX_ITEMS, build

_WRITERS = {".html": html.page, ".md": markdown.page}


def add_parser(commands: Any) -> None:
    """Adds the command to `bertjudge`."""
    parser = commands.add_parser(
        "report", help="one page about a set of models and tasks, from verdict files"
    )
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="folders of verdicts_*.jsonl, or such files",
    )
    parser.add_argument("--output", type=Path, required=True, help="report.html or report.md")
    parser.add_argument("--labels", help=LABELS_HELP)
    parser.add_argument(
        "--max_items", type=whole_number, default=MAX_ITEMS, help="disagreements to show"
    )
    parser.add_argument(
        "--seed",
        type=whole_number,
        default=0,
        help="of the choice among more disagreements than that",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> str:
    """Writes the page; what to print.

    Raises:
        InputError: No verdicts, labels that do not fit, or an output that is neither .html nor .md.
        MissingExtraError: An html page needs matplotlib.
    """
    write = _WRITERS.get(args.output.suffix)
    if write is None:
        raise InputError(f"--output {args.output}: a name ending in .html or .md was expected")
    rows = verdict_files.read(args.paths)
    labels = verdict_files.labels(args.labels, rows, subset=True) if args.labels else {}
    report = build(rows, labels, max_items=args.max_items, seed=args.seed)
    text = write(report)
    with open_output(args.output) as out:
        out.write(text)
    return f"{args.output}: {report.heading}"
