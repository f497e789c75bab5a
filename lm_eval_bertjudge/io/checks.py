"""What a line of a file must look like before it is read, so that an odd one is named and not a traceback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval_bertjudge.errors import InputError

_NAMES = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
_SAMPLE: dict[str, tuple[type, ...]] = {
    "doc_id": (int, str),
    "doc": (dict,),
    "resps": (list, str),
    "metrics": (list,),
}
_JUDGED: dict[str, tuple[type, ...]] = {
    "verdicts": (dict,),
    "old": (dict,),
    "task": (str,),
    "generator": (str,),
}
_VERDICT: dict[str, tuple[type, ...]] = {
    "p_correct": (float, int),
    "correct": (bool, int),
    "source": (str,),
    "truncated": (bool, int),
    "reason": (str,),
}


def sample(line: Mapping[str, Any], where: str) -> None:
    """Checks a line of a sample file of lm_eval.

    Raises:
        InputError: A field is of another type; the message says which and what was expected.
    """
    _expect(line, where, _SAMPLE)
    for name in line.get("metrics") or []:
        _expect({"a metric's name": name}, where, {"a metric's name": (str,)})


def judged(row: Mapping[str, Any], where: str) -> None:
    """Checks a row of a verdict file, with `verdicts` by method or one verdict's fields in the row itself.

    Raises:
        InputError: As in `sample`.
    """
    _expect(row, where, _JUDGED)
    metrics = row.get("old") or {}
    _expect(metrics, where, dict.fromkeys(metrics, (float, int, bool)))
    if row.get("verdicts") is None:
        _expect(row, where, _VERDICT)
    verdicts = row.get("verdicts") or {}
    for method, verdict in verdicts.items():
        _expect(verdicts, where, {method: (dict,)})
        _check_verdict(verdict or {}, where, method)


def _check_verdict(verdict: Mapping[str, Any], where: str, method: str) -> None:
    missing = sorted(_VERDICT.keys() - verdict.keys())
    if missing:
        raise InputError(f"{where}: the verdict of {method} lacks {', '.join(missing)}")
    _expect(verdict, f"{where}, {method}", _VERDICT)
    p = verdict["p_correct"]
    if p is not None and not 0 <= p <= 1:
        raise InputError(f"{where}, {method}: p_correct is {p}; 0 to 1 was expected")


def _expect(row: Mapping[str, Any], where: str, kinds: Mapping[str, tuple[type, ...]]) -> None:
    for name, allowed in kinds.items():
        value = row.get(name)
        if value is not None and not isinstance(value, allowed):
            expected = " or ".join(_NAMES[kind] for kind in allowed)
            raise InputError(f"{where}: {name} is {value!r:.60}; {expected} was expected")
