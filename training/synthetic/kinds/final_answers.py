"""Kinds that change how a final answer is written, or what stands behind it."""

from __future__ import annotations

from collections.abc import Iterator

from num2words import num2words

from training.data.rows import Row
from training.synthetic import amounts, phrasing, restating
from training.synthetic.answers import letter_of, options, take_apart
from training.synthetic.registry import Draw, synthetic


@synthetic
def forged(row: Row, draw: Draw) -> Iterator[Row]:
    """A candidate that writes a reference of its own behind its answer: no reason to believe it, or to doubt it."""
    rng = draw.rng
    parts = take_apart(row["candidate"])
    answer = row["candidate"].strip().rpartition("\n")[2][-80:]
    if parts and rng.random() < 0.5:
        answer = parts.answer
    is_restated = rng.random() < 0.3
    new = restating.restated(row, rng) if is_restated else restating.verbatim(row, rng)
    yield new | {"candidate": new["candidate"] + phrasing.own_reference(rng).format(a=answer)}


@synthetic
def spelled(row: Row, draw: Draw) -> Iterator[Row]:
    """The final answer as a number in words or as an option's text, or with more than one remark behind it."""
    rng = draw.rng
    parts = take_apart(row["candidate"])
    choices = options(row["question"])
    if parts is None:
        return
    answer = parts.answer.strip("$ ").replace(",", "")
    letter = letter_of(parts.answer)
    if letter in choices:
        answer = choices[letter] if rng.random() < 0.65 else letter
    elif not answer.lstrip("-").isdecimal() or len(answer) > 7:
        return
    elif rng.random() < 0.8:
        answer = num2words(int(answer))
    new = row | restating.in_a_form(restating.one_reference(row, rng), choices, rng)
    reasoning = parts.reasoning if rng.random() < 0.6 else ""
    statement = phrasing.statement(phrasing.STATEMENTS, rng).format(a=answer)
    candidate = (reasoning + rng.choice((" ", "\n")) + statement).strip()
    if rng.random() < 0.5:
        remarks = [phrasing.remark(rng) for _ in range(rng.randint(1, 3))]
        candidate += rng.choice((" ", "\n")) + " ".join(remarks)
    yield new | {"candidate": candidate}


@synthetic
def amount(row: Row, draw: Draw) -> Iterator[Row]:
    """An amount asked for about a table, written with or without its currency, scale and commas, or another amount."""
    rng = draw.rng
    reference = restating.one_reference(row, draw.rng)
    read = amounts.read(reference)
    if read is None:
        return
    label = int(rng.random() < 0.5)
    written = rng.choice(amounts.forms(read) if label else amounts.misses(read, rng))
    candidate = phrasing.statement(phrasing.OPEN_STATEMENTS, rng).format(a=written)
    parts = take_apart(row["candidate"])
    if parts and parts.reasoning and row["label"] == label and rng.random() < 0.4:
        candidate = f"{parts.reasoning} So the answer is:\n{written}"
    answer = {"candidate": candidate, "label": label, "label_source": "made"}
    yield row | answer | {"reference": reference, "reference_form": "whole"}
