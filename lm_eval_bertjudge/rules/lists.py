"""Lists, tuples, sets and intervals of texts and quantities."""

from __future__ import annotations

import re

from lm_eval_bertjudge.rules.formulas import same_formula
from lm_eval_bertjudge.rules.quantities import same_quantity

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_ORDERED = re.compile(
    r"\b(?:order|ordered|respectively|first to last|last to first|sequence|ascending|descending|rank(?:ed|ing)?"
    r"|sort(?:ed)?|steps?|pairs?|coordinates?|point|from [a-z]+est|[a-z]+est first|chronological(?:ly)?)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"([A-Za-z])\s*=\s*(.+)", re.DOTALL)


def same_list(gold: str, said: str, question: str) -> bool:
    """Whether both texts list the same members: in the same order where it matters, and within the same brackets.

    Order matters in tuples and intervals, and where the question speaks of one. A list without brackets goes with any.
    """
    (gold_brackets, gold_members), (said_brackets, said_members) = members(gold), members(said)
    if len(gold_members) != len(said_members) or len(gold_members) < 2:
        return False
    if gold_brackets and said_brackets and gold_brackets != said_brackets:
        return False
    if same_order(gold_members, said_members, question):
        return True
    named = all(_NAMED.fullmatch(member) for member in gold_members + said_members)
    ordered = gold_brackets not in ("", "{}") or _ORDERED.search(question)
    return bool(named or not ordered) and same_set(gold_members, said_members, question)


def same_order(gold: list[str], said: list[str], question: str) -> bool:
    """Whether both have the same members in the same places."""
    return all(_same_member(g, s, question) for g, s in zip(gold, said, strict=True))


def same_set(gold: list[str], said: list[str], question: str) -> bool:
    """Whether both have the same members, in any order."""
    left = list(said)
    for member in gold:
        match = next((other for other in left if _same_member(member, other, question)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _same_member(gold: str, said: str, question: str) -> bool:
    """Whether two members are the same value; where both have a name, "x = 5", under the same name."""
    gold_name, said_name = _NAMED.fullmatch(gold), _NAMED.fullmatch(said)
    if gold_name and said_name and gold_name[1] != said_name[1]:
        return False
    gold, said = gold_name[2] if gold_name else gold, said_name[2] if said_name else said
    return (
        _squeezed(gold) == _squeezed(said)
        or same_quantity(gold, said, question)
        or same_formula(gold, said, question)
    )


def _squeezed(text: str) -> str:
    return re.sub(r"[\s'\"“”‘’]", "", text).casefold()


_BOUNDED = re.compile(r"([^<>=|]+?)\s*(<=?)\s*[a-z]\s*(<=?)\s*([^<>=|]+)")
_HALF_LINE = re.compile(r"[a-z]\s*([<>]=?)\s*([^<>=|]+)")
_ABSOLUTE = re.compile(r"\|[a-z]\|\s*(<=?)\s*([^<>=|-]+)")


def _interval(text: str) -> str:
    """An inequality in one letter as the interval it describes; other text as it is."""
    if found := _BOUNDED.fullmatch(text):
        return f"{'(['['=' in found[2]]}{found[1]}, {found[4]}{')]'['=' in found[3]]}"
    if found := _HALF_LINE.fullmatch(text):
        closed = "=" in found[1]
        return (
            f"{'(['[closed]}{found[2]}, inf)"
            if ">" in found[1]
            else f"(-inf, {found[2]}{')]'[closed]}"
        )
    if found := _ABSOLUTE.fullmatch(text):
        closed = "=" in found[1]
        return f"{'(['[closed]}-{found[2]}, {found[2]}{')]'[closed]}"
    return re.sub(r"^\](.*)\[$", r"(\1)", text)


def members(text: str) -> tuple[str, list[str]]:
    """The brackets around a list, "" without, and its members; one member or none when the text is no list."""
    text = _interval(text.strip().rstrip("."))
    text = re.sub(r"^(?:[A-Za-z]\s*(?:=|in)\s*)(?=[\[({])", "", text)
    brackets = ""
    if text and text[0] in _BRACKETS and text[-1] in ")]}" and _spans(text):
        brackets, text = text[0] + text[-1], text[1:-1]
    if plus_minus := re.fullmatch(r"(?:[A-Za-z]\s*=\s*)?\+-\s*([\w.()/]+)", text):
        return "{}", [plus_minus[1], "-" + plus_minus[1]]
    return brackets, [member.strip() for member in _split(text)]


def _spans(text: str) -> bool:
    """Whether the first bracket is closed by the last character."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            return at == len(text) - 1
    return False


def _split(text: str) -> list[str]:
    """The parts between separators that stand outside brackets."""
    depth, parts = 0, [""]
    for token in re.split(r"(\s*,?\s+(?:and|then|&)\s+|\s*[,;]\s*|[()\[\]{}])", text):
        depth += (token in "([{" and token != "") - (token in ")]}" and token != "")
        if depth == 0 and re.fullmatch(r"\s*[,;]\s*|\s*,?\s+(?:and|then|&)\s+", token):
            parts.append("")
        else:
            parts[-1] += token
    return [part for part in parts if part.strip()]
