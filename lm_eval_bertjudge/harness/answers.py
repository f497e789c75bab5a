"""Every answer of a run on disk, from its first verdict on until the run has its results.

All tasks have been generated when the first one is judged. Whatever ends the process from there on, also a kill that
nothing can catch, leaves a folder that `bertjudge rejudge` reads. A run that gets its results takes it away again.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.errors import BertJudgeError
from lm_eval_bertjudge.harness import recovery

logger = logging.getLogger(__name__)

OptionsOf = Callable[[Any], Mapping[str, Mapping[str, Any]]]
_GENERATES = "generate_until"


class RunAnswers:
    """The answers of the tasks of one run.

    Args:
        tasks: The loaded tasks; those that generate count.
        options_of: A task's judging options by pipeline: they say what its questions and references are.
    """

    def __init__(self, tasks: Sequence[Any], options_of: OptionsOf) -> None:
        self._options_of = options_of
        self._tasks = [task for task in tasks if getattr(task, "OUTPUT_TYPE", "") == _GENERATES]
        self._folder: Path | None = None
        self._tried = False

    def keep(self) -> Path | None:
        """Writes every answer to a new folder, a file a task; the same folder when it is called again.

        Returns:
            The folder; None where the model has not answered everything yet, or where nothing can be written.
        """
        if not self._tried and self._are_complete():
            self._tried = True
            try:
                self._folder = recovery.save_folder(
                    {t.task_name: self._rows(t) for t in self._tasks}
                )
            except BertJudgeError as full:
                logger.warning("a kill during judging would lose answers: %s", full)
        return self._folder

    def discard(self) -> None:
        """Takes the folder away: the run has its results."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _are_complete(self) -> bool:
        instances = [instance for task in self._tasks for instance in task.instances or ()]
        return bool(instances) and all(instance.resps for instance in instances)

    def _rows(self, task: Any) -> list[dict[str, Any]]:
        options = next(iter(self._options_of(task).values()), {})
        answers = [instance.resps for instance in task.instances]
        docs = [instance.doc for instance in task.instances]
        return recovery.rows(answers, docs, options=options, task=task.task_name)


_runs: list[RunAnswers] = []  # the last one is under way


def keep() -> Path | None:
    """Writes the answers of the run that is under way; None where there is none."""
    return _runs[-1].keep() if _runs else None


@contextlib.contextmanager
def kept(tasks: Sequence[Any], options_of: OptionsOf) -> Iterator[None]:
    """A run whose answers outlive an error in it, once all of them are there; arguments as for `RunAnswers`."""
    run = RunAnswers(tasks, options_of)
    _runs.append(run)
    try:
        yield
    except BaseException as error:
        if (folder := run.keep()) is not None:
            logger.error("%s", _told(folder, error))
        raise
    else:
        run.discard()
    finally:
        _runs.remove(run)


def _told(folder: Path, error: BaseException) -> str:
    output = shlex.quote(str(folder.with_name(folder.name.replace(recovery.PREFIX, "rejudged_"))))
    return (
        f"the run ended after its answers were generated: {error!r}\n"
        f"All of them are in {folder}, a file a task. Judge them with:\n"
        f"  bertjudge rejudge {shlex.quote(str(folder))} --output {output}"
    )


def watch(
    tasks_in: Callable[[Any], Iterator[Any]], judges: Callable[[Any], bool], options_of: OptionsOf
) -> None:
    """Has the harness's `evaluate` keep the answers of runs that judge.

    Args:
        tasks_in: The tasks in what `evaluate` is given as `task_dict`.
        judges: Whether a task judges.
        options_of: As for `RunAnswers`.
    """
    evaluator = sys.modules.get("lm_eval.evaluator")
    evaluate = getattr(evaluator, "evaluate", None)
    if evaluate is None or hasattr(evaluate, "__wrapped_by_bertjudge__"):
        return

    @functools.wraps(evaluate)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        tasks = [task for given in (*args, *kwargs.values()) for task in tasks_in(given)]
        if not any(judges(task) for task in tasks):
            return evaluate(*args, **kwargs)
        with kept(tasks, options_of):
            return evaluate(*args, **kwargs)

    wrapper.__wrapped_by_bertjudge__ = True  # type: ignore[attr-defined]
    evaluator.evaluate = wrapper  # type: ignore[union-attr]
