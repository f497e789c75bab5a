"""Rules: the paper's regex baseline (arXiv 2604.09497, section 2.3), and how answers are compared.

The baseline extracts with the paper's pattern `Final answer: X` and compares by exact match (multiple choice), ROUGE-L
(passages) or Math-Verify (maths). It is meant as a fair opponent: the last statement counts, markup around it is
ignored, an option is matched by its letter or its text, and "could not be parsed" is told apart from "does not match".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.rules import values
from lm_eval_bertjudge.rules.math_verify import worker
from lm_eval_bertjudge.rules.quantities import quantity
from lm_eval_bertjudge.text.choices import choice_letter, parse_choices
from lm_eval_bertjudge.text.final_answer import paper_answer
from lm_eval_bertjudge.text.item import PreparedItem, prepare
from lm_eval_bertjudge.text.latex import normalize_latex
from lm_eval_bertjudge.text.markup import normalize_text, strip_markup
from lm_eval_bertjudge.types import JudgeItem, Reason, Verdict, by_rule, unjudged

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

Match = Literal["auto", "exact", "rouge_l", "math_verify"]
MATCHES: tuple[Match, ...] = ("auto", "exact", "rouge_l", "math_verify")
ROUGE_L_THRESHOLD = 0.5  # the paper's footnote 5

_AS_WRITTEN = "in this order"  # the question that option texts are compared with: "True, False" is another option


def verdict(item: JudgeItem | PreparedItem, match: Match = "auto") -> Verdict:
    """The baseline's verdict: parse, then compare with each reference.

    `reason` is MATCH, MISMATCH, PARSE_FAILURE, or UNDECIDED where Math-Verify gave no answer in time. `score` is the
    best ROUGE-L where that was the comparison.
    """
    prepared = prepare(item)
    answer = paper_answer(prepared.response)
    if answer is None:
        return by_rule(False, Reason.PARSE_FAILURE)
    outcomes = [_compare(gold, answer, item.question, match) for gold in prepared.golds]
    score = max((score for _, score in outcomes if score is not None), default=None)
    if any(same for same, _ in outcomes):
        return by_rule(True, Reason.MATCH, score)
    if any(same is None for same, _ in outcomes):
        return unjudged(Reason.UNDECIDED)
    return by_rule(False, Reason.MISMATCH, score)


def shape(reference: str) -> Match:
    """Which comparison suits a reference: options exactly, numbers and LaTeX by Math-Verify, other text by ROUGE-L."""
    text = strip_markup(reference)
    if re.fullmatch(r"\(?[A-J]\)?", text) or re.match(r"\(?[A-J]\) \S|[A-J][.:] \S", text):
        return "exact"
    if quantity(normalize_latex(text)) is not None or re.search(r"\\[a-z]+|\^|[=+*/<>]", text):
        return "math_verify"
    return "rouge_l"


def _compare(
    reference: str, answer: str, question: str, match: Match
) -> tuple[bool | None, float | None]:
    """Whether they are the same, None where there was no time to see, and the ROUGE-L where that decides."""
    kind = shape(reference) if match == "auto" else match
    if kind == "exact":
        return exact(reference, answer, question), None
    if kind == "rouge_l":
        score = rouge_l(reference, answer)
        return score >= ROUGE_L_THRESHOLD, round(score, 4)
    if kind == "math_verify":
        return exact(reference, answer, question) or worker.equal(
            strip_markup(reference), answer
        ), None
    raise InputError(f"match is {match!r}; one of {', '.join(MATCHES)} was expected")


def exact(reference: str, answer: str, question: str) -> bool:
    """Same text, same value, or an option named by its letter or its text (or both, agreeing)."""
    gold, said = strip_markup(reference), strip_markup(answer)
    return (
        same_text(gold, said, question) or _same_option(gold, said, question)
    ) and not _another_option(gold, said, question)


def _another_option(gold: str, said: str, question: str) -> bool:
    """Whether the question offers both, told apart by letter case or notation alone: the genotypes Bb Bb and Bb BB."""
    offered = {strip_markup(text) for text in parse_choices(question).values()}
    named = choice_letter(gold)[1] or gold
    return said != named and {said, named} <= offered


def same_text(gold: str, said: str, question: str) -> bool:
    """Whether two bare answers are the same text, but for case, accents and articles, or the same value."""
    return normalize_text(gold) == normalize_text(said) or values.same(gold, said, question)


def _same_option(gold: str, said: str, question: str) -> bool:
    gold_letter, gold_text = choice_letter(gold)
    said_letter, said_text = choice_letter(said)
    if gold_letter is None:
        offered = (
            parse_choices(question).get(said_letter or "")
            if said_letter and not said_text
            else None
        )
        return offered is not None and same_text(gold, strip_markup(offered), _AS_WRITTEN)
    if said_letter is None:
        return bool(gold_text) and same_text(gold_text, said, _AS_WRITTEN)
    agree = not (gold_text and said_text) or same_text(gold_text, said_text, _AS_WRITTEN)
    return said_letter == gold_letter and agree


def rouge_l(reference: str, text: str) -> float:
    """ROUGE-L's F-measure of a text against a reference, words stemmed, in [0, 1]."""
    return float(_rouge_scorer().score(reference, text)["rougeL"].fmeasure)


@lru_cache(maxsize=1)
def _rouge_scorer() -> RougeScorer:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=True)
