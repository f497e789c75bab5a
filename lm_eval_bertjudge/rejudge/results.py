"""Results of rejudging in the harness's own schema: the new numbers beside the old ones, per task and group."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from lm_eval_bertjudge import __version__
from lm_eval_bertjudge.io.harness_results import origin
from lm_eval_bertjudge.io.output import open_output
from lm_eval_bertjudge.io.rows import Row, read_rows
from lm_eval_bertjudge.io.runs import Runs, model_name, newest_runs
from lm_eval_bertjudge.render import visible
from lm_eval_bertjudge.text.final_answer import final_answer
from lm_eval_bertjudge.text.markup import normalize_text

logger = logging.getLogger(__name__)

Scores = dict[str, list[float]]  # by "metric,filter" one number per document


def write(judged: Sequence[tuple[Path, Path]], folder: Path, settings: Mapping[str, Any]) -> str:
    """Writes one `results_MODEL.json` per model into `folder`, and per older run of one; what to print about them.

    Args:
        judged: Pairs of input file and verdict file.
        folder: Where the results go.
        settings: What the verdicts depend on; kept in `config`.
    """
    newest = newest_runs(row for _, output in judged for row in islice(read_rows(output), 1))
    models: dict[str, _Model] = {}
    for log, output in judged:
        for (name, task), scores in _scores(output, newest).items():
            model = models.setdefault(name, _Model())
            model.add(task, scores, origin(log).results)
    shown = []
    for name, file_name in _file_names(models).items():
        content = _results(name, models[name].tasks, models[name].old, settings)
        target = folder / f"results_{file_name}.json"
        with open_output(target) as out:
            out.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
        shown.append(f"{target}\n{_table(content)}")
    return "\n".join(shown)


class _Model:
    """The scores of a model by task, and what the harness wrote about it."""

    def __init__(self) -> None:
        self.tasks: dict[str, Scores] = {}
        self.old: dict[str, Any] = {}

    def add(self, task: str, scores: Scores, results: Mapping[str, Any]) -> None:
        known = self.tasks.setdefault(task, {})
        for name, values in scores.items():
            known.setdefault(name, []).extend(values)
        self.old = _merged(self.old, dict(results))


def _file_names(names: Iterable[str]) -> dict[str, str]:
    """A file's name for each model; models whose names differ only by signs that no file has get a hash."""
    plain = {
        name: re.sub(r"[^A-Za-z0-9._-]+", "__", name).strip("_") or "answers" for name in names
    }
    counts = Counter(plain.values())
    return {
        name: file_name if counts[file_name] == 1 else f"{file_name}_{_hash(name)}"
        for name, file_name in plain.items()
    }


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]


def _merged(known: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Two result files of one model: dictionaries by task are united, of anything else the first stays."""
    both = {
        name: known[name] | more[name]
        for name in known
        if isinstance(known[name], dict) and name in more
    }
    return more | known | both


def _scores(output: Path, newest: Runs) -> dict[tuple[str, str], Scores]:
    """By model and task: per document the mean over its answers of every method and old metric."""
    by_doc: dict[tuple[str, str, Any], list[Row]] = {}
    for row in read_rows(output):
        by_doc.setdefault((model_name(row, newest), row["task"], row["doc_id"]), []).append(row)
    scores: dict[tuple[str, str], Scores] = {}
    for (name, task, _), answers in by_doc.items():
        of_task = scores.setdefault((name, task), {})
        for metric, value in _of_document(answers).items():
            of_task.setdefault(metric, []).append(value)
    return scores


def _of_document(answers: Sequence[Row]) -> dict[str, float]:
    """The means over a document's answers; beside a vote of the harness over them, a vote over the verdicts."""
    values: dict[str, list[float]] = {}
    for row in answers:
        new = {f"bertjudge,{name}": float(v["correct"]) for name, v in row["verdicts"].items()}
        old = {_old_name(name, new): value for name, value in row["old"].items()}
        for name, value in (old | new).items():
            values.setdefault(name, []).append(value)
    means = {name: float(np.mean(several)) for name, several in values.items()}
    majority: dict[str, float] = answers[0].get("majority") or {}
    if majority:
        votes = {f"bertjudge_majority,{name}": _vote(answers, name) for name in row["verdicts"]}
        return majority | means | votes
    return means


def _vote(answers: Sequence[Row], method: str) -> float:
    """1 where the right answers outnumber every wrong one, or are as many and came first."""
    votes = Counter(
        "" if row["verdicts"][method]["correct"] else _final_text(row["candidate"])
        for row in answers
    )
    return float(votes.most_common(1)[0][0] == "")


def _final_text(candidate: str) -> str:
    stated = final_answer(candidate)
    return normalize_text(stated.answer if stated else candidate) or "nothing"


def _old_name(name: str, new: Iterable[str]) -> str:
    """The samples may have been judged before, under the names that the new verdicts need."""
    return f"old_{name}" if name in new else name


def _results(
    generator: str, tasks: dict[str, Scores], old: dict[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    n_docs = {task: len(next(iter(scores.values()))) for task, scores in tasks.items()}
    same = {task for task in tasks if _is_of_same_documents(task, n_docs[task], old)}
    before = old.get("results", {})
    results = {
        task: _entry(task, scores, before.get(task, {}) if task in same else {})
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
            own = old.get("groups", {}).get(group, {}) if same.issuperset(leaves) else {}
            groups[group] = _entry(group, pooled, own)
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
            task: old.get("n-samples", {}).get(task, {"original": n}) | {"effective": n}
            for task, n in n_docs.items()
        },
        "config": {**old.get("config", {}), "bertjudge": dict(settings)},
        "model_name": generator,
        "lm_eval_version": old.get("lm_eval_version", "N/A"),
        "lm_eval_bertjudge_version": __version__,
    }


def _is_of_same_documents(task: str, n: int, old: Mapping[str, Any]) -> bool:
    """Whether the harness's numbers may stand beside the new ones; where they may not, the log's own means do."""
    of_old = old.get("n-samples", {}).get(task, {}).get("effective", n)
    if of_old != n:
        logger.warning(
            "%s: the harness's numbers are of %s documents, the log has %s: they are left out",
            task, of_old, n,
        )  # fmt: skip
    return bool(of_old == n)


def _entry(name: str, scores: Scores, old: Mapping[str, Any]) -> dict[str, Any]:
    """A task's line: what the harness wrote (else the means of the logged metrics), then the new numbers."""
    entry: dict[str, Any] = {"alias": name}
    for metric, values in scores.items():
        label, _, filter_name = metric.partition(",")
        entry[metric] = float(np.mean(values))
        stderr = float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else "N/A"
        entry[f"{label}_stderr,{filter_name}"] = stderr
    new = {key for key in entry if key.startswith("bertjudge")}
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
    return visible("\n".join(lines))
