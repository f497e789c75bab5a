"""The html page of a report: one file without outside parts, readable on a phone, in dark mode and without scripts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from lm_eval_bertjudge.analysis.harness_metrics import Difference
from lm_eval_bertjudge.report import plots
from lm_eval_bertjudge.report.tables import Section

_TEMPLATE = Path(__file__).parent / "page.html"
_SHOWN_CHARS = (
    6000  # of a question or an answer; the rest is cut from the start, where no final answer stands
)


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a page shows.

    Attributes:
        heading: One line: how many answers, generators, tasks.
        summary: The finding in a sentence; empty where no rules are compared.
        sections: The tables.
        rates: Per generator the share decided right, by column.
        differences: Per generator the answers on which rules and judge differ.
        histogram: Answers per tenth of p_correct.
        curve: (threshold, share decided right, accuracy against labels or None).
        items: The answers on which verdicts differ, ready for display.
        n_items: How many there are; `items` holds some of them.
    """

    heading: str
    summary: str
    sections: list[Section]
    rates: dict[str, dict[str, float]]
    differences: dict[str, Difference]
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
        summary=f'<p class="summary">{escape(found.summary)}</p>' if found.summary else "",
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
    columns = list(dict.fromkeys(column for each in found.rates.values() for column in each))
    rates = [
        [name, *(each.get(column) for column in columns)] for name, each in found.rates.items()
    ]
    drawn = [
        _figure(
            "Share decided right, by model", plots.bars(found.rates), ["model", *columns], rates
        )
    ]
    if found.differences:
        header = [
            "model",
            "n",
            "not parsed",
            "judge alone, not parsed",
            "judge alone, parsed",
            "rules alone",
        ]
        counts = [[name, *each] for name, each in found.differences.items()]
        drawn.append(
            _figure(
                "Where rules and judge differ", plots.differences(found.differences), header, counts
            )
        )
    if sum(found.histogram):
        tenths = [[f"{i / 10:.1f} to {(i + 1) / 10:.1f}", n] for i, n in enumerate(found.histogram)]
        drawn.append(
            _figure(
                "How sure the judge is",
                plots.histogram(found.histogram),
                ["p_correct", "n"],
                tenths,
            )
        )
    if found.curve:
        header = ["threshold", "share right", "accuracy"]
        drawn.append(
            _figure(
                "Share decided right, by threshold", plots.curve(found.curve), header, found.curve
            )
        )
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
    return f'<section><h2>{escape(section.title)}</h2><p class="faint">{escape(section.note)}</p>{body}</section>'


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    scrolls = 'class="wide" tabindex="0" role="region" aria-label="Table"'  # by keyboard too
    return (
        f"<div {scrolls}><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(value: Any) -> str:
    kind = ' class="n"' if value is None or isinstance(value, (int, float)) else ""
    shown = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
    return f"<td{kind}>{escape(shown)}</td>"


def _options(values: Iterable[str]) -> str:
    return "".join(
        f'<option value="{escape(v, quote=True)}">{escape(v or "-")}</option>'
        for v in sorted(set(values))
    )


def _item(item: dict[str, Any]) -> str:
    data = "".join(
        f' data-{name}="{escape(str(item[key]), quote=True)}"'
        for name, key in (("model", "generator"), ("task", "task"), ("kind", "kind"))
    )
    chips = "".join(
        _chip(name, value, name in item["unparsed"]) for name, value in item["decided"].items()
    )
    p = "" if item["p"] is None else f"<span>p {item['p']:.3f}</span>"
    references = " <i>or</i> ".join(
        f"<b>{escape(str(reference))}</b>" for reference in item["references"]
    )
    error = ' data-error="1"' if item["label_differs"] else ""
    question = _end(item["question"]) or "(none was given)"
    return (
        f'<article class="item"{data}{error}><h3>{escape(item["id"])}</h3><p class="chips">{chips}{p}</p>'
        f"<p>Reference: {references}</p>"
        f'<div class="end" tabindex="0" role="region" aria-label="Candidate"><pre>{escape(_end(item["candidate"]))}'
        f"</pre></div><details><summary>Question</summary><pre>{escape(question)}</pre></details></article>"
    )


def _chip(name: str, value: int, unparsed: bool) -> str:
    said = "right" if value else "not parsed" if unparsed else "wrong"
    return f'<span class="{"yes" if value else "no"}">{escape(name)}: {said}</span>'


def _end(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else "…" + text[-_SHOWN_CHARS:]
