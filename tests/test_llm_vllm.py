"""The engine in process, on a stand-in for vLLM: what it is asked, and how its answers are read."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from lm_eval_bertjudge.errors import CheckpointError
from lm_eval_bertjudge.judges.llm.judge import start
from lm_eval_bertjudge.judges.llm.prompts import Failure, Reply
from lm_eval_bertjudge.options import LLMOptions


class StandIn:
    """Has the attributes of `vllm.LLM` that are used; a token is a letter."""

    def __init__(self, model: str, **options: Any) -> None:
        if model == "broken":
            raise ValueError("no such file")
        self.llm_engine = SimpleNamespace(
            model_config=SimpleNamespace(max_model_len=options["max_model_len"])
        )

    def get_tokenizer(self) -> StandIn:
        return self

    def apply_chat_template(self, conversation: list[dict[str, str]], **options: Any) -> list[int]:
        assert options == {
            "add_generation_prompt": True,
            "tokenize": True,
            "return_dict": False,
            "enable_thinking": False,
        }
        return [ord(letter) for letter in conversation[0]["content"]]

    def generate(self, prompts: list[Any], params: SimpleNamespace, use_tqdm: bool) -> list[Any]:
        likely = {
            7: SimpleNamespace(decoded_token=" True", logprob=-0.1),
            8: SimpleNamespace(decoded_token=" False", logprob=-2.4),
        }
        said = SimpleNamespace(
            text=" True",
            finish_reason="stop",
            token_ids=[7],
            logprobs=[likely] if params.logprobs else None,
        )
        return [
            SimpleNamespace(prompt_token_ids=p["prompt_token_ids"], outputs=[said]) for p in prompts
        ]


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("vllm")
    module.LLM, module.SamplingParams = StandIn, SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.delitem(sys.modules, "lm_eval_bertjudge.judges.llm.vllm", raising=False)
    importlib.invalidate_caches()
    yield
    sys.modules.pop("lm_eval_bertjudge.judges.llm.vllm", None)


def options(**changes: Any) -> LLMOptions:
    about = {
        "engine": "vllm",
        "engine_args": {"max_model_len": 40},
        "chat_template_kwargs": {"enable_thinking": False},
    }
    return LLMOptions(model="m", **about | changes)


def test_each_prompt_gets_its_reply_and_one_that_is_too_long_costs_the_others_nothing(
    vllm: None,
) -> None:
    conversations = [[{"role": "user", "content": text}] for text in ("q", "long " * 9, "why")]
    found = dict(start(options()).complete(conversations))
    top = ((" True", {" True": -0.1, " False": -2.4}),)
    assert found == {
        0: Reply(" True", "stop", 1, 1, top),
        1: Failure("too_long", "45 tokens, 24 fit (engine_args: max_model_len)"),
        2: Reply(" True", "stop", 3, 1, top),
    }
    assert dict(start(options(logprobs=False)).complete(conversations[:1]))[0] == Reply(
        " True", "stop", 1, 1
    )


def test_a_model_that_cannot_be_loaded_is_named(vllm: None) -> None:
    with pytest.raises(CheckpointError, match="vLLM cannot load 'broken'"):
        start(LLMOptions(model="broken", engine="vllm"))
