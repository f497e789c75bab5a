from __future__ import annotations

import pytest

from lm_eval_bertjudge import template
from lm_eval_bertjudge.errors import InputError

DOC = {
    "question": "How many?",
    "answer": "3 + 4 = 7\n#### 7",
    "answers": {"text": ["Denver", "Denver, Colorado"]},
    "aliases": ["a", "b"],
    "none": [],
    "year": 1984,
    "choices": ["red", "blue"],
    "label": 1,
}


def test_a_field_name_gives_the_field() -> None:
    assert template.question("question", DOC) == "How many?"
    assert template.references("year", DOC) == ("1984",)


def test_a_template_gives_text() -> None:
    assert template.question("Q: {{ question }}\n", DOC) == "Q: How many?\n"
    assert template.references("{{ answer.split('#### ')[-1] }}", DOC) == ("7",)
    assert template.references("{{ 'ABCD'[label] }}) {{ choices[label] }}", DOC) == ("B) blue",)


def test_a_list_gives_every_alias() -> None:
    assert template.references("aliases", DOC) == ("a", "b")
    assert template.references("{{ answers.text }}", DOC) == ("Denver", "Denver, Colorado")


def test_text_that_looks_like_a_list_or_number_stays_text() -> None:
    assert template.references("{{ a }}", {"a": "1,000"}) == ("1,000",)
    assert template.references("{{ a }}", {"a": "[1, 2]"}) == ("[1, 2]",)


@pytest.mark.parametrize(
    "text",
    ["target", "{{ target }}", "{{ target }} x", "{{ answer.split( }}", "{{ label[3] }}"],
)
def test_what_cannot_be_rendered_names_the_fields_there_are(text: str) -> None:
    with pytest.raises(InputError, match="aliases, answer, answers, choices, label"):
        template.references(text, DOC)


@pytest.mark.parametrize("empty", [[], None, "", "  ", [None, ""]])
def test_what_is_empty_is_no_reference(empty: object) -> None:
    assert template.references("x", {"x": empty}) == ()
    assert template.references("{{ x }}", {"x": empty}) == ()
    assert template.question("x", {"x": None}) == ""


def test_a_lazy_filter_gives_its_elements() -> None:
    assert template.references("{{ aliases | map('upper') }}", DOC) == ("A", "B")


def test_the_harness_regex_replace_filter_works() -> None:
    assert (
        template.question("{{ answer | regex_replace('.*#### ', '') }}", {"answer": "x #### 7"})
        == "7"
    )
