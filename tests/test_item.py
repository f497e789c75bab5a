from __future__ import annotations

import pytest

from lm_eval_bertjudge.rules.decision import decide_by_rules
from lm_eval_bertjudge.text.final_answer import final_answer, stated_answers
from lm_eval_bertjudge.text.item import prepare
from lm_eval_bertjudge.types import JudgeItem

CHOICES = "Which is blue?\nA) grass\nB) the sky"
LAST = [
    ("The final answer is: $\\boxed{28}$", "28"),
    ("So 9 + 9 = 18.\n#### 18", "18"),
    ("<answer>18</answer>", "18"),
    ("**Final answer:** `18`", "18"),
    ("The correct answer is option (B).", "(B)"),
    ('```json\n{"reasoning": "the answer is 7", "answer": "18"}\n```', "18"),
    ('{"answer": 18, "confidence": null, "abstract": "It was 7."}', "18"),
    ('{"answer":"yes","reasoning":"It was cut', "yes"),
    ('{"reasoning": "x", "final_answer": "\\frac{1}{2}"}', "\\frac{1}{2}"),
    ("Die Antwort lautet 18.", "18"), ("La réponse est 18.", "18"), ("La respuesta es 18.", "18"),
    ("A resposta é 18.", "18"), ("La risposta è 18.", "18"), ("Het antwoord is 18.", "18"), ("答案是18。", "18"),
    ("정답은 3번입니다.", "3번입니다"), ("答えは18", "18"), ("Ответ: 18", "18"),
]  # fmt: skip
NONE = [
    "It might be 18.",
    "",
    "The answer is 18.\nLet me look again.",
    '{"reasoning": 1}',
]


@pytest.mark.parametrize(("text", "answer"), LAST)
def test_the_final_answer_of_a_text_is_read_with_its_place(text: str, answer: str) -> None:
    stated = final_answer(text)
    assert stated is not None
    assert stated.rest == answer
    assert stated.start <= stated.answer_start <= len(text)


@pytest.mark.parametrize("text", NONE)
def test_a_text_that_does_not_end_with_a_statement_has_no_final_answer(text: str) -> None:
    assert final_answer(text) is None


def test_every_statement_is_read_in_the_order_of_their_places() -> None:
    text = "The answer is 7. No: the answer is \\boxed{8}. Solution: 9"
    stated = stated_answers(text)
    assert [each.cue for each in stated] == ["words", "words", "box", "loose"]
    assert [each.answer for each in stated] == ["7", "8", "8", "9"]
    assert text[stated[2].start :].startswith("\\boxed{8}")


def test_an_item_is_prepared_once() -> None:
    item = prepare(
        JudgeItem(CHOICES, ("B", "so it is.\n#### 7"), "<think>A?</think>The answer is (B).")
    )
    assert item.golds == ("B) the sky", "7")
    assert item.response == "The answer is (B)."
    assert item.choices == {"A": "grass", "B": "the sky"}
    assert [each.answer for each in item.stated] == ["(B)"]
    assert prepare(item) is item


@pytest.mark.parametrize("candidate", ["...", "____", "?!", "\u200b"])
def test_a_candidate_without_letter_or_digit_is_no_answer(candidate: str) -> None:
    assert prepare(JudgeItem("Is it?", ("no",), candidate)).response == ""


@pytest.mark.parametrize(("reference", "candidate"), [("<", "<"), ("infinity", "∞"), ("yes", "👍")])
def test_a_sign_is_an_answer_where_the_reference_is_one_or_it_says_something(
    reference: str, candidate: str
) -> None:
    assert prepare(JudgeItem("", (reference,), candidate)).response == candidate


def test_a_field_of_a_json_answer_decides_whatever_the_other_fields_say() -> None:
    answer = '{"answer":"yes","confidence":null,"reasoning":"no","abstract":"The answer is no."}'
    verdicts = [decide_by_rules(JudgeItem("Is it?", (gold,), answer)) for gold in ("yes", "no")]
    assert [verdict and verdict.correct for verdict in verdicts] == [True, False]
