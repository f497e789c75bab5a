"""Made variants of labelled triplets: other phrasings of the final answer, other forms of the reference, and hard
negatives and positives made by exchanging the reference. Every made row keeps its parent's id in `parent_id`.

A judge trained on one benchmark's logs learns that benchmark's answer format ("The answer is (X).") instead of
comparing two answers. The variants here change how an answer is said, or which answer is asked for, and nothing else:
the label of a made row follows from its parent's by construction.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass

from training.rows import Row

# How a final answer may be said. training/evaluate.py measures transfer to forms that are not in these lists.
STATEMENTS = (
    "Final answer: {a}", "Final answer: {a}", "Final answer: {a}.", "**Final answer:** {a}", "Final Answer: **{a}**",
    "The answer is {a}.", "So the answer is {a}", "Therefore, the correct answer is {a}.", "The correct answer is: {a}",
    "Answer: {a}", "ANSWER: {a}", "**Answer: {a}**", "A: {a}", "#### {a}", "### Answer\n{a}", "**{a}**", "{a}", "{a}.",
    "\\boxed{{{a}}}", "$\\boxed{{{a}}}$", "The final answer is $\\boxed{{{a}}}$.", "Final answer: $\\boxed{{{a}}}$",
    "Final answer: $ {a} $", "\\[ {a} \\]", "<answer>{a}</answer>", "<answer>\n{a}\n</answer>", '{{"answer": "{a}"}}',
    "= {a}", "Hence {a}.", "Thus, it is {a}.", "I would go with {a}.", "I'd say {a}", "My answer is {a}.",
    "It must be {a}.", "Result: {a}", "Solution: {a}", "The result is {a}", "That gives {a}.", "We get {a}.",
    "Conclusion: {a}", "-> {a}", "The best answer is {a}", "which leads to {a}.", "I hope this helps: {a}",
    "Final answer: {a} </s>",
)  # fmt: skip
CHOICE_STATEMENTS = (
    "The correct option is {a}.", "Option {a}", "I choose {a}.", "The correct choice is {a}.", "Choice {a} is correct.",
    "{a} is the right answer.", "Correct answer: {a}", "Among the options, {a} fits best.", "Selected: {a}", "({a})",
)  # fmt: skip
CORRECTED_STATEMENTS = (
    "The answer is {w}. Wait, that is wrong: the answer is {a}.", "Final answer: {w}\n\nCorrection: {a}",
    "It is not {w}. It is {a}.", "First I got {w}, but checking again gives {a}.", "{w}? No. Final answer: {a}",
    "One might say {w}; the correct answer, however, is {a}.", "I'm torn between {w} and {a}, and I choose {a}.",
    "Final answer: {w}. Hmm, let me reconsider. I'm changing my answer to {a}.", "Between {a} and {w}, it is {a}.",
)  # fmt: skip
UNITS = ("dollars", "hours", "people", "meters", "km", "cm", "kg", "minutes", "points", "apples", "years", "in total")
REMARKS = (
    "Let me know if you need anything else!", "I hope this helps.", "This follows from the given facts.",
    "Please verify this with a reliable source.", "Is there anything else you would like to know?", "</s>",
    "<|im_end|>", "Note that the other values were not needed.",
)  # fmt: skip
OPEN_STATEMENTS = (
    "{a}", "{a}.", "It is {a}.", "The answer is {a}.", "I think it's {a}.", "It was {a}.", "That would be {a}.",
    "Based on the context, {a}.", "According to the passage, the answer is {a}.", "Final answer: {a}",
    "{a}, I believe.", "I'm fairly sure the answer is {a}.", "**{a}**", "Answer: {a}",
    "Sure! The answer you are looking for is {a}.",
)  # fmt: skip
HEDGED_STATEMENTS = (
    "I'm hesitating between {w} and {a}. I would say {a}.", "I'm torn between {a} and {w}. I'd go with {a}.",
    "It could be {w}, but I believe it is {a}.", "At first I thought of {w}. However, the answer is {a}.",
    "{w}? No, wait. It's {a}.", "Some people say {w}, yet the right answer is {a}.", "Rather {a} than {w}.",
    "Many confuse it with {w}; it is {a}.", "Not sure if {w} or {a}... Final answer: {a}",
)  # fmt: skip
REFUSALS = (
    "I don't know.", "I'm not sure.", "I cannot answer this question.", "Unknown", "As an AI, I cannot help with that.",
    "I do not have enough information to answer.", "None of the above.", "Sorry, I can't find it.", "N/A", "...",
)  # fmt: skip
NO_ANSWER_IN_CONTEXT = (
    "The context does not provide this information.", "Unanswerable", "Final answer: Unanswerable", "unanswerable.",
    "The passage doesn't say.", "This cannot be answered from the given text.", "No answer is given in the context.",
    "The question cannot be answered based on the provided context.", "There is no information about that in the text.",
)  # fmt: skip

_OPTION = re.compile(r"^[ \t]*\(?([A-J])[.)][ \t]*(\S.*)$", re.MULTILINE)
_FRACTION = re.compile(r"\\?d?frac\{(-?\d+)\}\{(\d+)\}|(-?\d+)/(\d+)")
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_ENDINGS = (
    re.compile(r"(?:final answer|answer is|answer)\s*:?\s*\**\s*(?P<a>[^\n]{1,80}?)\s*\**\.?\s*$", re.IGNORECASE),
    re.compile(r"####\s*(?P<a>[^\n]{1,40}?)\s*$"),
    re.compile(r"\nA:\s*(?P<a>[^\n]{1,40}?)\s*$"),
)


@dataclass(frozen=True, slots=True)
class Parts:
    """A candidate taken apart: what it says on the way, and the final answer it gives."""

    reasoning: str
    answer: str


def take_apart(candidate: str) -> Parts | None:
    """Finds the final answer that ends a candidate: JSON with an "answer" field, "answer is X", "#### X"; else None."""
    text = re.sub(r"^```(?:json)?|```$", "", candidate.strip()).strip()
    if text.startswith("{"):
        try:
            found = json.loads(text)
        except json.JSONDecodeError:
            return None
        if isinstance(found, dict) and str(found.get("answer", "")).strip():
            return Parts(str(found.get("reasoning", "")).strip(), str(found["answer"]).strip())
        return None
    for ending in _ENDINGS:
        if match := ending.search(text):
            sentence_start = max(text.rfind("\n", 0, match.start()), text.rfind(". ", 0, match.start())) + 1
            return Parts(text[:sentence_start].strip(), match["a"].strip("*$ "))
    return None


def options(question: str) -> dict[str, str]:
    """Letter to text of the options listed one a line in a multiple-choice question."""
    return {letter: text.strip() for letter, text in _OPTION.findall(question)}


def letter_of(answer: str) -> str | None:
    """The option letter that an answer such as "B", "(B)" or "B. text" names."""
    match = re.match(r"^\(?([A-J])(?:[.):]|$|\s*$)", answer.strip())
    return match[1] if match else None


# ------------------------------------------------------------------------------------------------ the question's frame
def framed(row: Row, rng: random.Random) -> str:
    """The question as some harness would have prompted it; sometimes none (candidate against reference alone)."""
    question, context = row["question"].strip(), (row.get("context") or "").strip()
    choices = options(question)
    if rng.random() < 0.10 and not (choices and row["made"].endswith("letter_only")):
        return ""
    if len(choices) > 1:
        return _framed_choices(question, choices, rng)
    if context:
        suffix = rng.choice(("", _asks("the exact span from the context that answers the question"), ""))
        frame = "Answer the question based on the provided context.\n\nContext: {c}\n\nQuestion: {q}"
        frame = rng.choice((frame, frame, "{c}\n\nQuestion: {q}\nAnswer:", "{c}\n{q}"))
        return frame.replace("{c}", context).replace("{q}", question) + suffix
    suffix = rng.choice(("", _asks("the computed solution")) if row["category"] == "open_math" else ("",))
    return rng.choice((question + suffix, question + suffix, f"Question: {question}\nAnswer:", f"Q: {question}"))


def _framed_choices(question: str, choices: dict[str, str], rng: random.Random) -> str:
    if rng.random() < 0.3:
        return question
    stem = question[: _OPTION.search(question).start()].strip()  # type: ignore[union-attr]
    listed = "\n".join(f"{letter}) {text}" for letter, text in choices.items())
    suffix = rng.choice(("", _asks("the letter of the correct choice")))
    return f"Answer the following multiple-choice question.\n\nQuestion: {stem}\n\nChoices:\n{listed}{suffix}"


def _asks(what: str) -> str:
    return f'\n\nConclude your response with "Final answer: X", where X is {what}.'


# ---------------------------------------------------------------------------------------------- forms of one answer
def answer_form(answer: str, choices: dict[str, str], rng: random.Random) -> str:
    """Another way to write the same answer: letter, bracketed letter or option text; number with comma, .00 or $."""
    letter = letter_of(answer)
    if choices and letter in choices:
        text = choices[letter]
        return rng.choice((letter, letter, f"({letter})", f"{letter})", f"{letter}. {text}", f"{letter}) {text}", text))
    if _NUMBER.fullmatch(answer):
        return _number_form(answer, rng)
    return _fraction_form(answer, rng)


def reference_form(reference: str, choices: dict[str, str], rng: random.Random) -> tuple[str, bool]:
    """Another way to write the reference, and whether only an option's letter (or only its text) is left of it."""
    letter = letter_of(reference)
    if len(choices) > 1 and letter in choices:
        text = choices[letter]
        both = (
            f"{letter}) {text}",
            f"{letter}) {text}",
            f"{letter}. {text}",
            f"({letter}) {text}",
            f"{letter}: {text}",
        )
        alone = (letter, f"({letter})", text)
        return (rng.choice(both), False) if rng.random() < 0.65 else (rng.choice(alone), True)
    if _NUMBER.fullmatch(reference) and rng.random() < 0.3:
        return _number_form(reference, rng), False
    return _fraction_form(reference, rng) if rng.random() < 0.3 else reference, False


