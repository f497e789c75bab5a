"""`bertjudge rejudge --engine ray`, on real workers."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lm_eval_bertjudge import cli, rejudge
from lm_eval_bertjudge.errors import CheckpointError, EngineError, MissingExtraError
from lm_eval_bertjudge.judges.pool import JudgePool
from lm_eval_bertjudge.options import JudgeOptions
from lm_eval_bertjudge.rejudge import command
from lm_eval_bertjudge.rejudge.methods import Methods
from tests.test_samples import DATE, GSM, jsonl, line_0413, written

SAID = ["so {0}", "Final answer: {0}", "I add them and get {0}, I think", "**{0}** is what I get"]


@pytest.fixture(scope="module")
def ended() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    if "ray" in sys.modules:
        sys.modules["ray"].shutdown()
    signal.signal(signal.SIGTERM, before)  # Ray leaves a handler of its own


@pytest.fixture
def engine(ended: None) -> ModuleType:
    """Our module, on a cluster of two CPUs."""
    ray = pytest.importorskip("ray", reason="needs the extra `ray`")
    if not ray.is_initialized():
        ray.init(num_cpus=2, num_gpus=0, include_dashboard=False, logging_level="ERROR")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import a test
    return importlib.import_module("lm_eval_bertjudge.rejudge.parallel")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sample files of two models whose answers recur, from chunk to chunk and from file to file."""
    monkeypatch.setattr(command, "CHUNK", 8)
    for model in ("one", "two"):
        lines = [
            line_0413(
                d,
                SAID[d % 4].format(16 + d % 3),
                "none",
                0.0,
                GSM | {"question": f"What is 9 + {d % 12}?"},
            )
            for d in range(29)
        ]
        jsonl(tmp_path / "in" / model / f"samples_gsm8k_{DATE}.jsonl", lines)
    return tmp_path


def judged(folder: Path, name: str, *more: str) -> dict[str, bytes]:
    assert cli.main(["rejudge", str(folder / "in"), "--output", str(folder / name), *more]) == 0
    return written(folder / name)


def never(*_: Any, **__: Any) -> Any:
    raise AssertionError("the workers judge, not this process")


