"""`bertjudge check`."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.scorer import Scorer

logger = logging.getLogger(__name__)


def add_parser(commands: Any) -> None:
    """Adds the command to `bertjudge`."""
    parser = commands.add_parser(
        "check", help="read a task's judging config before hours of generation"
    )
    parser.add_argument("task", help="a task's name, or its YAML file")
    parser.add_argument("--include_path", help="folder with task files of your own")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> str:
    """What would be judged, with the verdict on each reference as an answer.

    Raises:
        InputError: Something in the task's config is wrong.
    """
    from lm_eval_bertjudge.harness import check_task

    task = check_task(args.task, include_path=args.include_path)
    for warning in task.warnings:
        logger.warning("task %s: %s", task.name, warning)
    if task.problems:
        raise InputError("\n".join(f"task {task.name}: {problem}" for problem in task.problems))
    blocks = [_preview(name, scorer, task.docs) for name, scorer in task.pipelines.items()]
    return "\n".join([*blocks, f"task {task.name} is ready"])


def _preview(name: str, scorer: Scorer, docs: Sequence[Mapping[str, Any]]) -> str:
    """What a pipeline would judge: each document's item, and what it says of its own reference."""
    items = [item for doc in docs if (item := scorer.item(doc, "")).references]
    echoes = [replace(item, candidate=f"Final answer: {item.references[0]}") for item in items]
    lines = [f"pipeline {name} ({scorer.options.method})"]
    for item, verdict in zip(items, scorer.judge(echoes), strict=True):
        p = "unjudged" if verdict.p_correct is None else f"{verdict.p_correct:.3f}"
        references = ", ".join(map(repr, item.references))
        lines.append(f"  question  ...{item.question[-100:]!r}")
        lines.append(f"  reference {references}; judged against itself: {p} ({verdict.reason})")
    return "\n".join(lines)
