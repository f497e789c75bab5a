"""`bertjudge agree`, `correct` and `label-sample`: verdict files and labels in, tables out."""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lm_eval_bertjudge.analysis import agreement, correction
from lm_eval_bertjudge.analysis.baselines import beside, text_scores
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.output import open_output, write_csv, write_rows
from lm_eval_bertjudge.io.rows import Row

logger = logging.getLogger(__name__)

_LABELS_HELP = "file with columns id and label (1, 0 or empty), or a field of the verdict rows"
_FEW = 20  # labels below which a part of the sample gets no corrected figure


def add_parsers(commands: Any) -> None:
    """Adds the three commands to `bertjudge`."""
    agree = commands.add_parser(
        "agree", help="a judge against human labels, or two judges against each other"
    )
    _common(agree)
    agree.add_argument("--labels", required=True, help=_LABELS_HELP)
    agree.add_argument(
        "--subset", action="store_true", help="labels for a part of the verdicts are enough"
    )
    agree.add_argument(
        "--against",
        help="verdict file of another judge, or a method, old metric or field of the rows",
    )
    agree.add_argument(
        "--label_accuracy", type=float, help="how often the labels are right themselves, in [0, 1]"
    )
    agree.add_argument(
        "--bertscore",
        metavar="MODEL",
        help="correlate BERTScore too: roberta-large, FOLDER:LAYER, ...",
    )
    agree.add_argument("--output", type=Path, help="write all figures to this json file too")
    agree.set_defaults(run=_agree)

    correct = commands.add_parser(
        "correct", help="accuracy with a valid interval, from verdicts and a few labels"
    )
    _common(correct)
    correct.add_argument("--labels", required=True, help=_LABELS_HELP)
    correct.add_argument("--output", type=Path, help="write all figures to this json file too")
    correct.set_defaults(run=_correct)

    sample = commands.add_parser("label-sample", help="draw the answers that a person should label")
    _common(sample)
    sample.add_argument("--n", type=int, required=True, help="how many")
    sample.add_argument(
        "--output",
        type=Path,
        required=True,
        help="jsonl or csv; fill in its column label with 1 or 0",
    )
    sample.set_defaults(run=_label_sample)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="VERDICTS", help="verdicts_*.jsonl, or their folders"
    )
    parser.add_argument(
        "--method", help="which verdict of the rows: judge, cascade, lexical (default: judge)"
    )
    parser.add_argument("--seed", type=int, default=0)


def decisions(rows: Sequence[Row], name: str) -> agreement.Ints:
    """0 or 1 per row, by the name of a method, an old metric or a field; unjudged is 0."""
    return np.array([verdict_files.decision(row, name) for row in rows], dtype=np.int64)


def probabilities(rows: Sequence[Row], method: str) -> agreement.Floats:
    """p_correct per row, NaN where the method gave none."""
    found = [row["verdicts"].get(method, {}).get("p_correct") for row in rows]
    return np.array([np.nan if p is None else p for p in found], dtype=np.float64)


def questions(rows: Sequence[Row]) -> list[str]:
    """What makes answers belong together: the question's text, or the row itself where it has none."""
    return [row["question"] or row["id"] for row in rows]


def figures(
    rows: Sequence[Row], labels: dict[str, Row], method: str, *, bertscore: str | None = None
) -> dict[str, Any]:
    """Everything that `bertjudge agree` says about one judge, as JSON-ready values, over the rows that have a label."""
    labelled = [row for row in rows if row["id"] in labels]
    gold = np.array([labels[row["id"]]["label"] for row in labelled], dtype=np.int64)
    said, p = decisions(labelled, method), probabilities(labelled, method)
    soft = None if np.isnan(p).all() else p
    scores = text_scores(labelled, bertscore=bertscore)
    return {
        "method": method,
        "runs": sorted({row["run"] for row in labelled if row.get("run")}),
        "n_unlabelled": len(rows) - len(labelled),
        "overall": agreement.agreement(said, gold, soft)
        | agreement.rate_gap(said, gold, questions(labelled)),
        "sweep": [] if soft is None else agreement.sweep(p, gold),
        **{f"{name}_pearson": agreement.pearson(each, gold) for name, each in scores.items()},
        "beside": beside(labelled, said, gold, method),
        "by": {
            name: _sliced(labelled, said, gold, keys) for name, keys in _slices(labelled).items()
        },
    }


