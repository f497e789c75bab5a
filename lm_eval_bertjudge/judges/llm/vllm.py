"""vLLM in this process, for an LLM judge without a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lm_eval_bertjudge.errors import CheckpointError, MissingExtraError
from lm_eval_bertjudge.judges.llm.prompts import TOP_LOGPROBS, Failure, Message, Reply
from lm_eval_bertjudge.types import Reason

try:
    from vllm import LLM, SamplingParams
except ImportError as error:
    raise MissingExtraError(error.name or "vllm", "vllm") from error


class VllmEngine:
    """A model loaded by `vllm.LLM`; it answers all conversations of a call in one batch."""

    def __init__(
        self,
        *,
        model: str,
        temperature: float | None,
        max_tokens: int,
        logprobs: bool,
        chat_template_kwargs: Mapping[str, Any],
        engine_args: Mapping[str, Any],
    ) -> None:
        """Loads the model.

        Raises:
            CheckpointError: vLLM cannot load it.
        """
        try:
            self._llm = LLM(model=model, **engine_args)
        except (OSError, ValueError, RuntimeError) as error:
            raise CheckpointError(
                f"vLLM cannot load {model!r} with {dict(engine_args)}: {error}"
            ) from error
        self._params = SamplingParams(
            temperature=1.0 if temperature is None else temperature,
            max_tokens=max_tokens,
            logprobs=TOP_LOGPROBS if logprobs else None,
        )
        self._template = dict(chat_template_kwargs)

    def complete(
        self, conversations: Sequence[Sequence[Message]]
    ) -> Iterator[tuple[int, Reply | Failure]]:
        """(index, reply) for each conversation; one that is too long for the model is a Failure "too_long"."""
        tokenizer = self._llm.get_tokenizer()
        longest = self._llm.llm_engine.model_config.max_model_len - self._params.max_tokens
        fitting: dict[int, list[int]] = {}
        for index, conversation in enumerate(conversations):
            ids = tokenizer.apply_chat_template(
                list(conversation),
                add_generation_prompt=True,
                tokenize=True,
                return_dict=False,
                **self._template,
            )
            if len(ids) <= longest:
                fitting[index] = ids
            else:
                detail = f"{len(ids)} tokens, {longest} fit (engine_args: max_model_len)"
                yield index, Failure(Reason.TOO_LONG, detail)
        prompts = [{"prompt_token_ids": ids} for ids in fitting.values()]
        outputs = self._llm.generate(prompts, self._params, use_tqdm=False) if prompts else []
        for index, output in zip(fitting, outputs, strict=True):
            yield index, _reply(output)


def _reply(output: Any) -> Reply:
    reply = output.outputs[0]
    top = []
    for token, alternatives in zip(reply.token_ids, reply.logprobs or (), strict=False):
        values = {other.decoded_token: other.logprob for other in alternatives.values()}
        top.append((alternatives[token].decoded_token, values))
    return Reply(
        text=reply.text,
        finish_reason=reply.finish_reason or "",
        prompt_tokens=len(output.prompt_token_ids),
        completion_tokens=len(reply.token_ids),
        top_logprobs=tuple(top),
    )
