"""Question and reference of the harness's well-known generation tasks, for sample files that came without our tasks.

The frames are the paper's (arXiv 2604.09497, Tables 7 and 8) without its format suffix, which these models were not
given: options as `A) ...` lines, a passage under `Context:`, and `B) option text` as reference. The logged prompt
would be a worse question: its few-shot examples hold other answers, and crowd the real question out of the input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lm_eval_bertjudge import task_files


class Templates(NamedTuple):
    """How a task's documents become items: two templates for `fields`, and what kind of task it is."""

    question: str | Callable[[Mapping[str, Any]], Any]
    reference: str | Callable[[Mapping[str, Any]], Any]
    category: str = ""


_GSM8K = "{{ answer.split('####')[-1].strip() if answer is defined else target }}"
# The harness writes its own reading of the box into `answer`, and mangles some: \infty as \iny, "0,1" as 01.
_MATH = "{{ ((solution | last_box) if solution is defined else '') or answer }}"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _choice(question: str, options: str) -> str:
    """The frame of a multiple-choice question; its arguments are Jinja: the question's text, the list of options."""
    lines = f"{{% for choice in {options} %}}\n{{{{ '{_LETTERS}'[loop.index0] }}}}) {{{{ choice }}}}{{% endfor %}}"
    return (
        f"Answer the following multiple-choice question.\n\nQuestion: {question}\n\nChoices:{lines}"
    )


def _passage(context: str, question: str) -> str:
    return f"Answer the question based on the provided context.\n\nContext:\n{context}\n\nQuestion: {question}"


_MMLU = Templates(
    _choice("{{ question.strip() }}", "choices"),
    "{{ 'ABCD'[answer] }}) {{ choices[answer] }}",
    "multiple_choice",
)
_COQA_EARLIER = (
    "{{ story }}{% for asked in questions.input_text[:-1] %}\n\nQ: {{ asked }}\n"
    "A: {{ answers.input_text[loop.index0] }}{% endfor %}"
)
_COQA_ANSWERS = (
    "{{ ([answers.input_text[questions.input_text|length - 1]] + ("
    "(additional_answers if additional_answers is defined else {}).values() | "
    "map(attribute='input_text') | map(attribute=questions.input_text|length - 1) | list)) | unique | list }}"
)

# Whole task names as regular expressions, the first that matches counts.
KNOWN: dict[str, Templates] = {
    r"gsm8k(_.*)?|tinyGSM8k": Templates("{{ question }}", _GSM8K, "open_math"),
    r"gsm_plus.*": Templates("{{ question }}", "answer", "open_math"),
    r"mgsm_.*": Templates("{{ question }}", "{{ answer_number|string }}", "open_math"),
    r".*math_?500.*|(hendrycks|minerva|leaderboard)_math.*": Templates(
        "{{ problem }}", _MATH, "open_math"
    ),
    r"aime.*": Templates(
        "{{ Problem if Problem is defined else problem }}",
        "{{ (Answer if Answer is defined else answer)|string }}",
        "open_math",
    ),
    r"asdiv.*": Templates("{{ body }} {{ question }}", "{{ answer.split(' (')[0] }}", "open_math"),
    r"(leaderboard_)?mmlu_pro(_.*)?": Templates(
        _choice("{{ question.strip() }}", "options"),
        f"{{{{ answer }}}}) {{{{ options['{_LETTERS}'.index(answer)] }}}}",
        "multiple_choice",
    ),
    r"belebele_.*": Templates(
        _passage("{{ flores_passage }}", "{{ question }}")
        + "\n\nChoices:\nA) {{ mc_answer1 }}\nB) {{ mc_answer2 }}\nC) {{ mc_answer3 }}\nD) {{ mc_answer4 }}",
        "{% set n = correct_answer_num | int %}{{ 'ABCD'[n - 1] }}) "
        "{{ [mc_answer1, mc_answer2, mc_answer3, mc_answer4][n - 1] }}",
        "multiple_choice",
    ),
    # Their documents are not what the model was asked; the words of the answer depend on the task.
    r"kobest_.*": Templates("prompt", "target", "multiple_choice"),
    r"mmlu_(.*generative|flan_.*|.*llama.*)": _MMLU,
    r"arc_.*(chat|llama).*": Templates(
        _choice("{{ question.strip() }}", "choices.text"),
        "{{ 'ABCDE'[choices.label.index(answerKey)] }}) {{ choices.text[choices.label.index(answerKey)] }}",
        "multiple_choice",
    ),
    r"gpqa_.*(generative|cot).*|leaderboard_gpqa.*": Templates(
        _choice("{{ Question.strip() }}", "choices"),
        "{{ answer[1] }}) {{ choices['ABCD'.index(answer[1])] }}",
        "multiple_choice",
    ),
    # Its long tail of aliases (spellings, redirects) would multiply the judging and the chance of a wrong yes.
    r"trivia_?qa.*": Templates(
        "{{ question }}", "{{ (([answer.value] + answer.aliases) | unique | list)[:5] }}", "open_qa"
    ),
    r"nq_open.*": Templates("{{ question }}", "answer", "open_qa"),
    r"truthfulqa.*gen.*": Templates("{{ question }}", "correct_answers", "open_qa"),
    r"(leaderboard_)?bbh_.*": Templates("{{ input }}", "target", "open_qa"),
    r"drop": Templates(
        _passage("{{ passage }}", "{{ question }}"),
        "{{ answers | map('join', ', ') | list }}",
        "context_extraction",
    ),
    r"coqa": Templates(
        _passage(_COQA_EARLIER, "{{ questions.input_text[-1] }}"),
        _COQA_ANSWERS,
        "context_extraction",
    ),
    r"squad_?v2.*|xquad_.*": Templates(
        _passage("{{ context }}", "{{ question }}"),
        "{{ answers.text | unique | list if answers.text else ['Unanswerable'] }}",
        "context_extraction",
    ),
}


JUDGED = "_judged"  # ends the name of a task of the harness that is run as it is, and judged


def templates(task: str) -> Templates | None:
    """The templates of a task by its name in the harness; None for one that is not in the table.

    Those of our own tasks are in the tasks' files. `NAME_judged` has the documents of NAME.
    """
    task = task.removesuffix(JUDGED)
    if ours := task_files.of_task(task):
        return Templates(ours["doc_to_text"], "references", task_files.category(ours))
    for pattern, known in KNOWN.items():
        if re.fullmatch(pattern, task):
            return known
    return None
