"""A report as one html file without outside parts, readable on a phone, in dark mode and without scripts.

The page is templates/report.html, which escapes everything that is put into it; only the plots' SVG is taken as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from lm_eval_bertjudge.render import text, visible
from lm_eval_bertjudge.report import plots
from lm_eval_bertjudge.report.build import Report
from lm_eval_bertjudge.report.markdown import shortened

_TEMPLATES = Path(__file__).parent / "templates"
_SHOWN_CHARS = 6000  # of a question or an answer; the end is kept, where the final answer stands
_FIGURE = re.compile(r"[+-]?\d|-$")


class Figure(NamedTuple):
    """A plot with its numbers, for whoever cannot see it."""

    title: str
    svg: Markup
    header: list[str]
    rows: Sequence[Sequence[Any]]


def page(report: Report) -> str:
    """The whole page.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {"end": _end, "anchor": _anchor}
    environment.tests["figure"] = is_figure
    items = report.items
    return environment.get_template("report.html").render(
        report=report,
        figures=list(_figures(report)),
        models=sorted({item.generator for item in items}),
        tasks=sorted({item.task for item in items}),
        kinds=sorted({item.kind for item in items}),
    )


def _shown(value: Any) -> Any:
    """What the template puts in: markup as it is, a figure as text, a text without invisible characters."""
    if hasattr(value, "__html__"):
        return value
    return visible(text(value))


def is_figure(value: Any) -> bool:
    """Whether a cell stands at the right: a number, with its interval or without, or none."""
    return not isinstance(value, str) or bool(_FIGURE.match(value))


def _end(value: str) -> str:
    return shortened(value, _SHOWN_CHARS)


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def _figures(report: Report) -> Iterable[Figure]:
    columns = list(dict.fromkeys(column for each in report.rates.values() for column in each))
    rates = [[name, *map(each.get, columns)] for name, each in report.rates.items()]
    title = "Share decided right, by model"
    yield _figure(title, plots.bars(report.rates), ["model", *columns], rates)
    if report.differences:
        header = ["model", "n", "not parsed", "judge alone, not parsed", "judge alone, parsed"]
        yield _figure(
            "Where rules and judge differ",
            plots.differences(report.differences),
            [*header, "rules alone"],
            [[name, *each] for name, each in report.differences.items()],
        )
    if sum(report.histogram):
        tenths = [f"{i / 10:.1f} to {(i + 1) / 10:.1f}" for i in range(10)]
        yield _figure(
            "How sure the judge is",
            plots.histogram(report.histogram),
            ["p_correct", "n"],
            list(zip(tenths, report.histogram, strict=True)),
        )
    if report.curve:
        header = ["threshold", "share right", "accuracy"]
        title = "Share decided right, by threshold"
        yield _figure(title, plots.curve(report.curve), header, report.curve)


def _figure(title: str, svg: str, header: list[str], rows: Sequence[Sequence[Any]]) -> Figure:
    return Figure(title, Markup(svg), header, rows)  # matplotlib escapes its texts
