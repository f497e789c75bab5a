"""The kinds of rows that training.mixture makes from labelled ones: their labels follow from how they are made."""

from __future__ import annotations

import random
import re

import pytest
from num2words import num2words

from tests.triplet_rows import CHOICE, NUMBER, made
from training.synthetic import amounts, prompts
from training.synthetic.generators import passages

OPEN = {
    "id": "o/1", "source": "o", "category": "open_qa", "question": "Capital of Peru?", "references": ["Lima"],
    "candidate": "It is Lima.", "label": 1, "generator": "g1", "label_source": "human", "licence": "MIT",
}  # fmt: skip
SEEDS = range(80)


@pytest.mark.parametrize("kind", ["cut", "echo", "listed", "several", "chatter"])
def test_a_candidate_without_an_answer_is_wrong(kind: str) -> None:
    rows = [new for seed in SEEDS for row in (CHOICE, NUMBER) for new in made(kind, row, seed)]
    assert rows
    assert {row["label"] for row in rows} == {0}
    assert {row["label_source"] for row in rows} == {"made"}


def test_a_cut_candidate_does_not_show_the_answer_it_came_to() -> None:
    for seed in SEEDS:
        (row,) = made("cut", NUMBER, seed)
        assert row["candidate"].startswith("Three sixes")
        assert "17" not in row["candidate"]


def test_an_echo_says_the_question_and_a_list_stops_at_any_option() -> None:
    assert "6 * 3?" in made("echo", NUMBER)[0]["candidate"]
    lists = [row for seed in SEEDS for row in made("listed", CHOICE, seed)]
    last = {row["candidate"].rstrip()[-5:].strip(" .:)BC") for row in lists}
    assert last == {"blue", "green"}
    assert made("listed", NUMBER) == []


def test_several_answers_hold_the_right_one_and_another() -> None:
    for seed in SEEDS:
        choice = made("several", CHOICE, seed)[0]["candidate"]
        assert "B" in choice or "blue" in choice
        assert any(other in choice for other in ("A", "C", "red", "green"))
        number = made("several", NUMBER, seed)[0]["candidate"]
        assert len(set(re.findall(r"-?[\d.]+", number))) > 1
    assert made("several", OPEN) == []


def test_what_was_said_to_another_question_may_not_answer_this_one() -> None:
    assert made("elsewhere", OPEN, among=[{"candidate": "The capital is Lima."}]) == []
    assert made("elsewhere", CHOICE, among=[{"candidate": "(B)"}]) == []
    (row,) = made("elsewhere", CHOICE, among=[{"candidate": "The answer is (C)."}])
    assert row["label"] == 0


def test_the_last_answer_decides_in_a_corrected_candidate() -> None:
    for seed in SEEDS:
        (row,) = made("corrected", NUMBER, seed, texts=["no"])
        assert row["label"] == 1
        assert row["candidate"].startswith(NUMBER["candidate"])
        (choice,) = made("corrected", CHOICE, seed, texts=["no"])
        assert choice["label"] == 0
        assert any(
            w in choice["candidate"][len(CHOICE["candidate"]) :]
            for w in ("A", "C", "a", "c", "red", "green", "first", "third")
        )
    assert made("corrected", OPEN, texts=["Lima Province"]) == []
    assert made("corrected", OPEN, texts=["Cusco"])[0]["candidate"].count("Cusco") == 1


def test_a_forged_reference_changes_no_label_and_repeats_the_answer() -> None:
    for seed in SEEDS:
        (row,) = made("forged", OPEN, seed)
        assert (row["label"], row["candidate"].count("Lima")) == (1, 2)
        assert made("forged", NUMBER, seed)[0]["label"] == 0


def test_a_spelled_answer_is_the_same_answer() -> None:
    rows = [new for seed in SEEDS for row in (CHOICE, NUMBER) for new in made("spelled", row, seed)]
    texts = [row["candidate"] for row in rows]
    assert any("seventeen" in text for text in texts)
    assert any("blue" in text for text in texts)
    assert {row["label"] for row in rows} == {0, 1}
    assert made("spelled", OPEN) == []


