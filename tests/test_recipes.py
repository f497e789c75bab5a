"""The shell recipes: every flag they use exists, and the toy one runs and survives being killed."""

from __future__ import annotations

import importlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lm_eval_bertjudge.judges.encoder.card import JudgeCard
from lm_eval_bertjudge.judges.encoder.load import load_judge
from training.data.journal import finished_lines
from training.data.rows import read_rows, write_rows

REPO = Path(__file__).resolve().parents[1]
RECIPES = sorted((REPO / "training" / "recipes").glob("*.sh"))
CALL = re.compile(r"-m training\.(\w+)((?:[^\n]*\\\n)*[^\n]*)")


def text_of(recipe: Path) -> str:
    lines = recipe.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.lstrip().startswith("#"))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.name)
def test_a_recipe_is_shell_and_its_stages_have_the_flags_it_gives(
    recipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["bash", "-n", recipe], check=True)
    for stage, arguments in CALL.findall(text_of(recipe)):
        if stage in ("train", "export", "toy_base", "neighbours", "align_llm"):
            pytest.importorskip("onnxscript", reason="needs the extra `train`")
        module = importlib.import_module(f"training.{stage}")
        with pytest.raises(SystemExit):
            module.main(["--help"])
        known = set(re.findall(r"--[a-z_]+", capsys.readouterr().out))
        given = set(re.findall(r"(?<![-\w])--[a-z_]+", arguments))
        assert given <= known, f"{recipe.name}: {stage} has no {given - known}"


def test_the_harness_has_the_flags_that_the_recipes_give_it() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "lm_eval", "run", "--help"], capture_output=True, text=True
    ).stdout
    text = text_of(REPO / "training" / "recipes" / "candidates.sh")
    given = set(re.findall(r"--[a-z_]+", text[text.index("lm_eval --model") :]))
    assert {"--include_path", "--predict_only", "--log_samples"} <= given
    assert given <= set(re.findall(r"--[a-z_]+", shown))


