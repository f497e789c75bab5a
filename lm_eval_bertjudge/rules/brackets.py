"""What stands between brackets: the members of tuples, sets and lists, and the ends of intervals."""

from __future__ import annotations

import re

_BRACKETS = "([{", ")]}"
_BOUNDED = re.compile(r"([^<>=|]+?)\s*(<=?)\s*[a-z]\s*(<=?)\s*([^<>=|]+)")  # -3 < x <= 3
_HALF_LINE = re.compile(r"[a-z]\s*([<>]=?)\s*([^<>=|]+)")  # x >= 4
_ABSOLUTE = re.compile(r"\|[a-z]\|\s*(<=?)\s*([^<>=|-]+)")  # |x| < 3
_OUTWARD = re.compile(r"^\](.*)\[$")  # ]-3, 3[
_NAME = re.compile(r"^[A-Za-z]\s*(?:=|in)\s*(?=[\[({])")  # x = (1, 2)
_PLUS_MINUS = re.compile(r"(?:[A-Za-z]\s*=\s*)?\+-\s*([\w.()/]+)")  # x = +-7
_SEPARATOR = re.compile(r"\s*,?\s+(?:and|then|&)\s+|\s*[,;]\s*")
_TOKEN = re.compile(rf"({_SEPARATOR.pattern}|[()\[\]{{}}])")


def members(text: str) -> tuple[str, list[str]]:
    """The brackets around a list, "" without, and its members; one member or none when the text is no list."""
    text = _NAME.sub("", _as_interval(text.strip().rstrip(".")))
    brackets = ""
    if text and text[0] in _BRACKETS[0] and text[-1] in _BRACKETS[1] and _spans(text):
        brackets, text = text[0] + text[-1], text[1:-1]
    if plus_minus := _PLUS_MINUS.fullmatch(text):
        return "{}", [plus_minus[1], "-" + plus_minus[1]]
    return brackets, [member.strip() for member in _split(text)]


def _as_interval(text: str) -> str:
    """An inequality in one letter as the interval it describes; other text as it is."""
    if match := _BOUNDED.fullmatch(text):
        return _interval(match[1], match[4], "=" in match[2], "=" in match[3])
    if match := _HALF_LINE.fullmatch(text):
        closed = "=" in match[1]
        if ">" in match[1]:
            return _interval(match[2], "inf", closed, False)
        return _interval("-inf", match[2], False, closed)
    if match := _ABSOLUTE.fullmatch(text):
        closed = "=" in match[1]
        return _interval("-" + match[2], match[2], closed, closed)
    return _OUTWARD.sub(r"(\1)", text)


def _interval(low: str, high: str, low_closed: bool, high_closed: bool) -> str:
    opening = "[" if low_closed else "("
    closing = "]" if high_closed else ")"
    return f"{opening}{low}, {high}{closing}"


def _spans(text: str) -> bool:
    """Whether the first bracket is closed by the last character."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in _BRACKETS[0]) - (character in _BRACKETS[1])
        if depth == 0:
            return at == len(text) - 1
    return False


def _split(text: str) -> list[str]:
    """The parts between separators that stand outside brackets."""
    depth, parts = 0, [""]
    for token in filter(None, _TOKEN.split(text)):
        depth += (token in _BRACKETS[0]) - (token in _BRACKETS[1])
        if depth == 0 and _SEPARATOR.fullmatch(token):
            parts.append("")
        else:
            parts[-1] += token
    return [part for part in parts if part.strip()]
