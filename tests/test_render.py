from __future__ import annotations

import pytest

from lm_eval_bertjudge import render
from lm_eval_bertjudge.rejudge import results


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.5, "0.500"),
        (0.00012, "0.00012"),
        (-0.00012, "-0.00012"),
        (0.0, "0.000"),
        (1, "1"),
        (None, "-"),
        ((0.1, 0.25), "[0.100, 0.250]"),
        ({"n_tp": 3, "share": 0.5}, "n_tp 3, share 0.500"),
        ("exact_match,strict-match", "exact_match,strict-match"),
    ],
)
def test_figures_are_written_one_way(value: object, shown: str) -> None:
    assert render.text(value) == shown


def test_an_estimate_has_its_interval_in_brackets() -> None:
    assert render.estimate(0.5, (0.4, 0.6)) == "0.500 [0.400, 0.600]"
    assert render.estimate(0.5, None) == "0.500"
    assert render.estimate(0.05, (-0.1, 0.2), signed=True) == "+0.050 [-0.100, +0.200]"
    assert render.interval((0.7225, 1.0), digits=4) == "[0.7225, 1.0000]"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a|b", r"a\|b"),
        ("a\\|b", r"a\\\|b"),
        ("<img src=x>", r"\<img src=x>"),
        ("&nbsp;", r"\&nbsp;"),
        ("`code`", r"\`code\`"),
        ("[text](http://a.b)", r"[text]\(http:\//a.b)"),
        ("https://a.b", r"https:\//a.b"),
        ("WWW.a.b", r"WWW\.a.b"),
        ("two\nlines", "two lines"),
        ("\x1b[31mred", r"\\x1b[31mred"),
        ("a\u202eb", r"a\\u202eb"),
        ("\ud800", r"\\ud800"),
    ],
)
def test_no_text_leaves_its_cell_or_becomes_markup(text: str, cell: str) -> None:
    shown = render.inline(text)
    assert shown == cell
    assert render.table(["name"], [[text]]).splitlines()[2] == f"| {shown} |"


def test_scripts_keep_the_joiners_they_are_written_with() -> None:
    assert render.visible("می\u200cروم") == "می\u200cروم"
    assert render.visible("a\tb\n") == "a\tb\n"


def test_no_text_ends_a_block_of_code() -> None:
    text = "```\n# heading\n````\n</details>"
    lines = render.fenced(text).splitlines()
    assert lines[0] == "`````text"
    assert lines[-1] == "`````"
    assert "\n".join(lines[1:-1]) == text


def test_a_task_of_a_log_cannot_command_the_terminal_that_shows_its_results() -> None:
    content = {"results": {"\x1b[2Jtask": {"exact_match,none": 0.5}}}
    assert results._table(content) == "  \\x1b[2Jtask  exact_match (none)  0.5000"
