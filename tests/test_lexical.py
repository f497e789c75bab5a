from __future__ import annotations

import threading
import time

import pytest

from lm_eval_bertjudge import lexical, math_worker
from lm_eval_bertjudge.lexical import final_answer, settled, shape, strict_no, strict_yes, verdict
from lm_eval_bertjudge.records import JudgeItem


def item(reference: str, candidate: str) -> JudgeItem:
    return JudgeItem("", (reference,), candidate)


RIGHT = [
    ("B) blue", "**Final answer:** B"),
    ("B) blue", "**Final answer: B**"),
    ("B) blue", "Final answer: (B) blue"),
    ("B) blue", "Final answer: [B]"),
    ("B) blue", "FINAL ANSWER: B."),
    ("B) blue", "Final answer: Blue"),
    ("B", "Final answer: B. blue"),
    ("18", "Final answer: 18."),
    ("18", "Final answer: $18.00"),
    ("1,234", "Final answer: 1234"),
    ("18", "I first thought Final answer: 17\n\nFinal answer: 18"),
    ("18", "<think>Final answer: 17</think>Final answer: 18"),
    (r"\frac{3}{4}", r"final answer: $\boxed{\frac{3}{4}}$"),
    (r"\frac{3}{4}", "Final answer: 0.75"),
    ("Denver", "Final answer: denver"),
    ("the old mill", "Final answer: old mill"),
]
WRONG = [
    ("B) blue", "Final answer: A", "mismatch"),
    ("B) blue", "Final answer: B) red", "mismatch"),
    ("B) blue", "B is right", "parse_failure"),
    ("A", "Final answer: A cat", "mismatch"),
    ("18", "Final answer: 18\nFinal answer: 17", "mismatch"),
    ("18", "<think>Final answer: 18", "parse_failure"),
    ("18", "", "parse_failure"),
    ("18", "Final answer:", "parse_failure"),
    ("18", "Final answer: 81", "mismatch"),
]


@pytest.mark.parametrize(("reference", "candidate"), RIGHT)
def test_a_right_answer_in_the_asked_format_is_right(reference: str, candidate: str) -> None:
    found = verdict(item(reference, candidate))
    assert found.correct
    assert found.p_correct == 1.0
    assert found.source == "lexical"


@pytest.mark.parametrize(("reference", "candidate", "reason"), WRONG)
def test_a_wrong_answer_is_wrong_and_parse_failure_is_told_apart(reference: str, candidate: str, reason: str) -> None:
    found = verdict(item(reference, candidate))
    assert not found.correct
    assert found.reason.split(" ")[0] == reason


def test_any_of_several_references_may_be_matched() -> None:
    assert verdict(JudgeItem("", ("NYC", "New York City"), "Final answer: new york city")).correct


def test_rouge_l_score_is_in_the_reason() -> None:
    assert verdict(item("Denver", "Final answer: Denver, Colorado")).reason == "match (rouge_l 0.67)"
    assert verdict(item("Denver", "Final answer: Boulder")).reason == "mismatch (rouge_l 0.00)"


SHAPES = {
    "exact": ["B", "B) blue", "(C)"],
    "math_verify": ["18", r"\frac{1}{2}", "x^2+1"],
    "rouge_l": ["Denver", "Unanswerable", "A Tale of Two Cities"],
}


@pytest.mark.parametrize(("kind", "reference"), [(kind, text) for kind, texts in SHAPES.items() for text in texts])
def test_auto_goes_by_the_references_shape(reference: str, kind: str) -> None:
    assert shape(reference) == kind


def test_final_answer_is_the_last_one_without_markup() -> None:
    assert final_answer("Final answer: 1\n**Final answer:** `2`") == "2"
    assert final_answer("the answer is 3") is None


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
]


@pytest.mark.parametrize(("question", "reference", "candidate"), STRICT_NO)
def test_strict_no_takes_what_is_another_answer_to_any_reader(question: str, reference: str, candidate: str) -> None:
    assert strict_no(JudgeItem(question, (reference,), candidate))
    assert not strict_yes(JudgeItem(question, (reference,), candidate))


@pytest.mark.parametrize(("question", "reference", "candidate"), [*STRICT, *NOT_STRICT_NO])
def test_strict_no_leaves_what_is_right_or_needs_a_reader(question: str, reference: str, candidate: str) -> None:
    assert not strict_no(JudgeItem(question, (reference,), candidate))


def test_an_answer_that_matches_one_of_several_references_is_not_settled_as_wrong() -> None:
    assert not strict_no(JudgeItem("", ("18", "19"), "The answer is 19."))
    assert strict_no(JudgeItem("", ("18", "19"), "The answer is 20."))
    assert not strict_no(JudgeItem("", (), "The answer is 20."))


def test_settled_is_yes_or_no_or_left_to_a_judge() -> None:
    found = [settled(item("18", said)) for said in ("The answer is 18.", "The answer is 19.", "Perhaps 18")]
    assert [v and v.correct for v in found] == [True, False, None]


@pytest.mark.parametrize(("question", "reference", "candidate"), STRICT)
def test_strict_yes_takes_what_is_the_same_to_any_reader(question: str, reference: str, candidate: str) -> None:
    assert strict_yes(JudgeItem(question, (reference,), candidate))


@pytest.mark.parametrize(("question", "reference", "candidate"), NOT_STRICT)
def test_strict_yes_leaves_what_needs_a_reader(question: str, reference: str, candidate: str) -> None:
    assert not strict_yes(JudgeItem(question, (reference,), candidate))


@pytest.mark.parametrize(
    "filler", ["*", " ", "\\boxed{", '"', "answer is ", "$", "= ", "1 ", "a, ", "(", "twenty ", "x"]
)
def test_a_hostile_answer_is_read_in_a_moment(filler: str) -> None:
    started = time.process_time()
    settled(item("18", f"Final answer: {filler * (100_000 // len(filler))} end"))
    settled(item("18", f"{filler * (250 // len(filler))} 18"))
    assert time.process_time() - started < 1.0


def test_math_verify_runs_outside_the_main_thread() -> None:
    found: list[bool] = []
    thread = threading.Thread(
        target=lambda: found.append(verdict(item(r"\sqrt{8}", r"Final answer: 2\sqrt{2}")).correct)
    )
    thread.start()
    thread.join()
    assert found == [True]


def test_math_verify_over_its_time_is_unjudged_and_the_next_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    assert math_worker.worker.equal("1", "1")
    with monkeypatch.context() as patched:
        patched.setattr(math_worker, "TIMEOUT_S", 0.0)
        late = lexical.verdict(item(r"\sin{x}", r"Final answer: \sin(x)"))
    assert (late.source, late.p_correct, late.reason) == ("unjudged", None, "undecided")
    assert math_worker.worker.equal(r"\sqrt{18}", r"3\sqrt{2}")


def test_a_math_verify_that_does_not_start_in_time_is_ended_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = math_worker.MathWorker()
    with monkeypatch.context() as patched:
        patched.setattr(math_worker, "_START_TIMEOUT_S", 0.0)
        assert worker.equal("1", "1") is None
    assert worker._child is None
    assert worker.equal("1", "1") is True
    worker.close()
