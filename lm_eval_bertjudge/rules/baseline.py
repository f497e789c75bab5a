"""Rules: the paper's regex baseline (arXiv 2604.09497, section 2.3), and how answers are compared.

The baseline extracts with the paper's pattern `Final answer: X` and compares by exact match (multiple choice), ROUGE-L
(passages) or Math-Verify (maths). It is meant as a fair opponent: the last statement counts, markup around it is
ignored, an option is matched by its letter or its text, and "could not be parsed" is told apart from "does not match".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.rules import values
from lm_eval_bertjudge.rules.math_verify import worker
from lm_eval_bertjudge.rules.quantities import quantity
from lm_eval_bertjudge.text.latex import plain, raised_and_lowered
from lm_eval_bertjudge.text.response import answer_of, choices, visible
from lm_eval_bertjudge.types import JudgeItem, Reason, Verdict, by_rule, unjudged

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

Match = Literal["auto", "exact", "rouge_l", "math_verify"]
MATCHES: tuple[Match, ...] = ("auto", "exact", "rouge_l", "math_verify")
ROUGE_L_THRESHOLD = 0.5  # the paper's footnote 5

MARKUP = r"[*_`#>\s]*"
_FINAL_ANSWER = re.compile(rf"final answer{MARKUP}:{MARKUP}(\S.*)", re.IGNORECASE)
_OPTION = re.compile(
    r"(?:option\s+|choice\s+)?[(\[]?([A-Z])(?:[)\].:]+\s*(.*))?", re.DOTALL | re.IGNORECASE
)
_WRAPPED = (
    re.compile(r"\\(?:boxed|fbox)\s*\{(.*)\}", re.DOTALL),
    re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}", re.DOTALL),
    re.compile(r"\\[(\[](.*)\\[)\]]", re.DOTALL),
    re.compile(r"\$+([^$]*)\$+", re.DOTALL),
    re.compile(r"\*+([^*]+)\*+", re.DOTALL),
    re.compile(r"`+([^`]+)`+", re.DOTALL),
    re.compile(r"\"([^\"]*)\"|“([^”]*)”|「([^」]*)」", re.DOTALL),
)
_AS_WRITTEN = "in this order"  # the question that option texts are compared with: "True, False" is another option
_MAX_NESTING = 20  # wrappers around an answer


def final_answer(text: str) -> str | None:
    """What the last "Final answer: X" of a candidate says, without markup around it; None when there is none."""
    found = _FINAL_ANSWER.findall(text)
    return bare(found[-1]) or None if found else None


def bare(answer: str) -> str:
    """An answer without what only decorates it: bold, math delimiters, `\\boxed`, quotes, a final period."""
    for _ in range(_MAX_NESTING):
        before = answer
        answer = answer.strip("*_`# \t\r\n")
        answer = (
            answer[:-1].rstrip()
            if answer.endswith((".", "。")) and not answer.endswith("..")
            else answer
        )
        for pattern in _WRAPPED:
            if whole := pattern.fullmatch(answer):
                answer = next(group for group in whole.groups() if group is not None).strip()
        if answer == before:
            break
    return answer


def verdict(item: JudgeItem, match: Match = "auto") -> Verdict:
    """The baseline's verdict: parse, then compare with each reference.

    `reason` is MATCH, MISMATCH, PARSE_FAILURE, or UNDECIDED where Math-Verify gave no answer in time. `score` is the
    best ROUGE-L where that was the comparison.
    """
    answer = final_answer(visible(item.candidate, item.question))
    if answer is None:
        return by_rule(False, Reason.PARSE_FAILURE)
    outcomes = [
        _compare(reference, answer, item.question, match) for reference in references_of(item)
    ]
    score = max((score for _, score in outcomes if score is not None), default=None)
    if any(same for same, _ in outcomes):
        return by_rule(True, Reason.MATCH, score)
    if any(same is None for same, _ in outcomes):
        return unjudged(Reason.UNDECIDED)
    return by_rule(False, Reason.MISMATCH, score)


def references_of(item: JudgeItem) -> list[str]:
    """The answers that an item's references give."""
    return [answer_of(reference, item.question) for reference in item.references]


def shape(reference: str) -> Match:
    """Which comparison suits a reference: options exactly, numbers and LaTeX by Math-Verify, other text by ROUGE-L."""
    text = bare(reference)
    if re.fullmatch(r"\(?[A-J]\)?", text) or re.match(r"\(?[A-J]\) \S|[A-J][.:] \S", text):
        return "exact"
    if quantity(plain(text)) is not None or re.search(r"\\[a-z]+|\^|[=+*/<>]", text):
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
        return exact(reference, answer, question) or worker.equal(bare(reference), answer), None
    raise InputError(f"match is {match!r}; one of {', '.join(MATCHES)} was expected")


def exact(reference: str, answer: str, question: str) -> bool:
    """Same text, same value, or an option named by its letter or its text (or both, agreeing)."""
    gold, said = bare(reference), bare(answer)
    return (
        same_text(gold, said, question) or _same_option(gold, said, question)
    ) and not _another_option(gold, said, question)


def _another_option(gold: str, said: str, question: str) -> bool:
    """Whether the question offers both, told apart by letter case or notation alone: the genotypes Bb Bb and Bb BB."""
    offered = {bare(text) for text in choices(question).values()}
    named = option(gold)[1] or gold
    return said != named and {said, named} <= offered


def same_text(gold: str, said: str, question: str) -> bool:
    """Whether two bare answers are the same text, but for case, accents and articles, or the same value."""
    return _folded(gold) == _folded(said) or values.same(gold, said, question)


def _same_option(gold: str, said: str, question: str) -> bool:
    gold_letter, gold_text = option(gold)
    said_letter, said_text = option(said)
    if gold_letter is None:
        offered = (
            choices(question).get(said_letter or "") if said_letter and not said_text else None
        )
        return offered is not None and same_text(gold, bare(offered), _AS_WRITTEN)
    if said_letter is None:
        return bool(gold_text) and same_text(gold_text, said, _AS_WRITTEN)
    agree = not (gold_text and said_text) or same_text(gold_text, said_text, _AS_WRITTEN)
    return said_letter == gold_letter and agree


def option(text: str) -> tuple[str | None, str]:
    """The option letter of "B", "(B)", "B) text", "B. text" or "option B", and the text after it."""
    found = _OPTION.fullmatch(unicodedata.normalize("NFKC", text.strip()))
    return (found[1].upper(), bare(found[2] or "")) if found else (None, "")


def _folded(text: str) -> str:
    """A text without letter case, accents, leading articles, and punctuation that does not stand in a number."""
    text = unicodedata.normalize(
        "NFKD", unicodedata.normalize("NFKC", raised_and_lowered(text)).casefold()
    )
    text = "".join(
        c for c in text if not unicodedata.combining(c) and unicodedata.category(c) != "Cf"
    )
    if re.search(r"[^\W\d_]{2}", text) and not re.search(r"\d|[\\^=<>+*/]", text):
        text = re.sub(r"[^\w\s]|_", " ", re.sub(r"['’.]", "", text))
        text = re.sub(r"^(?:the|an|a)\s+(?=\S)", "", text.strip())
    return " ".join(text.split())


def rouge_l(reference: str, text: str) -> float:
    """ROUGE-L's F-measure of a text against a reference, words stemmed, in [0, 1]."""
    return float(_rouge_scorer().score(reference, text)["rougeL"].fmeasure)


@lru_cache(maxsize=1)
def _rouge_scorer() -> RougeScorer:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=True)
