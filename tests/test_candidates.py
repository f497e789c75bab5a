from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lm_eval_bertjudge.errors import InputError
from training.data import candidates
from training.data.rows import read_rows

DATES = ("2026-01-01T10-00-00.000001", "2026-01-02T10-00-00.000001")
MATHS = {
    "question": "6 * 3?",
    "answer": "#### 18",
    "problem": "6 * 3?",
    "references": ["18"],
    "formatting": "free",
}
CHOICE = {
    "question": "Which? ",
    "options": ["red", "blue"],
    "references": ["B) blue"],
    "formatting": "strict",
}
PASSAGE = {
    "context": "It opens at six.", "passage": "It opens at six.", "question": "When?", "references": ["six", "at six"],
    "formatting": "soft",
}  # fmt: skip
PROMPTS = {
    "free": "6 * 3?",
    "strict": "Answer the following multiple-choice question.\n\nQuestion: Which? \n\nChoices:\nA) red\nB) blue\n\n"
    'Respond only with the exact format "Final answer: X", where X is the letter of the correct choice.',
    "soft": "Answer the question based on the provided context.\n\nContext:\nIt opens at six.\n\nQuestion: When?\n\n"
    'Conclude your response with "Final answer: X", where X is the exact span from the context that answers the '
    "question.",
}


