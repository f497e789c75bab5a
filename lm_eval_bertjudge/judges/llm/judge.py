"""An LLM as judge: the same call as the encoder's `Judge`, on a chat server or on vLLM in this process."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, Protocol

from tqdm import tqdm

from lm_eval_bertjudge.errors import InputError, MissingExtraError, UnjudgedError
from lm_eval_bertjudge.judges.encoder.encoding import clean
from lm_eval_bertjudge.judges.llm.prompts import (
    PROMPTS,
    Failure,
    Message,
    Prompt,
    Reply,
    messages,
    p_correct,
    parse,
)
from lm_eval_bertjudge.text.response import read_response
from lm_eval_bertjudge.types import (
    EMPTY_ANSWER,
    JudgeItem,
    Reason,
    Source,
    Verdict,
    unjudged,
)

logger = logging.getLogger(__name__)

Outcome = Reply | Failure
_PROGRESS_FROM = 20  # items; an LLM takes long enough for a bar
_ENOUGH = 100  # answers from which the unjudged share of one call says something by itself


class Engine(Protocol):
    """What talks to a model: `ChatClient` or `VllmEngine`."""

    def complete(self, conversations: Sequence[Sequence[Message]]) -> Iterator[tuple[int, Outcome]]:
        """(index, reply) for each conversation, in any order."""
        ...


@dataclass(frozen=True, kw_only=True)
class LLMOptions:
    """What stands under `llm` beside `function: bertjudge`, or after `--llm`.

    Attributes:
        model: The server's name for the model; with `engine: vllm` a folder or hub id.
        base_url: The server, such as "http://localhost:8000/v1"; OpenAI's own when empty.
        engine: "server", or "vllm": loaded in this process.
        prompt: "short" (the verdict alone), "long" (reasoning first) or "binary" (1 or 0).
        max_tokens: Longest reply, reasoning included; the prompt's own limit when None.
        temperature: 0 is greedy; None sends none, for models that refuse it.
        logprobs: Ask for log-probabilities, which give p_correct; without them it is 0 or 1.
        max_unjudged: Share of answers that may be left without a verdict before the run fails.
        concurrency, timeout_s, retries, api_key_env: See `ChatClient`.
        chat_template_kwargs: Such as {"enable_thinking": False} for Qwen3.
        engine_args: Arguments of `vllm.LLM`, such as {"gpu_memory_utilization": 0.4}.
    """

    model: str
    base_url: str = ""
    engine: Literal["server", "vllm"] = "server"
    prompt: str = "short"
    max_tokens: int | None = None
    temperature: float | None = 0.0
    logprobs: bool = True
    max_unjudged: float = 0.05
    concurrency: int = 16
    timeout_s: float = 120.0
    retries: int = 5
    api_key_env: str = "OPENAI_API_KEY"
    chat_template_kwargs: Mapping[str, Any] = field(default_factory=dict)
    engine_args: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, given: Mapping[str, Any] | str) -> LLMOptions:
        """Options from a mapping, from "model=NAME,base_url=URL", or from the text of a JSON object.

        Raises:
            InputError: It cannot be read, an option is unknown or impossible, or there is no model.
        """
        options = _from_text(given) if isinstance(given, str) else dict(given)
        known = [f.name for f in fields(cls)]
        if unknown := sorted(options.keys() - set(known)):
            raise InputError(
                f"llm has no option {', '.join(map(str, unknown))}; it has {', '.join(known)}"
            )
        if not options.get("model"):
            raise InputError(
                "llm needs `model`: the server's name for it, as in model=NAME,base_url=URL"
            )
        for name, value in options.items():
            _check_type(name, value)
        read = cls(**options)
        for name, values in (("engine", ("server", "vllm")), ("prompt", tuple(PROMPTS))):
            if getattr(read, name) not in values:
                raise InputError(
                    f"llm: {name} is {getattr(read, name)!r}; one of {', '.join(values)} was expected"
                )
        if not 0.0 <= read.max_unjudged <= 1.0:
            raise InputError(
                f"llm: max_unjudged is {read.max_unjudged}; a share in [0, 1] was expected"
            )
        return read

    @property
    def longest_reply(self) -> int:
        """Tokens of the longest reply: `max_tokens`, or else what the prompt needs."""
        return self.max_tokens or PROMPTS[self.prompt].max_tokens

    def start(self) -> Engine:
        """The engine that these options describe."""
        shared = {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.longest_reply,
            "logprobs": self.logprobs,
        }
        if self.engine == "vllm":
            module = import_module("lm_eval_bertjudge.judges.llm.vllm")
            engine: Engine = module.VllmEngine(
                **shared,
                chat_template_kwargs=self.chat_template_kwargs,
                engine_args=self.engine_args,
            )
            return engine
        extra = (
            {"chat_template_kwargs": dict(self.chat_template_kwargs)}
            if self.chat_template_kwargs
            else {}
        )
        client: Engine = import_module("lm_eval_bertjudge.judges.llm.client").ChatClient(
            **shared,
            base_url=self.base_url or None,
            extra_body=extra,
            **{
                name: getattr(self, name)
                for name in ("concurrency", "timeout_s", "retries", "api_key_env")
            },
        )
        return client


_NUMBER: tuple[type, ...] = (int, float)
# Option -> (the types it may have, how to write it).
_TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "model": ((str,), 'text, such as "Qwen/Qwen3-4B"'),
    "base_url": ((str, type(None)), 'text, such as "http://localhost:8000/v1"'),
    "engine": ((str,), "server or vllm"),
    "prompt": ((str,), " or ".join(PROMPTS)),
    "api_key_env": ((str,), "the name of an environment variable, such as OPENAI_API_KEY"),
    "max_tokens": ((int, type(None)), "a whole number, such as 2048"),
    "temperature": ((*_NUMBER, type(None)), "a number, such as 0.6, or null"),
    "logprobs": ((bool,), "true or false"),
    "max_unjudged": (_NUMBER, "a share, such as 0.05"),
    "concurrency": ((int,), "a whole number, such as 16"),
    "timeout_s": (_NUMBER, "a number of seconds, such as 120"),
    "retries": ((int,), "a whole number, such as 5"),
    "chat_template_kwargs": (
        (Mapping,),
        'a mapping, such as {"enable_thinking": false}; in the CLI inside a JSON object',
    ),
    "engine_args": (
        (Mapping,),
        'a mapping, such as {"gpu_memory_utilization": 0.4}; in the CLI inside a JSON object',
    ),
}
_TEXTS = tuple(name for name, (types, _) in _TYPES.items() if str in types)


def _check_type(name: str, value: Any) -> None:
    types, written = _TYPES[name]
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise InputError(f"llm: {name} is {value!r}; write {written}")


def _from_text(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        try:
            return dict(json.loads(text))
        except json.JSONDecodeError as error:
            raise InputError(f"llm: {text!r} is not JSON: {error}") from error
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            raise InputError(
                f"llm: {part!r} is not name=value; expected model=NAME,base_url=URL, or a JSON object"
            )
        try:
            options[name.strip()] = value if name.strip() in _TEXTS else json.loads(value)
        except json.JSONDecodeError:
            options[name.strip()] = value
    return options


@dataclass(frozen=True)
class LLMCard:
    """What an LLM judge's verdicts depend on, for verdict files and reports."""

    name: str
    prompt: str
    max_tokens: int
    temperature: float | None
    chat_template_kwargs: Mapping[str, Any]


