from __future__ import annotations

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai", reason="needs the extra `llm`")

from lm_eval_bertjudge.errors import InputError
from tests.fake_llm import completion, serving
from tests.stages import refused
from training.data import label
from training.data.journal import Journal, finished_lines
from training.data.rows import write_rows

YES, NO = "So. Final answer: True", "Final answer: False"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    write_rows(tmp_path / "c.jsonl", candidates(60))
    return tmp_path


def candidates(n: int) -> list[dict[str, Any]]:
    """Candidates of which every third is right; "it is <number>" occurs in no other's prompt."""
    return [
        {
            "id": f"m/t/{i}", "category": ("open_math", "multiple_choice")[i % 2], "prompt": "which number?",
            "references": [f"<{i - i % 3}>"], "candidate": f"it is <{i}>",
        }
        for i in range(n)
    ]  # fmt: skip


def said(prompt: str, _: int) -> str:
    """A labeller without fault on `candidates`."""
    number = prompt.split("it is <")[1].split(">")[0]
    return YES if f"\n<{number}>\n" in prompt else NO


def run(work: Path, url: str, *flags: str) -> None:
    given = (
        "--candidates",
        str(work / "c.jsonl"),
        "--output",
        str(work / "l.jsonl"),
        "--base_url",
        url,
    )
    label.main([*given, "--model", "m", "--retries", "0", "--concurrency", "4", *flags])


def labels(work: Path) -> dict[str, int | None]:
    lines = finished_lines(work / "l.jsonl")[1]
    assert len({line["id"] for line in lines}) == len(lines)
    return {line["id"]: line["label"] for line in lines}


def right() -> dict[str, int]:
    return {row["id"]: int(number % 3 == 0) for number, row in enumerate(candidates(60))}


def manifest(work: Path) -> dict[str, Any]:
    return json.loads((work / "l.jsonl.manifest.json").read_text())


def test_every_candidate_gets_its_own_label_and_the_cost_is_counted(work: Path) -> None:
    with serving(said) as fake:
        run(work, fake.url)
    assert labels(work) == right()
    found = manifest(work)
    assert (found["n_replies"], found["prompt_tokens"], found["completion_tokens"]) == (
        60,
        6000,
        300,
    )
    assert found["labels"] == {"0": 40, "1": 20}
    assert found["prompt"] == "long-1"
    assert found["wall_s"] > 0


def test_nemotron_is_told_not_to_think_and_asked_greedily(work: Path) -> None:
    with serving(said) as fake:
        run(work, fake.url, "--model", label.NEMOTRON)
    assert {json.dumps(body["messages"][0]) for body in fake.bodies} == {
        '{"role": "system", "content": "/no_think"}'
    }
    assert {(body["temperature"], body["max_tokens"]) for body in fake.bodies} == {(0.0, 2048)}
    assert manifest(work)["system_prompt"] == "/no_think"


def test_a_reply_without_a_verdict_is_no_label_and_not_asked_again(work: Path) -> None:
    odd = {"m/t/0": "I cannot say.", "m/t/1": completion(YES, finish_reason="length")}
    replies = {f"it is <{name[-1]}>": reply for name, reply in odd.items()}

    def answer(prompt: str, n: int) -> Any:
        return next((reply for text, reply in replies.items() if text in prompt), said(prompt, n))

    with serving(answer) as fake:
        run(work, fake.url)
        run(work, fake.url)
    assert len(fake.bodies) == 60
    assert labels(work) == right() | dict.fromkeys(odd)
    assert manifest(work)["reasons"] == {"verdict": 58, "unparsable": 1, "cut": 1}


def test_an_input_the_server_refuses_for_good_is_no_label_but_a_failed_one_is_asked_again(
    work: Path,
) -> None:
    def answer(prompt: str, n: int) -> Any:
        if "it is <5>" in prompt:
            return 400
        return 500 if "it is <7>" in prompt and n == 0 else said(prompt, n)

    with serving(answer) as fake:
        with refused(match=r"1 of 60 candidates got no reply \(.*http_500.*Kept: "):
            run(work, fake.url)
        assert "m/t/7" not in labels(work)
        assert not (work / "l.jsonl.manifest.json").exists()
        run(work, fake.url)
    assert labels(work) == right() | {"m/t/5": None}
    assert manifest(work)["reasons"]["http_400"] == 1


def started(work: Path, url: str) -> subprocess.Popen[str]:
    given = (
        "--candidates",
        work / "c.jsonl",
        "--output",
        work / "l.jsonl",
        "--base_url",
        url,
        "--model",
        "m",
    )
    command = [
        sys.executable,
        "-m",
        "training.label",
        *map(str, given),
        "--concurrency",
        "3",
        "--retries",
        "1",
    ]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def wait_for(work: Path, n_labels: int, process: subprocess.Popen[str]) -> None:
    while len(finished_lines(work / "l.jsonl")[1]) < n_labels:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        time.sleep(0.01)


