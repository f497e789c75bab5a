"""Which tasks of the harness can be judged, by their config alone: to refuse one needs no data.

A judge compares an answer with a right one. Where an answer is right because it runs, keeps a form or is near a text,
there is nothing to compare.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lm_eval_bertjudge.harness.preflight import IN_PYTHON, asks_to_judge, get, likelihoods

_GENERATES = "generate_until"  # also what the harness takes where a config does not say

# What each family of metrics measures instead of a right answer. All metrics of a task must be of the family.
_FAMILIES = {
    re.compile(r"pass_?(at_|@).*|code_eval"): "its answers are programs, and running them says more than a judge could",
    re.compile(r"(prompt|inst)_level_.*|json_validity|schema_compliance"): (
        "its metrics check how an answer is written, as an instruction demands, and there is no right answer to "
        "compare with"
    ),
    re.compile(
        r"""
        (smoothed_)?bleu(rt|_4|_avg|_max)? | chrf | ter | comet | wer | cer
        | rouge.*(?<!_acc)(?<!_diff)          # rougeL; not rougeL_acc, which is of truthfulqa_gen
        | bert(_?score.*)?                    # bertscore_f1_max
        | average_len | F1-Radgraph
        """,
        re.VERBOSE,
    ): "its metrics measure how near a translation or a summary is to a text, and no one answer is the right one",
    re.compile(r"pearsonr|spearmanr|mse|eqbench|percent_parseable"): (
        "its answers are ratings, which count by how near they are to other ratings"
    ),
}  # fmt: skip


def refusal(config: Any) -> str:
    """Why no answer of a task can be judged beside its own rows; nothing where it can.

    Args:
        config: A task's config, as its file says it or as the harness has read it.
    """
    if get(config, "class") is not None:
        return IN_PYTHON
    if (kind := get(config, "output_type") or _GENERATES) != _GENERATES:
        return likelihoods(kind)
    if asks_to_judge(config):
        return "it judges already: take its own name"
    return _measures(config) or _no_right_answer(config)


def _measures(config: Any) -> str:
    names = [metric_name(entry) for entry in get(config, "metric_list") or []]
    if get(config, "unsafe_code"):
        return next(iter(_FAMILIES.values()))
    for family, reason in _FAMILIES.items():
        if names and all(map(family.fullmatch, names)):
            return f"{reason} ({', '.join(names[:3])})"
    return ""


def metric_name(entry: Any) -> str:
    """The name of a metric in a task's `metric_list`; of a function in a file beside it, the function's."""
    metric = entry.get("metric") if isinstance(entry, Mapping) else entry
    return str(getattr(metric, "__name__", metric)).rpartition(".")[2]


def _no_right_answer(config: Any) -> str:
    target = get(config, "doc_to_target")
    is_number = isinstance(target, int) and get(config, "doc_to_choice") is None
    if is_number or target == "":
        return f"its doc_to_target is {target!r} for every document, which is no right answer"
    return ""