def _slices(rows: Sequence[Row]) -> dict[str, list[str]]:
    named = {
        name: [str(row.get(name) or "") for row in rows]
        for name in ("generator", "task", "category")
    }
    return {name: keys for name, keys in named.items() if any(keys)} | {
        "length": [agreement.length_bucket(row["candidate"]) for row in rows]
    }


def _sliced(
    rows: Sequence[Row], said: agreement.Ints, gold: agreement.Ints, keys: Sequence[str]
) -> dict[str, dict[str, Any]]:
    found = {}
    asked = np.array(questions(rows), dtype=object)
    for key in sorted(set(keys)):
        own = np.array([each == key for each in keys])
        gap = agreement.rate_gap(said[own], gold[own], asked[own].tolist())
        found[key or "(none)"] = agreement.agreement(said[own], gold[own]) | gap
    return found


def _agree(args: argparse.Namespace) -> str:
    rows = verdict_files.read(args.paths)
    method = args.method or verdict_files.main_method(rows)
    labels = verdict_files.labels(args.labels, rows, subset=args.subset)
    if len({row.get("weight") for row in labels.values()}) > 1:
        logger.warning(
            "doubtful answers are more frequent in these labels than in the verdicts; see `bertjudge correct`"
        )
    found = figures(rows, labels, method, bertscore=args.bertscore)
    if args.label_accuracy is not None:
        corrected = agreement.accuracy_for_true_labels(
            found["overall"]["accuracy"], args.label_accuracy
        )
        found["accuracy_for_true_labels"] = corrected
    shown = markdown(found)
    if args.against is not None:
        found["against"] = _against(rows, labels, method, args.against, args.seed)
        shown += f"\n\n## {method} against {args.against}\n\n" + "\n".join(
            f"- {name}: {_shown(value)}" for name, value in found["against"].items()
        )
    _write_json(args.output, found)
    return shown


def _against(
    rows: Sequence[Row], labels: dict[str, Row], method: str, other: str, seed: int
) -> dict[str, Any]:
    labelled = [row for row in rows if row["id"] in labels]
    gold = np.array([labels[row["id"]]["label"] for row in labelled], dtype=np.int64)
    if Path(other).exists():
        others = verdict_files.read([Path(other)])
        matched = {row["id"]: row for row in verdict_files.match(rows, others, other)}
        theirs = decisions(
            [matched[row["id"]] for row in labelled], verdict_files.main_method(others)
        )
    else:
        theirs = decisions(labelled, other)
    right = (decisions(labelled, method) == gold).astype(np.int64)
    other_right = (theirs == gold).astype(np.int64)
    return agreement.compare(right, other_right, questions(labelled), seed=seed)


def markdown(found: dict[str, Any]) -> str:
    """The figures as a page of markdown tables."""
    lines = [f"# {found['method']} against labels", ""]
    overall = dict(found["overall"])
    if "accuracy_for_true_labels" in found:
        overall["accuracy_for_true_labels"] = found["accuracy_for_true_labels"]
    overall |= {name: each for name, each in found.items() if name.endswith("_pearson")}
    overall["runs"] = ", ".join(found["runs"]) or "not recorded"
    lines += [f"- {name}: {_shown(value)}" for name, value in overall.items()]
    header = [
        "beside it",
        "accuracy",
        f"{found['method']} alone right",
        "it alone right",
        "McNemar p",
    ]
    lines += [
        "",
        table(header, [_beside_row(name, part) for name, part in found["beside"].items()]),
    ]
    for name, parts in found["by"].items():
        header = [name, "n", "accuracy", "judge rate", "gold rate", "gap", "kappa"]
        lines += [
            "",
            f"## By {name}",
            "",
            table(header, [_slice_row(key, part) for key, part in parts.items()]),
        ]
    if found["sweep"]:
        header = ["threshold", "accuracy", "precision", "recall", "f1", "rate"]
        lines += [
            "",
            "## By threshold",
            "",
            table(header, [[row[name] for name in header] for row in found["sweep"]]),
        ]
    return "\n".join(lines)


def _beside_row(name: str, part: dict[str, Any]) -> list[Any]:
    accuracy = f"{part['accuracy']:.3f} {_shown(part['accuracy_interval'])}"
    return [name, accuracy, part["n_judge_alone"], part["n_it_alone"], part["mcnemar_p"]]


