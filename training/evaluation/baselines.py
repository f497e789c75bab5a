"""What else decides whether an answer is right: the harness's own extractions, and whether an alias occurs.

The patterns are those of lm-evaluation-harness 0.4.13: gsm8k.yaml (`strict-match`, `flexible-extract`, exact match
without commas, dollar signs and a final period) and mmlu_pro's `custom-extract`; "flexible" for letters, which the
harness does not have, takes the last capital that stands alone.
"""

from __future__ import annotations

import re

from lm_eval_bertjudge.analysis import baselines
from lm_eval_bertjudge.text.choices import choice_letter
from lm_eval_bertjudge.types import JudgeItem

_STRICT_NUMBER = re.compile(r"#### (\-?[0-9\.\,]+)")
_ANY_NUMBER = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")
_IGNORED = re.compile(r",|\$|\.$")
_STRICT_LETTER = re.compile(r"answer is \(?([ABCDEFGHIJ])\)?")
_ANY_LETTER = re.compile(r"\b([A-J])\b")


def contains(item: JudgeItem) -> bool:
    """Alias containment: some reference occurs in the candidate, letter case aside."""
    return baselines.contains(item.references, item.candidate)


def strict(item: JudgeItem, category: str) -> bool:
    """The harness's strict extraction: `#### 18` for maths, `answer is (B)` for multiple choice."""
    pattern = _STRICT_LETTER if category == "multiple_choice" else _STRICT_NUMBER
    match = pattern.search(item.candidate)
    return bool(match) and _same(match[1], item, category)  # type: ignore[index]


def flexible(item: JudgeItem, category: str) -> bool:
    """The last number, or the last letter that stands alone."""
    pattern = _ANY_LETTER if category == "multiple_choice" else _ANY_NUMBER
    found = [match[0] for match in pattern.finditer(item.candidate)]
    return bool(found) and _same(found[-1], item, category)


def _same(extracted: str, item: JudgeItem, category: str) -> bool:
    if category == "multiple_choice":
        return any(choice_letter(reference)[0] == extracted for reference in item.references)
    plain = _IGNORED.sub("", extracted)
    return any(_IGNORED.sub("", reference.strip()) == plain for reference in item.references)