class LLMJudge:
    """Asks an LLM about each answer. Made by `load_llm`."""

    def __init__(self, engine: Engine, options: LLMOptions) -> None:
        self.prompt: Prompt = PROMPTS[options.prompt]
        self.card = LLMCard(
            options.model,
            self.prompt.version,
            options.longest_reply,
            options.temperature,
            options.chat_template_kwargs,
        )
        self._engine = engine
        self._max_unjudged = options.max_unjudged
        self._asked = self._unjudged = 0

    def judge(self, items: Sequence[JudgeItem], *, threshold: float | None = None) -> list[Verdict]:
        """One verdict per item, in order; equal items are asked about once.

        `reason` is "llm" where the reply's words decided, "threshold" where p_correct did; unjudged it is "cut",
        "unparsable", "timeout", "http_400" and the like. An empty answer is wrong by rule, as for the encoder.

        Args:
            items: What to judge; of several references any may be matched.
            threshold: p_correct from which an answer is right; when None the reply's words decide.

        Raises:
            InputError: An item has no reference, or the threshold is not in [0, 1].
            UnjudgedError: More than the share `max_unjudged` got no verdict.
            ServerError: The server is gone, or refuses the key or the model.
        """
        if threshold is not None and not 0.0 <= threshold <= 1.0:
            raise InputError(f"threshold is {threshold}; a probability in [0, 1] was expected")
        if any(not item.references for item in items):
            raise InputError("an item has no reference: give at least one right answer")
        asked = [
            item
            for item in dict.fromkeys(items)
            if clean(read_response(item.candidate, item.question))
        ]
        verdicts: dict[JudgeItem, Verdict] = {}
        silent: list[tuple[str, Outcome]] = []
        finished = self._engine.complete([messages(self.prompt, item) for item in asked])
        for index, outcome in tqdm(
            finished, "asking", len(asked), unit=" answers", disable=len(asked) < _PROGRESS_FROM
        ):
            verdicts[asked[index]] = verdict = decided(self.prompt, outcome, threshold)
            if verdict.p_correct is None:
                silent.append((verdict.reason, outcome))
        self._check(len(asked), silent)
        return [verdicts.get(item, EMPTY_ANSWER) for item in items]

    def _check(self, asked: int, silent: Sequence[tuple[str, Outcome]]) -> None:
        """Raises where too many got no verdict: of this call, or of the whole run while calls are small."""
        self._asked += asked
        self._unjudged += len(silent)
        n, unjudged = (asked, len(silent)) if asked >= _ENOUGH else (self._asked, self._unjudged)
        if not silent or unjudged <= self._max_unjudged * n:
            return
        reasons = Counter(reason for reason, _ in silent)
        listed = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        _, last = silent[-1]
        example = (
            f"the last reply ends {last.text[-200:]!r}"
            if isinstance(last, Reply)
            else f"the last: {last.detail}"
        )
        raise UnjudgedError(
            f"the LLM judge {self.card.name} left {unjudged} of {n} answers without a verdict, more than the share "
            f"max_unjudged={self._max_unjudged} ({listed}; {example}). Where replies are cut, raise max_tokens (now "
            f"{self.card.max_tokens}) or switch thinking off (chat_template_kwargs); where they are unparsable, take "
            "another prompt or model; or raise max_unjudged"
        )


