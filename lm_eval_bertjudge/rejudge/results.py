"""Results of rejudging in the harness's own schema: the new numbers beside the old ones, per task and group."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lm_eval_bertjudge import __version__
from lm_eval_bertjudge.io.formats import lm_eval
from lm_eval_bertjudge.io.output import open_output
from lm_eval_bertjudge.io.rows import read_rows

logger = logging.getLogger(__name__)

Scores = dict[str, list[float]]  # by "metric,filter" one number per document


def write(judged: Sequence[tuple[Path, Path]], folder: Path, settings: Mapping[str, Any]) -> str:
    """Writes one `results_MODEL.json` per generator into `folder`; what to print about them.

    Args:
        judged: Pairs of input file and verdict file.
        folder: Where the results go.
        settings: What the verdicts depend on; kept in `config`.
    """
    scores: dict[str, dict[str, Scores]] = {}
    old: dict[str, dict[str, Any]] = {}
    for source, output in judged:
        for generator, tasks in _scores(output).items():
            for task in scores.setdefault(generator, {}).keys() & tasks.keys():
                logger.warning(
                    "%s has %s more than once: the results show %s", generator or "?", task, output
                )
            scores[generator] |= tasks
            old[generator] = _merged(old.get(generator, {}), lm_eval.origin(source).results)
    shown = []
    for generator, tasks in scores.items():
        content = _results(generator, tasks, old[generator], settings)
        target = (
            folder / f"results_{re.sub(r'[^A-Za-z0-9._-]+', '__', generator) or 'answers'}.json"
        )
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        with open_output(target) as out:
            out.write(text)
        shown.append(f"{target}\n{_table(content)}")
    return "\n".join(shown)


def _merged(known: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Two result files of one model: dictionaries by task are united, of anything else the first stays."""
    both = {
        name: known[name] | more[name]
        for name in known
        if isinstance(known[name], dict) and name in more
    }
    return more | known | both


def _scores(output: Path) -> dict[str, dict[str, Scores]]:
    """By generator and task: the mean over a document's answers of every method and old metric."""
    by_doc: dict[tuple[str, str, Any], list[dict[str, float]]] = {}
    for row in read_rows(output):
        new = {
            f"bertjudge,{method}": float(verdict["correct"])
            for method, verdict in row["verdicts"].items()
        }
        old = {_old_name(name, new): value for name, value in row["old"].items()}
        by_doc.setdefault((row["generator"], row["task"], row["doc_id"]), []).append(old | new)
    found: dict[str, dict[str, Scores]] = {}
    for (generator, task, _), answers in by_doc.items():
        scores = found.setdefault(generator, {}).setdefault(task, {})
        for name in answers[0]:
            scores.setdefault(name, []).append(float(np.mean([answer[name] for answer in answers])))
    return found


def _old_name(name: str, new: Iterable[str]) -> str:
    """The samples may have been judged before, under the names that the new verdicts need."""
    return f"old_{name}" if name in new else name


def _results(
    generator: str, tasks: dict[str, Scores], old: dict[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    results = {
        task: _entry(task, scores, old.get("results", {}).get(task, {}))
        for task, scores in tasks.items()
    }
    groups = {}
    for group in old.get("group_subtasks", {}):
        leaves = _leaves(group, old["group_subtasks"])
        if leaves and all(leaf in tasks for leaf in leaves) and group not in tasks:
            names = [
                name for name in tasks[leaves[0]] if all(name in tasks[leaf] for leaf in leaves)
            ]
            pooled = {name: [x for leaf in leaves for x in tasks[leaf][name]] for name in names}
            groups[group] = _entry(group, pooled, old.get("groups", {}).get(group, {}))
    n_docs = {task: len(next(iter(scores.values()))) for task, scores in tasks.items()}
    higher = old.get("higher_is_better", {})
    return {
        "results": results | groups,
        **({"groups": groups} if groups else {}),
        "group_subtasks": {name: old["group_subtasks"][name] for name in groups}
        | {task: [] for task in results},
        "configs": {task: old.get("configs", {}).get(task, {"task": task}) for task in results},
        "versions": {name: old.get("versions", {}).get(name, "N/A") for name in results | groups},
        "n-shot": {task: old.get("n-shot", {}).get(task, "N/A") for task in results},
        "higher_is_better": {
            name: {**higher.get(name, {}), "bertjudge": True} for name in results | groups
        },
        "n-samples": {
            task: old.get("n-samples", {}).get(task, {"original": n, "effective": n})
            for task, n in n_docs.items()
        },
        "config": {**old.get("config", {}), "bertjudge": dict(settings)},
        "model_name": generator,
        "lm_eval_version": old.get("lm_eval_version", "N/A"),
        "lm_eval_bertjudge_version": __version__,
    }


def _entry(name: str, scores: Scores, old: Mapping[str, Any]) -> dict[str, Any]:
    """A task's line: what the harness wrote (else the means of the logged metrics), then the new numbers."""
    entry: dict[str, Any] = {"alias": name}
    for metric, values in scores.items():
        label, filter_name = metric.split(",", 1)
        entry[metric] = float(np.mean(values))
        stderr = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else "N/A"
        entry[f"{label}_stderr,{filter_name}"] = stderr
    new = {key for key in entry if key.startswith(("bertjudge,", "bertjudge_stderr,"))}
    return entry | {key: value for key, value in old.items() if key not in new}


def _leaves(group: str, subtasks: Mapping[str, Sequence[str]]) -> list[str]:
    below = subtasks.get(group) or []
    return [
        leaf
        for name in below
        for leaf in (_leaves(name, subtasks) if subtasks.get(name) else [name])
    ]


def _table(content: Mapping[str, Any]) -> str:
    lines = []
    for task, entry in content["results"].items():
        for key, value in entry.items():
            name, _, filter_name = key.partition(",")
            if filter_name and not name.endswith("_stderr") and isinstance(value, float):
                error = entry.get(f"{name}_stderr,{filter_name}")
                spread = f" ± {error:.4f}" if isinstance(error, float) else ""
                lines.append(f"  {task}  {name} ({filter_name})  {value:.4f}{spread}")
    return "\n".join(lines)