def log(
    folder: Path,
    task: str,
    doc: dict[str, Any],
    said: list[str],
    *,
    date: str = DATES[0],
    **config: Any,
) -> Path:
    """A run's folder as lm_eval 0.4.13 writes it, with one document."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = f"<user>{PROMPTS[doc['formatting']]}<end>"
    messages = json.dumps([{"role": "user", "content": PROMPTS[doc["formatting"]]}])
    request = {
        "arg_0": [messages] if config.get("model") == "local-chat-completions" else asked,
        "arg_1": {"until": [], "max_gen_toks": 200},
    }
    sample = {
        "doc_id": 7,
        "doc": doc,
        "target": doc["references"][0],
        "arguments": {"gen_args_0": request},
    }
    sample |= {
        "resps": [said],
        "filtered_resps": said[:1],
        "filter": "answers",
        "metrics": ["bypass"],
    }
    (folder / f"samples_{task}_{date}.jsonl").write_text(
        json.dumps(sample) + "\n", encoding="utf-8"
    )
    results = {"model_name": "org/model-1B", "config": {"model": "hf"} | config}
    (folder / f"results_{date}.json").write_text(json.dumps(results), encoding="utf-8")
    return folder


def collected(*folders: Path) -> list[dict[str, Any]]:
    return candidates.collect(list(folders))[0]


def test_a_candidate_has_what_the_model_was_asked_and_who_it_is(tmp_path: Path) -> None:
    log(
        tmp_path,
        "gsm8k_train_bertjudge_free",
        MATHS,
        ["It is 18."],
        model_sha="abc",
        model_revision="main",
    )
    (row,) = collected(tmp_path)
    assert row.pop("id").startswith("org/model-1B/gsm8k_train_bertjudge_free/7/")
    assert row == {
        "source": "gsm8k_train", "task": "gsm8k_train_bertjudge_free", "category": "open_math", "question": "6 * 3?",
        "prompt": "6 * 3?", "references": ["18"], "format": "free", "candidate": "It is 18.",
        "generator": "org/model-1B", "revision": "abc", "finish_reason": None, "licence": "MIT",
    }  # fmt: skip


def test_options_and_passages_have_their_own_columns(tmp_path: Path) -> None:
    log(tmp_path / "a", "arc_easy_train_bertjudge_strict", CHOICE, ["B"])
    log(tmp_path / "b", "squadv2_train_bertjudge", PASSAGE, ["six"])
    choice, passage = collected(tmp_path / "a"), collected(tmp_path / "b")
    assert choice[0]["question"] == "Which?\nA) red\nB) blue"
    assert (passage[0]["question"], passage[0]["context"]) == ("When?", "It opens at six.")
    assert [each[0]["prompt"] for each in (choice, passage)] == [PROMPTS["strict"], PROMPTS["soft"]]


@pytest.mark.parametrize(
    ("task", "doc", "source"),
    [
        ("hendrycks_math_train_algebra_bertjudge_free", MATHS, "hendrycks_math_train"),
        ("mmlu_train_bertjudge_strict", CHOICE, "mmlu_train"),
        ("arc_challenge_bertjudge_strict", CHOICE, "arc_challenge"),
    ],
)
def test_a_source_is_the_benchmark_whatever_the_format_and_subject(
    tmp_path: Path, task: str, doc: dict[str, Any], source: str
) -> None:
    log(tmp_path, task, doc, ["18"])
    assert collected(tmp_path)[0]["source"] == source


def test_of_repeats_equal_answers_are_one_candidate(tmp_path: Path) -> None:
    log(tmp_path, "gsm8k_train_bertjudge_free", MATHS, ["18", "It is 18.", "18"])
    rows, manifest = candidates.collect([tmp_path])
    assert [row["candidate"] for row in rows] == ["18", "It is 18."]
    assert manifest["n_equal_answers_left_out"] == 1


def test_the_request_of_a_chat_server_is_read_too(tmp_path: Path) -> None:
    log(tmp_path, "squadv2_train_bertjudge", PASSAGE, ["six"], model="local-chat-completions")
    assert collected(tmp_path)[0]["prompt"] == PROMPTS["soft"]


def test_a_second_run_of_a_task_replaces_the_first_and_gets_other_ids(tmp_path: Path) -> None:
    log(tmp_path, "gsm8k_train_bertjudge_free", MATHS, ["18"])
    (first,) = collected(tmp_path)
    assert collected(tmp_path) == [first]
    log(tmp_path, "gsm8k_train_bertjudge_free", MATHS, ["19"], date=DATES[1])
    (second,) = collected(tmp_path)
    assert second["candidate"] == "19"
    assert second["id"] != first["id"]


def test_a_prompt_that_is_no_longer_ours_is_refused(tmp_path: Path) -> None:
    log(tmp_path, "gsm8k_train_bertjudge_free", MATHS | {"problem": "6 * 4?"}, ["18"])
    with pytest.raises(InputError, match="document 7: the model was not asked"):
        collected(tmp_path)


def test_a_run_that_was_cut_short_is_named(tmp_path: Path) -> None:
    log(tmp_path, "gsm8k_train_bertjudge_free", MATHS, ["18"])
    sample = next(tmp_path.glob("samples_*"))
    (tmp_path / f"results_{DATES[0]}.json").rename(tmp_path / "kept")
    with pytest.raises(InputError, match="run was cut short"):
        collected(tmp_path)
    (tmp_path / "kept").rename(tmp_path / f"results_{DATES[0]}.json")
    sample.write_text(sample.read_text() + '{"doc_id": 8, "doc"')
    with pytest.raises(InputError, match="line 2 is not JSON"):
        collected(tmp_path)


def test_other_tasks_and_empty_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--log_samples"):
        collected(tmp_path)
    log(tmp_path, "gsm8k", {"question": "q", "references": ["1"], "formatting": "free"}, ["18"])
    with pytest.raises(InputError, match="expected was one of training/tasks"):
        collected(tmp_path)


def test_the_command_writes_rows_and_then_the_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log(tmp_path / "run", "gsm8k_train_bertjudge_free", MATHS, ["18"])
    out = tmp_path / "candidates.jsonl"
    candidates.main([str(tmp_path / "run"), "--output", str(out), "--generator", "mine"])
    assert [row["generator"] for row in read_rows(out)] == ["mine"]
    manifest = json.loads((tmp_path / "candidates.jsonl.manifest.json").read_text())
    assert manifest["rows_by_generator_source_format"] == {"mine gsm8k_train free": 1}
    assert "1 candidates of 1 models" in capsys.readouterr().out
