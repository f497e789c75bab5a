from __future__ import annotations

import time

import pytest

from lm_eval_bertjudge.rules.decision import decide_by_rules, is_match, is_mismatch
from lm_eval_bertjudge.types import JudgeItem


def item(reference: str, candidate: str) -> JudgeItem:
    return JudgeItem("", (reference,), candidate)


QUESTION = "What is the total in dollars?"
CHOICES = "Which is blue?\nA) grass\nB) the sky\nC) coal"
STRICT = [
    ("", "Denver", "Final answer: Denver."),
    ("", "Denver", "Denver"),
    ("", "the old mill", "The answer is: Old Mill"),
    ("", "B) blue", "Final answer: **B**\n\n"),
    ("", "18", "It takes 9 + 9 = 18.\n#### 18"),
    ("", "18", '```json\n{"reasoning": "9 + 9", "answer": "18"}\n```'),
    ("", "18", "<answer>18</answer>"),
    ("", "18", "So \\boxed{17}, or rather $\\boxed{18}$."),
    (QUESTION, "1250", "That comes to 1000 + 250 = $1,250.00."),
    (QUESTION, "1250", "The total is 1 250 dollars."),
    (CHOICES, "B) the sky", "The answer is (B)."),
    (CHOICES, "B", "The sky"),
    (CHOICES, "the sky", "b)"),
    ("Which cross?\nA) Bb BB\nB) Bb Bb", "B) Bb Bb", "The answer is Bb Bb."),
    ("Which is larger, 9.11 or 9.9?", "9.9", "9.9 is larger than 9.11."),
    ("", "42", "13 plus 29 égale 42."),
    ("Is 91 prime?\nA) Yes\nB) No", "B) No", "No, 91 = 7 * 13."),
    ("", "7 * 3 = 21 pens\n#### 21", "21"),
]
NOT_STRICT = [
    ("", "Denver", "Final answer: Denver, Colorado"),
    ("", "18", "Final answer: 18 or 19"),
    ("", "B) blue", "Final answer: B\nNo, I change my answer: it is A."),
    ("", "18", "Some would say that it is not 18"),
    ("", "18", "It might be 18"),
    (QUESTION, "40", "The total is 40 km."),
    (CHOICES, "B) the sky", "B) coal"),
    (CHOICES, "B) the sky", "A and B"),
    (CHOICES, "B) the sky", "C: coal\nA: the sky"),
    ("How much does B have?", "5", "B: 7\nA: 5"),
    (
        "How many trees are left?",
        "5",
        "6 trees remain in the park today.\n\nQuestion: How many cars?\nA: 5",
    ),
    ("Which?\nA) True, True\nB) False, True\nC) True, False", "B", "True, False"),
    ("", "106", "10⁶"),
    ("Which cross?\nA) Bb BB\nB) Bb Bb", "B) Bb Bb", "The answer is Bb BB."),
    ("Which cross?\nA) Bb BB\nB) Bb Bb", "Bb Bb", "Bb BB"),
    ("", "***", "..."),
    ("", "no", "No, wait: yes, it is."),
    ("", "no", "No one knows."),
    ("Which is larger, 9.11 or 9.9?", "9.9", "9.9 is smaller than 9.11."),
    ("Which is larger, 9.11 or 9.9?", "9.9", "9.11 is larger than 9.9."),
    ("", "18", "<think>The answer is 18"),
]


