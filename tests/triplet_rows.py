"""Labelled triplets that tests of the training stages start from."""

from __future__ import annotations

import random
from typing import Any

import training.synthetic.kinds  # noqa: F401  (importing it registers them)
from training.synthetic.pool import Pool
from training.synthetic.registry import KINDS, Draw

CHOICE = {
    "id": "m/1", "source": "m", "category": "multiple_choice", "question": "Which?\nA. red\nB. blue\nC. green",
    "references": ["B. blue"], "candidate": "It looks like the sky. The answer is (B).", "label": 1,
    "generator": "g1", "label_source": "rule", "licence": "MIT",
}  # fmt: skip
NUMBER = {
    "id": "n/1", "source": "n", "category": "open_math", "question": "6 * 3?", "references": ["18"],
    "candidate": '{"reasoning": "%s", "answer": "17"}' % ("Three sixes: 6 + 6 is 12, and so we go on with it. " * 3),
    "label": 0, "generator": "g2", "label_source": "rule", "licence": "Apache-2.0",
}  # fmt: skip


def made(
    kind: str,
    row: dict[str, Any],
    seed: int = 0,
    *,
    among: list[dict[str, Any]] | None = None,
    texts: list[str] | None = None,
) -> list[dict[str, Any]]:
    """What a kind makes from a row, among rows of its source and short answers of others."""
    draw = Draw(random.Random(seed), among or [], Pool(texts or [], {}))
    return list(KINDS[kind].make(row, draw))