def _number_form(number: str, rng: random.Random) -> str:
    plain = number.replace(",", "")
    whole, _, decimals = plain.partition(".")
    comma = f"{int(whole):,}" + (f".{decimals}" if decimals else "") if whole.lstrip("-").isdigit() else number
    with_zeros = plain if decimals else rng.choice((f"{plain}.00", f"{plain}.0"))
    minus = plain.replace("-", "\u2212")
    unit = f"{comma} {rng.choice(UNITS)}"
    return rng.choice((plain, plain, comma, comma, with_zeros, f"${comma}", unit, unit, f"\\${comma}", minus))


def _fraction_form(answer: str, rng: random.Random) -> str:
    """The same fraction as LaTeX, with a slash, or as a decimal where that is exact."""
    if not (match := _FRACTION.fullmatch(answer)):
        return answer
    top, bottom = (match[1], match[2]) if match[1] else (match[3], match[4])
    forms = [f"\\frac{{{top}}}{{{bottom}}}", f"\\dfrac{{{top}}}{{{bottom}}}", f"{top}/{bottom}"]
    value = int(top) / max(1, int(bottom))
    return rng.choice(forms + [f"{value:g}"] * (value * 10000 == int(value * 10000)))


def is_number(text: str) -> bool:
    """Whether a text is one plain number, such as 1,234 or -2.5."""
    return _NUMBER.fullmatch(text.strip()) is not None


