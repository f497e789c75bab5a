"""Question and reference of a document, by the name of a field or by a Jinja template."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import Environment, StrictUndefined, TemplateError

from lm_eval_bertjudge.errors import InputError

_ONE_EXPRESSION = re.compile(r"\s*\{\{((?:(?!\}\}).)*)\}\}\s*", re.DOTALL)


def question(template: str, doc: Mapping[str, Any]) -> str:
    """The text that `template` (a field's name or Jinja) gives on `doc`.

    Raises:
        InputError: A field is missing or the template is not Jinja; the message lists the document's fields.
    """
    return str(_value(template, doc, "question"))


def references(template: str, doc: Mapping[str, Any]) -> tuple[str, ...]:
    """The right answers that `template` gives on `doc`: every element where it gives a list, else its text.

    `answers.text` as field path is not supported, `{{ answers.text }}` is: a template that is one expression keeps the
    expression's type, so lists of aliases stay lists. Empty strings are left out.

    Raises:
        InputError: As in `question`; also where no non-empty text is left.
    """
    value = _value(template, doc, "reference")
    found = tuple(text for text in map(str, value if isinstance(value, (list, tuple)) else [value]) if text.strip())
    if not found:
        raise InputError(f"the reference {template!r} is empty on the document with fields {_listed(doc)}")
    return found


def _value(template: str, doc: Mapping[str, Any], role: str) -> Any:
    if template in doc:
        return doc[template]
    if "{" not in template:
        raise InputError(
            f"{role}: the document has no field {template!r}; it has {_listed(doc)}. Name one of these, or give a "
            "Jinja template such as '{{ field }}'"
        )
    try:
        if (one := _ONE_EXPRESSION.fullmatch(template)) is not None:
            value = _expression(one[1])(**doc)
            return str(value) if isinstance(value, StrictUndefined) else value  # str() raises on an undefined one
        return _template(template).render(**doc)
    except TemplateError as error:
        raise InputError(
            f"{role}: the template {template!r} failed on a document with fields {_listed(doc)}: {error}"
        ) from error
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise InputError(
            f"{role}: the template {template!r} failed on a document with fields {_listed(doc)}: {error!r}"
        ) from error


def _listed(doc: Mapping[str, Any]) -> str:
    return ", ".join(sorted(map(str, doc))) or "no field at all"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    """The harness's own settings, so that a doc_to_text template pasted here gives the same text."""
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)
    environment.filters["regex_replace"] = lambda text, pattern, value="", count=0: re.sub(
        pattern, value, text, count=count
    )
    return environment


@lru_cache(maxsize=256)
def _template(source: str) -> Any:
    return _environment().from_string(source)


@lru_cache(maxsize=256)
def _expression(source: str) -> Any:
    return _environment().compile_expression(source, undefined_to_none=False)