STRICT_NO = [
    ("", "18", "19"),
    ("", "18", "It takes 9 + 10 = 19.\n#### 19"),
    ("", "18", "9 + 10 = 19\nA: 19"),
    ("", "18", '```json\n{"reasoning": "9 * 2 + 1", "answer": "19"}\n```'),
    ("", "18", "Some say 18. The answer is \\boxed{19}."),
    (CHOICES, "B) the sky", "The sky is green, I think. The answer is (C)."),
    (CHOICES, "B", "Answer: C) coal"),
    ("", r"[4, \infty)", "x > 4"),
]
NOT_STRICT_NO = [
    ("", "18", "The answer is 19. No, wait, it is 18."),
    ("", "18", "\\boxed{19}. Or rather: the answer is 18."),
    ("", "18", "The answer is"),
    ("", "18", "The answer is 19, or 18."),
    ("", "18", "so that makes 19"),
    (CHOICES, "B) the sky", "The answer is (C), the sky."),
    (CHOICES, "B) the sky", "Answer: C) the sky"),
    (CHOICES, "the sky", "The answer is (C)."),
    (CHOICES, "B) the sky", "The answer is (D)."),
    ("Which?\nA) red\nB) red", "A", "The answer is B."),
    ("", "B", "The answer is C."),
    ("", "Paris", "The answer is London."),
    # several statements, or somebody else's
    ("", "18", "The answer is 18.\n\n**Question:** How many cars?\nThe answer is 5."),
    ("", "18", "There are 18 apples.\n\n## Problem 2\nAnswer: 5"),
    ("", "6", "There are 21 - 15 = 6 trees.\n\nQ: 3 cars come.\nA: 5"),
    ("", "18", "**Answer: 18**\n\nVerify: 18 * 2 = 36 and the final result is 36"),
    ("", "3", "The answer is 3. The other solution is -5."),
    ("", "18", "**18** is right. A common wrong answer is 20."),
    ("", "18", "There are 18 left. If you count Tom's, the answer is 20."),
    ("", "12", "It comes to \\boxed{12} at \\boxed{\\$24}"),
    (CHOICES, "B", "The best answer is B. The second best option is C."),
    (CHOICES, "B", "B is correct. The incorrect option is A."),
    ("How much does B have?", "7", "B: 7\nA: 5"),
    (CHOICES, "B", "I think B\nA: 5"),
    # numbered options, and options that are the same
    ("Which? 1) 7 2) 8 3) 9", "2", "The answer is 8."),
    ("Which? ① 7 ② 8", "②", "The answer is 8."),
    ("Which?\nA) 1/2\nB) 0.5", "A", "The answer is B."),
    ("Which?\nA) A\nB) C\nC) D", "B", "The answer is C."),
]


@pytest.mark.parametrize(("question", "reference", "candidate"), STRICT_NO)
def test_strict_no_takes_what_is_another_answer_to_any_reader(
    question: str, reference: str, candidate: str
) -> None:
    assert is_mismatch(JudgeItem(question, (reference,), candidate))
    assert not is_match(JudgeItem(question, (reference,), candidate))


@pytest.mark.parametrize(("question", "reference", "candidate"), [*STRICT, *NOT_STRICT_NO])
def test_strict_no_leaves_what_is_right_or_needs_a_reader(
    question: str, reference: str, candidate: str
) -> None:
    assert not is_mismatch(JudgeItem(question, (reference,), candidate))


def test_an_answer_that_matches_one_of_several_references_is_not_settled_as_wrong() -> None:
    assert not is_mismatch(JudgeItem("", ("18", "19"), "The answer is 19."))
    assert is_mismatch(JudgeItem("", ("18", "19"), "The answer is 20."))
    assert not is_mismatch(JudgeItem("", (), "The answer is 20."))


def test_settled_is_yes_or_no_or_left_to_a_judge() -> None:
    found = [
        decide_by_rules(item("18", said))
        for said in ("The answer is 18.", "The answer is 19.", "Perhaps 18")
    ]
    assert [v and v.correct for v in found] == [True, False, None]


@pytest.mark.parametrize(("question", "reference", "candidate"), STRICT)
def test_strict_yes_takes_what_is_the_same_to_any_reader(
    question: str, reference: str, candidate: str
) -> None:
    assert is_match(JudgeItem(question, (reference,), candidate))


@pytest.mark.parametrize(("question", "reference", "candidate"), NOT_STRICT)
def test_strict_yes_leaves_what_needs_a_reader(
    question: str, reference: str, candidate: str
) -> None:
    assert not is_match(JudgeItem(question, (reference,), candidate))


@pytest.mark.parametrize(
    "filler", ["*", " ", "\\boxed{", '"', "answer is ", "$", "= ", "1 ", "a, ", "(", "twenty ", "x"]
)
def test_a_hostile_answer_is_read_in_a_moment(filler: str) -> None:
    started = time.process_time()
    decide_by_rules(item("18", f"Final answer: {filler * (100_000 // len(filler))} end"))
    decide_by_rules(item("18", f"{filler * (250 // len(filler))} 18"))
    assert time.process_time() - started < 1.0
