"""Question and reference of a document, by the name of a field or by a Jinja template."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.text.latex import last_box

T = TypeVar("T")
# A field's name or Jinja; or a function of the document.
Template = str | Callable[[Mapping[str, Any]], Any]

_ONE_EXPRESSION = re.compile(r"\s*\{\{((?:(?!\}\}).)*)\}\}\s*", re.DOTALL)


def question(template: Template, doc: Mapping[str, Any]) -> str:
    """The text that `template` (a field's name or Jinja) gives on `doc`; nothing where that is None.

    Raises:
        InputError: A field is missing or the template is not Jinja; the message lists the document's fields.
    """
    return _read(template, doc, "question", _text)


def references(template: Template, doc: Mapping[str, Any]) -> tuple[str, ...]:
    """The right answers that `template` gives on `doc`: every element where it gives a list, else its text.

    `answers.text` as field path is not supported, `{{ answers.text }}` is: a template that is one
    expression keeps the expression's type, so lists of aliases stay lists. None and empty texts are left
    out, so there may be none at all.

    Raises:
        InputError: As in `question`.
    """
    return _read(template, doc, "reference", _texts)


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _texts(value: Any) -> tuple[str, ...]:
    several = value if isinstance(value, (list, tuple, Iterator)) else [value]
    return tuple(text for text in map(_text, several) if text.strip())


def shown(template: Template) -> str:
    """A template as messages show it: its text in quotes, or the function's name."""
    text = repr(template)
    return text if isinstance(template, str) else getattr(template, "__name__", text)


def _read(template: Template, doc: Mapping[str, Any], role: str, convert: Callable[[Any], T]) -> T:
    if isinstance(template, str) and template not in doc and "{" not in template:
        raise InputError(
            f"{role}: the document has no field {template!r}; it has {_listed(doc)}. Name one of these, or give a "
            "Jinja template such as '{{ field }}'",
            option=role,
        )
    try:
        return convert(_value(template, doc))
    except Exception as error:  # a template can do much of what Python can, and fail as variously
        raise InputError(
            f"{role}: the template {shown(template)} failed on a document with fields {_listed(doc)}: {error!r}",
            option=role,
        ) from error


def _value(template: Template, doc: Mapping[str, Any]) -> Any:
    if not isinstance(template, str):
        return template(doc)
    if template in doc:
        return doc[template]
    if (one := _ONE_EXPRESSION.fullmatch(template)) is not None:
        return _expression(one[1])(doc)
    return _template(template).render(doc)


def _listed(doc: Mapping[str, Any]) -> str:
    return ", ".join(sorted(map(str, doc))) or "no field at all"


@lru_cache(maxsize=1)
def _environment() -> SandboxedEnvironment:
    """The harness's own settings, so that a doc_to_text template pasted here gives the same text.

    Sandboxed: a template that came with somebody's task file or command line reads the document and nothing else.
    """
    environment = SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters["regex_replace"] = lambda text, pattern, value="", count=0: re.sub(
        pattern, value, text, count=count
    )
    environment.filters["last_box"] = last_box
    return environment


@lru_cache(maxsize=256)
def _template(source: str) -> Any:
    return _environment().from_string(source)


@lru_cache(maxsize=256)
def _expression(source: str) -> Any:
    return _environment().compile_expression(source, undefined_to_none=False)
