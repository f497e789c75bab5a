"""The question and the references that a task itself has, for filters that name none.

The table of known tasks comes first: it knows a better question or reference than the prompt and its target.
For all other tasks the question is `doc_to_text` of the document, without examples, and the references are
`doc_to_target`.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lm_eval_bertjudge import known_tasks, template
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.harness.filter import part_is_ours

logger = logging.getLogger(
    "lm_eval.bertjudge"
)  # below the harness's own, which shows its INFO lines

Doc = Mapping[str, Any]


def complete(task: Any, docs: Sequence[Doc]) -> None:
    """Gives each judging filter of a task the question and reference that its config leaves out, and says what.

    Args:
        task: A generating task of the harness; its filters are changed.
        docs: Some of its documents, on which a template of the table is tried.
    """
    for ensemble in task._filters:
        for at, part in enumerate(ensemble.filters):
            if part_is_ours(part) and (missing := _missing(part.keywords)):
                values, source = _values(task, docs)
                chosen = {name: values[name] for name in missing}
                ensemble.filters[at] = functools.partial(part, **chosen)
                logger.info(
                    "task %s, pipeline %s: %s from %s",
                    task.task_name, ensemble.name, " and ".join(missing), source,
                )  # fmt: skip


def _missing(options: Mapping[str, Any]) -> list[str]:
    asks = options.get("include_question", True)
    return [
        name
        for name in ("question", "reference")
        if name not in options and (asks or name != "question")
    ]


def _values(task: Any, docs: Sequence[Doc]) -> tuple[dict[str, template.Template], str]:
    known = known_tasks.templates(task.task_name)
    if known is not None and _fits(known, docs):
        return {
            "question": known.question,
            "reference": known.reference,
        }, "the table of known tasks"
    return (
        {"question": _named(task.doc_to_text, "doc_to_text"), "reference": references_of(task)},
        "the task's own doc_to_text and doc_to_target",
    )


def _fits(known: known_tasks.Templates, docs: Sequence[Doc]) -> bool:
    """Whether a task that has a known name also has the known fields."""
    try:
        references = [template.references(known.reference, doc) for doc in docs]
        questions = [template.question(known.question, doc) for doc in docs]
    except InputError:
        return False
    return all(references) and all(questions)


def _named(read: Callable[[Doc], Any], name: str) -> Callable[[Doc], Any]:
    """A task's method as a function of its own, whose name stands in messages; a copy of it is the same."""

    def of_doc(doc: Doc) -> Any:
        return read(doc)

    of_doc.__name__ = name
    return of_doc


def references_of(task: Any) -> Callable[[Doc], Any]:
    """The function that gives the right answer to a document of a task, or a list of right answers.

    Where the task has options (`doc_to_choice`), it is the right option's text.
    """

    def gold(doc: Doc) -> Any:
        target = task.doc_to_target(doc)
        if task.config.doc_to_choice is None:
            return target
        choices = task.doc_to_choice(doc)
        chosen = [choices[each] if isinstance(each, int) else each for each in _listed(target)]
        return chosen if isinstance(target, (list, tuple)) else chosen[0]

    return _named(gold, "doc_to_target")


def _listed(target: Any) -> Iterator[Any]:
    yield from target if isinstance(target, (list, tuple)) else [target]
