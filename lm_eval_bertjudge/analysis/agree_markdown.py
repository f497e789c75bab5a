"""What `bertjudge agree` prints: its figures as a page of markdown tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_bertjudge.render import estimate, inline, records

Content = Mapping[str, Any]  # as `figures.figures` gives it

_WITH_INTERVAL = ("accuracy", "f1", "pearson", "kappa", "gap")
_COMPARED = {"": "accuracy", "f1_": "F1", "pearson_": "Pearson"}
_SWEPT = ("threshold", "accuracy", "precision", "recall", "f1", "rate")


def page(content: Content) -> str:
    """The whole page."""
    parts = [
        f"# {inline(content['method'])} against labels",
        _overall(content),
        _judges(content),
    ]
    if "comparisons" in content:
        parts.append(_comparisons(content))
    if "people" in content:
        parts.append(_people(content["people"]))
    for name, slices in content["by"].items():
        parts.append(_slices(name, slices))
    if sweep := content["threshold_sweep"]:
        rows = [{name: row[name] for name in _SWEPT} for row in sweep]
        parts.append(f"## By threshold\n\n{records(rows)}")
    return "\n\n".join(parts)


def _overall(content: Content) -> str:
    """A line for every figure, with its interval where it has one."""
    overall = content["overall"]
    lines: dict[str, Any] = {}
    for name, value in overall.items():
        if name in _WITH_INTERVAL and value is not None:
            lines[name] = estimate(value, overall[f"{name}_interval"], signed=name == "gap")
        elif not name.endswith("_interval"):
            lines[name] = value
    for name, value in content.items():
        if name == "accuracy_for_true_labels" or name.endswith("_pearson"):
            lines[name] = value
    lines["runs"] = ", ".join(content["runs"]) or "not recorded"
    return "\n".join(f"- {name}: {inline(value)}" for name, value in lines.items())


def _judges(content: Content) -> str:
    rows = []
    for name, figures in content["judges"].items():
        rows.append(
            {
                "judge or baseline": name,
                "accuracy": estimate(figures["accuracy"], figures["accuracy_interval"]),
                "precision": figures["precision"],
                "recall": figures["recall"],
                "F1": figures["f1"],
                "Pearson": figures["pearson"],
                "kappa": figures["kappa"],
                f"only {content['method']} right": figures.get("n_only_first"),
                "only this right": figures.get("n_only_second"),
                "McNemar p": figures.get("mcnemar_p"),
            }
        )
    return f"## Beside others\n\n{records(rows)}"


def _comparisons(content: Content) -> str:
    rows = []
    for name, figures in content["comparisons"].items():
        for prefix, figure in _COMPARED.items():
            difference = figures[f"{prefix}difference"]
            ends = figures[f"{prefix}difference_interval"]
            rows.append(
                {
                    "against": name,
                    "figure": figure,
                    "difference": estimate(difference, ends, signed=True),
                    "permutation p": figures[f"{prefix}permutation_p"],
                    "McNemar p": None if prefix else figures["mcnemar_p"],
                }
            )
    return f"## {inline(content['method'])} against others\n\n{records(rows)}"


def _people(pairs: Content) -> str:
    rows = []
    for name, figures in pairs.items():
        kappa = figures["kappa"]
        if kappa is not None:
            kappa = estimate(kappa, figures["kappa_interval"])
        rows.append(
            {
                "pair": name,
                "n": figures["n"],
                "agreement": estimate(figures["agreement"], figures["agreement_interval"]),
                "kappa": kappa,
            }
        )
    return f"## Two people\n\n{records(rows)}"


def _slices(name: str, slices: Content) -> str:
    rows = []
    for key, figures in slices.items():
        rows.append(
            {
                name: key,
                "n": figures["n"],
                "accuracy": estimate(figures["accuracy"], figures["accuracy_interval"]),
                "judge rate": figures["judge_rate"],
                "gold rate": figures["gold_rate"],
                "gap": estimate(figures["gap"], figures["gap_interval"], signed=True),
                "kappa": figures["kappa"],
            }
        )
    return f"## By {name}\n\n{records(rows)}"
