"""Rules: the paper's regex baseline (arXiv 2604.09497, section 2.3), and how answers are compared.

The baseline extracts with the paper's pattern `Final answer: X` and compares by exact match (multiple
choice), ROUGE-L (passages) or Math-Verify (maths). It is meant as a fair opponent: the last statement
counts, markup around it is ignored, an option is matched by its letter or its text, and "could not be
parsed" is told apart from "does not match".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.rules import quantities
from lm_eval_bertjudge.rules.matching import matches
from lm_eval_bertjudge.rules.math_verify import worker
from lm_eval_bertjudge.text.final_answer import paper_answer
from lm_eval_bertjudge.text.item import PreparedItem, prepare
from lm_eval_bertjudge.text.latex import normalize_latex
from lm_eval_bertjudge.text.markup import strip_markup
from lm_eval_bertjudge.text.question import Question
from lm_eval_bertjudge.types import JudgeItem, Reason, Verdict, by_rule, unjudged

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

Match = Literal["auto", "exact", "rouge_l", "math_verify"]
MATCHES: tuple[Match, ...] = ("auto", "exact", "rouge_l", "math_verify")
ROUGE_L_THRESHOLD = 0.5  # the paper's footnote 5


def verdict(item: JudgeItem | PreparedItem, match: Match = "auto") -> Verdict:
    """The baseline's verdict: parse, then compare with each reference.

    `reason` is MATCH, MISMATCH, PARSE_FAILURE, or UNDECIDED where Math-Verify gave no answer in time.
    `score` is the best ROUGE-L where that was the comparison.
    """
    prepared = prepare(item)
    answer = paper_answer(prepared.response)
    if answer is None:
        return by_rule(False, Reason.PARSE_FAILURE)
    outcomes = [_compare(gold, answer, prepared.asked, match) for gold in prepared.golds]
    score = max((score for _, score in outcomes if score is not None), default=None)
    if any(same for same, _ in outcomes):
        return by_rule(True, Reason.MATCH, score)
    if any(same is None for same, _ in outcomes):
        return unjudged(Reason.UNDECIDED)
    return by_rule(False, Reason.MISMATCH, score)


def shape(reference: str) -> Match:
    """Which comparison suits a reference.

    Options are compared exactly, numbers and LaTeX by Math-Verify, other text by ROUGE-L.
    """
    text = strip_markup(reference)
    if re.fullmatch(r"\(?[A-J]\)?", text) or re.match(r"\(?[A-J]\) \S|[A-J][.:] \S", text):
        return "exact"
    if quantities.parse(normalize_latex(text)) is not None:
        return "math_verify"
    has_operator = re.search(r"\\[a-z]+|\^|[=+*/<>]", text)
    return "math_verify" if has_operator else "rouge_l"


def _compare(
    reference: str, answer: str, question: Question, match: Match
) -> tuple[bool | None, float | None]:
    """Whether they are the same, None where there was no time to see, and ROUGE-L if that decides."""
    kind = shape(reference) if match == "auto" else match
    if kind == "exact":
        return matches(reference, answer, question), None
    if kind == "rouge_l":
        score = rouge_l(reference, answer)
        return score >= ROUGE_L_THRESHOLD, round(score, 4)
    if kind == "math_verify":
        if matches(reference, answer, question):
            return True, None
        return worker.equal(strip_markup(reference), answer), None
    raise InputError(f"match is {match!r}; one of {', '.join(MATCHES)} was expected")


def rouge_l(reference: str, text: str) -> float:
    """ROUGE-L's F-measure of a text against a reference, words stemmed, in [0, 1]."""
    return float(_rouge_scorer().score(reference, text)["rougeL"].fmeasure)


@lru_cache(maxsize=1)
def _rouge_scorer() -> RougeScorer:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=True)
