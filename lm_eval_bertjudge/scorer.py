"""A way to judge: which fields of a document, which method, which judge. What the harness and the CLI share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from typing import Any, Literal

from lm_eval_bertjudge import template
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.judges.encoder.card import JudgeCard
from lm_eval_bertjudge.judges.encoder.judge import (
    BATCH_TOKENS,
    Judge,
    check_judge,
    load_judge,
    read_card,
)
from lm_eval_bertjudge.judges.llm.judge import LLMCard, LLMJudge, LLMOptions, check_llm, load_llm
from lm_eval_bertjudge.rules import baseline
from lm_eval_bertjudge.rules.decision import decide_by_rules
from lm_eval_bertjudge.types import JudgeItem, Reason, Verdict, unjudged

Method = Literal["judge", "lexical", "cascade", "llm"]
METHODS: tuple[Method, ...] = ("judge", "lexical", "cascade", "llm")
Fallback = Literal["no_match", "parse_failure"]
FALLBACKS: tuple[Fallback, ...] = ("no_match", "parse_failure")

_TEMPLATES = ("reference", "question")
_TEXTS = ("reference", "question", "judge", "backend", "device", "dtype")
_NAMES: dict[str, Sequence[str]] = {
    "method": METHODS,
    "match": baseline.MATCHES,
    "fallback": FALLBACKS,
}
_SWITCHES = ("true", "false", "yes", "no", "on", "off")


def _wrong(option: str, value: object, expected: str) -> InputError:
    return InputError(f"filter bertjudge: {option} is {value!r}; {expected}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """A way to judge, as it stands beside `function: bertjudge` in a task's `filter_list` or in the CLI's flags.

    Attributes:
        reference: Field name or Jinja template on the document: the right answer, or a list of right answers.
        question: Field name or Jinja template: the prompt as the model got it.
        method: "judge" (encoder), "lexical" (the regex baseline), "cascade" (what a rule settles, else the judge),
            "llm" (the LLM that `llm` describes).
        match: The baseline's comparison: "auto", "exact", "rouge_l" or "math_verify".
        fallback: What the cascade leaves to the judge: "no_match" is what no rule settles for sure,
            "parse_failure" only what the baseline cannot parse (the paper's hybrid, Table 4).
        judge: "default" (embedded), a folder, a hub id, or "llm".
        llm: Options of an LLM judge (`LLMOptions`), as a mapping or as "model=NAME,base_url=URL".
        threshold: p_correct from which an answer is right, in [0, 1]; when None the judge card's, or an LLM's words.
        backend: "auto", "onnx", "torch", or "vllm" (a server).
        device: "auto", "cpu", "cuda", ...; with "vllm" the server's address.
        dtype: "auto", "float32" or "bfloat16".
        batch_tokens: Padded tokens per batch; 0 is what suits the backend.
        include_question: False judges candidate against reference alone.
        cache: The file that keeps the encoder's verdicts: true, false or a path; None for what the environment says.
    """

    reference: template.Template
    question: template.Template = ""
    method: Method = "judge"
    match: baseline.Match = "auto"
    fallback: Fallback = "no_match"
    judge: str = "default"
    llm: Mapping[str, Any] | str | None = None
    threshold: float | None = None
    backend: str = "auto"
    device: str = "auto"
    dtype: str = "auto"
    batch_tokens: int = BATCH_TOKENS
    include_question: bool = True
    cache: bool | str | None = None

    @classmethod
    def read(cls, options: Mapping[str, Any]) -> Pipeline:
        """Checks the names and what the values say about each other.

        Raises:
            InputError: An option is unknown, missing, of another type or impossible; the message says what
                was expected.
        """
        known = {f.name for f in dataclass_fields(cls)}
        if unknown := sorted(options.keys() - known):
            raise InputError(
                f"filter bertjudge has no option {', '.join(unknown)}; it has {', '.join(sorted(known))}"
            )
        if "reference" not in options:
            raise InputError(
                "filter bertjudge needs `reference`: the right answer's field name, or a Jinja template"
            )
        pipeline = cls(**options)
        for name in _TEXTS:
            value = getattr(pipeline, name)
            if not isinstance(value, str) and not (name in _TEMPLATES and callable(value)):
                raise InputError(
                    f'filter bertjudge: {name} is {value!r}; text was expected, such as {name}: "{value}"'
                )
        pipeline._check_values()
        if pipeline.include_question and not pipeline.question:
            raise InputError(
                "filter bertjudge needs `question`: the prompt's field name, or a Jinja template. To judge the answer "
                "against the reference alone, set `include_question: false`"
            )
        if pipeline.llm is not None:
            LLMOptions.read(pipeline.llm)
            if not pipeline.asks_llm:
                raise InputError(
                    "filter bertjudge has `llm` but does not use it: set `method: llm`, or `judge: llm`"
                )
        return pipeline

    def _check_values(self) -> None:
        threshold, cache, tokens = self.threshold, self.cache, self.batch_tokens
        if isinstance(threshold, str):
            raise _wrong("threshold", threshold, "write the number without quotes")
        if threshold is not None and (not _is_number(threshold) or not 0.0 <= threshold <= 1.0):
            raise _wrong("threshold", threshold, "a probability in [0, 1] was expected")
        if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 0:
            raise _wrong("batch_tokens", tokens, "0 or a number of tokens was expected")
        if not isinstance(self.include_question, bool):
            raise _wrong("include_question", self.include_question, "write true or false")
        if cache is not None and not isinstance(cache, (bool, str)):
            raise _wrong("cache", cache, "true, false or a path was expected")
        if isinstance(cache, str) and cache.lower() in _SWITCHES:
            raise _wrong("cache", cache, "write true or false without quotes")
        self._check_names()

    def _check_names(self) -> None:
        for name, known in _NAMES.items():
            if (value := getattr(self, name)) not in known:
                raise InputError(f"{name} is {value!r}; one of {', '.join(known)} was expected")

    @property
    def asks_llm(self) -> bool:
        """Whether what no rule decides goes to an LLM."""
        return self.method == "llm" or (self.method != "lexical" and self.judge == "llm")

    def asks_llm_in(self, methods: Sequence[Method]) -> bool:
        """Whether one of these methods would ask an LLM.

        Raises:
            InputError: `llm` is given and none would.
        """
        asks = any(replace(self, method=method).asks_llm for method in methods)
        if self.llm is not None and not asks:
            raise InputError("--llm is given and nothing asks it: add --method llm, or --judge llm")
        return asks

    def load(self) -> Judge | LLMJudge:
        """The judge that is asked for; one per process and set of options.

        Raises:
            InputError: An LLM is asked for and `llm` does not say which.
        """
        if self.asks_llm:
            if self.llm is None:
                raise InputError(
                    "which LLM? Give `llm` (in the CLI --llm): model=NAME,base_url=http://localhost:8000/v1"
                )
            return load_llm(self.llm)
        return load_judge(
            self.judge, backend=self.backend, device=self.device, dtype=self.dtype, batch_tokens=self.batch_tokens,
            cache=self.cache,
        )  # fmt: skip

    def check_judge(self) -> None:
        """Raises what judging would raise for want of a judge, a package or a device.

        Weights are only loaded where that takes no memory of a GPU.

        Raises:
            CheckpointError: There is no such judge, or it is incomplete.
            InputError: The backend, device or LLM is not one that there is.
            MissingExtraError: A package is not installed.
            ServerError: The backend is a server, and none answers.
        """
        if self.asks_llm:
            check_llm(self.llm) if self.llm is not None else self.load()
        elif self.method != "lexical":
            check_judge(self.judge, backend=self.backend, device=self.device, dtype=self.dtype)

    def card(self) -> JudgeCard | LLMCard:
        """The card of the judge that is asked for, read without loading an encoder.

        Raises:
            CheckpointError: There is no such judge.
            InputError: As for `load`.
        """
        return self.load().card if self.asks_llm else read_card(self.judge)

    def item(self, doc: Mapping[str, Any], response: Any) -> JudgeItem:
        """One response to a document as an item; a response that is None says nothing.

        Raises:
            InputError: A template does not fit the document. An empty reference is no error: it is left unjudged.
        """
        question = template.question(self.question, doc) if self.include_question else ""
        return JudgeItem(
            question,
            template.references(self.reference, doc),
            "" if response is None else str(response),
        )

    def decide(self, items: Sequence[JudgeItem]) -> list[Verdict]:
        """One verdict per item, in order; an item without a reference is unjudged.

        The encoder is loaded only where an item needs it: never for "lexical", and for "cascade" only when the rules
        leave something over.

        Raises:
            InputError: Unknown method or match.
        """
        self._check_names()
        by_rule = [self._by_rule(item) for item in items]
        left = [item for item, verdict in zip(items, by_rule, strict=True) if verdict is None]
        judged = iter(self.load().judge(left, threshold=self.threshold) if left else [])
        return [verdict or next(judged) for verdict in by_rule]

    def _by_rule(self, item: JudgeItem) -> Verdict | None:
        """The verdict of the lexical stage; None where the encoder has to read the answer."""
        if not item.references:
            return unjudged(Reason.NO_REFERENCE)
        if self.method in ("judge", "llm"):
            return None
        if self.method == "cascade" and self.fallback == "no_match":
            return decide_by_rules(item)
        found = baseline.verdict(item, self.match)
        return (
            found
            if self.method == "lexical"
            or found.reason not in (Reason.PARSE_FAILURE, Reason.UNDECIDED)
            else None
        )
