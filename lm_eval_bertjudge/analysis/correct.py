"""`bertjudge correct`: accuracy with a valid interval, from verdicts and a few labels."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lm_eval_bertjudge.analysis import columns, figures, ppi, sampling
from lm_eval_bertjudge.analysis.arguments import LABELS_HELP, add_verdicts
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.render import estimate, records

_FEW = 20  # labels below which a part of the sample gets no corrected figure

Estimates = dict[str, Any]  # as `ppi.corrected` gives them


def add_parser(commands: Any) -> None:
    """Adds the command to `bertjudge`."""
    parser = commands.add_parser(
        "correct", help="accuracy with a valid interval, from verdicts and a few labels"
    )
    add_verdicts(parser)
    parser.add_argument("--labels", required=True, help=LABELS_HELP)
    parser.add_argument("--output", type=Path, help="write all figures to this json file too")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> str:
    """What to print.

    Raises:
        InputError: The labels are too few, or of other verdicts.
    """
    rows = verdict_files.read(args.paths)
    method = args.method or verdict_files.main_method(rows)
    labels = verdict_files.labels(args.labels, rows, subset=True)
    corrected = {"all": _corrected(rows, labels, method)}
    if corrected["all"] is None:
        raise InputError(
            f"--labels {args.labels}: {len(labels)} labels are too few; at least 2 are needed"
        )
    # Below the whole there is no stratum size to weight with, so parts are only shown for a plain random sample.
    if sampling.stratum_sizes(list(labels.values())) is None:
        for name in sorted({row["generator"] for row in rows}):
            part = [row for row in rows if row["generator"] == name]
            if len(part) < len(rows):
                corrected[name] = _corrected(part, labels, method, at_least=_FEW)
    figures.write(args.output, {"method": method} | corrected)
    return records([_record(name, part) for name, part in corrected.items()])


def _corrected(
    rows: Sequence[Row], labels: Mapping[str, Row], method: str, at_least: int = 2
) -> Estimates | None:
    sample = []
    chosen = []
    for i, row in enumerate(rows):
        if row["id"] in labels:
            sample.append(i)
            chosen.append(labels[row["id"]])
    if len(sample) < at_least:
        return None
    stratum, sizes = sampling.stratum_sizes(chosen) or (None, None)
    gold = np.array([label["label"] for label in chosen], dtype=np.int64)
    judge = columns.decisions(rows, method)
    return ppi.corrected(judge, np.array(sample), gold, stratum, sizes)


def _record(name: str, part: Estimates | None) -> dict[str, Any]:
    figures = part or {"n_labelled": f"fewer than {_FEW}"}
    return {
        "generator": name,
        "n": figures.get("n"),
        "labelled": figures["n_labelled"],
        "raw": figures.get("raw"),
        "PPI": _estimate(figures.get("ppi")),
        "Rogan-Gladen": _estimate(figures.get("rogan_gladen")),
        "sensitivity": figures.get("sensitivity"),
        "specificity": figures.get("specificity"),
    }


def _estimate(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else estimate(value["estimate"], value["interval"])
