"""What a chat completion holds, each part checked: servers send what they like."""

from __future__ import annotations

import math
from typing import Any

from lm_eval_bertjudge.judges.llm.prompts import Reply

_ROUNDED = 1e-3  # a logarithm of 1 may be a little above 0


class MalformedReplyError(Exception):
    """The server's answer is not a chat completion."""


def read_reply(answer: Any) -> Reply:
    """The reply in a chat completion.

    Raises:
        MalformedReplyError: A part is missing, or is of another type or size than it can have.
    """
    try:
        choice = answer.choices[0]
        usage = answer.usage
        tokens = choice.logprobs.content if choice.logprobs else None
        return Reply(
            text=_text(choice.message.content or ""),
            finish_reason=_text(choice.finish_reason or ""),
            prompt_tokens=_count(usage.prompt_tokens) if usage else 0,
            completion_tokens=_count(usage.completion_tokens) if usage else 0,
            top_logprobs=tuple((_text(each.token), _alternatives(each)) for each in tokens or ()),
        )
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise MalformedReplyError from error


def _alternatives(at: Any) -> dict[str, float]:
    return {_text(each.token): _logprob(each.logprob) for each in at.top_logprobs}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise MalformedReplyError
    return value


def _count(value: Any) -> int:
    return value if type(value) is int else 0


def _logprob(value: Any) -> float:
    if type(value) not in (int, float) or not -math.inf < value <= _ROUNDED:
        raise MalformedReplyError
    return float(value)
