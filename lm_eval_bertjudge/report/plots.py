"""Plots of a report as inline SVG: no fixed size, colours that follow the page's light or dark scheme."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lm_eval_bertjudge.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lm_eval_bertjudge.analysis.harness_metrics import Difference
    from lm_eval_bertjudge.report.build import Point

# Told apart by lightness too, and readable on white and on near-black.
COLOURS = ("#3b82c4", "#d97a1f", "#3d9a6b", "#b3598f")
_INK = "#010203"  # stands for the page's text colour until the SVG is written
_SHORT = 28  # characters of a model's name beside its bars
# Ids that nothing refers to, and that would be there twice with several plots on a page.
_UNUSED_ID = re.compile(
    r"""
    \ id="(?:figure|axes|patch|text|matplotlib|xtick|ytick|line2d|legend)[^"]*"   # id="patch_3"
    """,
    re.VERBOSE,
)


def bars(values: Mapping[str, Mapping[str, float]]) -> str:
    """Share decided right per generator, one bar per column."""
    columns = list(dict.fromkeys(column for rates in values.values() for column in rates))
    n = len(values)
    thickness = 0.8 / len(columns)
    figure, axes = _canvas(1.1 + 0.2 * n * (len(columns) + 1))
    highest = 0.1
    for index, column in enumerate(columns):
        rates = [each.get(column, 0.0) for each in values.values()]
        highest = max(highest, *rates)
        bars = axes.barh(
            np.arange(n) + thickness * index,
            rates,
            height=thickness,
            color=COLOURS[index % len(COLOURS)],
            label=column,
        )
        axes.bar_label(bars, fmt="%.3f", padding=3, fontsize=8, color=_INK)
    axes.set_yticks(np.arange(n) + 0.4 - thickness / 2, map(_short, values))
    axes.invert_yaxis()
    axes.set_xlim(0, highest * 1.15)
    axes.set_xlabel("share decided right")
    _legend(figure, len(columns))
    return _svg(figure, "bars")


def differences(values: Mapping[str, Difference]) -> str:
    """Per generator the share of answers that the judge alone calls right, left of 0, and the rules alone, right."""
    counts = np.array(list(values.values()), dtype=float)
    n, _, lost_parsing, lost_matching, rule_alone = counts.T / np.maximum(counts[:, 0], 1)
    figure, axes = _canvas(1.3 + 0.35 * len(n))
    names = list(map(_short, values))
    for shares, start, colour, label in (
        (-lost_parsing, 0, COLOURS[1], "judge alone: not parsed"),
        (-lost_matching, -lost_parsing, COLOURS[3], "judge alone: compared otherwise"),
        (rule_alone, 0, COLOURS[0], "rules alone"),
    ):
        axes.barh(
            names,
            shares,
            left=start,
            height=0.6,
            color=colour,
            label=label,
        )
    axes.axvline(0, color=_INK, linewidth=0.8)
    axes.invert_yaxis()
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(lambda share, _: f"{abs(share):.3g}")
    axes.set_xlabel("share of answers")
    _legend(figure, 2)
    return _svg(figure, "differences")


def histogram(counts: Sequence[int]) -> str:
    """Answers per tenth of p_correct."""
    figure, axes = _canvas(2.4)
    n = len(counts)
    axes.bar([(i + 0.5) / n for i in range(n)], counts, width=0.9 / n, color=COLOURS[0])
    axes.set_xlim(0, 1)
    axes.set_xlabel("p_correct")
    axes.set_ylabel("answers")
    return _svg(figure, "histogram")


def curve(points: Sequence[Point]) -> str:
    """Share decided right, and accuracy where there are labels, by threshold."""
    figure, axes = _canvas(2.6)
    thresholds, shares, accuracies = zip(*points, strict=True)
    axes.plot(thresholds, shares, color=COLOURS[0], label="share decided right")
    if None not in accuracies:
        style: dict[str, Any] = {"color": COLOURS[1], "linestyle": "--"}
        axes.plot(thresholds, accuracies, label="accuracy against labels", **style)
    axes.set_xlabel("threshold")
    axes.set_ylim(0, 1)
    _legend(figure, 2)
    return _svg(figure, "curve")


def _legend(figure: Figure, n_columns: int) -> None:
    """Below the plot, where it covers nothing."""
    place: dict[str, Any] = {"loc": "outside lower center", "ncols": n_columns, "frameon": False}
    figure.legend(**place, labelcolor=_INK, fontsize=9)


def _short(name: str) -> str:
    return name if len(name) <= _SHORT else "…" + name[1 - _SHORT :]


def _canvas(height: float) -> tuple[Figure, Axes]:
    """A figure as wide as a phone's screen at its own text size."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "report") from error
    figure = Figure(figsize=(5, height), layout="constrained")
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    axes.tick_params(colors=_INK)
    for spine in axes.spines.values():
        spine.set_color(_INK)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_color(_INK)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Figure, name: str) -> str:
    import matplotlib
    from matplotlib.text import Text

    for label in figure.findobj(Text):
        label.set_parse_math(False)
    out = io.StringIO()
    # The salt keeps ids the same from run to run, and different from those of the page's other plots.
    settings: dict[Any, Any] = {"svg.hashsalt": name, "svg.fonttype": "none"}
    with matplotlib.rc_context(settings):
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", transparent=True, metadata=metadata)
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :].replace(_INK, "currentColor")
    tag, rest = _UNUSED_ID.sub("", svg).split(">", 1)
    return re.sub(r' (?:width|height)="[^"]*"', "", tag) + ">" + rest
