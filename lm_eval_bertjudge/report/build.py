"""`bertjudge report`: one page for models x tasks, from verdict files. page.py draws what is computed here."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lm_eval_bertjudge import __version__
from lm_eval_bertjudge.analysis import agreement, harness_metrics
from lm_eval_bertjudge.analysis.agree import probabilities, table
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.output import open_output
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.report import page, tables
from lm_eval_bertjudge.report.page import Report
from lm_eval_bertjudge.report.tables import Judged, Section

MAX_ITEMS = 500


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
    parser.add_argument(
        "--labels", help="file with columns id and label (1, 0 or empty), or a field of the rows"
    )
    parser.add_argument("--max_items", type=int, default=MAX_ITEMS, help="disagreements to show")
    parser.add_argument(
        "--seed", type=int, default=0, help="of the choice among more disagreements than that"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> str:
    """Writes the page; what to print.

    Raises:
        InputError: No verdicts, labels that do not fit, or an output that is neither .html nor .md.
        MissingExtraError: An html page needs matplotlib.
    """
    if args.output.suffix not in (".html", ".md"):
        raise InputError(f"--output {args.output}: a name ending in .html or .md was expected")
    rows = verdict_files.read(args.paths)
    labels = verdict_files.labels(args.labels, rows, subset=True) if args.labels else {}
    found = build(rows, labels, max_items=args.max_items, seed=args.seed)
    text = page.html(found) if args.output.suffix == ".html" else markdown(found)
    with open_output(args.output) as out:
        out.write(text)
    return f"{args.output}: {found.heading}"


def build(
    rows: Sequence[Row], labels: Mapping[str, Row], *, max_items: int = MAX_ITEMS, seed: int = 0
) -> Report:
    """Computes everything on the page.

    Args:
        rows: Verdict rows, as `verdicts.read` gives them.
        labels: Label rows by id, for all, some or none of them.
        max_items: Disagreements to keep; of more, a random choice.
        seed: Of that choice.
    """
    judged = Judged.of(rows)
    generators, p = judged.generators(), probabilities(rows, judged.main)
    items = [item for row in rows if (item := _item(row, judged, labels))]
    chosen = np.random.default_rng(seed).permutation(len(items))[:max_items]
    n_tasks = len({row["task"] for row in rows})
    differences = {
        g: harness_metrics.difference(own, judged.rule_of, judged.main)
        for g, own in generators.items()
    }
    return Report(
        heading=f"{len(rows)} answers, {_several(len(generators), 'model')}, {_several(n_tasks, 'task')}; judged by "
        f"{judged.main}, lm-eval-bertjudge {__version__}",
        summary=str(harness_metrics.difference(rows, judged.rule_of, judged.main))
        if judged.rule_of
        else "",
        sections=_sections(judged, labels),
        rates={generator: judged.rates(own) for generator, own in generators.items()},
        differences=differences if judged.rule_of else {},
        histogram=np.histogram(p[~np.isnan(p)], bins=10, range=(0, 1))[0].tolist(),
        curve=_curve(rows, p, labels),
        items=[items[i] for i in sorted(chosen.tolist())],
        n_items=len(items),
    )


def _several(n: int, what: str) -> str:
    return f"{n} {what}" + "s" * (n != 1)


def _sections(judged: Judged, labels: Mapping[str, Row]) -> list[Section]:
    found = [tables.accuracy(judged)]
    if judged.rule_of:
        found.append(tables.by_rule(judged))
    if len(judged.generators()) > 1:
        found.append(tables.ranking(judged))
    found.append(tables.sources(judged.rows))
    return found + ([tables.against_labels(judged, labels)] if labels else [])


def _curve(rows: Sequence[Row], p: agreement.Floats, labels: Mapping[str, Row]) -> list[Any]:
    if np.isnan(p).all():
        return []
    own = np.array([row["id"] in labels for row in rows])
    gold = np.array(
        [labels[row["id"]]["label"] for row in rows if row["id"] in labels], dtype=np.int64
    )
    soft = np.nan_to_num(p, nan=-1.0)
    return [
        (
            t,
            float((soft >= t).mean()),
            float(((soft[own] >= t) == gold).mean()) if own.any() else None,
        )
        for t in agreement.THRESHOLDS
    ]


def _item(row: Row, judged: Judged, labels: Mapping[str, Row]) -> dict[str, Any]:
    """An answer on which methods, rules or label differ, ready for display; empty where all say the same."""
    main, rule = judged.main, judged.rule_of.get(row["task"])
    scores = [
        name
        for name, value in row["old"].items()
        if value in (0, 1) and not name.startswith("bertjudge")
    ]
    methods = [
        name for name in row["verdicts"] if name in (main, rule) or name != harness_metrics.LEXICAL
    ]
    decided = {name: verdict_files.decision(row, name) for name in [*methods, *scores]}
    if row["id"] in labels:
        decided["label"] = labels[row["id"]]["label"]
    if len(set(decided.values())) == 1:
        return {}
    kind = "other"
    if rule and decided[rule] != decided[main]:
        kind = f"{main} right, rules wrong" if decided[main] else f"{main} wrong, rules right"
    return {
        name: row[name]
        for name in ("id", "generator", "task", "question", "references", "candidate")
    } | {
        "kind": kind,
        "decided": decided,
        "unparsed": [name for name in decided if harness_metrics.unparsed(row, name)],
        "p": row["verdicts"][main].get("p_correct"),
        "label_differs": decided.get("label") == 1 - decided[main],
    }


def markdown(found: Report) -> str:
    """The tables as markdown, for a pull request."""
    parts = ["# Judged answers", found.heading, *([found.summary] if found.summary else [])]
    for section in found.sections:
        parts += [f"## {section.title}", section.note, table(section.header, section.rows)]
    if found.curve:
        header = ["threshold", "share right", "accuracy"]
        parts += ["## By threshold", table(header, found.curve[1::2])]
    kinds = Counter(item["kind"] for item in found.items)
    counts = ", ".join(f"{name}: {n}" for name, n in kinds.most_common())
    parts += [
        "## Disagreements",
        f"{found.n_items} answers; of {len(found.items)} looked at {counts or 'none'}.",
    ]
    return "\n\n".join(parts) + "\n"
