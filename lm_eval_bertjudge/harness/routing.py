"""Leads verdict rows past the harness's metrics, and keeps ours from the pipelines of others.

The harness gives every pipeline's results to every metric, casts them to the gold answer's type, and makes a yes of any
score above 0 where there are several gold answers. None of that suits a list of verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lm_eval.api.metrics import mean

from lm_eval_bertjudge.harness.filter import VerdictRow
from lm_eval_bertjudge.harness.metric import bertjudge
from lm_eval_bertjudge.harness.preflight import judging_options, metric_options
from lm_eval_bertjudge.harness.task_fields import references_of

Doc = Mapping[str, Any]
Options = Mapping[str, Any]
Scores = Mapping[str, Any]
ProcessResults = Callable[[Doc, list[Any]], Scores]
_NAME = "bertjudge"


def route(task: Any) -> None:
    """Pipelines that judge get the metric `bertjudge` alone; others keep the task's metrics.

    Where no pipeline judges, the metric judges plain answers, also in a task with its own `process_results`.

    Args:
        task: A generating task of the harness that has our filter or our metric; it is changed.
    """
    judged = judging_options(task)
    options = metric_options(task.config) or {}
    task._metric_fn_list.pop(_NAME, None)
    columns = [f"{_NAME}_{column}" for column in options.get("columns", ())]
    for name in (_NAME, *columns):
        task._aggregation_list.setdefault(name, mean)
        task._higher_is_better.setdefault(name, name == _NAME)
    task.process_results = _routed(task, options, judges_alone=not judged)


def _routed(task: Any, options: Options, *, judges_alone: bool) -> ProcessResults:
    gold = references_of(task)
    theirs: ProcessResults = task.process_results

    def process_results(doc: Doc, results: list[Any]) -> Scores:
        if "bypass" in task._metric_fn_list:  # --predict_only
            return theirs(doc, results)
        rows = verdicts(results)
        if rows is not None:
            columns = options.get("columns", ())
            return _scores(bertjudge([None], [rows], columns=columns))
        has_others = task._metric_fn_list or callable(task.config.process_results)
        others: Scores = theirs(doc, results) if has_others else {}
        if not judges_alone:
            return others
        score = bertjudge([gold(doc)], [results[0]], **options)
        return {**others, **_scores(score)}

    process_results.__wrapped_by_bertjudge__ = True  # type: ignore[attr-defined]
    return process_results


def verdicts(results: list[Any]) -> list[VerdictRow] | None:
    """The verdict rows among one pipeline's results for a document; None where it did not judge."""
    first = results[0] if results else None
    rows: list[Any] = first if isinstance(first, list) else [first]
    is_judged = rows and isinstance(rows[0], VerdictRow)
    return rows if is_judged else None


def _scores(score: float | dict[str, float]) -> Scores:
    return score if isinstance(score, dict) else {_NAME: score}
