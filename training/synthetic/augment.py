"""Made variants of labelled triplets: other phrasings of the final answer, other forms of the reference, and hard
negatives and positives made by exchanging the reference. Every made row keeps its parent's id in `parent_id`.

A judge trained on one benchmark's logs learns that benchmark's answer format ("The answer is (X).") instead of
comparing two answers. The variants here change how an answer is said, or which answer is asked for, and nothing else:
the label of a made row follows from its parent's by construction.
"""

from __future__ import annotations

import random
import re

from num2words import num2words

from training.data.rows import Row
from training.synthetic import amounts, answers, phrasing
from training.synthetic.answers import letter_of, options, take_apart


def framed(row: Row, rng: random.Random) -> str:
    """The question as some harness would have prompted it; sometimes none (candidate against reference alone)."""
    question, context = row["question"].strip(), (row.get("context") or "").strip()
    choices = options(question)
    if rng.random() < 0.10 and not (choices and row["made"].endswith(("letter_only", "plain"))):
        return ""
    if len(choices) > 1:
        return _framed_choices(question, choices, rng)
    if context:
        suffix = rng.choice(
            ("", _asks("the exact span from the context that answers the question"), "")
        )
        frame = rng.choice(
            (phrasing.PASSAGE, phrasing.PASSAGE, "{c}\n\nQuestion: {q}\nAnswer:", "{c}\n{q}")
        )
        return frame.format(c=context, q=question) + suffix
    suffix = rng.choice(
        ("", _asks("the computed solution")) if row["category"] == "open_math" else ("",)
    )
    return rng.choice(
        (question + suffix, question + suffix, f"Question: {question}\nAnswer:", f"Q: {question}")
    )


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


def _reference(right: str, choices: dict[str, str], rng: random.Random) -> Row:
    """The fields that say in which form a row's reference is written."""
    reference, only_part = answers.reference_form(right, choices, rng)
    return {"reference": reference, "made": "letter_only" if only_part else "form"}


def restated(row: Row, rng: random.Random, *, bare: bool = False) -> Row:
    """The same row with its final answer said in another way, and its reference written in another form.

    `bare` leaves the way to the answer out, so that only question, answer and reference can be compared.
    """
    choices = options(row["question"])
    made = row | _reference(one_reference(row, rng), choices, rng)
    parts = take_apart(row["candidate"])
    if parts is None or (rng.random() < 0.15 and not bare):
        return made
    answer = answers.answer_form(parts.answer, choices, rng)
    other = _other_answer(parts.answer, choices, rng)
    way = "" if bare else parts.reasoning
    if (
        other and row["label"] and rng.random() < 0.04
    ):  # it names the right answer and another, and takes neither
        said = rng.choice(phrasing.UNDECIDED).format(a=answer, w=other)
        return made | {
            "candidate": f"{way}\n{said}".strip(),
            "label": 0,
            "made": "undecided",
            "label_source": "made",
        }
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
        asked = rng.choice(
            ("Question: What is {a} + {b}?\nAnswer: {c}", "Q: {a} plus {b}?\nA: {c}")
        )
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
    if (
        len(choices) > 1
        and said in choices
        and asked in choices
        and (said == asked) == bool(row["label"])
    ):
        others = [c for c in choices if c != asked]
        letter = (
            said
            if not row["label"]
            else _closest(asked, choices)
            if rng.random() < 0.3
            else rng.choice(others)
        )
        return row | {"references": [f"{letter}. {choices[letter]}"], "label": 1 - row["label"]}
    answer = parts.answer.strip("$ ")
    if not answers.is_number(reference) or not answers.is_number(answer):
        return None
    same = float(reference.replace(",", "")) == float(answer.replace(",", ""))
    if same != bool(row["label"]):
        return None
    other = (
        answer
        if not row["label"]
        else answers.other_number(reference, parts.reasoning or row["question"], rng)
    )
    return row | {"references": [other], "label": 1 - row["label"]}