def decided(prompt: Prompt, outcome: Outcome, threshold: float | None = None) -> Verdict:
    """The verdict that a reply, or its absence, comes to."""
    if isinstance(outcome, Failure):
        return unjudged(outcome.reason)
    said = parse(prompt, outcome)
    if said is None:
        return unjudged(Reason.CUT if outcome.finish_reason == "length" else Reason.UNPARSABLE)
    p = p_correct(prompt, outcome)
    p = float(said) if p is None else p
    if threshold is None:
        return Verdict(p, said, Source.LLM, False, Reason.LLM)
    return Verdict(p, p >= threshold, Source.LLM, False, Reason.THRESHOLD)


def load_llm(options: Mapping[str, Any] | str) -> LLMJudge:
    """The LLM judge of these options, started once per process.

    Raises:
        InputError: An option is unknown or impossible.
        MissingExtraError: The package `openai` or `vllm` is not installed.
    """
    read = LLMOptions.read(options)
    key = repr(read)
    if key not in _LOADED:
        _LOADED[key] = LLMJudge(read.start(), read)
    return _LOADED[key]


def check_llm(options: Mapping[str, Any] | str) -> None:
    """Raises what `load_llm` would, without loading a model into this process.

    Raises:
        InputError: An option is unknown or impossible.
        MissingExtraError: The package `openai` or `vllm` is not installed.
    """
    read = LLMOptions.read(options)
    if read.engine == "server":
        load_llm(options)
    elif find_spec("vllm") is None:
        raise MissingExtraError("vllm", "vllm")


_LOADED: dict[str, LLMJudge] = {}
