"""The only module that touches lm_eval: the filter `bertjudge`, which judges, and the metric `bertjudge`, which reads.

The filter sees all answers of a task at once, so that is where batches are made. It returns one list of verdict rows
per document; a list passes the harness's handling of results unchanged, and lands in the sample log. The
metric turns the rows into the number in the table. Given plain strings instead, in a config without our filter, the
metric judges the pair itself, without the question.
"""

from __future__ import annotations

import json
import logging
from collections import UserDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lm_eval.api.metrics  # noqa: F401  (the built-in metrics and aggregations must be registered before ours)
from lm_eval.api.filter import Filter
from lm_eval.api.model import LM
from lm_eval.api.registry import filter_registry, metric_registry, register_filter, register_metric

from lm_eval_bertjudge import spill
from lm_eval_bertjudge.autoload import tasks_dir
from lm_eval_bertjudge.errors import BertJudgeError, InputError
from lm_eval_bertjudge.scorer import Pipeline
from lm_eval_bertjudge.types import Reason, Source, Verdict, unjudged

logger = logging.getLogger(__name__)

# Opt-in rows for the table: the share of a task's answers for which this holds.
COLUMNS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "unjudged": lambda row: row["source"] == Source.NONE,
    "lexical": lambda row: row["source"] == Source.RULE,
    "truncated": lambda row: row["truncated"],
    "parse_failure": lambda row: row["reason"] == Reason.PARSE_FAILURE,
}


FAILED = unjudged(Reason.JUDGING_FAILED)


class VerdictRow(UserDict[str, Any]):
    """A verdict as a mapping whose text is JSON: the harness writes `str()` of each row into the sample log.

    No dict: of a model behind an API the harness logs copies, in which every kind of dict has become a plain one.
    """

    def __str__(self) -> str:
        return json.dumps(self.data)


class NotScored(float):
    """Not a number in the table, and no "yes" to the harness's `any()` over several gold answers."""

    def __bool__(self) -> bool:
        return False


class BertJudgeFilter(Filter):  # type: ignore[misc]
    """Judges every answer of a task; in a task's `filter_list` as `function: bertjudge`, with `Pipeline` beside it.

    The harness makes filters after all generation is done, and an exception here would throw away the answers of every
    other task and rank too. So a failure of judging is an error in the log that names the file with the saved answers
    and the command that judges them, the rows are unjudged, and the metric is not a number. `bertjudge check TASK`
    finds what can be found before a run.
    """

    def __init__(self, **options: Any) -> None:
        self.options = options

    def apply(
        self, resps: Iterable[str | Sequence[Any]], docs: Sequence[Mapping[str, Any]]
    ) -> list[list[VerdictRow]]:
        """Verdict rows per document, in order: mappings with p_correct, correct, source, truncated, reason.

        Args:
            resps: Per document its responses; more than one with `repeats`.
            docs: The documents.
        """
        answers = [[each] if isinstance(each, str) else list(each) for each in resps]
        try:
            with spill.termination_raises():
                verdicts = self._verdicts(answers, docs)
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            logger.error(_saved(error, spill.rows(answers, docs), self.options)[1])
            if not isinstance(error, Exception):
                raise
            return [[VerdictRow(FAILED.as_row()) for _ in responses] for responses in answers]
        left = iter(verdicts)
        return [[VerdictRow(next(left).as_row()) for _ in responses] for responses in answers]

    def _verdicts(
        self, answers: list[list[Any]], docs: Sequence[Mapping[str, Any]]
    ) -> list[Verdict]:
        pipeline = Pipeline.read(self.options)
        items = [
            pipeline.item(doc, response)
            for responses, doc in zip(answers, docs, strict=True)
            for response in responses
        ]
        if items and not any(item.references for item in items):
            raise InputError(f"the reference {pipeline.reference!r} is empty on every document")
        verdicts = pipeline.decide(items)
        _warn(pipeline.method, verdicts)
        return verdicts


