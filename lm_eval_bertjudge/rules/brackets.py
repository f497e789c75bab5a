"""What stands between brackets: the members of tuples, sets and lists, and the ends of intervals."""

from __future__ import annotations

import re

_OPENING, _CLOSING = "([{", ")]}"
_BOUNDED = re.compile(r"([^<>=|]+?)\s*(<=?)\s*[a-z]\s*(<=?)\s*([^<>=|]+)")  # -3 < x <= 3
_HALF_LINE = re.compile(r"[a-z]\s*([<>]=?)\s*([^<>=|]+)")  # x >= 4
_ABSOLUTE = re.compile(r"\|[a-z]\|\s*(<=?)\s*([^<>=|-]+)")  # |x| < 3
_OUTWARD = re.compile(r"^\](.*)\[$")  # ]-3, 3[
_NAME = re.compile(r"^[A-Za-z]\s*(?:=|in)\s*(?=[\[({])")  # x = (1, 2)
_PLUS_MINUS = re.compile(r"(?:[A-Za-z]\s*=\s*)?\+-\s*([\w.()/]+)")  # x = +-7
_SEPARATOR = re.compile(r"\s*,?\s+(?:and|then|&)\s+|\s*[,;]\s*")
_TOKEN = re.compile(rf"({_SEPARATOR.pattern}|[()\[\]{{}}])")


def members(text: str) -> tuple[str, list[str]]:
    """The brackets around a list, "" without, and its members.

    A text that is no list is its only member, or has none.
    """
    text = _as_interval(text.strip().rstrip("."))
    text = _NAME.sub("", text)
    brackets = ""
    if _is_bracketed(text):
        brackets = text[0] + text[-1]
        text = text[1:-1]
    if plus_minus := _PLUS_MINUS.fullmatch(text):
        size = plus_minus[1]
        return "{}", [size, "-" + size]
    return brackets, [member.strip() for member in _split(text)]


def _as_interval(text: str) -> str:
    """An inequality in one letter as the interval it describes; other text as it is."""
    if match := _BOUNDED.fullmatch(text):
        low, low_sign, high_sign, high = match.groups()
        return _interval(low, high, low_sign, high_sign)
    if match := _HALF_LINE.fullmatch(text):
        sign, end = match.groups()
        if ">" in sign:
            return _interval(end, "inf", sign, "<")
        return _interval("-inf", end, "<", sign)
    if match := _ABSOLUTE.fullmatch(text):
        sign, size = match.groups()
        return _interval("-" + size, size, sign, sign)
    return _OUTWARD.sub(r"(\1)", text)


def _interval(low: str, high: str, low_sign: str, high_sign: str) -> str:
    """An interval that includes an end whose sign says so: "<="."""
    opening = "[" if "=" in low_sign else "("
    closing = "]" if "=" in high_sign else ")"
    return f"{opening}{low}, {high}{closing}"


def _is_bracketed(text: str) -> bool:
    """Whether a text begins with a bracket that its last character closes."""
    depth = 0
    for at, character in enumerate(text, start=1):
        depth += _step(character)
        if depth <= 0:
            return at == len(text) > 1
    return False


def _step(character: str) -> int:
    """By how much a character changes the depth of brackets."""
    if character in _OPENING:
        return 1
    return -1 if character in _CLOSING else 0


def _split(text: str) -> list[str]:
    """The parts between separators that stand outside brackets."""
    depth, parts = 0, [""]
    for token in filter(None, _TOKEN.split(text)):
        depth += _step(token)
        if depth == 0 and _SEPARATOR.fullmatch(token):
            parts.append("")
        else:
            parts[-1] += token
    return [part for part in parts if part.strip()]