def _closest(letter: str, choices: dict[str, str]) -> str:
    """The other option whose text shares most words with this one's."""
    words = set(choices[letter].lower().split())
    return max(
        (c for c in choices if c != letter),
        key=lambda c: len(words & set(choices[c].lower().split())),
    )


def corrected(row: Row, distractors: list[str], rng: random.Random) -> Row | None:
    """A candidate that ends with another answer than the one it came to, so that the label flips: the last one counts.

    A wrong candidate ends with the reference, a right one with another option, number or name.
    """
    choices = options(row["question"])
    right = one_reference(row, rng)
    other = _other_answer(right, choices, rng) or rng.choice(distractors)
    if not row["label"]:
        answer = answers.answer_form(right, choices, rng)
    elif choices or answers.is_number(right) or _differs(other, row["references"]):
        answer = other
    else:
        return None
    reference = _reference(right, choices, rng)
    said = (
        row["candidate"].rstrip()
        + rng.choice(("\n", "\n\n", " "))
        + phrasing.last_word(rng).format(a=answer)
    )
    return row | reference | {"candidate": said, "label": 1 - row["label"], "label_source": "made"}


def forged(row: Row, rng: random.Random) -> Row:
    """A candidate that writes a reference of its own behind its answer: no reason to believe it, or to doubt it."""
    parts = take_apart(row["candidate"])
    said = (
        parts.answer
        if parts and rng.random() < 0.5
        else row["candidate"].strip().rpartition("\n")[2][-80:]
    )
    made = (
        restated(row, rng)
        if rng.random() < 0.3
        else row | {"reference": one_reference(row, rng), "made": "plain"}
    )
    return made | {"candidate": made["candidate"] + phrasing.own_reference(rng).format(a=said)}


def spelled(row: Row, rng: random.Random) -> Row | None:
    """The final answer as a number in words or as an option's text, or with more than one remark behind it."""
    parts, choices = take_apart(row["candidate"]), options(row["question"])
    if parts is None:
        return None
    answer, letter = parts.answer.strip("$ ").replace(",", ""), letter_of(parts.answer)
    if letter in choices:
        answer = choices[letter] if rng.random() < 0.65 else letter
    elif answer.lstrip("-").isdigit() and len(answer) < 8:
        answer = num2words(int(answer)) if rng.random() < 0.8 else answer
    else:
        return None
    reference = _reference(one_reference(row, rng), choices, rng)
    way = parts.reasoning if rng.random() < 0.6 else ""
    said = f"{way}{rng.choice((' ', chr(10)))}{phrasing.statement(phrasing.STATEMENTS, rng).format(a=answer)}".strip()
    if rng.random() < 0.5:
        said += rng.choice((" ", "\n")) + " ".join(
            phrasing.remark(rng) for _ in range(rng.randint(1, 3))
        )
    return row | reference | {"candidate": said}


def amount(row: Row, rng: random.Random) -> Row | None:
    """An amount asked for about a table, written with or without its currency, scale and commas, or another amount."""
    reference = one_reference(row, rng)
    read = amounts.read(reference)
    if read is None:
        return None
    label = int(rng.random() < 0.5)
    said = rng.choice(amounts.forms(read) if label else amounts.misses(read, rng))
    parts, text = (
        take_apart(row["candidate"]),
        phrasing.statement(phrasing.OPEN_STATEMENTS, rng).format(a=said),
    )
    if parts and parts.reasoning and bool(row["label"]) == bool(label) and rng.random() < 0.4:
        text = f"{parts.reasoning} So the answer is:\n{said}"
    return row | {
        "candidate": text,
        "reference": reference,
        "label": label,
        "label_source": "made",
        "made": "form",
    }


