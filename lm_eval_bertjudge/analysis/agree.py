"""`bertjudge agree`: a judge against labels, against other judges, and two people against each other."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.analysis import (
    agree_markdown,
    agreement,
    columns,
    correct,
    figures,
    label_sample,
)
from lm_eval_bertjudge.analysis.arguments import LABELS_HELP, add_verdicts
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io import verdict_files

logger = logging.getLogger(__name__)


def add_parsers(commands: Any) -> None:
    """Adds the commands on verdicts and labels to `bertjudge`."""
    add_parser(commands)
    correct.add_parser(commands)
    label_sample.add_parser(commands)


def add_parser(commands: Any) -> None:
    """Adds the command to `bertjudge`."""
    parser = commands.add_parser(
        "agree", help="a judge against human labels, or several judges against each other"
    )
    add_verdicts(parser)
    parser.add_argument("--labels", required=True, help=LABELS_HELP)
    parser.add_argument(
        "--second_labels",
        metavar="LABELS",
        help="labels of a second person, for all or some of the same answers",
    )
    parser.add_argument(
        "--subset", action="store_true", help="labels for a part of the verdicts are enough"
    )
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="JUDGE",
        help="repeatable: verdict file of another judge, or a method, logged metric or field",
    )
    parser.add_argument(
        "--label_accuracy", type=float, help="how often the labels are right themselves, in [0, 1]"
    )
    parser.add_argument(
        "--bertscore",
        metavar="MODEL",
        help="correlate BERTScore too: roberta-large, FOLDER:LAYER, ...",
    )
    parser.add_argument("--output", type=Path, help="write all figures to this json file too")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> str:
    """What to print.

    Raises:
        InputError: Labels or another judge do not fit the verdicts.
    """
    rows = verdict_files.read(args.paths)
    method = args.method or verdict_files.main_method(rows)
    labels = verdict_files.labels(args.labels, rows, subset=args.subset)
    if len({row.get("weight") for row in labels.values()}) > 1:
        logger.warning(
            "doubtful answers are more frequent in these labels than in the verdicts; see `bertjudge correct`"
        )
    kept, _ = columns.labelled(rows, labels)
    others = {name: figures.other_judge(rows, kept, name) for name in args.against}
    content = figures.figures(
        rows, labels, method, against=others, bertscore=args.bertscore, seed=args.seed
    )
    if args.label_accuracy is not None:
        content["accuracy_for_true_labels"] = agreement.accuracy_for_true_labels(
            content["overall"]["accuracy"], args.label_accuracy
        )
    if others:
        content["comparisons"] = figures.compared(rows, labels, method, others, seed=args.seed)
        content["against"] = content["comparisons"][args.against[0]]
    if args.second_labels:
        second = verdict_files.labels(args.second_labels, rows, subset=True)
        if not labels.keys() & second.keys():
            raise InputError(f"--second_labels {args.second_labels}: no answer has both labels")
        content["people"] = figures.people(rows, labels, second, method)
    figures.write(args.output, content)
    return agree_markdown.page(content)
