"""Recorded answers through the real harness, in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lm_eval.api.model import LM


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
