"""Made variants of labelled triplets: other phrasings of the final answer, other forms of the reference, and hard
negatives and positives made by exchanging the reference. Every made row keeps its parent's id in `parent_id`.

A judge trained on one benchmark's logs learns that benchmark's answer format ("The answer is (X).") instead of
comparing two answers. The variants here change how an answer is said, or which answer is asked for, and nothing else:
the label of a made row follows from its parent's by construction.
"""

from __future__ import annotations

import random
import re

from training import answers, phrasing
from training.answers import letter_of, options, take_apart
from training.rows import Row


def framed(row: Row, rng: random.Random) -> str:
    """The question as some harness would have prompted it; sometimes none (candidate against reference alone)."""
    question, context = row["question"].strip(), (row.get("context") or "").strip()
    choices = options(question)
    if rng.random() < 0.10 and not (choices and row["made"].endswith(("letter_only", "plain"))):
        return ""
    if len(choices) > 1:
        return _framed_choices(question, choices, rng)
    if context:
        suffix = rng.choice(("", _asks("the exact span from the context that answers the question"), ""))
        frame = rng.choice((phrasing.PASSAGE, phrasing.PASSAGE, "{c}\n\nQuestion: {q}\nAnswer:", "{c}\n{q}"))
        return frame.format(c=context, q=question) + suffix
    suffix = rng.choice(("", _asks("the computed solution")) if row["category"] == "open_math" else ("",))
    return rng.choice((question + suffix, question + suffix, f"Question: {question}\nAnswer:", f"Q: {question}"))


def _framed_choices(question: str, choices: dict[str, str], rng: random.Random) -> str:
    if rng.random() < 0.3:
        return question
    stem = question[: answers.first_option(question)].strip()
    listed = "\n".join(f"{letter}) {text}" for letter, text in choices.items())
    suffix = rng.choice(("", _asks("the letter of the correct choice")))
    return f"Answer the following multiple-choice question.\n\nQuestion: {stem}\n\nChoices:\n{listed}{suffix}"


def _asks(what: str) -> str:
    return f'\n\nConclude your response with "Final answer: X", where X is {what}.'


def one_reference(row: Row, rng: random.Random) -> str:
    """One of a row's right answers; more often the first, since lists of aliases get worse towards their end."""
    return row["references"][0] if rng.random() < 0.4 else rng.choice(row["references"])


def restated(row: Row, rng: random.Random, *, bare: bool = False) -> Row:
    """The same row with its final answer said in another way, and its reference written in another form.

    `bare` leaves the way to the answer out, so that only question, answer and reference can be compared.
    """
    choices = options(row["question"])
    reference, only_part = answers.reference_form(one_reference(row, rng), choices, rng)
    made = row | {"reference": reference, "made": "letter_only" if only_part else "form"}
    parts = take_apart(row["candidate"])
    if parts is None or (rng.random() < 0.15 and not bare):
        return made
    answer = answers.answer_form(parts.answer, choices, rng)
    other = _other_answer(parts.answer, choices, rng)
    way = "" if bare else parts.reasoning
    if other and row["label"] and rng.random() < 0.04:  # it names the right answer and another, and takes neither
        said = rng.choice(phrasing.UNDECIDED).format(a=answer, w=other)
        return made | {"candidate": f"{way}\n{said}".strip(), "label": 0, "made": "undecided", "label_source": "made"}
    if other and rng.random() < 0.1:
        template = phrasing.overturned(rng)
    else:
        fixed = phrasing.STATEMENTS + phrasing.CHOICE_STATEMENTS if choices else phrasing.STATEMENTS
        template, other = phrasing.statement(fixed, rng), ""
    said = _said(way, template.format(a=answer, w=other or ""), answer, rng)
    return made | {"candidate": said, "made": "restated_" + made["made"]}


def _other_answer(answer: str, choices: dict[str, str], rng: random.Random) -> str | None:
    """An answer that differs from `answer` and that a model might have weighed before it."""
    letter = letter_of(answer)
    if len(choices) > 1 and letter in choices:
        return answers.answer_form(rng.choice([c for c in choices if c != letter]), choices, rng)
    return answers.other_number(answer, "", rng) if answers.is_number(answer) else None


def _said(reasoning: str, statement: str, answer: str, rng: random.Random) -> str:
    shown = rng.random()
    if shown < 0.22 or not reasoning:
        text = statement
    elif shown < 0.34:
        text = f"{statement}\n\n{rng.choice(('', 'Explanation: ', 'Reasoning: ', 'Because '))}{reasoning}"
    elif shown < 0.5:
        text = f"{reasoning[-rng.randint(40, 200) :]}\n{statement}"
    else:
        text = f"{reasoning}{rng.choice((' ', chr(10), chr(10) * 2))}{statement}"
    return text + _added(answer, rng)


def _added(answer: str, rng: random.Random) -> str:
    """What may stand behind an answer and decides nothing: a remark, a claim to be right, a question made up."""
    kind = rng.random()
    if kind < 0.15:
        return rng.choice((" ", "\n", "\n\n", "")) + phrasing.remark(rng)
    if kind < 0.17:
        return rng.choice((" ", "\n\n")) + rng.choice(phrasing.CLAIMS).format(a=answer)
    if kind < 0.19:
        a, b = rng.randint(2, 99), rng.randint(2, 99)
        asked = rng.choice(("Question: What is {a} + {b}?\nAnswer: {c}", "Q: {a} plus {b}?\nA: {c}"))
        return "\n\n" + asked.format(a=a, b=b, c=a + b)
    return ""


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
        others = [c for c in choices if c != asked]
        letter = said if not row["label"] else _closest(asked, choices) if rng.random() < 0.3 else rng.choice(others)
        return row | {"references": [f"{letter}. {choices[letter]}"], "label": 1 - row["label"]}
    answer = parts.answer.strip("$ ")
    if not answers.is_number(reference) or not answers.is_number(answer):
        return None
    same = float(reference.replace(",", "")) == float(answer.replace(",", ""))
    if same != bool(row["label"]):
        return None
    other = answer if not row["label"] else answers.other_number(reference, parts.reasoning or row["question"], rng)
    return row | {"references": [other], "label": 1 - row["label"]}


