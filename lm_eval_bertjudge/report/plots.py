"""Plots of a report as inline SVG: no fixed size, colours that follow the page's light or dark scheme."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lm_eval_bertjudge.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lm_eval_bertjudge.analysis.harness_metrics import Difference

# Told apart by lightness too, and readable on white and on near-black.
COLOURS = ("#3b82c4", "#d97a1f", "#3d9a6b", "#b3598f")
_INK = "#010203"  # stands for the page's text colour until the SVG is written


def bars(values: Mapping[str, Mapping[str, float]]) -> str:
    """Share decided right per generator, one bar per column."""
    columns = list(dict.fromkeys(column for each in values.values() for column in each))
    figure, axes = _canvas(1.1 + 0.2 * len(values) * (len(columns) + 1))
    for index, column in enumerate(columns):
        at = [row + 0.8 * index / len(columns) for row in range(len(values))]
        drawn = axes.barh(at, [each.get(column, 0.0) for each in values.values()], height=0.8 / len(columns),
                          color=COLOURS[index % len(COLOURS)], label=column)  # fmt: skip
        axes.bar_label(drawn, fmt="%.3f", padding=3, fontsize=8, color=_INK)
    axes.set_yticks(
        [row + 0.4 - 0.4 / len(columns) for row in range(len(values))],
        [_short(name) for name in values],
    )
    axes.invert_yaxis()
    axes.set_xlim(
        0, max([0.1, *(rate for each in values.values() for rate in each.values())]) * 1.15
    )
    axes.set_xlabel("share decided right")
    _legend(figure, len(columns))
    return _svg(figure, "bars")


def differences(values: Mapping[str, Difference]) -> str:
    """Per generator the share of answers that the judge alone calls right, left of 0, and the rules alone, right."""
    figure, axes = _canvas(1.3 + 0.35 * len(values))
    names = [_short(name) for name in values]
    parsing = [-each.n_lost_parsing / each.n if each.n else 0.0 for each in values.values()]
    matching = [-each.n_lost_matching / each.n if each.n else 0.0 for each in values.values()]
    alone = [each.n_rule_alone / each.n if each.n else 0.0 for each in values.values()]
    axes.barh(names, parsing, height=0.6, color=COLOURS[1], label="judge alone: not parsed")
    axes.barh(
        names,
        matching,
        left=parsing,
        height=0.6,
        color=COLOURS[3],
        label="judge alone: compared otherwise",
    )
    axes.barh(names, alone, height=0.6, color=COLOURS[0], label="rules alone")
    axes.axvline(0, color=_INK, linewidth=0.8)
    axes.invert_yaxis()
    axes.set_xlabel("share of answers")
    _legend(figure, 2)
    return _svg(figure, "differences")


def histogram(counts: Sequence[int]) -> str:
    """Answers per tenth of p_correct."""
    figure, axes = _canvas(2.4)
    axes.bar(
        [(i + 0.5) / len(counts) for i in range(len(counts))],
        counts,
        width=0.9 / len(counts),
        color=COLOURS[0],
    )
    axes.set_xlim(0, 1)
    axes.set_xlabel("p_correct")
    axes.set_ylabel("answers")
    return _svg(figure, "histogram")


def curve(points: Sequence[tuple[float, float, float | None]]) -> str:
    """Share decided right, and accuracy where there are labels, by threshold."""
    figure, axes = _canvas(2.6)
    thresholds = [point[0] for point in points]
    axes.plot(
        thresholds, [point[1] for point in points], color=COLOURS[0], label="share decided right"
    )
    accuracy = [point[2] for point in points if point[2] is not None]
    if len(accuracy) == len(points):
        axes.plot(
            thresholds, accuracy, color=COLOURS[1], linestyle="--", label="accuracy against labels"
        )
    axes.set_xlabel("threshold")
    axes.set_ylim(0, 1)
    _legend(figure, 2)
    return _svg(figure, "curve")


def _legend(figure: Figure, n_columns: int) -> None:
    """Below the plot, where it covers nothing."""
    figure.legend(
        loc="outside lower center", ncols=n_columns, frameon=False, labelcolor=_INK, fontsize=9
    )


def _short(name: str) -> str:
    return name if len(name) <= 28 else "…" + name[-27:]


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

    for text in figure.findobj(Text):
        text.set_parse_math(False)
    out = io.StringIO()
    # The salt keeps ids the same from run to run, and different from those of the page's other plots.
    settings: dict[Any, Any] = {"svg.hashsalt": name, "svg.fonttype": "none"}
    with matplotlib.rc_context(settings):
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", transparent=True, metadata=metadata)
    written = out.getvalue()
    written = written[written.index("<svg") :].replace(_INK, "currentColor")
    written = re.sub(
        r' id="((?:figure|axes|patch|text|matplotlib|xtick|ytick|line2d|legend)[^"]*)"', "", written
    )
    tag, rest = written.split(">", 1)
    return re.sub(r' (?:width|height)="[^"]*"', "", tag) + ">" + rest
