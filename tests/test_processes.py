"""Whole processes: the harness run from the command line, on two ranks, twice at once, and stopped; fork and spawn."""

from __future__ import annotations

import json
import multiprocessing
import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lm_eval_bertjudge import cli
from tests.conftest import byte_level_tokenizer
from tests.test_harness_run import QUESTIONS, REFERENCE

TASK = """
dataset_path: json
dataset_kwargs: {{data_files: "{data}"}}
test_split: train
output_type: generate_until
doc_to_text: "{{{{ question }}}}"
generation_kwargs: {{until: ["</s>"], max_gen_toks: 4}}
metric_list: [{{metric: bertjudge, aggregation: mean, higher_is_better: true}}]
"""
JUDGING = """
filter_list:
  - {{name: judge, filter: [{{function: bertjudge, question: question, reference: "{reference}", judge: "{judge}"}}]}}
  - {{name: lexical, filter: [{{function: bertjudge, question: question, reference: "{reference}", method: lexical}}]}}
"""
GROUP = """
group: both
task: [plain, thrice]
aggregate_metric_list: [{metric: bertjudge, aggregation: mean, weight_by_size: true, filter_list: [judge, lexical]}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Task files: `plain`, and `thrice` with three repeats and two gold answers, in the group `both`."""
    data = tmp_path / "questions.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    shared = TASK.format(data=data) + JUDGING.format(reference=REFERENCE, judge="default")
    gold = "{{ [answer.split('#### ')[-1], 'none'] }}"
    (tmp_path / "plain.yaml").write_text(f'task: plain\ndoc_to_target: "{REFERENCE}"\n{shared}')
    (tmp_path / "thrice.yaml").write_text(
        f'task: thrice\nrepeats: 3\ndoc_to_target: "{gold}"\n{shared}'
    )
    (tmp_path / "both.yaml").write_text(GROUP)
    return tmp_path


def started(folder: Path, *arguments: str, launcher: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        *launcher,
        "-m",
        "lm_eval",
        "run",
        "--include_path",
        str(folder),
        *arguments,
    ]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


class HangingServer:
    """An LLM server that takes a request and never answers it: judging with it takes for ever."""

    def __init__(self) -> None:
        pytest.importorskip("openai", reason="needs the extra `llm`")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(1.0)

    @property
    def options(self) -> dict[str, Any]:
        address = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        return {"judge": "llm", "llm": {"model": "stuck", "base_url": address}}

    def wait_for_request(self, client: subprocess.Popen[str]) -> None:
        """Waits until the other process has begun to judge."""
        while True:
            try:
                self._connection, _ = self._listener.accept()
            except TimeoutError:
                assert client.poll() is None, client.communicate()
            else:
                return

    def close(self) -> None:
        self._connection.close()
        self._listener.close()


def results(output: Path) -> dict[str, Any]:
    return json.loads(next(output.rglob("results_*.json")).read_text())  # type: ignore[no-any-return]


def samples(output: Path, task: str) -> list[dict[str, Any]]:
    lines = next(output.rglob(f"samples_{task}_*.jsonl")).read_text().splitlines()
    found = [json.loads(line) for line in lines]
    for sample in found:
        verdicts = sample["filtered_resps"][0]
        sample["verdicts"] = [json.loads(each) for each in verdicts]
    return found


