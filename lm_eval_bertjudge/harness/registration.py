"""Gives the harness the names `bertjudge` of our filter and our metric. Importing it twice must not raise."""

from __future__ import annotations

import lm_eval.api.metrics  # noqa: F401  (the built-in metrics and aggregations must be registered before ours)
from lm_eval.api.registry import filter_registry, metric_registry, register_filter, register_metric

from lm_eval_bertjudge.harness.filter import BertJudgeFilter
from lm_eval_bertjudge.harness.metric import bertjudge

if "bertjudge" not in filter_registry:
    register_filter("bertjudge")(BertJudgeFilter)
if "bertjudge" not in metric_registry:
    register_metric(metric="bertjudge", higher_is_better=True, aggregation="mean")(bertjudge)
