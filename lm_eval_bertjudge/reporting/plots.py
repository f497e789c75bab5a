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

# Told apart by lightness too, and readable on white and on near-black.
COLOURS = ("#3b82c4", "#d97a1f", "#3d9a6b", "#b3598f")
_INK = "#010203"  # stands for the page's text colour until the SVG is written


def bars(values: Mapping[str, Mapping[str, float]]) -> str:
    """Accuracy per generator, one bar per method."""
    methods = list(dict.fromkeys(method for each in values.values() for method in each))
    height = 0.8 + 0.22 * len(values) * (len(methods) + 1)
    figure, axes = _canvas(height)
    for index, method in enumerate(methods):
        at = [row + 0.8 * index / len(methods) for row in range(len(values))]
        rates = [each.get(method, 0.0) for each in values.values()]
        axes.barh(at, rates, height=0.8 / len(methods), color=COLOURS[index % len(COLOURS)], label=method)
    axes.set_yticks([row + 0.4 - 0.4 / len(methods) for row in range(len(values))], [_short(name) for name in values])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("share decided right")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=len(methods), frameon=False, labelcolor=_INK)
    return _svg(figure, "bars")


def histogram(counts: Sequence[int]) -> str:
    """Answers per tenth of p_correct."""
    figure, axes = _canvas(2.4)
    axes.bar([(i + 0.5) / len(counts) for i in range(len(counts))], counts, width=0.9 / len(counts), color=COLOURS[0])
    axes.set_xlabel("p_correct")
    axes.set_ylabel("answers")
    return _svg(figure, "histogram")


def curve(points: Sequence[tuple[float, float, float | None]]) -> str:
    """Share decided right, and accuracy where there are labels, by threshold."""
    figure, axes = _canvas(2.6)
    thresholds = [point[0] for point in points]
    axes.plot(thresholds, [point[1] for point in points], color=COLOURS[0], label="share decided right")
    accuracy = [point[2] for point in points if point[2] is not None]
    if len(accuracy) == len(points):
        axes.plot(thresholds, accuracy, color=COLOURS[1], linestyle="--", label="accuracy against labels")
    axes.set_xlabel("threshold")
    axes.set_ylim(0, 1)
    axes.legend(frameon=False, labelcolor=_INK)
    return _svg(figure, "curve")


def _short(name: str) -> str:
    return name if len(name) <= 24 else "…" + name[-23:]


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
    written = re.sub(r' id="((?:figure|axes|patch|text|matplotlib|xtick|ytick|line2d|legend)[^"]*)"', "", written)
    tag, rest = written.split(">", 1)
    return re.sub(r' (?:width|height)="[^"]*"', "", tag) + ">" + rest
