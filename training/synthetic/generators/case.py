"""A question with its right and wrong answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """A question with ways to be right and ways to be wrong."""

    question: str
    reference: str
    right: Sequence[str]
    wrong: Sequence[str]


def ways(*templates: str, **values: object) -> list[str]:
    """Ways to write the same values, one a template."""
    return [template.format(**values) for template in templates]
