"""`bertjudge agree`: a judge against labels, against other judges, and two people against each other."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.analysis import agreement, correct, figures, label_sample
from lm_eval_bertjudge.analysis.arguments import LABELS_HELP, add_verdicts
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.render import estimate, inline, table

logger = logging.getLogger(__name__)

_WITH_INTERVAL = ("accuracy", "f1", "pearson", "kappa", "gap")


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
    kept, _ = figures.labelled(rows, labels)
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
    return markdown(content)


def markdown(content: dict[str, Any]) -> str:
    """The figures as a page of markdown tables."""
    parts = [f"# {inline(content['method'])} against labels", _overall(content), _judges(content)]
    for title, figures_of in (("comparisons", _comparisons), ("people", _people)):
        if title in content:
            parts.append(figures_of(content))
    parts += [_slice(name, slices) for name, slices in content["by"].items()]
    if sweep := content["threshold_sweep"]:
        header = ["threshold", "accuracy", "precision", "recall", "f1", "rate"]
        rows = [[row[name] for name in header] for row in sweep]
        parts.append(f"## By threshold\n\n{table(header, rows)}")
    return "\n\n".join(parts)


def _overall(content: dict[str, Any]) -> str:
    """A line for every figure, with its interval where it has one."""
    shown = {name: each for name, each in content["overall"].items() if "interval" not in name}
    for name in _WITH_INTERVAL:
        if shown[name] is not None:
            ends = content["overall"][f"{name}_interval"]
            shown[name] = estimate(shown[name], ends, signed=name == "gap")
    if "accuracy_for_true_labels" in content:
        shown["accuracy_for_true_labels"] = content["accuracy_for_true_labels"]
    shown |= {name: each for name, each in content.items() if name.endswith("_pearson")}
    shown["runs"] = ", ".join(content["runs"]) or "not recorded"
    return "\n".join(f"- {name}: {inline(value)}" for name, value in shown.items())


def _judges(content: dict[str, Any]) -> str:
    figures_of = ("precision", "recall", "f1", "pearson", "kappa")
    more = ("n_only_judge", "n_only_baseline", "mcnemar_p")
    names = [f"only {content['method']} right", "only this right", "McNemar p"]
    rows = [
        [name, estimate(each["accuracy"], each["accuracy_interval"])]
        + [each.get(key) for key in (*figures_of, *more)]
        for name, each in content["judges"].items()
    ]
    header = ["judge or baseline", "accuracy", *figures_of, *names]
    return f"## Beside others\n\n{table(header, rows)}"


def _comparisons(content: dict[str, Any]) -> str:
    header = ["against", "figure", "difference", "permutation p", "McNemar p"]
    rows = []
    for name, each in content["comparisons"].items():
        for key, figure in (("", "accuracy"), ("f1_", "F1"), ("pearson_", "Pearson")):
            gap = estimate(each[f"{key}difference"], each[f"{key}difference_interval"], signed=True)
            mcnemar_p = None if key else each["mcnemar_p"]
            rows.append([name, figure, gap, each[f"{key}permutation_p"], mcnemar_p])
    title = f"## {inline(content['method'])} against others"
    return f"{title}\n\n{table(header, rows)}"


def _people(content: dict[str, Any]) -> str:
    rows = [
        [
            name,
            each["n"],
            estimate(each["agreement"], each["agreement_interval"]),
            each["kappa"]
            if each["kappa"] is None
            else estimate(each["kappa"], each["kappa_interval"]),
        ]
        for name, each in content["people"].items()
    ]
    return f"## Two people\n\n{table(['pair', 'n', 'agreement', 'kappa'], rows)}"


def _slice(name: str, slices: dict[str, Any]) -> str:
    header = [name, "n", "accuracy", "judge rate", "gold rate", "gap", "kappa"]
    rows = [
        [
            key,
            each["n"],
            estimate(each["accuracy"], each["accuracy_interval"]),
            each["judge_rate"],
            each["gold_rate"],
            estimate(each["gap"], each["gap_interval"], signed=True),
            each["kappa"],
        ]
        for key, each in slices.items()
    ]
    return f"## By {name}\n\n{table(header, rows)}"