def _saved(
    error: BaseException, unjudged: list[dict[str, Any]], options: Mapping[str, Any]
) -> tuple[Path | None, str]:
    """Saves what a failure or a stop left unjudged: the file, and what to tell about it."""
    stopped = {KeyboardInterrupt: "stopped by Ctrl-C", SystemExit: "stopped by SIGTERM"}.get(
        type(error)
    )
    cause = stopped or (str(error) if isinstance(error, BertJudgeError) else repr(error))
    after = (
        "answers of other tasks that were not judged yet are not saved"
        if stopped
        else "they count as unjudged, and bertjudge is NaN (0 where a document has several gold answers)"
    )
    try:
        path = spill.save(unjudged)
    except BertJudgeError as full:
        return (
            None,
            f"judging failed: {cause}\n{full}: only the sample log (--log_samples) has them; {after}",
        )
    return path, (
        f"judging failed: {cause}\nThe {len(unjudged)} answers of this task are in {path}; {after}.\n"
        f"Judge them, once the cause is mended, with:\n  {spill.command(path, options)}"
    )


def bertjudge(
    references: Sequence[Any],
    predictions: Sequence[Any],
    *,
    columns: Sequence[str] = (),
    **options: Any,
) -> float | dict[str, float]:
    """The metric: share of right answers among one document's responses (0 or 1 without `repeats`).

    Args:
        references: One gold answer; only read where no filter has judged.
        predictions: One entry: the verdict rows of the filter `bertjudge`, or a plain answer to judge.
        columns: More rows for the table: shares of "unjudged", "lexical", "truncated", "parse_failure" answers.
        **options: For plain answers: judge, threshold, backend, device, dtype, batch_tokens, method, match.

    Raises:
        InputError: A column is unknown.
    """
    rows = _rows(references[0], predictions[0], options)
    failed = any(row.get("reason") == FAILED.reason for row in rows)
    share = {
        "bertjudge": NotScored("nan") if failed else _mean([float(row["correct"]) for row in rows])
    }
    for column in columns:
        if column not in COLUMNS:
            raise InputError(
                f"metric bertjudge has no column {column!r}; it has {', '.join(COLUMNS)}"
            )
        share[f"bertjudge_{column}"] = _mean([float(COLUMNS[column](row)) for row in rows])
    return share if columns else share["bertjudge"]


