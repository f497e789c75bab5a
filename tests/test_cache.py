from __future__ import annotations

import logging
import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lm_eval_bertjudge.judges.encoder import cache
from lm_eval_bertjudge.judges.encoder.cache import VerdictCache, identity, location
from lm_eval_bertjudge.judges.encoder.judge import EncoderJudge
from lm_eval_bertjudge.judges.pool import JudgePool
from lm_eval_bertjudge.options import JudgeOptions
from lm_eval_bertjudge.scorer import Scorer
from lm_eval_bertjudge.types import JudgeItem
from tests.conftest import CountingBackend, judge_with, unprivileged

ITEMS = [
    JudgeItem("What is it?", (str(n),), f"it is {n % 7}" + " and so on" * (n % 40))
    for n in range(60)
]


def judge(backend: CountingBackend, path: Path | None, *, name: bytes = b"one") -> EncoderJudge:
    return judge_with(backend, batch_tokens=256, known=VerdictCache(name, path))


def stored(path: Path) -> int:
    with sqlite3.connect(path) as file:
        return int(file.execute("SELECT count(*) FROM verdicts").fetchone()[0])


def test_a_second_run_reads_the_same_verdicts_and_judges_nothing(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "verdicts.sqlite"
    without = judge(CountingBackend(), None).judge(ITEMS)
    first = judge(CountingBackend(), path).judge(ITEMS)
    again = CountingBackend()
    assert judge(again, path).judge(ITEMS) == first == without
    assert again.rows == []
    assert any(verdict.truncated for verdict in first)


def test_one_judge_never_judges_an_item_twice_even_without_a_file() -> None:
    backend = CountingBackend()
    both = judge(backend, None)
    assert both.judge(ITEMS[:40]) + both.judge(ITEMS[20:]) == judge(CountingBackend(), None).judge(
        ITEMS[:40] + ITEMS[20:]
    )
    assert len(backend.rows) == len(ITEMS)


def test_another_judge_does_not_see_them(tmp_path: Path) -> None:
    path, other = tmp_path / "v", CountingBackend()
    judge(CountingBackend(), path).judge(ITEMS)
    judge(other, path, name=b"another").judge(ITEMS)
    assert len(other.rows) == len(ITEMS)
    assert stored(path) == 2 * len(ITEMS)


def test_the_pipelines_of_a_task_judge_an_answer_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    pool = JudgePool()
    backend = pool.judge(JudgeOptions())._backend  # type: ignore[union-attr]
    logits = backend.logits
    monkeypatch.setattr(
        backend, "logits", lambda ids, mask: asked.append(len(ids)) or logits(ids, mask)
    )
    items = [
        JudgeItem("2 + 2?", ("4",), said)
        for said in ("it must be four", "so: 5", "four, I'd say", "no idea")
    ]
    for method in ("judge", "cascade", "judge"):
        Scorer(JudgeOptions(method=method), pool).judge(items)
    assert sum(asked) == len(items)


def test_what_was_judged_before_an_interruption_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend, again = CountingBackend(), CountingBackend()
    logits = backend.logits

    def interrupted(ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
        if len(backend.rows) > 20:
            raise KeyboardInterrupt
        return logits(ids, mask)

    monkeypatch.setattr(backend, "logits", interrupted)
    with pytest.raises(KeyboardInterrupt):
        judge(backend, tmp_path / "v").judge(ITEMS)
    judge(again, tmp_path / "v").judge(ITEMS)
    assert len(backend.rows) > 20
    assert len(again.rows) == len(ITEMS) - len(backend.rows)


WRITER = """
import sys
from pathlib import Path
from lm_eval_bertjudge.judges.encoder.cache import VerdictCache
for start in range(0, 2000, 50):
    known = VerdictCache(b"one", Path(sys.argv[1]))
    keys = [known.key([n]) for n in range(start, start + 100)]
    found = known.get(keys)
    known.put({key: n / 4096 for n, key in enumerate(keys, start) if key not in found})
"""


def test_processes_share_a_file_without_errors_or_double_rows(tmp_path: Path) -> None:
    path = tmp_path / "v"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    assert [process.communicate()[1] for process in running] == [""] * 3
    known = VerdictCache(b"one", path)
    assert known.get(known.key([n]) for n in range(2050)) == {
        known.key([n]): n / 4096 for n in range(2050)
    }
    assert stored(path) == 2050


def test_a_file_that_is_no_cache_is_moved_aside_and_a_new_one_begins(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "v"
    path.write_bytes(b"something else entirely " * 400)
    first = judge(CountingBackend(), path).judge(ITEMS)
    assert "damaged" in caplog.text
    assert (tmp_path / "v.damaged").read_bytes().startswith(b"something else")
    again = CountingBackend()
    assert judge(again, path).judge(ITEMS) == first
    assert again.rows == []


@pytest.mark.parametrize("seed", range(40))
def test_a_flipped_byte_never_gives_another_verdict(tmp_path: Path, seed: int) -> None:
    path, rng = tmp_path / "v", random.Random(seed)
    keys = {VerdictCache(b"one").key([n]): n / 1000 for n in range(300)}
    VerdictCache(b"one", path).put(keys)
    content = bytearray(path.read_bytes())
    for _ in range(1 + seed % 3):
        content[rng.randrange(len(content))] ^= rng.randrange(1, 256)
    path.write_bytes(content[: len(content) - (seed % 4 == 0) * rng.randrange(5000)])
    known = VerdictCache(b"one", path)
    found = known.get(keys)
    assert found.items() <= keys.items()
    known.put(keys)
    assert VerdictCache(b"one", path).get(keys).items() <= keys.items()


@pytest.mark.parametrize("p", [-0.1, 1.5, float("inf")])
def test_a_stored_p_that_is_no_probability_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, p: float
) -> None:
    known = VerdictCache(b"one", tmp_path / "v")
    known.put({known.key([1]): p})  # with a checksum that fits
    assert VerdictCache(b"one", tmp_path / "v").get([known.key([1])]) == {}
    assert "damaged" in caplog.text


def test_what_no_file_keeps_is_forgotten_where_a_run_wants_that() -> None:
    backend = CountingBackend()
    forgetful = judge_with(backend, known=VerdictCache(remember=False))
    assert forgetful.judge(ITEMS[:3]) == forgetful.judge(ITEMS[:3])
    assert len(backend.rows) == 6


@pytest.mark.parametrize("name", ["model.onnx_data", "weights", "parts/w.bin"])
def test_weights_outside_the_onnx_file_are_part_of_a_judges_identity(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "model.onnx").write_bytes(b"graph ... location " + name.encode() + b" ...")
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / name).write_bytes(b"1")
    (tmp_path / "README.md").write_text("one")
    before = identity(tmp_path, "onnx")
    (tmp_path / "README.md").write_text("two")
    assert identity(tmp_path, "onnx") == before
    (tmp_path / name).write_bytes(b"2")
    assert identity(tmp_path, "onnx") != before


def test_a_place_that_cannot_be_written_costs_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    lonely = judge(CountingBackend(), tmp_path / "file" / "v")
    assert lonely.judge(ITEMS[:30]) + lonely.judge(ITEMS[30:]) == judge(
        CountingBackend(), None
    ).judge(ITEMS)
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "LM_EVAL_BERTJUDGE_CACHE" in caplog.text


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_a_read_only_folder_costs_one_warning(
    open_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    judge(CountingBackend(), open_folder / "v").judge(ITEMS[:30])
    (open_folder / "v").chmod(0o444)
    open_folder.chmod(0o555)
    with unprivileged():
        lonely = judge(CountingBackend(), open_folder / "v")
        assert len(lonely.judge(ITEMS)) == len(ITEMS)
    assert len(caplog.records) == 1
    open_folder.chmod(0o755)


FULL = """
import resource, signal, sys
from pathlib import Path
from lm_eval_bertjudge.judges.encoder.cache import VerdictCache
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
known = VerdictCache(b"one", Path(sys.argv[1]))
keys = {known.key([n]): n / 9999 for n in range(5000)}
known.put(keys)
assert known.get(keys) == keys
print("went on")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs RLIMIT_FSIZE")
def test_a_full_disk_costs_one_warning(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "v")], capture_output=True, text=True
    )
    assert run.stdout == "went on\n"
    assert run.stderr.count("going on without it") == 1


def test_memory_holds_only_the_last_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_RECENT", 10)
    known = VerdictCache()
    keys = [known.key([n]) for n in range(25)]
    for key in keys:
        known.put({key: 0.5})
    assert list(known.get(keys)) == keys[-10:]


def test_the_judge_is_told_apart_by_weights_config_and_what_computes(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"weights")
    (tmp_path / "config.json").write_text("{}")
    seen = {identity(tmp_path, "onnx"), identity(tmp_path, "torch bfloat16")}
    (tmp_path / "model.onnx").write_bytes(b"others")
    seen.add(identity(tmp_path, "onnx"))
    (tmp_path / "config.json").write_text('{"pad_token_id": 1}')
    seen.add(identity(tmp_path, "onnx"))
    assert len(seen) == 4
    assert identity(tmp_path, "onnx") in seen


@pytest.mark.parametrize("word", ["0", "off", "False", "no"])
def test_it_can_be_switched_off(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LM_EVAL_BERTJUDGE_CACHE", word)
    assert location() is None
    assert location(True) is not None
    monkeypatch.setenv("LM_EVAL_BERTJUDGE_CACHE", "1")
    assert location(word) is location(False) is None


def test_it_is_in_the_cache_folder_or_where_one_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LM_EVAL_BERTJUDGE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert location() == location("1") == tmp_path / "lm_eval_bertjudge" / "verdicts.sqlite"
    assert location(str(tmp_path)) == tmp_path / "verdicts.sqlite"
    monkeypatch.setenv("LM_EVAL_BERTJUDGE_CACHE", str(tmp_path / "mine.db"))
    assert location() == tmp_path / "mine.db"
