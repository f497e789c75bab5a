"""Rules: the paper's regex baseline (arXiv 2604.09497, section 2.3), and what the cascade settles without a judge.

The baseline extracts with the paper's pattern `Final answer: X` and compares by exact match (multiple choice), ROUGE-L
(passages) or Math-Verify (maths). It is meant as a fair opponent: the last statement counts, markup around it is
ignored, an option is matched by its letter or its text, and "could not be parsed" is told apart from "does not match".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from lm_eval_bertjudge import values
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.math_worker import worker
from lm_eval_bertjudge.reading import answer_of, choices, visible
from lm_eval_bertjudge.records import JudgeItem, Verdict
from lm_eval_bertjudge.values.notation import plain
from lm_eval_bertjudge.values.quantities import quantity

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

Match = Literal["auto", "exact", "rouge_l", "math_verify"]
MATCHES: tuple[Match, ...] = ("auto", "exact", "rouge_l", "math_verify")
ROUGE_L_THRESHOLD = 0.5  # the paper's footnote 5

STRICT_YES = Verdict(1.0, True, "lexical", False, "match")
STRICT_NO = Verdict(0.0, False, "lexical", False, "mismatch")
EMPTY_ANSWER = Verdict(0.0, False, "lexical", False, "empty_answer")  # there is nothing a judge could read

_MARKUP = r"[*_`#>\s]*"
_FINAL_ANSWER = re.compile(rf"final answer{_MARKUP}:{_MARKUP}(\S.*)", re.IGNORECASE)
_OPTION = re.compile(r"(?:option\s+|choice\s+)?[(\[]?([A-Z])(?:[)\].:]+\s*(.*))?", re.DOTALL | re.IGNORECASE)
_WRAPPED = (
    re.compile(r"\\(?:boxed|fbox)\s*\{(.*)\}", re.DOTALL),
    re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}", re.DOTALL),
    re.compile(r"\\[(\[](.*)\\[)\]]", re.DOTALL),
    re.compile(r"\$+([^$]*)\$+", re.DOTALL),
    re.compile(r"\*+([^*]+)\*+", re.DOTALL),
    re.compile(r"`+([^`]+)`+", re.DOTALL),
    re.compile(r"\"([^\"]*)\"|“([^”]*)”|「([^」]*)」", re.DOTALL),
)
# How outputs state their final answer, besides the paper's "Final answer: X". The last one counts.
_STATED = re.compile(
    r"####|^A:(?=\s)|<(?:final_)?answer>|[\"']?\b(?:final_)?answer[\"']?\s{0,3}:(?=\s)"
    rf"|\b(?:(?:final|correct|right|best)\s)*(?:answer|option|choice|result|solution){_MARKUP}(?:is|would be|:|=)(?=\W)"
    r"(?:\s*(?:option|choice)\b)?:?|\b(?:Antwort(?: lautet| ist)?|réponse est|réponse|respuesta es|respuesta|resposta é"
    r"|risposta è)\b:?|(?:答案|选)(?:是|为)?[:：]?",
    re.IGNORECASE | re.MULTILINE,
)
# The end of a sentence that gives a number: "so the total is 36", "18 + 18 = 36". Doubt in it is for a reader.
_GIVES = re.compile(
    r"\b(?:is|are|was|were|has|have|equals|gives|makes|costs|stays|remains|get|of"
    r"|ist|sind|ergibt|est|sont|égale|es|son|è|é|igual a)\b|[=≈:]",
    re.IGNORECASE,
)
_DOUBT = re.compile(r"\b(?:not?|never|wrong|incorrect|mistake|might|may|could|if|or|than)\b|n['’]t\b", re.IGNORECASE)
_EMPHASISED = re.compile(r"\n[>#\s]*\*\*([^*\n]{1,100})\*\*[.\s]*\Z")
_COMPARED = re.compile(r"(.{1,40}?) is (\w{3,20}) than [^.!?\n]{1,40}(?:\.\d+)?\.?")
_YES_NO = re.compile(r"\b(?:yes|no|true|false)\b", re.IGNORECASE)
_STATED_END = re.compile(r"</(?:final_)?answer>|[\"']?\s{0,9},?\s{0,9}\}\s{0,9}(?:```)?")
_MAX_NESTING = 20  # wrappers around an answer
_MAX_STATED = 300  # characters; longer statements are no bare answers


def final_answer(text: str) -> str | None:
    """What the last "Final answer: X" of a candidate says, without markup around it; None when there is none."""
    found = _FINAL_ANSWER.findall(text)
    return bare(found[-1]) or None if found else None


def bare(answer: str) -> str:
    """An answer without what only decorates it: bold, math delimiters, `\\boxed`, quotes, a final period."""
    for _ in range(_MAX_NESTING):
        before = answer
        answer = answer.strip("*_`# \t\r\n")
        answer = answer[:-1].rstrip() if answer.endswith((".", "。")) and not answer.endswith("..") else answer
        for pattern in _WRAPPED:
            if whole := pattern.fullmatch(answer):
                answer = next(group for group in whole.groups() if group is not None).strip()
        if answer == before:
            break
    return answer


def verdict(item: JudgeItem, match: Match = "auto") -> Verdict:
    """The baseline's verdict: parse, then compare with each reference.

    `reason` is "match", "mismatch" (with the best ROUGE-L where that was the comparison), "parse_failure", or
    "undecided" with source "unjudged" where Math-Verify gave no answer in time.
    """
    answer = final_answer(visible(item.candidate, item.question))
    if answer is None:
        return Verdict(0.0, False, "lexical", False, "parse_failure")
    outcomes = [_compare(reference, answer, item.question, match) for reference in _references(item)]
    if any(same for same, _ in outcomes):
        return Verdict(1.0, True, "lexical", False, next(f"match{note}" for same, note in outcomes if same))
    if any(same is None for same, _ in outcomes):
        return Verdict(None, False, "unjudged", False, "undecided")
    return Verdict(0.0, False, "lexical", False, "mismatch" + max(note for _, note in outcomes))


def settled(item: JudgeItem) -> Verdict | None:
    """The verdict where any reader would agree with a rule, right or wrong; None where a judge has to read."""
    return STRICT_YES if strict_yes(item) else STRICT_NO if strict_no(item) else None


def strict_yes(item: JudgeItem) -> bool:
    """Whether the candidate is, or ends with a stated final answer that is, one of the references or the same value.

    Ends with: after "Final answer: B" a model may still change its mind, and only a reader can tell.
    """
    text = visible(item.candidate, item.question)
    references = _references(item)
    said = [answer for answer in (*_statements(text), _compared(text, item.question)) if answer]
    if any(_exact(reference, answer, item.question) for reference in references for answer in said):
        return True
    number = _last_number(text)
    return number is not None and any(
        quantity(plain(reference)) is not None and values.same(reference, number, item.question)
        for reference in references
    )


def strict_no(item: JudgeItem) -> bool:
    """Whether the candidate is, or ends with a stated final answer that is, surely another value than each reference:
    another number, date, formula or interval (`values.apart`), or the letter of another option.
    """
    text = visible(item.candidate, item.question)
    said = [answer for answer in (_stated_ends(text) or _bare_ends([text])) if answer]
    references = _references(item)
    return bool(said and references) and all(
        values.apart(bare(reference), answer, item.question) or _other_option(reference, answer, item.question)
        for answer in said
        for reference in references
    )


def _references(item: JudgeItem) -> list[str]:
    return [answer_of(reference, item.question) for reference in item.references]


def _statements(text: str) -> list[str]:
    """What a text may come to: itself, what follows the last "answer is", the last box, a last line in bold, a yes."""
    emphasised = _EMPHASISED.search(text)
    return _stated_ends(text) + _bare_ends([text, emphasised[1] if emphasised else "", _leading_word(text)])


def _stated_ends(text: str) -> list[str]:
    """What follows the last "answer is", and the last box."""
    found = []
    if stated := list(_STATED.finditer(text)):
        found.append(text[stated[-1].end() :])
    if "\\boxed" in text:
        found.append(text[text.rfind("\\boxed") :])
    return _bare_ends(found)


def _bare_ends(ends: list[str]) -> list[str]:
    return [bare(_stated(end)) for end in ends if len(end.strip()) <= _MAX_STATED]


def _leading_word(text: str) -> str:
    """The yes or no that a short text begins with and does not take back: "No, 91 = 7 * 13."; else ""."""
    words = {word.casefold() for word in _YES_NO.findall(text)} if len(text) <= _MAX_STATED else set()
    return words.pop() if len(words) == 1 and re.match(r"\w+[,.;:!]", text) and _YES_NO.match(text) else ""


def _compared(text: str, question: str) -> str:
    """What "9.9 is larger than 9.11" names, where the question asks for just that comparison; else ""."""
    found = _COMPARED.fullmatch(text)
    return found[1] if found and re.search(rf"\b{found[2]}\b", question, re.IGNORECASE) else ""


def _last_number(text: str) -> str | None:
    """What the last line ends with as a result: "36 stickers" of "that is 18 + 18 = 36 stickers"."""
    line = text[-_MAX_STATED:].rpartition("\n")[2]
    gives = list(_GIVES.finditer(line))
    if not gives or _DOUBT.search(re.split(r"[.!?]\s", line)[-1]):
        return None
    return bare(_stated(line[gives[-1].end() :]))


def _stated(end: str) -> str:
    """The end of a text without the closing half of what was opened before it: tags, JSON, bold, math."""
    end = end.strip(" \t\r\n*_`:：")
    if close := list(_STATED_END.finditer(end)):
        end = end[: close[-1].start()] if close[-1].end() == len(end) and "{" not in end[: close[-1].start()] else end
    if end.count("$") % 2 and not re.match(r"\\?\$\s?\d", end):
        end = end.strip("$. ")
    if end.count('"') % 2:
        end = end.strip('"')
    end = re.sub(r"[\s.]*\\[)\]][\s.*]*\Z", "", end) if not re.search(r"\\[(\[]", end) else end
    return end.strip()


def shape(reference: str) -> Match:
    """Which comparison suits a reference: options exactly, numbers and LaTeX by Math-Verify, other text by ROUGE-L."""
    text = bare(reference)
    if re.fullmatch(r"\(?[A-J]\)?", text) or re.match(r"\(?[A-J]\) \S|[A-J][.:] \S", text):
        return "exact"
    if quantity(plain(text)) is not None or re.search(r"\\[a-z]+|\^|[=+*/<>]", text):
        return "math_verify"
    return "rouge_l"


def _compare(reference: str, answer: str, question: str, match: Match) -> tuple[bool | None, str]:
    kind = shape(reference) if match == "auto" else match
    if kind == "exact":
        return _exact(reference, answer, question), ""
    if kind == "rouge_l":
        score = rouge_l(reference, answer)
        return score >= ROUGE_L_THRESHOLD, f" (rouge_l {score:.2f})"
    if kind == "math_verify":
        return _exact(reference, answer, question) or worker.equal(bare(reference), answer), ""
    raise InputError(f"match is {match!r}; one of {', '.join(MATCHES)} was expected")


def _exact(reference: str, answer: str, question: str) -> bool:
    """Same text, same value, or an option named by its letter or its text (or both, agreeing)."""
    gold, said = bare(reference), bare(answer)
    return (_same(gold, said, question) or _same_option(gold, said, question)) and not _another_option(
        gold, said, question
    )


def _another_option(gold: str, said: str, question: str) -> bool:
    """Whether the question offers both, told apart by letter case or notation alone: the genotypes Bb Bb and Bb BB."""
    offered = {bare(text) for text in choices(question).values()}
    named = _option(gold)[1] or gold
    return said != named and {said, named} <= offered


def _same(gold: str, said: str, question: str) -> bool:
    return _folded(gold) == _folded(said) or values.same(gold, said, question)


def _same_option(gold: str, said: str, question: str) -> bool:
    gold_letter, gold_text = _option(gold)
    said_letter, said_text = _option(said)
    if gold_letter is None:
        offered = choices(question).get(said_letter or "") if said_letter and not said_text else None
        return offered is not None and _same(gold, bare(offered), "")
    if said_letter is None:
        return bool(gold_text) and _same(gold_text, said, "")
    agree = not (gold_text and said_text) or _same(gold_text, said_text, "")
    return said_letter == gold_letter and agree


def _other_option(gold: str, said: str, question: str) -> bool:
    """Whether both name options of the question by their letters, and these have different letters and texts."""
    offered = choices(question)
    gold_letter, (letter, text) = _option(bare(gold))[0], _option(said)
    if letter is None or gold_letter is None or letter == gold_letter or not {letter, gold_letter} <= offered.keys():
        return False
    return offered[letter] != offered[gold_letter] and (not text or _same(bare(offered[letter]), text, ""))


def _option(text: str) -> tuple[str | None, str]:
    """The option letter of "B", "(B)", "B) text", "B. text" or "option B", and the text after it."""
    found = _OPTION.fullmatch(unicodedata.normalize("NFKC", text.strip()))
    return (found[1].upper(), bare(found[2] or "")) if found else (None, "")


def _folded(text: str) -> str:
    """A text without letter case, accents, leading articles, and punctuation that does not stand in a number."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    text = "".join(c for c in text if not unicodedata.combining(c) and unicodedata.category(c) != "Cf")
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