def _rows(reference: Any, prediction: Any, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The filter's rows; for plain answers, their verdicts against the one reference, without the question."""
    answers = list(prediction) if isinstance(prediction, (list, tuple)) else [prediction]
    if all(isinstance(answer, Mapping) and "correct" in answer for answer in answers):
        return [dict(answer) for answer in answers]
    return [verdict.as_row() for verdict in _judged_pair(reference, answers, options)]


# Options with which judging failed, and the file with the answers: the metric sees one document at a time.
_spilled: dict[str, Path | None] = {}


def _judged_pair(reference: Any, answers: list[Any], options: Mapping[str, Any]) -> list[Verdict]:
    """Verdicts on plain answers; after a failure the rest of the run's answers go to the same file, untried."""
    options = {"reference": "reference", "include_question": False, **options}
    key = json.dumps(options, sort_keys=True, default=str)
    doc = {"reference": reference}
    unjudged = spill.rows([answers], [doc])
    if key not in _spilled:
        try:
            pipeline = Pipeline.read(options)
            verdicts = pipeline.decide([pipeline.item(doc, answer) for answer in answers])
            _warn(pipeline.method, verdicts)
            return verdicts
        except Exception as error:  # told in the log, and not a number in the table
            _spilled[key], message = _saved(error, unjudged, options)
            logger.error("%s", message)
            logger.error(
                "the metric alone sees one document at a time: all answers that follow go to the same file"
            )
    elif (path := _spilled[key]) is not None:
        try:
            spill.append(unjudged, path)
        except OSError as error:
            _spilled[key] = None
            logger.error(
                "%s is incomplete: %s. Only the sample log (--log_samples) has what follows",
                path,
                error,
            )
    return [FAILED for _ in answers]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _warn(method: str, verdicts: list[Verdict]) -> None:
    """One line when anything was left unjudged or was judged on a shortened text."""
    unjudged = [v.reason for v in verdicts if v.source == Source.NONE]
    truncated = sum(v.truncated for v in verdicts)
    if unjudged or truncated:
        reasons = f" ({', '.join(sorted(set(unjudged)))})" if unjudged else ""
        logger.warning(
            "bertjudge %s: of %d answers %d unjudged%s, %d judged on a shortened text",
            method, len(verdicts), len(unjudged), reasons, truncated,
        )  # fmt: skip


@dataclass(frozen=True)
class TaskCheck:
    """What `bertjudge check` looks at: a task's documents, its judging pipelines, and what is wrong with its config."""

    docs: list[dict[str, Any]]
    pipelines: dict[str, Pipeline]
    problems: list[str]


def check_task(name: str, *, include_path: str | None = None, n_docs: int = 3) -> TaskCheck:
    """Loads a task as the harness would, and reads its judging pipelines before any generation.

    Raises:
        InputError: The harness knows no single task of this name, or a pipeline has a wrong option.
    """
    from lm_eval.tasks import TaskManager

    known = TaskManager(include_path=[p for p in (tasks_dir(), include_path) if p])
    if name in known.all_groups or name in known.all_tags:
        members = ", ".join(list(known.load([name])["tasks"])[:5])
        raise InputError(f"{name} is a group; check one of its tasks, such as {members}")
    if name not in known.all_subtasks:
        near = [task for task in known.all_subtasks if name.lower() in task.lower()][:5]
        meant = f"did you mean {', '.join(near)}? " if near else ""
        raise InputError(
            f"lm_eval knows no task {name!r}: {meant}`lm_eval ls tasks` shows all; for one of your own give "
            "--include_path FOLDER"
        )
    task = known.load([name])["tasks"][name]
    pipelines = {
        ensemble.name: Pipeline.read(part.keywords)
        for ensemble in task._filters
        for part in ensemble.filters
        if part.func is BertJudgeFilter
    }
    problems = []
    metrics = [entry["metric"] for entry in task.config.metric_list or []]
    if task.config.process_results is not None:
        problems.append(
            "it has its own process_results, so the harness ignores metric_list: use `bertjudge rejudge`"
        )
    elif "bertjudge" not in metrics:
        problems.append(f"its metric_list is {metrics}: add `- metric: bertjudge`")
    if not pipelines:
        problems.append(
            "no pipeline of its filter_list has `function: bertjudge`, so the question is not seen"
        )
    docs = [dict(doc) for doc, _ in zip(task.eval_docs, range(n_docs))]  # noqa: B905 (the shorter ends it)
    return TaskCheck(docs, pipelines, problems)


class ReplayModel(LM):  # type: ignore[misc]
    """A model that has recorded its answers: prompt in, recorded answer out."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        super().__init__()
        self._answers = answers

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        """The recorded answer to each request's prompt."""
        return [self._answers[request.args[0]] for request in requests]

    def loglikelihood(
        self, requests: list[Any], disable_tqdm: bool = False
    ) -> list[tuple[float, bool]]:
        """Not recorded."""
        raise NotImplementedError("recorded answers have no likelihoods")

    loglikelihood_rolling = loglikelihood


def evaluate(model: LM, task_configs: list[dict[str, Any]]) -> tuple[dict[str, Any], str]:
    """Runs the harness in process on task configs; its results with samples, and its table as text."""
    import lm_eval
    from lm_eval.tasks import TaskManager
    from lm_eval.utils import make_table

    nothing_else = TaskManager(
        include_defaults=False
    )  # indexing the harness's own tasks takes seconds
    results = lm_eval.simple_evaluate(
        model=model, tasks=task_configs, log_samples=True, task_manager=nothing_else
    )
    return results, make_table(results)


# Registered here and not by decorator: importing the module twice under one process must not raise.
if "bertjudge" not in filter_registry:
    register_filter("bertjudge")(BertJudgeFilter)
if "bertjudge" not in metric_registry:
    register_metric(metric="bertjudge", higher_is_better=True, aggregation="mean")(bertjudge)
