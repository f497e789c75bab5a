"""A report as markdown, for a pull request: the page's tables and its disagreements."""

from __future__ import annotations

from collections import Counter

from lm_eval_bertjudge.render import fenced, inline, table
from lm_eval_bertjudge.report.build import Report
from lm_eval_bertjudge.report.disagreements import Disagreement

_SHOWN_CHARS = 1000  # of a question or an answer; the end is kept, where the final answer stands


def page(report: Report) -> str:
    """The whole page."""
    parts = ["# Judged answers", inline(report.heading)]
    if report.summary:
        parts.append(inline(report.summary))
    for section in report.sections:
        parts += [f"## {section.title}", inline(section.note), table(section.header, section.rows)]
    if report.curve:
        header = ["threshold", "share right", "accuracy"]
        parts += ["## By threshold", table(header, report.curve[1::2])]
    parts += ["## Disagreements", _counts(report), *map(_item, report.items)]
    return "\n\n".join(parts) + "\n"


def _counts(report: Report) -> str:
    kinds = Counter(item.kind for item in report.items)
    counts = ", ".join(f"{name}: {n}" for name, n in kinds.most_common())
    return inline(
        f"{report.n_items} answers, {len(report.items)} of them here: {counts or 'none'}."
    )


def _item(item: Disagreement) -> str:
    decided = [f"{inline(name)}: {word}" for name, word in item.words().items()]
    if item.p is not None:
        decided.append(f"p {item.p:.3f}")
    references = " *or* ".join(map(inline, item.references))
    parts = [
        f"### {inline(item.id)}",
        f"{', '.join(decided)}. Reference: {references}",
        fenced(shortened(item.candidate, _SHOWN_CHARS)),
    ]
    if item.question:
        parts += [
            "<details><summary>Question</summary>",
            fenced(shortened(item.question, _SHOWN_CHARS)),
            "</details>",
        ]
    return "\n\n".join(parts)


def shortened(text: str, n_chars: int) -> str:
    """The end of a text that is longer."""
    return text if len(text) <= n_chars else "…" + text[-n_chars:]
