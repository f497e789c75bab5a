"""What the benchmarks share: items, alternating timings, a judge that has forgotten, a new Python, the machine."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ.update(LM_EVAL_BERTJUDGE_CACHE="0", HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

from lm_eval_bertjudge.judges.encoder.cache import VerdictCache
from lm_eval_bertjudge.judges.encoder.judge import EncoderJudge
from lm_eval_bertjudge.types import JudgeItem


def items_of(folder: Path, source: str, n: int) -> tuple[list[JudgeItem], list[int]]:
    """The first n labelled answers of a source, and their labels."""
    with gzip.open(folder / f"{source}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, n)]
    items = [
        JudgeItem(r["question"].strip(), (r["references"][0].strip(),), r["candidate"].strip())
        for r in rows
    ]
    return items, [int(row["label"]) for row in rows]


def alternating(named: dict[str, Callable[[], Any]], *, rounds: int) -> dict[str, float]:
    """Median seconds of each, all of them once per round, after one round to warm up."""
    taken: dict[str, list[float]] = {name: [] for name in named}
    for number in range(rounds + 1):
        for name, work in named.items():
            start = time.perf_counter()
            work()
            if number:
                taken[name].append(time.perf_counter() - start)
    return {name: median(seconds) for name, seconds in taken.items()}


def fresh(judge: EncoderJudge) -> EncoderJudge:
    """The judge with nothing remembered."""
    judge._cache = VerdictCache()
    return judge


def child(code: str, *args: object, threads: int | None = None) -> Any:
    """What a new Python prints as JSON."""
    limit = {} if threads is None else {"OMP_NUM_THREADS": str(threads)}
    environment = os.environ | limit | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code, *map(str, args)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(said.stdout.strip().splitlines()[-1])


def machine() -> str:
    """Processor, load and versions."""
    cpu = platform.processor()
    with contextlib.suppress(OSError):
        cpu = re.findall(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())[0]
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("onnxruntime", "torch", "transformers")
    )
    load = "/".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{cpu}, {os.cpu_count()} cores, load before {load}; Python {platform.python_version()}, {versions}."