def _closest(letter: str, choices: dict[str, str]) -> str:
    """The other option whose text shares most words with this one's."""
    words = set(choices[letter].lower().split())
    return max((c for c in choices if c != letter), key=lambda c: len(words & set(choices[c].lower().split())))


def cut(row: Row, rng: random.Random) -> Row | None:
    """A candidate whose generation ended on the way, before any final answer: wrong. None where the answer shows."""
    parts = take_apart(row["candidate"])
    if parts is None or len(parts.reasoning) < 80:
        return None
    shown = parts.reasoning[: int(len(parts.reasoning) * rng.uniform(0.2, 0.7))]
    choices = options(row["question"])
    if any(_shows(answer, shown, choices) for answer in (parts.answer, *row["references"])):
        return None
    return _unanswered(row, shown, "cut", rng)


def echo(row: Row, rng: random.Random) -> Row | None:
    """A candidate that says the question again and stops: wrong, though the answer's characters may occur in it."""
    choices, question = options(row["question"]), row["question"].strip()
    if choices:
        listed = [f"{letter}) {text}" for letter, text in choices.items()]
        said = rng.choice(("\n".join(listed), f"The options are {', '.join(listed)}.", question))
        return _unanswered(row, rng.choice(phrasing.OPENINGS) + said, "echo", rng)
    sentences = re.split(r"(?<=[.?!])\s+", question)
    start = rng.randrange(len(sentences))
    said = " ".join(sentences[start : start + rng.randint(1, 3)])
    return _unanswered(row, rng.choice(phrasing.OPENINGS) + said, "echo", rng)


def _unanswered(row: Row, said: str, made: str, rng: random.Random) -> Row:
    reference, _ = answers.reference_form(row["references"][0], options(row["question"]), rng)
    return row | {"candidate": said, "reference": reference, "label": 0, "label_source": "made", "made": made}


def _shows(answer: str, text: str, choices: dict[str, str]) -> bool:
    """Whether an answer, as a letter or as an option's text, already stands in a text."""
    letter = letter_of(answer)
    if letter in choices:
        return re.search(rf"\b{letter}\b", text) is not None or choices[letter].lower() in text.lower()
    return answer.strip().lower() in text.lower()


def open_answers(row: Row, distractors: list[str], rng: random.Random) -> list[Row]:
    """Made candidates for a short free answer: an alias said in a sentence, a distractor said so, hedges both ways."""
    reference, alias = one_reference(row, rng), one_reference(row, rng)
    wrong = rng.choice(distractors)
    if not _differs(wrong, row["references"]):
        return []
    right_label = rng.random() < 0.5
    text = phrasing.overturned(rng) if rng.random() < 0.3 else phrasing.statement(phrasing.OPEN_STATEMENTS, rng)
    answer, other = (alias, wrong) if right_label else (wrong, alias)
    said = text.format(a=answer, w=other) + _added(answer, rng)
    made = row | {"reference": reference, "label": int(right_label), "generator": "made", "label_source": "made"}
    rows = [made | {"candidate": said, "made": "open_answer"}]
    if rng.random() < 0.05:
        said = rng.choice(phrasing.UNDECIDED).format(a=alias, w=wrong)
        rows.append(made | {"candidate": said, "label": 0, "made": "undecided"})
    if near_miss := _one_word_changed(alias, wrong, rng) if rng.random() < 0.15 else None:
        said = rng.choice(phrasing.OPEN_STATEMENTS).format(a=near_miss)
        rows.append(made | {"candidate": said, "label": 0, "made": "near_miss"})
    if rng.random() < 0.06:
        rows.append(made | {"candidate": rng.choice(phrasing.REFUSALS), "label": 0, "made": "refusal"})
    if row.get("context") and rng.random() < 0.3:
        said = rng.choice(phrasing.NO_ANSWER_IN_CONTEXT)
        asked, label = ("Unanswerable", 1) if rng.random() < 0.5 else (reference, 0)
        rows.append(made | {"candidate": said, "reference": asked, "label": label, "made": "unanswerable"})
    return rows


def _one_word_changed(answer: str, other: str, rng: random.Random) -> str | None:
    """A name of 2 or 3 words with one exchanged: another person, another place. None where it is no such name."""
    words, others = answer.split(), other.split()
    if not (2 <= len(words) <= 3 and all(w[:1].isupper() and w.isalpha() for w in words) and others[-1][:1].isupper()):
        return None
    at = rng.randrange(len(words))
    words[at] = others[0] if at == 0 else others[-1]
    return " ".join(words)


def other_reference(row: Row, distractors: list[str], rng: random.Random) -> Row | None:
    """A right short answer against the reference of another question: wrong (the second paper's swapped negatives)."""
    wrong = rng.choice(distractors)
    if not row["label"] or not _differs(wrong, [*row["references"], row["candidate"]]):
        return None
    return row | {"references": [wrong], "label": 0}


def _differs(text: str, others: list[str]) -> bool:
    words = set(re.findall(r"\w+", text.lower()))
    return bool(words) and not any(words & set(re.findall(r"\w+", other.lower())) for other in others)
