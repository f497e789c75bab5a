"""What goes into a judge and what comes out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Source = Literal["judge", "lexical", "unjudged"]


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """One answer to judge.

    Attributes:
        question: The prompt as the model got it; empty for candidate against reference alone (CR mode).
        references: Acceptable answers, at least one; matching any of them is enough.
        candidate: The model's raw output.
    """

    question: str
    references: tuple[str, ...]
    candidate: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided about one item.

    Attributes:
        p_correct: Probability in [0, 1] that the candidate's final answer is right; None when unjudged.
        correct: The decision. False when unjudged, so read `source` before counting it as a wrong answer.
        source: Who decided: the encoder ("judge"), a rule ("lexical"), or nobody ("unjudged").
        truncated: The judge saw a shortened question or candidate.
        reason: One word for why, e.g. "threshold", "match", "mismatch", "parse_failure", "empty_answer".
    """

    p_correct: float | None
    correct: bool
    source: Source
    truncated: bool
    reason: str

    def as_row(self) -> dict[str, Any]:
        """The verdict as a JSON-ready dict with the five field names as keys."""
        return asdict(self)