def other_number(number: str, nearby: str, rng: random.Random) -> str:
    """A different number: one step or digit away, a factor off, or another one that occurs in `nearby`."""
    plain = number.replace(",", "")
    value = float(plain)
    seen = [n.strip(",") for n in _NUMBER.findall(nearby)]
    seen = [n for n in seen if float(n.replace(",", "")) != value]
    if seen and rng.random() < 0.5:
        return rng.choice(seen)
    digits = list(plain)
    at = rng.choice([i for i, c in enumerate(digits) if c.isdigit()])
    digits[at] = rng.choice([d for d in "123456789" if d != digits[at]])
    steps = (value + 1, value - 1, value + 10, value * 10, value / 2, value * 2, -value, value / 10, value + 0.5)
    made = "".join(digits) if rng.random() < 0.4 else f"{rng.choice(steps):.10g}"
    return made if float(made) != value else f"{value + 1:.10g}"


# --------------------------------------------------------------------------------------------------------- made rows
def restated(row: Row, rng: random.Random) -> Row:
    """The same row with its final answer said in another way, and its reference written in another form."""
    choices = options(row["question"])
    reference, only_part = reference_form(rng.choice(row["references"]), choices, rng)
    made = row | {"reference": reference, "made": "letter_only" if only_part else "form"}
    parts = take_apart(row["candidate"])
    if parts is None or rng.random() < 0.2:
        return made
    answer = answer_form(parts.answer, choices, rng)
    statements = STATEMENTS + CHOICE_STATEMENTS if choices else STATEMENTS
    overturned = _other_answer(parts.answer, choices, rng) if rng.random() < 0.07 else None
    if overturned:
        statements = CORRECTED_STATEMENTS
    said = _said(parts.reasoning, answer, overturned or "", statements, rng)
    return made | {"candidate": said, "made": "restated_" + made["made"]}


def _other_answer(answer: str, choices: dict[str, str], rng: random.Random) -> str | None:
    """An answer that differs from `answer` and that a model might have weighed before it."""
    letter = letter_of(answer)
    if len(choices) > 1 and letter in choices:
        return answer_form(rng.choice([c for c in choices if c != letter]), choices, rng)
    return other_number(answer, "", rng) if _NUMBER.fullmatch(answer) else None


