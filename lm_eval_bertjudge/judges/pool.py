"""The judges of a run."""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec

from lm_eval_bertjudge.errors import MissingExtraError
from lm_eval_bertjudge.judges.encoder.cache import location
from lm_eval_bertjudge.judges.encoder.judge import EncoderJudge
from lm_eval_bertjudge.judges.encoder.load import backend_of, check_encoder, load_encoder
from lm_eval_bertjudge.judges.llm.judge import LLMJudge, load_llm
from lm_eval_bertjudge.options import WHICH_JUDGE, JudgeOptions, LLMOptions


class JudgePool:
    """Loads each judge of a run once. Whoever starts the run owns the pool: a command, or the harness's process."""

    def __init__(self, *, remember: bool = True) -> None:
        """An empty pool.

        Args:
            remember: Whether encoders keep verdicts that no file keeps. Without, who judges an answer, and after
                which others, changes nothing.
        """
        self._remember = remember
        self._loaded: dict[tuple[object, ...], EncoderJudge | LLMJudge] = {}

    def judge(self, options: JudgeOptions) -> EncoderJudge | LLMJudge:
        """The judge of these options; an LLM where they name one.

        Raises:
            CheckpointError: There is no such judge.
            MissingExtraError: The packages that it needs are not installed.
        """
        # By process, too: what a forked child inherits has lost the threads that it computes with.
        key = (os.getpid(), *_which(options))
        if key not in self._loaded:
            self._loaded[key] = self._load(options)
        return self._loaded[key]

    def check(self, options: JudgeOptions) -> None:
        """Raises what judging would raise for want of a judge, a package or a device.

        Weights are only loaded where that takes no memory of a GPU.

        Raises:
            CheckpointError: There is no such judge, or it is incomplete.
            InputError: The backend or device is not one that there is.
            MissingExtraError: A package is not installed.
            ServerError: The backend is a server, and none answers.
        """
        if options.method == "lexical":
            return
        llm = None if options.llm is None else LLMOptions.read(options.llm)
        if llm is not None and llm.engine == "vllm":
            if find_spec("vllm") is None:
                raise MissingExtraError("vllm", "vllm")
        elif llm is not None or backend_of(options) == "onnx":
            self.judge(options)
        else:
            check_encoder(options)

    def _load(self, options: JudgeOptions) -> EncoderJudge | LLMJudge:
        if options.llm is not None:
            return load_llm(options.llm)
        return load_encoder(options, remember=self._remember)


def _which(options: JudgeOptions) -> tuple[object, ...]:
    """What tells judges apart: not the threshold, which is applied to what they say."""
    llm = None if options.llm is None else repr(LLMOptions.read(options.llm))
    same = replace(options, threshold=None)
    named = [getattr(same, name) for name in WHICH_JUDGE if name != "llm"]
    return (*named, llm, location(options.cache))