def tiny_generator(folder: Path) -> Path:
    """A causal language model of a few thousand random weights."""
    transformers = pytest.importorskip("transformers", reason="needs the extra `torch`")
    config = transformers.LlamaConfig(
        vocab_size=403, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, max_position_embeddings=256, pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    byte_level_tokenizer().save(str(folder / "tokenizer.json"))
    names = {
        "pad_token": "<|pad|>",
        "eos_token": "<|end_of_text|>",
        "bos_token": "<|begin_of_text|>",
    }
    (folder / "tokenizer_config.json").write_text(
        json.dumps(names | {"tokenizer_class": "PreTrainedTokenizerFast"})
    )
    return folder


def test_two_ranks_judge_their_own_answers_and_the_numbers_are_of_all(folder: Path) -> None:
    pytest.importorskip("accelerate", reason="needs the extra `train`")
    model = tiny_generator(folder / "tiny")
    ranks = (
        "-m",
        "accelerate.commands.launch",
        "--cpu",
        "--num_processes",
        "2",
        "--num_machines",
        "1",
    )
    done = started(
        folder, "--model", "hf", "--model_args", f"pretrained={model}", "--tasks", "both", "--batch_size", "1",
        "--log_samples", "--output_path", "out", launcher=(*ranks, "--mixed_precision", "no", "--dynamo_backend", "no"),
    )  # fmt: skip
    _, shown = done.communicate()
    assert done.returncode == 0, shown[-3000:]
    found = results(folder / "out")
    for name in ("plain", "thrice", "both"):
        for pipeline in ("judge", "lexical"):
            assert 0 <= found["results"][name][f"bertjudge,{pipeline}"] <= 1
    for name in ("plain", "thrice"):
        judged = samples(folder / "out", name)
        ids = {(sample["filter"], sample["doc"]["question"]) for sample in judged}
        assert len(judged) == len(ids) == 2 * len(QUESTIONS)
        assert {verdict["source"] for sample in judged for verdict in sample["verdicts"]} <= {
            "encoder",
            "rule",
        }


def test_two_runs_at_once_share_a_folder_and_neither_disturbs_the_other(folder: Path) -> None:
    shared = ("--model", "dummy", "--tasks", "both", "--log_samples", "--output_path")
    first = started(folder, *shared, "first", "--samples", '{"plain": [0, 2], "thrice": [1]}')
    second = started(folder, *shared, "second", "--limit", "2", "--predict_only")
    for done in (first, second):
        _, shown = done.communicate()
        assert done.returncode == 0, shown[-3000:]
    assert [s["doc_id"] for s in samples(folder / "first", "plain") if s["filter"] == "judge"] == [
        0,
        2,
    ]
    [thrice] = [s for s in samples(folder / "first", "thrice") if s["filter"] == "judge"]
    assert len(thrice["verdicts"]) == 3
    assert "bertjudge,judge" in results(folder / "first")["groups"]["both"]
    assert len(samples(folder / "second", "plain")) == 4
    assert list(folder.glob("bertjudge_unjudged_*")) == []


def test_a_job_whose_time_is_up_during_judging_leaves_its_answers_and_the_command(
    folder: Path,
) -> None:
    server = HangingServer()
    options = json.dumps({"question": "question", "reference": REFERENCE, **server.options})
    judging = (
        f"filter_list: [{{name: judge, filter: [{{function: bertjudge, {options[1:-1]}}}]}}]\n"
    )
    task = TASK.format(data=folder / "questions.jsonl") + judging
    (folder / "stuck.yaml").write_text(f'task: stuck\ndoc_to_target: "{REFERENCE}"\n{task}')
    run = started(folder, "--model", "dummy", "--tasks", "stuck")
    server.wait_for_request(run)
    run.send_signal(signal.SIGTERM)
    _, shown = run.communicate()
    server.close()
    assert run.returncode == 143, shown[-3000:]
    assert "judging failed: stopped by SIGTERM\nThe 3 answers of this task are in" in shown
    command = shlex.split(
        next(line for line in shown.splitlines() if line.startswith("  bertjudge judge"))
    )
    command[command.index("--judge") + 1] = "default"
    at = command.index("--llm")
    del command[at : at + 2]
    assert cli.main(command[1:]) == 0
    verdicts = Path(command[command.index("--output") + 1]).read_text().splitlines()
    assert [json.loads(line)["source"] for line in verdicts] == ["encoder"] * 3


FORKED = """
import multiprocessing, os, sys
from lm_eval_bertjudge import cli
PAIR = ["judge", "--question", "Half of 2?", "--reference", "1", "--candidate", "It is 1."]
MATHS = [*PAIR[:-1], "Final answer: 2/2", "--method", "lexical", "--match", "math_verify"]
if __name__ == "__main__":
    for arguments in (PAIR, MATHS):
        cli.main(arguments)
        sys.stdout.flush()
        for method in ("fork", "spawn"):
            child = multiprocessing.get_context(method).Process(target=cli.main, args=(arguments,))
            child.start()
            child.join(200)
            assert child.exitcode == 0, (method, child.exitcode)
    os._exit(0)
"""


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork"
)
def test_a_process_forked_or_spawned_after_the_judge_was_used_can_judge(tmp_path: Path) -> None:
    (tmp_path / "forked.py").write_text(FORKED)
    done = subprocess.run(
        [sys.executable, tmp_path / "forked.py"], capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 6
    assert len(set(lines[:3])) == len(set(lines[3:])) == 1
    assert json.loads(lines[3])["correct"]