def _slice_row(key: str, part: dict[str, Any]) -> list[Any]:
    accuracy = f"{part['accuracy']:.3f} {_shown(part['accuracy_interval'])}"
    gap = f"{part['gap']:+.3f} {_shown(part['gap_interval'])}"
    return [key, part["n"], accuracy, part["judge_rate"], part["gold_rate"], gap, part["kappa"]]


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A markdown table; numbers with three decimals, pipes and line breaks escaped."""
    cells = [list(header), ["---"] * len(header), *([_shown(cell) for cell in row] for row in rows)]
    escaped = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in cells]
    return "\n".join("| " + " | ".join(row) + " |" for row in escaped)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2g}" if 0 < abs(value) < 0.001 else f"{value:.3f}"
    if isinstance(value, tuple):
        return f"[{value[0]:.3f}, {value[1]:.3f}]"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items())
    return "-" if value is None else str(value)


def _correct(args: argparse.Namespace) -> str:
    rows = verdict_files.read(args.paths)
    method = args.method or verdict_files.main_method(rows)
    labels = verdict_files.labels(args.labels, rows, subset=True)
    found = {"method": method, "all": _corrected(rows, labels, method)}
    if found["all"] is None:
        raise InputError(
            f"--labels {args.labels}: {len(labels)} labels are too few; at least 2 are needed"
        )
    # Below the whole there is no stratum size to weight with, so parts are only shown for a plain random sample.
    if correction.stratum_sizes(list(labels.values())) is None:
        for name in sorted({row["generator"] for row in rows}):
            own = [row for row in rows if row["generator"] == name]
            if len(own) < len(rows):
                found[name] = _corrected(own, labels, method, at_least=_FEW)
    _write_json(args.output, found)
    header = [
        "generator",
        "n",
        "labelled",
        "raw",
        "PPI",
        "Rogan-Gladen",
        "sensitivity",
        "specificity",
    ]
    return table(
        header, [_corrected_row(name, part) for name, part in found.items() if name != "method"]
    )


def _corrected(
    rows: Sequence[Row], labels: dict[str, Row], method: str, at_least: int = 2
) -> dict[str, Any] | None:
    sample = [i for i, row in enumerate(rows) if row["id"] in labels]
    if len(sample) < at_least:
        return None
    chosen = [labels[rows[i]["id"]] for i in sample]
    strata = correction.stratum_sizes(chosen)
    gold = np.array([row["label"] for row in chosen], dtype=np.int64)
    return correction.corrected(decisions(rows, method), np.array(sample), gold, *(strata or ()))


def _corrected_row(name: str, part: Any) -> list[Any]:
    if part is None:
        return [name, "-", f"fewer than {_FEW}", "-", "-", "-", "-", "-"]
    both = [
        part[key] and f"{part[key]['estimate']:.3f} {_shown(part[key]['interval'])}"
        for key in _ESTIMATES
    ]
    return [
        name,
        part["n"],
        part["n_labelled"],
        part["raw"],
        *both,
        part["sensitivity"],
        part["specificity"],
    ]


_ESTIMATES = ("ppi", "rogan_gladen")


def _label_sample(args: argparse.Namespace) -> str:
    rows = verdict_files.read(args.paths)
    method = args.method or verdict_files.main_method(rows)
    if args.output.exists():
        raise InputError(f"{args.output} exists and may hold labels; give another --output")
    rules = decisions(rows, "lexical") if "lexical" in verdict_files.methods(rows) else None
    stratum = correction.strata(decisions(rows, method), probabilities(rows, method), rules)
    chosen = correction.draw(stratum, args.n, seed=args.seed)
    sizes = {
        int(name): int(n) for name, n in zip(*np.unique(stratum, return_counts=True), strict=True)
    }
    drawn = {
        int(name): int(n)
        for name, n in zip(*np.unique(stratum[chosen], return_counts=True), strict=True)
    }
    sample = [
        {
            **{name: rows[i][name] for name in ("id", "question", "references", "candidate")}, "label": None,
            "stratum": s, "stratum_size": sizes[s], "weight": sizes[s] / drawn[s],
        }
        for i in chosen.tolist() for s in [int(stratum[i])]
    ]  # fmt: skip
    _write_sample(args.output, sample)
    return f"{args.output}: {len(sample)} of {len(rows)} answers. Fill in `label`, then: bertjudge correct ... --labels"


def _write_sample(path: Path, sample: Sequence[Row]) -> None:
    if path.suffix == ".csv":
        write_csv(path, sample)
    else:
        write_rows(path, sample)


def _write_json(path: Path | None, content: dict[str, Any]) -> None:
    if path is not None:
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        with open_output(path) as out:
            out.write(text)
