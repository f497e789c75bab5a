"""Work spread over worker processes of this machine or of a Ray cluster, its results in order.

A worker is a plain actor with a CPU, or a CPU and a GPU, of its own. Ray starts a worker that died again, where there
is room, and gives it its unfinished tasks once more.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any, TypeVar

from lm_eval_bertjudge.errors import BertJudgeError, EngineError, InputError, MissingExtraError

try:
    import ray
    from ray.exceptions import RayActorError, RayTaskError
except ImportError as error:
    raise MissingExtraError(error.name or "ray", "ray") from error

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD = 2  # tasks at a worker: one that it does, and one that waits
_CONNECT_S = 10.0
_START_S = 120.0  # to wait for workers; on a shared cluster others may hold the CPUs
_LOOK_S = 60.0  # without a result, then it is looked whether the machines are still there
_RETRIES = 3  # per task: one that kills every worker that tries it must come to an end


class _Worker:
    def __init__(self, near: Callable[[Any], Any], far: Callable[[Any], Any], driver: str) -> None:
        self._work = near if ray.get_runtime_context().get_node_id() == driver else far

    def do(self, task: Any) -> Any:
        return self._work(task)


@contextmanager
def spread(
    near: Callable[[Task], Result],
    far: Callable[[Task], Result],
    *,
    most: int | None = None,
    on_gpus: bool = False,
) -> Iterator[Callable[[Iterable[Task]], Iterator[Result]]]:
    """Starts workers, and ends them with the context; what comes back is like `map` with the work filled in.

    Tasks are taken as workers have room, at most two per worker beyond the results that were given.

    Args:
        near: The work, as workers on this machine do it.
        far: The work, as workers on other machines of the cluster do it.
        most: At most so many workers; None is one on each free CPU, or GPU.
        on_gpus: Each worker gets a GPU.

    Raises:
        EngineError: Ray does not start, its cluster has no room, or a task's worker died again and again.
        InputError: `most` is not positive.
    """
    if most is not None and most < 1:
        raise InputError(f"--workers is {most}; at least 1 was expected")
    ours = not ray.is_initialized()
    if ours:
        _start()
    try:
        kinds = ("CPU", "GPU") if on_gpus else ("CPU",)
        workers = _workers(near, far, most, kinds)
        try:
            yield lambda tasks: _in_order(workers, kinds, tasks)
        finally:
            _end(workers)
    finally:
        if ours:
            ray.shutdown()


def _start() -> None:
    """Joins the cluster that RAY_ADDRESS names or that runs on this machine; else this machine becomes one."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    host, _, port = os.environ.get("RAY_ADDRESS", "").rpartition(":")
    try:
        if port.isdigit() and "//" not in host:  # Ray itself tries for over ten minutes
            socket.create_connection((host, int(port)), timeout=_CONNECT_S).close()
        ray.init(include_dashboard=False, logging_level=logging.WARNING)
    except (
        Exception
    ) as error:  # Ray has no class for what goes wrong here: sockets, versions, a slow machine
        raise EngineError(
            f"Ray does not start: {error}. Without RAY_ADDRESS in the environment it uses this machine alone; "
            "`ray start --head` starts a cluster, `ray stop` ends what is left of one"
        ) from error


def _fitting(kinds: Sequence[str]) -> int:
    """How many workers the machines of the cluster have room for, free or not."""
    total = ray.cluster_resources()
    return min(int(total.get(kind, 0)) for kind in kinds)


def _workers(
    near: Callable[..., Any], far: Callable[..., Any], most: int | None, kinds: Sequence[str]
) -> list[Any]:
    """The workers that found room within `_START_S`."""
    n = min(most or sys.maxsize, _fitting(kinds))
    options = {
        "num_cpus": 1,
        "num_gpus": int("GPU" in kinds),
        "max_restarts": -1,
        "max_task_retries": _RETRIES,
    }
    worker, here = ray.remote(**options)(_Worker), ray.get_runtime_context().get_node_id()
    asked = {
        each.__ray_ready__.remote(): each
        for each in (worker.remote(near, far, here) for _ in range(n))
    }
    ready, late = ray.wait(list(asked), num_returns=n, timeout=_START_S) if n else ([], [])
    _end([asked[each] for each in late])
    if not ready:
        raise EngineError(
            f"no worker of Ray found room within {_START_S:.0f} s. It needs a {' and a '.join(kinds)} of its own; the "
            f"cluster has room for {_fitting(kinds)}, taken or not. Wait for other jobs, add machines (`ray start "
            "--address=HEAD:6379` on each), or leave out --engine ray"
        )
    return [asked[each] for each in ready]


def _end(workers: Iterable[Any]) -> None:
    for worker in workers:
        ray.kill(worker)


def _in_order(workers: Sequence[Any], kinds: Sequence[str], tasks: Iterable[Any]) -> Iterator[Any]:
    given: deque[Any] = deque()
    for worker, task in zip(cycle(workers), tasks, strict=False):
        if len(given) == _AHEAD * len(workers):
            yield _result(given.popleft(), len(workers), kinds)
        given.append(worker.do.remote(task))
    while given:
        yield _result(given.popleft(), len(workers), kinds)


def _result(given: Any, n_workers: int, kinds: Sequence[str]) -> Any:
    while not ray.wait([given], timeout=_LOOK_S)[0]:
        if (left := _fitting(kinds)) < n_workers:
            raise EngineError(
                f"the Ray cluster lost machines: {n_workers} workers were there, it has room for {left}. What is "
                "judged is kept: the same command goes on from there, with the machines that are left"
            )
    try:
        return ray.get(given)
    except RayTaskError as error:
        if isinstance(error.cause, BertJudgeError):
            raise error.cause from error
        raise
    except RayActorError as error:
        raise EngineError(
            f"Ray lost a worker {_RETRIES + 1} times over one task, or could not start it: {error} Are all machines "
            "there, with lm-eval-bertjudge and memory for a judge per worker (--workers takes fewer)? What is judged "
            "is kept: the same command goes on from there"
        ) from error