def _said(reasoning: str, answer: str, overturned: str, statements: tuple[str, ...], rng: random.Random) -> str:
    statement = rng.choice(statements).format(a=answer, w=overturned)
    shown = rng.random()
    if shown < 0.22 or not reasoning:
        text = statement
    elif shown < 0.34:
        text = f"{statement}\n\n{rng.choice(('', 'Explanation: ', 'Reasoning: ', 'Because '))}{reasoning}"
    elif shown < 0.5:
        text = f"{reasoning[-rng.randint(40, 200) :]}\n{statement}"
    else:
        text = f"{reasoning}{rng.choice((' ', chr(10), chr(10) * 2))}{statement}"
    return text + rng.choice((" ", "\n\n")) + rng.choice(REMARKS) if rng.random() < 0.08 else text


def exchanged(row: Row, rng: random.Random) -> Row | None:
    """The same candidate against another reference, so that the label flips.

    A right answer against a near number or another option is wrong; a wrong answer against what it says is right.
    None where the final answer cannot be found or does not agree with the label.
    """
    parts = take_apart(row["candidate"])
    if parts is None:
        return None
    choices, reference = options(row["question"]), row["references"][0]
    said, asked = letter_of(parts.answer), letter_of(reference)
    if len(choices) > 1 and said in choices and asked in choices and (said == asked) == bool(row["label"]):
        letter = said if not row["label"] else rng.choice([c for c in choices if c != asked])
        return row | {"references": [f"{letter}. {choices[letter]}"], "label": 1 - row["label"]}
    answer = parts.answer.strip("$ ")
    if not _NUMBER.fullmatch(reference) or not _NUMBER.fullmatch(answer):
        return None
    same = float(reference.replace(",", "")) == float(answer.replace(",", ""))
    if same != bool(row["label"]):
        return None
    other = answer if not row["label"] else other_number(reference, parts.reasoning or row["question"], rng)
    return row | {"references": [other], "label": 1 - row["label"]}


def cut(row: Row, rng: random.Random) -> Row | None:
    """A candidate whose generation ended on the way, before any final answer: wrong. None where the answer shows."""
    parts = take_apart(row["candidate"])
    if parts is None or len(parts.reasoning) < 80:
        return None
    shown = parts.reasoning[: int(len(parts.reasoning) * rng.uniform(0.2, 0.6))]
    if any(answer.strip().lower() in shown.lower() for answer in (parts.answer, *row["references"])):
        return None
    reference, _ = reference_form(row["references"][0], options(row["question"]), rng)
    return row | {"candidate": shown, "reference": reference, "label": 0, "label_source": "made", "made": "cut"}


def open_answers(row: Row, distractors: list[str], rng: random.Random) -> list[Row]:
    """Made candidates for a short free answer: an alias said in a sentence, a distractor said so, hedges both ways."""
    reference, alias = rng.choice(row["references"]), rng.choice(row["references"])
    wrong = rng.choice(distractors)
    if not _differs(wrong, row["references"]):
        return []
    right_label, text = rng.random() < 0.5, rng.choice(OPEN_STATEMENTS)
    if rng.random() < 0.4:
        text = rng.choice(HEDGED_STATEMENTS)
    answer, other = (alias, wrong) if right_label else (wrong, alias)
    made = row | {"reference": reference, "label": int(right_label), "generator": "made", "label_source": "made"}
    rows = [made | {"candidate": text.format(a=answer, w=other), "made": "open_answer"}]
    if rng.random() < 0.06:
        rows.append(made | {"candidate": rng.choice(REFUSALS), "label": 0, "made": "refusal"})
    if row.get("context") and rng.random() < 0.3:
        said = rng.choice(NO_ANSWER_IN_CONTEXT)
        asked, label = ("Unanswerable", 1) if rng.random() < 0.5 else (reference, 0)
        rows.append(made | {"candidate": said, "reference": asked, "label": label, "made": "unanswerable"})
    return rows


def other_reference(row: Row, distractors: list[str], rng: random.Random) -> Row | None:
    """A right short answer against the reference of another question: wrong (the second paper's swapped negatives)."""
    wrong = rng.choice(distractors)
    if not row["label"] or not _differs(wrong, [*row["references"], row["candidate"]]):
        return None
    return row | {"references": [wrong], "label": 0}


def _differs(text: str, others: list[str]) -> bool:
    words = set(re.findall(r"\w+", text.lower()))
    return bool(words) and not any(words & set(re.findall(r"\w+", other.lower())) for other in others)


def shape(text: str) -> str:
    """A rough type of a short answer (number, year, name, phrase), so that distractors are of the same kind."""
    text = text.strip()
    if re.fullmatch(r"(1[5-9]|20)\d\d", text):
        return "year"
    if any(c.isdigit() for c in text):
        return "number"
    kind = "name" if text[:1].isupper() else "phrase"
    return f"{kind}{min(3, len(text.split()))}"
