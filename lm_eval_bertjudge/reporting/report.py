"""`bertjudge report`: one page for models x tasks, from verdict files. page.py draws what is computed here."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lm_eval_bertjudge import __version__, agreement
from lm_eval_bertjudge.encoding import ENCODING_VERSION
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.reporting import page
from lm_eval_bertjudge.reporting.agree import decisions, probabilities, questions, table
from lm_eval_bertjudge.reporting.page import Report, Section
from lm_eval_bertjudge.rescoring import verdicts
from lm_eval_bertjudge.rescoring.verdicts import Row

MAX_ITEMS = 500


def add_parser(commands: Any) -> None:
    """Adds the command to `bertjudge`."""
    parser = commands.add_parser("report", help="one page about a set of models and tasks, from verdict files")
    parser.add_argument("paths", nargs="+", type=Path, metavar="DIR", help="folders of verdicts_*.jsonl, or such files")
    parser.add_argument("--output", type=Path, required=True, help="report.html or report.md")
    parser.add_argument("--labels", help="file with columns id and label (1, 0 or empty), or a field of the rows")
    parser.add_argument("--max_items", type=int, default=MAX_ITEMS, help="disagreements to show")
    parser.add_argument("--seed", type=int, default=0, help="of the choice among more disagreements than that")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> str:
    """Writes the page; what to print.

    Raises:
        InputError: No verdicts, labels that do not fit, or an output that is neither .html nor .md.
        MissingExtraError: An html page needs matplotlib.
    """
    if args.output.suffix not in (".html", ".md"):
        raise InputError(f"--output {args.output}: a name ending in .html or .md was expected")
    rows = verdicts.read(args.paths)
    labels = verdicts.labels(args.labels, rows, subset=True) if args.labels else {}
    found = build(rows, labels, max_items=args.max_items, seed=args.seed)
    text = page.html(found) if args.output.suffix == ".html" else markdown(found)
    part = args.output.with_name(args.output.name + ".tmp")
    part.write_text(text, encoding="utf-8", errors="backslashreplace")
    os.replace(part, args.output)
    return f"{args.output}: {found.heading}"


def build(rows: Sequence[Row], labels: Mapping[str, Row], *, max_items: int = MAX_ITEMS, seed: int = 0) -> Report:
    """Computes everything on the page.

    Args:
        rows: Verdict rows, as `verdicts.read` gives them.
        labels: Label rows by id, for all, some or none of them.
        max_items: Disagreements to keep; of more, a random choice.
        seed: Of that choice.
    """
    methods = verdicts.methods(rows)
    main = verdicts.main_method(rows)
    cells: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row["task"], row["generator"])):
        cells.setdefault((row["generator"], row["task"]), []).append(row)
    rates = {cell: {m: float(decisions(own, m).mean()) for m in methods} for cell, own in cells.items()}
    generators = sorted({generator for generator, _ in cells})
    sections = [_accuracy(cells, methods)]
    if "lexical" in methods and main != "lexical":
        sections.append(_cost(cells, main))
    if len(generators) > 1:
        sections.append(_ranking(rates, methods, main))
    sections.append(_sources(rows, methods))
    if labels:
        sections.append(_agreement(rows, labels, methods))
    differing = [row for row in rows if len(set(_decided(row, labels).values())) > 1]
    chosen = np.random.default_rng(seed).permutation(len(differing))[:max_items]
    p = probabilities(rows, main)
    tasks = {task for _, task in cells}
    return Report(
        f"{len(rows)} answers, {len(generators)} models, {len(tasks)} tasks; judged by {main}, input format "
        f"{ENCODING_VERSION}, lm-eval-bertjudge {__version__}",
        sections,
        {g: {m: float(decisions([r for r in rows if r["generator"] == g], m).mean()) for m in methods}
         for g in generators},
        np.histogram(p[~np.isnan(p)], bins=10, range=(0, 1))[0].tolist(),
        _curve(rows, p, labels),
        [_item(differing[i], labels, main) for i in sorted(chosen.tolist())],
        len(differing),
    )  # fmt: skip


def _rate(own: Sequence[Row], method: str) -> str:
    n_right = int(decisions(own, method).sum())
    low, high = agreement.wilson(n_right, len(own))
    return f"{n_right / len(own):.3f} [{low:.3f}, {high:.3f}]"


def _accuracy(cells: Mapping[tuple[str, str], list[Row]], methods: Sequence[str]) -> Section:
    body = []
    for (generator, task), own in cells.items():
        names = dict.fromkeys(name for row in own for name in row["old"])
        old = "; ".join(f"{n} {np.mean([row['old'][n] for row in own if n in row['old']]):.3f}" for n in names)
        unjudged = np.mean([any(v["source"] == "unjudged" for v in row["verdicts"].values()) for row in own])
        rates = [_rate(own, method) for method in methods]
        body.append([generator, task, len(own), *rates, _parse_failures(own), float(unjudged), old or "-"])
    header = ["model", "task", "n", *methods, "parse failures", "unjudged", "metrics before"]
    return Section("Accuracy", "Share decided right, with Wilson's 95% interval.", header, body)


def _failed(row: Row) -> bool:
    return bool(row["verdicts"].get("lexical", {}).get("reason") == "parse_failure")


def _parse_failures(own: Sequence[Row]) -> float | None:
    return float(np.mean([_failed(row) for row in own])) if "lexical" in own[0]["verdicts"] else None


def _cost(cells: Mapping[tuple[str, str], list[Row]], main: str) -> Section:
    body = []
    for (generator, task), own in cells.items():
        gaps = decisions(own, "lexical") - decisions(own, main)
        failed = np.array([_failed(row) for row in own])
        parts = [float(gaps.sum()), float(gaps[failed].sum()), float(gaps[~failed].sum())]
        body.append([generator, task, *(f"{part / len(own):+.3f}" for part in parts)])
    note = (
        f"Accuracy by rules minus accuracy by {main}, and how much of it comes from answers that could not be parsed "
        "and from parsed answers that were matched otherwise."
    )
    return Section("What the rules change", note, ["model", "task", "delta", "parsing", "matching"], body)


def borda(rates: Mapping[tuple[str, str], Mapping[str, float]], method: str) -> dict[str, float]:
    """Borda points per generator: on each task one for every other generator it beats, half a point for a tie."""
    points = {generator: 0.0 for generator, _ in rates}
    for generator, task in rates:
        own = rates[generator, task][method]
        others = [rate[method] for (other, at), rate in rates.items() if at == task and other != generator]
        points[generator] += sum((own > other) + 0.5 * (own == other) for other in others)
    return points


def _ranking(rates: Mapping[tuple[str, str], Mapping[str, float]], methods: Sequence[str], main: str) -> Section:
    points = {method: borda(rates, method) for method in methods}
    ranks = {m: {g: 1 + sum(other > own for other in p.values()) for g, own in p.items()} for m, p in points.items()}
    body = []
    for generator in sorted(points[main], key=lambda g: (ranks[main][g], g)):
        each = [f"{ranks[m][generator]} ({points[m][generator]:g})" for m in methods]
        moved = f"{ranks['lexical'][generator] - ranks[main][generator]:+d}" if "lexical" in methods else "-"
        body.append([generator, sum(g == generator for g, _ in rates), *each, moved])
    note = f"Rank by Borda count over the tasks (points). The last column: places won by {main} against the rules."
    return Section("Ranking", note, ["model", "tasks", *methods, "delta rank"], body)


def _sources(rows: Sequence[Row], methods: Sequence[str]) -> Section:
    names = ("judge", "lexical", "unjudged")
    body = []
    for method in methods:
        counts = Counter(row["verdicts"][method]["source"] for row in rows)
        cut = sum(bool(row["verdicts"][method]["truncated"]) for row in rows)
        body.append([method, len(rows), *(counts[name] / len(rows) for name in names), cut / len(rows)])
    header = ["method", "n", *names, "shortened text"]
    return Section("Who decided", "Share of verdicts by source, and of those on a shortened text.", header, body)


def _agreement(rows: Sequence[Row], labels: Mapping[str, Row], methods: Sequence[str]) -> Section:
    labelled = [row for row in rows if row["id"] in labels]
    gold = np.array([labels[row["id"]]["label"] for row in labelled], dtype=np.int64)
    body: list[list[Any]] = []
    for method in methods:
        said = decisions(labelled, method)
        one = agreement.agreement(said, gold)
        gap = agreement.rate_gap(said, gold, questions(labelled))
        low, high = one["accuracy_interval"]
        reach = gap["gap_interval"]
        spread = f" [{reach[0]:+.3f}, {reach[1]:+.3f}]" if reach else ""
        figures = [one[name] for name in ("precision", "recall", "f1", "kappa")]
        accuracy = f"{one['accuracy']:.3f} [{low:.3f}, {high:.3f}]"
        body.append([method, one["n"], accuracy, *figures, f"{gap['gap']:+.3f}{spread}"])
    header = ["method", "n", "accuracy", "precision", "recall", "f1", "kappa", "rate minus gold rate"]
    note = f"Against the labels of {len(labelled)} answers; the last interval treats questions as clusters."
    return Section("Agreement with labels", note, header, body)


def _curve(rows: Sequence[Row], p: agreement.Floats, labels: Mapping[str, Row]) -> list[Any]:
    if np.isnan(p).all():
        return []
    own = np.array([row["id"] in labels for row in rows])
    gold = np.array([labels[row["id"]]["label"] for row in rows if row["id"] in labels], dtype=np.int64)
    soft = np.nan_to_num(p, nan=-1.0)
    return [
        (t, float((soft >= t).mean()), float(((soft[own] >= t) == gold).mean()) if own.any() else None)
        for t in agreement.THRESHOLDS
    ]


def _decided(row: Row, labels: Mapping[str, Row]) -> dict[str, int]:
    """Every yes or no that there is about an answer."""
    found = {name: int(bool(verdict["correct"])) for name, verdict in row["verdicts"].items()}
    found |= {name: int(value) for name, value in row["old"].items() if value in (0, 1)}
    return found | ({"label": labels[row["id"]]["label"]} if row["id"] in labels else {})


def _item(row: Row, labels: Mapping[str, Row], main: str) -> dict[str, Any]:
    decided = _decided(row, labels)
    rules = [value for name, value in decided.items() if name == "lexical" or name in row["old"]]
    if rules and all(rule != decided[main] for rule in rules):
        kind = f"{main} right, rules wrong" if decided[main] else f"{main} wrong, rules right"
    else:
        kind = "other"
    p = row["verdicts"][main].get("p_correct")
    named = {name: row[name] for name in ("id", "generator", "task", "question", "references", "candidate")}
    return named | {
        "kind": kind,
        "decided": decided,
        "p": p,
        "label_differs": decided.get("label") == 1 - decided[main],
    }


def markdown(found: Report) -> str:
    """The tables as markdown, for a pull request."""
    parts = ["# Judged answers", found.heading]
    for section in found.sections:
        parts += [f"## {section.title}", section.note, table(section.header, section.rows)]
    if found.curve:
        header = ["threshold", "share right", "accuracy"]
        parts += ["## By threshold", table(header, found.curve[1::2])]
    kinds = Counter(item["kind"] for item in found.items)
    counts = ", ".join(f"{name}: {n}" for name, n in kinds.most_common())
    parts += ["## Disagreements", f"{found.n_items} answers; of {len(found.items)} looked at {counts or 'none'}."]
    return "\n\n".join(parts) + "\n"