def started(work: Path) -> subprocess.Popen[str]:
    """toy.sh in a process group of its own, so that a kill takes the stage it is in."""
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment |= {
        "OMP_NUM_THREADS": "1"
    }  # the model is tiny; more threads only wait for each other
    return subprocess.Popen(
        ["bash", REPO / "training" / "recipes" / "toy.sh", work], env=os.environ | environment, cwd="/", text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the toy recipe leaves when nothing disturbs it."""
    pytest.importorskip("onnxscript", reason="needs the extra `train`")
    work = tmp_path_factory.mktemp("toy")
    process = started(work)
    shown = process.communicate()[0]
    assert process.returncode == 0, shown[-3000:]
    return work


def weights(judge: Path) -> dict[str, Any]:
    from safetensors.numpy import load_file

    return load_file(judge / "model.safetensors")


def test_from_sample_logs_to_an_exported_judge_that_was_measured(finished: Path) -> None:
    candidates = list(read_rows(finished / "candidates.jsonl"))
    labelled = [line["label"] for line in finished_lines(finished / "labels.jsonl")[1]]
    assert len({row["id"] for row in candidates}) == len(candidates) == len(labelled) == 288
    assert {row["category"] for row in candidates} == {
        "multiple_choice",
        "context_extraction",
        "open_math",
    }
    assert min(labelled.count(0), labelled.count(1)) > 50
    card = JudgeCard.read(finished / "exported")
    assert card.training["rows"] == sum(1 for _ in read_rows(finished / "train.jsonl"))
    assert card.parity["n"] > 20
    figures = json.loads((finished / "evaluation.json").read_text())["accuracy"]
    assert {(entry["split"], entry["n"] > 0) for entry in figures} == {("dev", True)}


def kill_once(work: Path, reached: Callable[[], bool], pause: float) -> None:
    """Starts the recipe, waits for a state of the work folder and `pause` seconds more, and kills it."""
    process = started(work)
    while process.poll() is None and not reached():
        time.sleep(0.005)
    time.sleep(pause)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_killed_in_every_stage_it_loses_and_repeats_nothing(finished: Path, tmp_path: Path) -> None:
    rng = random.Random(0)

    def exists(name: str) -> Callable[[], bool]:
        return lambda: any(tmp_path.glob(name))

    kill_once(tmp_path, exists("labels.jsonl"), rng.uniform(0, 0.05))
    kill_once(tmp_path, exists("labels.jsonl.manifest.json"), rng.uniform(0, 1))  # triplets
    kill_once(tmp_path, exists("triplets/manifest.json"), rng.uniform(0, 1))  # mix
    kill_once(tmp_path, exists("judge/checkpoint-*"), rng.uniform(0, 0.5))
    checkpoint = max(
        tmp_path.glob("judge/checkpoint-*"), key=lambda path: int(path.name.split("-")[1])
    )
    cut = checkpoint.with_name(
        "checkpoint-99999"
    )  # what a kill while a checkpoint is written leaves
    shutil.copytree(checkpoint, cut)
    (cut / "trainer_state.json").write_bytes((checkpoint / "trainer_state.json").read_bytes()[:100])
    kill_once(tmp_path, exists("judge/judge_card.json"), rng.uniform(0, 8))  # export
    process = started(tmp_path)
    shown = process.communicate()[0]
    assert process.returncode == 0, shown[-3000:]

    said = [
        {line["id"]: line["label"] for line in finished_lines(w / "labels.jsonl")[1]}
        for w in (finished, tmp_path)
    ]
    assert said[0] == said[1]
    assert len(finished_lines(tmp_path / "labels.jsonl")[1]) == len(said[0])
    for name in (
        "candidates.jsonl",
        "train.jsonl",
        *(f.relative_to(finished) for f in finished.rglob("*.jsonl.gz")),
    ):
        assert (finished / name).read_bytes() == (tmp_path / name).read_bytes(), name
    one, other = weights(finished / "judge"), weights(tmp_path / "judge")
    assert max(float(abs(one[name] - other[name]).max()) for name in one) < 1e-5
    assert (
        JudgeCard.read(tmp_path / "exported").parity["n"]
        == JudgeCard.read(finished / "exported").parity["n"]
    )


def test_several_processes_share_the_papers_batch_of_32(eurobert: Path, tmp_path: Path) -> None:
    pytest.importorskip("accelerate", reason="needs the extra `train`")
    rows = [
        {"question": f"{i}?", "candidate": "a", "reference": "ab"[i % 2], "label": 1 - i % 2}
        for i in range(96)
    ]
    write_rows(tmp_path / "train.jsonl", rows)
    process = subprocess.run(
        [
            sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "-m", "training.train",
            "--train", tmp_path / "train.jsonl", "--base", eurobert, "--output_dir", tmp_path / "judge",
            "--max_length", "64", "--save_steps", "3", "--epochs", "1", "--batch_size", "32",
        ],
        capture_output=True, text=True, cwd=REPO, env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert process.returncode == 0, process.stderr[-3000:]
    state = json.loads((tmp_path / "judge" / "checkpoint-3" / "trainer_state.json").read_text())
    assert (state["global_step"], state["max_steps"]) == (3, 3)
    assert JudgeCard.read(tmp_path / "judge").training["rows"] == 96
    load_judge(str(tmp_path / "judge")).predict(candidates=["a"], references=["a"])


def sums(hub: Path, n: int) -> Path:
    """GSM8K's train split as a local dataset, with `n` sums in place of its questions."""
    shutil.copytree(REPO / "tests" / "fixtures" / "hub" / "openai", hub / "openai")
    docs = [
        {"question": f"What is {i} + {3 * i + 1}?", "answer": f"#### {4 * i + 1}"} for i in range(n)
    ]
    docs += [{"question": f"What is {i} + {i}?", "answer": f"#### {2 * i}"} for i in range(n)]
    lines = "".join(json.dumps(doc) + "\n" for doc in docs)
    (hub / "openai" / "gsm8k" / "main" / "train.jsonl").write_text(lines)
    return hub


def served(work: Path, model: str, **settings: str) -> str:
    """Runs vllm_toy.sh with the embedded judge in the place of the one that it would train."""
    shutil.copytree(REPO / "lm_eval_bertjudge" / "checkpoints" / "default", work / "exported")
    (work / "judge").mkdir()
    (work / "judge" / "judge_card.json").touch()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment |= {
        "PORT": str(port),
        "BASE": "unused",
        "PYTHONPATH": str(REPO),
        "HF_DATASETS_CACHE": str(work / "ds"),
    }
    process = subprocess.run(
        ["bash", REPO / "training" / "recipes" / "vllm_toy.sh", work, model],
        env=os.environ | environment | settings, capture_output=True, text=True,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr[-3000:]
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", port)) != 0, "the server was left running"
    return process.stdout


def test_served_answers_are_generated_labelled_and_split(tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="needs the extra `llm`")
    served(
        tmp_path, "models/adder", SERVE=f"{sys.executable} -m tests.fake_vllm",
        DATASETS_DIR=str(sums(tmp_path / "hub", 20)), TASKS="gsm8k_train_bertjudge", LM_EVAL_ARGS="--limit 40",
    )  # fmt: skip
    labels = {line["id"]: line["label"] for line in finished_lines(tmp_path / "labels.jsonl")[1]}
    rows = {row["id"]: row for row in read_rows(tmp_path / "candidates.jsonl")}
    assert len(labels) == 40
    assert {row["generator"] for row in rows.values()} == {"adder"}
    assert {
        name: int(rows[name]["references"] == [rows[name]["candidate"].split()[-1]])
        for name in labels
    } == labels
    assert set(labels.values()) == {0, 1}
    assert (
        json.loads((tmp_path / "evaluation.json").read_text())["accuracy"][0]["source"]
        == "gsm8k_train"
    )


@pytest.mark.skipif(
    not os.environ.get("BERTJUDGE_TEST_SERVE"),
    reason='needs BERTJUDGE_TEST_SERVE (such as "vllm serve") and BERTJUDGE_TEST_MODEL, a chat model for it',
)
def test_a_real_server_answers_and_labels(tmp_path: Path) -> None:
    served(
        tmp_path, os.environ["BERTJUDGE_TEST_MODEL"], SERVE=os.environ["BERTJUDGE_TEST_SERVE"],
        DATASETS_DIR=str(sums(tmp_path / "hub", 8)), TASKS="gsm8k_train_bertjudge_strict",
        LM_EVAL_ARGS="--limit 16 --gen_kwargs max_gen_toks=32", LABELLER_PROMPT="short",
    )  # fmt: skip
    manifest = json.loads((tmp_path / "labels.jsonl.manifest.json").read_text())
    assert manifest["n_replies"] == manifest["candidates"] > 0
    assert manifest["prompt_tokens"] > 100 * manifest["candidates"]
