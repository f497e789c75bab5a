"""The html page of a report: one file without outside parts, readable on a phone, in dark mode and without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from lm_eval_bertjudge.reporting import plots

_TEMPLATE = Path(__file__).parent / "page.html"
_SHOWN_CHARS = 6000  # of a question or an answer; the rest is cut from the start, where no final answer stands


class Section(NamedTuple):
    """A table of the page with what to know about it."""

    title: str
    note: str
    header: list[str]
    rows: list[list[Any]]


@dataclass(frozen=True)
class Report:
    """What a page shows.

    Attributes:
        heading: One line: how many answers, generators, tasks.
        sections: The tables.
        bars: Per generator its accuracy by method, for the first plot.
        histogram: Answers per tenth of p_correct.
        curve: (threshold, share decided right, accuracy against labels or None).
        items: The answers on which verdicts differ, ready for display.
        n_items: How many there are; `items` holds some of them.
    """

    heading: str
    sections: list[Section]
    bars: dict[str, dict[str, float]]
    histogram: list[int]
    curve: list[tuple[float, float, float | None]]
    items: list[dict[str, Any]] = field(default_factory=list)
    n_items: int = 0


def html(found: Report) -> str:
    """The whole page.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    items = found.items
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(
        heading=escape(found.heading),
        plots=_plots(found),
        sections="\n".join(_section(section) for section in found.sections),
        n_items=found.n_items,
        n_shown=len(items),
        models=_options(item["generator"] for item in items),
        tasks=_options(item["task"] for item in items),
        kinds=_options(item["kind"] for item in items),
        items="\n".join(_item(item) for item in items),
    )


def _plots(found: Report) -> str:
    methods = list(dict.fromkeys(method for each in found.bars.values() for method in each))
    rates = [[name, *(each.get(method) for method in methods)] for name, each in found.bars.items()]
    drawn = [_figure("Accuracy by model", plots.bars(found.bars), ["model", *methods], rates)]
    if sum(found.histogram):
        tenths = [[f"{i / 10:.1f} to {(i + 1) / 10:.1f}", n] for i, n in enumerate(found.histogram)]
        drawn.append(_figure("How sure the judge is", plots.histogram(found.histogram), ["p_correct", "n"], tenths))
    if found.curve:
        header = ["threshold", "share right", "accuracy"]
        drawn.append(_figure("By threshold", plots.curve(found.curve), header, found.curve))
    return "\n".join(drawn)


def _figure(title: str, svg: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A plot with its numbers as a table, for whoever cannot see it."""
    label = escape(f"Plot: {title}. The same numbers are in the table below.", quote=True)
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><div role="img" aria-label="{label}">{svg}</div>'
        f"<details><summary>Numbers</summary>{_table(header, rows)}</details></figure>"
    )


def _section(section: Section) -> str:
    body = _table(section.header, section.rows)
    return f"<section><h2>{escape(section.title)}</h2><p>{escape(section.note)}</p>{body}</section>"


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(_shown(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _options(values: Iterable[str]) -> str:
    return "".join(f'<option value="{escape(v, quote=True)}">{escape(v or "-")}</option>' for v in sorted(set(values)))


def _item(item: dict[str, Any]) -> str:
    data = "".join(
        f' data-{name}="{escape(str(item[key]), quote=True)}"'
        for name, key in (("model", "generator"), ("task", "task"), ("kind", "kind"))
    )
    chips = "".join(
        f'<span class="{"yes" if value else "no"}">{escape(name)}: {"right" if value else "wrong"}</span>'
        for name, value in item["decided"].items()
    )
    p = "" if item["p"] is None else f"<span>p {item['p']:.3f}</span>"
    references = " <i>or</i> ".join(f"<b>{escape(str(reference))}</b>" for reference in item["references"])
    error = ' data-error="1"' if item["label_differs"] else ""
    return (
        f'<article class="item"{data}{error}><h3>{escape(item["id"])}</h3><p class="chips">{chips}{p}</p>'
        f"<details><summary>Question</summary><pre>{escape(_end(item['question']))}</pre></details>"
        f"<p>Reference: {references}</p>"
        f'<div class="end" tabindex="0" aria-label="Candidate"><pre>{escape(_end(item["candidate"]))}</pre></div>'
        "</article>"
    )


def _end(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else "…" + text[-_SHOWN_CHARS:]