def test_killed_at_random_moments_it_loses_and_repeats_no_label(work: Path) -> None:
    rng = random.Random(1)

    def slowly(prompt: str, n: int) -> str:
        time.sleep(rng.uniform(0.0, 0.1))
        return said(prompt, n)

    with serving(slowly) as fake:
        for kill in range(3):
            process = started(work, fake.url)
            wait_for(work, 12 * kill + 5, process)
            time.sleep(rng.uniform(0.0, 0.1))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            with (work / "l.jsonl").open("ab") as file:
                file.write(b'{"id": "m/t/half')  # what a kill in the middle of a write leaves
        run(work, fake.url)
    assert labels(work) == right()
    asked = Counter(body["messages"][-1]["content"] for body in fake.bodies)
    assert len(asked) == 60
    assert (
        sum(asked.values()) <= 60 + 3 * 3
    )  # only what was on its way when it was killed is asked twice
    found = manifest(work)
    assert (found["n_replies"], len(found["runs"])) == (60, 4)


def test_no_more_replies_wait_to_be_written_than_are_asked_for_at_once(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, unwritten = Journal.append, []
    with serving(said) as fake:

        def slowly(journal: Journal, row: dict[str, Any]) -> None:
            time.sleep(0.02)
            unwritten.append(len(fake.bodies) - len(journal.ids))
            append(journal, row)

        monkeypatch.setattr(Journal, "append", slowly)
        run(work, fake.url)
    assert labels(work) == right()
    assert max(unwritten) <= 4  # run asks for 4 at once


def test_a_server_that_dies_leaves_what_was_labelled_and_says_how_to_go_on(work: Path) -> None:
    with serving(lambda prompt, n: (time.sleep(0.02), said(prompt, n))[1]) as fake:
        process = started(work, fake.url)
        wait_for(work, 5, process)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 2
    assert "Traceback" not in error
    assert "no LLM server answers" in error
    assert "Kept: " in error
    assert 5 <= len(labels(work)) < 60
    with serving(said) as fake:
        run(work, fake.url)
    assert labels(work) == right()


def test_labels_of_two_models_are_never_in_one_file(work: Path) -> None:
    with serving(said) as fake:
        run(work, fake.url)
        with refused(match="use another file"):
            run(work, fake.url, "--model", "another")


def test_two_labellers_never_write_one_file(work: Path) -> None:
    with (
        Journal(work / "l.jsonl", {}),
        pytest.raises(InputError, match="another process"),
        Journal(work / "l.jsonl", {}),
    ):
        pass


def test_a_damaged_line_in_the_middle_is_named(work: Path) -> None:
    (work / "l.jsonl").write_text('{"settings": {}}\n{"id": "a"\n{"id": "b"}\n')
    with pytest.raises(InputError, match="line 2 is damaged"):
        finished_lines(work / "l.jsonl")


def test_rules_label_only_what_they_can_parse(tmp_path: Path) -> None:
    texts = {"a": "Final answer: 18", "b": "Final answer: 17", "c": "It is 18."}
    row = {"category": "open_math", "prompt": "6 * 3?", "references": ["18"]}
    write_rows(
        tmp_path / "c.jsonl",
        [row | {"id": name, "candidate": text} for name, text in texts.items()],
    )
    given = ["--candidates", str(tmp_path / "c.jsonl"), "--output", str(tmp_path / "l.jsonl")]
    label.main([*given, "--labeller", "lexical"])
    assert labels(tmp_path) == {"a": 1, "b": 0, "c": None}


def test_people_label_without_seeing_the_label_and_agreement_is_per_category(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(said) as fake:
        run(work, fake.url)
        run(work, fake.url, "--human_check", "20")
    sheet = work / "l.human.csv"
    with sheet.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert Counter(row["category"] for row in rows) == {"open_math": 10, "multiple_choice": 10}
    assert "label" not in rows[0]
    assert {row["human_label"] for row in rows} == {""}

    maths = [row for row in rows if row["category"] == "open_math"]
    for row in rows:
        row["human_label"] = str(right()[row["id"]])
    maths[0]["human_label"] = str(1 - right()[maths[0]["id"]])
    maths[1]["human_label"] = ""
    with sheet.open("w", newline="") as out:
        table = csv.DictWriter(out, rows[0])
        table.writeheader()
        table.writerows(rows)
    capsys.readouterr()
    run(work, "http://unused", "--score", str(sheet))
    shown = capsys.readouterr().out.splitlines()
    assert shown[2].startswith("| multiple_choice | 10 | 1.0000 | [0.7225, 1.0000] |")
    assert shown[3].startswith("| open_math | 9 | 0.8889 | [0.5650, 0.9801] |")
    assert shown[4].startswith("| mean | 19 | 0.9444 |")
    with refused(match="may be filled in"):
        run(work, "http://unused", "--human_check", "20")


def test_the_sheet_is_read_strictly(work: Path) -> None:
    with serving(said) as fake:
        run(work, fake.url)
    (work / "sheet.csv").write_text("human_label,id\nmaybe,m/t/1\n")
    with refused(match="must be 1, 0 or empty; it has maybe"):
        run(work, "http://unused", "--score", str(work / "sheet.csv"))
    (work / "sheet.csv").write_text("human_label,id\n1,unknown\n")
    with refused(match="1 ids have no label, such as unknown"):
        run(work, "http://unused", "--score", str(work / "sheet.csv"))