def test_two_workers_write_the_bytes_of_one_process(
    engine: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = judged(folder, "process")
    monkeypatch.setattr(JudgePool, "judge", never)
    assert judged(folder, "ray", "--engine", "ray", "--workers", "2") == whole
    assert len(whole) == 4  # two verdict files and two results


def test_workers_go_on_where_a_killed_process_stopped(engine: ModuleType, folder: Path) -> None:
    whole = judged(folder, "process")
    broken = folder / "process" / "two" / f"verdicts_samples_gsm8k_{DATE}.jsonl"
    broken.rename(broken.with_name(broken.name + ".tmp"))
    os.truncate(f"{broken}.tmp", len(whole[f"two/{broken.name}"]) // 2)
    assert judged(folder, "process", "--engine", "ray") == whole


class KilledOnce(Methods):
    """Kills its own process when the fourth of the eight chunks is judged for the first time."""

    flag: Path

    def __call__(self, items: Any) -> Any:
        if items[0].question == "What is 9 + 0?" and len(items) == 5 and not self.flag.exists():
            self.flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(items)


def test_a_run_whose_worker_is_killed_ends_with_the_same_bytes(
    engine: ModuleType, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = judged(folder, "process")
    monkeypatch.setattr(KilledOnce, "flag", folder / "killed", raising=False)
    monkeypatch.setattr(command, "Methods", KilledOnce)
    assert judged(folder, "ray", "--engine", "ray") == whole
    assert (folder / "killed").exists()


def die(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def refuse(folder: str) -> None:
    raise CheckpointError(f"no judge at {folder}")


def told(task: int) -> tuple[int, int]:
    return task, os.getpid()


def test_what_no_worker_survives_and_what_a_worker_refuses_end_the_run_with_the_reason(
    engine: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_RETRIES", 0)
    with (
        engine.spread(die, die, most=1) as each,
        pytest.raises(EngineError, match=r"(?s)lost a worker 1 times.*--workers takes"),
    ):
        list(each([1]))
    with (
        engine.spread(refuse, refuse, most=1) as each,
        pytest.raises(CheckpointError, match=r"^no judge at /j$"),
    ):
        list(each(["/j"]))
    missing = pickle.loads(pickle.dumps(MissingExtraError("torch", "torch")))
    assert str(missing) == "this needs the package 'torch': pip install 'lm-eval-bertjudge[torch]'"


def test_a_lost_machine_ends_the_run_where_its_work_would_wait_for_ever(
    engine: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engine.spread(time.sleep, die, most=1) as each:
        monkeypatch.setattr(engine, "_LOOK_S", 0.2)
        results = each([0.5, 600])
        assert next(results) is None  # the worker is slow, and there
        monkeypatch.setattr(engine.ray, "cluster_resources", dict)
        with pytest.raises(EngineError, match="1 workers were there, it has room for 0"):
            next(results)


def test_tasks_are_taken_as_workers_have_room_and_come_back_in_order(engine: ModuleType) -> None:
    taken: list[int] = []
    with engine.spread(told, die, most=2) as each:
        pids = set()
        for given, (task, pid) in enumerate(each(taken.append(n) or n for n in range(40))):
            assert task == given
            assert len(taken) - given <= 5  # two at each worker, and one in the hand
            pids.add(pid)
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_workers_find_judge_and_cache_from_any_folder_and_those_on_other_machines_have_no_cache(
    engine: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert engine._Worker(str.lower, str.upper, "another machine").do("x") == "X"
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    monkeypatch.setattr(
        engine, "spread", lambda *works, **_: [each.options["judge"] for each in works]
    )
    args = Namespace(engine="ray", workers=None)
    near, far = command._engine(args, Methods({"judge": JudgeOptions(judge="mine", cache="kept")}))
    assert (near.judge, near.cache) == (str(tmp_path / "mine"), str(tmp_path / "kept"))
    assert (far.judge, far.cache) == (near.judge, False)
    near, far = command._engine(args, Methods({"judge": JudgeOptions()}))
    assert (near.judge, near.cache, far.cache) == (
        "default",
        False,
        False,
    )  # conftest.py switches the cache off


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--workers", "0"], "--workers is 0; at least 1 was expected"),
        (
            ["--device", "cuda"],
            "needs a CPU and a GPU of its own; the cluster has room for 0, taken or not",
        ),
        (["--judge", "llm", "--llm", "model=m"], "to ask an LLM, leave out --engine ray"),
    ],
)
def test_what_cannot_be_spread_is_said_before_anything_is_written(
    engine: ModuleType,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    message: str,
) -> None:
    args = ["rejudge", str(folder / "in"), "--output", str(folder / "out"), "--engine", "ray"]
    assert cli.main([*args, *more]) == 2
    assert message in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_ray_is_started_and_ended_and_what_keeps_it_from_starting_is_said(
    engine: ModuleType,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import ray

    ray.shutdown()
    with engine.spread(told, die, most=1) as each:
        assert [task for task, _ in each(range(3))] == [0, 1, 2]
    assert not ray.is_initialized()
    args = ["rejudge", str(folder / "in"), "--output", str(folder / "out"), "--engine", "ray"]
    for address, why in (
        ("auto", "Could not find any running Ray instance"),
        ("127.0.0.1:1", "Connection refused"),
    ):
        monkeypatch.setenv("RAY_ADDRESS", address)
        assert cli.main(args) == 2
        shown = capsys.readouterr().err
        assert why in shown
        assert "`ray start --head` starts a cluster" in shown


def test_without_ray_the_error_says_what_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "lm_eval_bertjudge.rejudge.parallel", raising=False)
    monkeypatch.delattr(rejudge, "parallel", raising=False)
    args = ["rejudge", str(folder / "in"), "--output", str(folder / "out"), "--engine", "ray"]
    assert cli.main(args) == 2
    assert (
        "this needs the package 'ray': pip install 'lm-eval-bertjudge[ray]'"
        in capsys.readouterr().err
    )