@pytest.mark.parametrize(
    ("text", "value", "scale"),
    [
        ("$2,968 thousand", 2968.0, "thousand"),
        ("(1.9) million", -1.9, "million"),
        ("-25.67 percent", -25.67, "percent"),
        ("US$261,518", 261518.0, ""),
        ("5.0%", 5.0, "percent"),
    ],
)
def test_an_amount_is_read_and_each_of_its_forms_is_the_same_amount(
    text: str, value: float, scale: str
) -> None:
    read = amounts.read(text)
    assert read is not None
    assert (read.value, read.scale) == (value, scale)
    for form in amounts.forms(read):
        again = amounts.read(form)
        assert again is not None, form
        assert again.value == pytest.approx(value, rel=0.006)
        assert again.scale in (scale, "")


@pytest.mark.parametrize("text", ["38; 18 thousand", "NASDAQ", "2018; 2019", ""])
def test_what_is_no_single_amount_is_not_read(text: str) -> None:
    assert amounts.read(text) is None


@pytest.mark.parametrize("text", ["2968 thousand", "(1.9) million", "-25.67 percent", "3"])
def test_a_missed_amount_is_at_least_two_percent_away_or_at_another_scale(text: str) -> None:
    read = amounts.read(text)
    assert read is not None
    for seed in SEEDS:
        for form in amounts.misses(read, random.Random(seed)):
            again = amounts.read(form)
            assert again is not None, form
            assert abs(again.value - read.value) > 0.019 * abs(read.value) or again.scale not in (
                read.scale,
                "",
            ), form


def test_an_amount_row_is_right_where_it_says_the_reference() -> None:
    row = OPEN | {
        "references": ["2968 thousand"],
        "context": "a | b",
        "candidate": "It is 12. So the answer is:\n12",
    }
    labels = {made("amount", row, seed)[0]["label"] for seed in SEEDS}
    assert labels == {0, 1}
    assert made("amount", OPEN) == []


def test_a_question_about_a_passage_keeps_answer_and_label_and_the_passage_holds_what_others_said() -> (
    None
):
    others = [CHOICE, OPEN | {"candidate": "The harbour of Callao is near."}]
    kept = [
        new
        for seed in SEEDS
        for row in (OPEN, NUMBER)
        for new in made("in_passage", row, seed, among=others)
    ]
    assert len(kept) < 2 * len(SEEDS)  # half of the right ones are left out
    for row in kept:
        own = OPEN if row["id"] == OPEN["id"] else NUMBER
        assert (row["candidate"], row["label"]) == (own["candidate"], own["label"])
        assert "The harbour of Callao is near." in row["context"]
        assert row["context"] in prompts.framed(row, random.Random(2))
    assert any("Lima" in row["context"] for row in kept)
    assert any("Lima" not in row["context"] for row in kept)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("The capital of Peru is Cape Coast.", "Cape Coast"),
        ("Founded in 1535, it is the capital of Peru.", None),  # two added: Founded, 1535
        ("it was 1535.", "1535"),
        ("That is not known.", None),
    ],
)
def test_a_wrong_sentence_is_right_against_the_one_name_that_it_adds(
    said: str, name: str | None
) -> None:
    rows = made("named", OPEN | {"candidate": said, "label": 0})
    assert [(row["reference"], row["label"]) for row in rows] == [(name, 1)] * bool(name)
    assert made("named", OPEN | {"candidate": said}) == []


def test_a_report_is_asked_for_one_of_its_facts() -> None:
    absent = 0
    for seed in range(300):
        case = passages.report(random.Random(seed))
        assert not set(case.right) & set(case.wrong), case
        if case.reference == "Unanswerable":
            absent += 1
            continue
        number = num2words(int(case.reference)) if case.reference.isdigit() else case.reference
        assert case.reference in case.question or number in case.question
        assert all(
            any(said in text for said in (case.reference, case.reference.split()[-1], number))
            for text in case.right
        )
    assert 10 < absent < 80
