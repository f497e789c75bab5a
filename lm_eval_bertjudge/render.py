"""Figures, intervals and tables as text: what every command and stage prints its numbers with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Interval = tuple[float, float]

# What markdown would read in a name or an answer: HTML, entities, code, cells, links by brackets and bare addresses.
_MARKDOWN = re.compile(
    r"""
    [\\|<&`]          # <img>  &nbsp;  `code`  a|b
    | (?<=\])\(       # [text](address)
    | (?<=:)//        # https://address
    | (?<=www)\.      # www.address
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Controls, lone surrogates, and characters without a width, which hide words or turn their direction. Scripts of
# South Asia and Persia are written with the two joiners.
_INVISIBLE = ("Cc", "Cf", "Cs")
_WRITTEN = "\n\t\u200c\u200d"


def number(value: float, digits: int = 3) -> str:
    """A figure with so many decimals; with two significant digits where these would all be 0."""
    if 0 < abs(value) < 0.001:
        return f"{value:.2g}"
    return f"{value:.{digits}f}"


def interval(ends: Interval, digits: int = 3, *, signed: bool = False) -> str:
    """`[0.123, 0.456]`."""
    form = f"{'+' * signed}.{digits}f"
    return f"[{ends[0]:{form}}, {ends[1]:{form}}]"


def estimate(value: float, ends: Interval | None, *, signed: bool = False) -> str:
    """`0.300 [0.123, 0.456]`; the value alone where it has no interval."""
    sign = "+" if signed else ""
    point = f"{value:{sign}.3f}"
    return point if ends is None else f"{point} {interval(ends, signed=signed)}"


def text(value: Any) -> str:
    """Any figure as text: three decimals, `[low, high]` of a pair, `-` of None."""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, tuple):
        return interval(value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {text(each)}" for name, each in value.items())
    return "-" if value is None else str(value)


def visible(value: str) -> str:
    r"""The text with control and invisible characters as escapes: a terminal shows `\x1b` and does not obey it."""
    return "".join(map(_escape, value))


def _escape(char: str) -> str:
    if char in _WRITTEN or unicodedata.category(char) not in _INVISIBLE:
        return char
    return char.encode("unicode_escape", "surrogatepass").decode("ascii")


def inline(value: Any) -> str:
    """A value for a line of markdown: nothing in it is read as markup, a link or a terminal's command."""
    return _MARKDOWN.sub(r"\\\g<0>", visible(text(value))).replace("\n", " ")


def fenced(value: str) -> str:
    """A text as a block of code, which no text inside can end."""
    longest = max(map(len, re.findall(r"`{3,}", value)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{visible(value)}\n{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A markdown table; numbers have three decimals, and data cannot leave its cell."""
    lines = [_line(header), _line(["---"] * len(header))]
    lines += map(_line, rows)
    return "\n".join(lines)


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(inline, cells))} |"


def records(rows: Sequence[Mapping[str, Any]]) -> str:
    """A markdown table of rows by column; the first row's columns are the header."""
    header = list(rows[0]) if rows else []
    return table(header, [list(row.values()) for row in rows])
