"""Rules: the paper's regex baseline (arXiv 2604.09497, section 2.3), and the strict "yes" of the cascade.

The baseline extracts with the paper's pattern `Final answer: X` and compares by exact match (multiple choice), ROUGE-L
(passages) or Math-Verify (maths). It is meant as a fair opponent: the last statement counts, markup around it is
ignored, an option is matched by its letter or its text, and "could not be parsed" is told apart from "does not match".
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.math_worker import worker
from lm_eval_bertjudge.records import JudgeItem, Verdict

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

Match = Literal["auto", "exact", "rouge_l", "math_verify"]
MATCHES: tuple[Match, ...] = ("auto", "exact", "rouge_l", "math_verify")
ROUGE_L_THRESHOLD = 0.5  # the paper's footnote 5

EMPTY_ANSWER = Verdict(0.0, False, "lexical", False, "empty_answer")  # there is nothing a judge could read

_MARKUP = r"[*_`#>\s]*"
_FINAL_ANSWER = re.compile(rf"final answer{_MARKUP}:{_MARKUP}(\S.*)", re.IGNORECASE)
_OPTION = re.compile(r"[(\[]?([A-Z])(?:[)\].:]\s*(.*))?", re.DOTALL)
_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?|[-+]?\.\d+")
_WRAPPED = (
    re.compile(r"\\boxed\s*\{(.*)\}", re.DOTALL),
    re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}", re.DOTALL),
    re.compile(r"\\[(\[](.*)\\[)\]]", re.DOTALL),
    re.compile(r"\$+([^$]*)\$+", re.DOTALL),
    re.compile(r"\*+([^*]+)\*+", re.DOTALL),
    re.compile(r"`+([^`]+)`+", re.DOTALL),
    re.compile(r"\"([^\"]*)\"|“([^”]*)”", re.DOTALL),
)


def without_reasoning(text: str) -> str:
    """What follows the last closing `</think>`; nothing when a reasoning block was opened and never closed."""
    _, closed, after = text.rpartition("</think>")
    if not closed:
        after = text
    return "" if "<think>" in after else after.strip()


def final_answer(text: str) -> str | None:
    """What the last "Final answer: X" of a candidate says, without markup around it; None when there is none."""
    found = _FINAL_ANSWER.findall(text)
    return bare(found[-1]) or None if found else None


def bare(answer: str) -> str:
    """An answer without what only decorates it: bold, math delimiters, `\\boxed`, quotes, a final period."""
    answer, before = answer.strip(), None
    while answer != before:
        before = answer
        answer = re.sub(r"^[*_`\s]+|[*_`\s]+$", "", answer)
        answer = answer[:-1].strip() if answer.endswith(".") and not answer.endswith("..") else answer
        for pattern in _WRAPPED:
            if whole := pattern.fullmatch(answer):
                answer = next(group for group in whole.groups() if group is not None).strip()
    return answer


def verdict(item: JudgeItem, match: Match = "auto") -> Verdict:
    """The baseline's verdict: parse, then compare with each reference.

    `reason` is "match", "mismatch" (with the best ROUGE-L where that was the comparison), "parse_failure", or
    "undecided" with source "unjudged" where Math-Verify gave no answer in time.
    """
    answer = final_answer(without_reasoning(item.candidate))
    if answer is None:
        return Verdict(0.0, False, "lexical", False, "parse_failure")
    outcomes = [_compare(reference, answer, match) for reference in item.references]
    if any(same for same, _ in outcomes):
        return Verdict(1.0, True, "lexical", False, next(f"match{note}" for same, note in outcomes if same))
    if any(same is None for same, _ in outcomes):
        return Verdict(None, False, "unjudged", False, "undecided")
    return Verdict(0.0, False, "lexical", False, "mismatch" + max(note for _, note in outcomes))


def strict_yes(item: JudgeItem) -> bool:
    """Whether the candidate ends with a stated final answer that is one of the references, to the letter or number.

    Ends with: after "Final answer: B" a model may still change its mind, and only a reader can tell.
    """
    text = without_reasoning(item.candidate)
    stated = list(_FINAL_ANSWER.finditer(text))
    if not stated or text[stated[-1].end() :].strip("*_`#$. \n"):
        return False
    return any(_exact(reference, bare(stated[-1][1])) for reference in item.references)


def shape(reference: str) -> Match:
    """Which comparison suits a reference: options exactly, numbers and LaTeX by Math-Verify, other text by ROUGE-L."""
    text = bare(reference)
    if re.fullmatch(r"\(?[A-J]\)?", text) or re.match(r"\(?[A-J]\) \S|[A-J][.:] \S", text):
        return "exact"
    if _number(text) is not None or re.search(r"\\[a-z]+|\^|[=+*/<>]", text):
        return "math_verify"
    return "rouge_l"


def _compare(reference: str, answer: str, match: Match) -> tuple[bool | None, str]:
    kind = shape(reference) if match == "auto" else match
    if kind == "exact":
        return _exact(reference, answer), ""
    if kind == "rouge_l":
        score = _rouge_scorer().score(reference, answer)["rougeL"].fmeasure
        return score >= ROUGE_L_THRESHOLD, f" (rouge_l {score:.2f})"
    if kind == "math_verify":
        return _exact(reference, answer) or worker.equal(bare(reference), answer), ""
    raise InputError(f"match is {match!r}; one of {', '.join(MATCHES)} was expected")


def _exact(reference: str, answer: str) -> bool:
    """Same text, same number, or an option named by its letter or its text (or both, agreeing)."""
    gold, said = bare(reference), bare(answer)
    if _folded(gold) == _folded(said):
        return True
    gold_number, said_number = _number(gold), _number(said)
    if gold_number is not None and said_number is not None:
        return gold_number == said_number
    return _same_option(gold, said)


def _same_option(gold: str, said: str) -> bool:
    gold_letter, gold_text = _option(gold)
    if gold_letter is None:
        return False
    said_letter, said_text = _option(said)
    if said_letter is None:
        return bool(gold_text) and _folded(gold_text) == _folded(said)
    agree = not (gold_text and said_text) or _folded(gold_text) == _folded(said_text)
    return said_letter == gold_letter and agree


def _option(text: str) -> tuple[str | None, str]:
    """The option letter of "B", "(B)", "B) text" or "B. text", and the text after it."""
    found = _OPTION.fullmatch(text.strip())
    return (found[1], bare(found[2] or "")) if found else (None, "")


def _number(text: str) -> Decimal | None:
    """The number a text is, with currency signs, thousands commas and a percent sign taken for decoration."""
    plain = text.strip().removeprefix("\\$").strip("$€£% ").removesuffix("\\%").replace("−", "-").strip()
    if not _NUMBER.fullmatch(plain) or re.search(r",\d{1,2}(?:\D|$)", plain):
        return None
    try:
        return Decimal(plain.replace(",", ""))
    except InvalidOperation:
        return None


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=1)
def _rouge_scorer() -> RougeScorer:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=True)