def open_answers(row: Row, distractors: list[str], rng: random.Random) -> list[Row]:
    """Made candidates for a short free answer: an alias said in a sentence, a distractor said so, hedges both ways."""
    reference, alias = one_reference(row, rng), one_reference(row, rng)
    wrong = rng.choice(distractors)
    if not _differs(wrong, row["references"]):
        return []
    right_label = rng.random() < 0.5
    text = (
        phrasing.overturned(rng)
        if rng.random() < 0.3
        else phrasing.statement(phrasing.OPEN_STATEMENTS, rng)
    )
    answer, other = (alias, wrong) if right_label else (wrong, alias)
    said = text.format(a=answer, w=other) + _added(answer, rng)
    made = row | {
        "reference": reference,
        "label": int(right_label),
        "generator": "made",
        "label_source": "made",
    }
    rows = [made | {"candidate": said, "made": "open_answer"}]
    if rng.random() < 0.05:
        said = rng.choice(phrasing.UNDECIDED).format(a=alias, w=wrong)
        rows.append(made | {"candidate": said, "label": 0, "made": "undecided"})
    if near_miss := _one_word_changed(alias, wrong, rng) if rng.random() < 0.15 else None:
        said = rng.choice(phrasing.OPEN_STATEMENTS).format(a=near_miss)
        rows.append(made | {"candidate": said, "label": 0, "made": "near_miss"})
    if rng.random() < 0.06:
        rows.append(
            made | {"candidate": rng.choice(phrasing.REFUSALS), "label": 0, "made": "refusal"}
        )
    if row.get("context") and rng.random() < 0.3:
        said = rng.choice(phrasing.NO_ANSWER_IN_CONTEXT)
        asked, label = ("Unanswerable", 1) if rng.random() < 0.5 else (reference, 0)
        rows.append(
            made | {"candidate": said, "reference": asked, "label": label, "made": "unanswerable"}
        )
    return rows


def in_passage(row: Row, others: list[Row], rng: random.Random) -> Row | None:
    """The same candidate, its question asked about a passage: what was said to `others`, and often the answer too.

    None for half of the right ones, since there are more of them.
    """
    if row["label"] and rng.random() < 0.5:
        return None
    texts = [(other.get("context") or other["candidate"]).strip() for other in others]
    if rng.random() < 0.6:
        texts.append(
            phrasing.statement(phrasing.OPEN_STATEMENTS[:8], rng).format(a=one_reference(row, rng))
        )
    if rng.random() < 0.3:
        texts.append(row["candidate"].strip())
    rng.shuffle(texts)
    context = f"{row.get('context') or ''} {' '.join(texts)}".strip()[:1600]
    return row | {"context": context, "reference": one_reference(row, rng), "made": "plain"}


_NAMED = re.compile(r"(?:[A-Z][\w'-]+|\d[\d,.]*\d|\d)(?: (?:[A-Z][\w'-]+|of(?= [A-Z])|\d+))*")
_NO_NAMES = {
    "the", "a", "an", "in", "on", "it", "its", "all", "both", "although", "as", "he", "she", "they", "there", "this",
    "that",
}  # fmt: skip


def named(row: Row, rng: random.Random) -> Row | None:
    """A wrong sentence against the one name or number that it adds to the question's: right. None where there are more.

    Where short answers are right and sentences are wrong, as in HaluEval, a judge learns that instead.
    """
    if row["label"]:
        return None
    asked = set(re.findall(r"\w+", row["question"].lower()))
    said = [re.sub(r"^(?:The|A|In) ", "", name) for name in _NAMED.findall(row["candidate"])]
    added = [
        name for name in said if not (asked | _NO_NAMES) & set(re.findall(r"\w+", name.lower()))
    ]
    if len(added) != 1:
        return None
    return row | {"reference": added[0], "label": 1, "label_source": "made", "made": "plain"}


def _one_word_changed(answer: str, other: str, rng: random.Random) -> str | None:
    """A name of 2 or 3 words with one exchanged: another person, another place. None where it is no such name."""
    words, others = answer.split(), other.split()
    if not (
        2 <= len(words) <= 3
        and all(w[:1].isupper() and w.isalpha() for w in words)
        and others[-1][:1].isupper()
    ):
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
    return bool(words) and not any(
        words & set(re.findall(r"\w+", other.lower())) for other in others
    )
