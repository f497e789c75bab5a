"""Yes and no, true and false."""

from __future__ import annotations

from lm_eval_bertjudge.text.question import Question

EXAMPLES = r"""
yes == Yes.
no != yes
false != True
yes != False
no ?? not
no ?? No, it is
yes ?? true
"""

_OPPOSITES = {"yes": ("no", "false"), "no": ("yes", "true")}
_OPPOSITES |= {"true": ("false", "no"), "false": ("true", "yes")}


def parse(text: str) -> str | None:
    """The word of agreement or denial that a plain text is, in lower case."""
    word = text.strip().casefold().rstrip(".!")
    return word if word in _OPPOSITES else None


def equivalent(gold: str, answer: str, question: Question) -> bool:
    """Whether both are the same word: whether "true" means "yes" is for a reader."""
    word = parse(gold)
    return word is not None and word == parse(answer)


def contradicts(gold: str, answer: str, question: Question) -> bool:
    """Whether one agrees and the other denies."""
    first, second = parse(gold), parse(answer)
    return first is not None and second in _OPPOSITES[first]
