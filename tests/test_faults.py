"""Faults provoked for real: nothing that was generated is lost, and the message says what to type next."""

from __future__ import annotations

import json
import math
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import lm_eval
import pytest

from lm_eval_bertjudge import cli, load_judge
from lm_eval_bertjudge.errors import CheckpointError, OutOfMemoryError
from lm_eval_bertjudge.harness import BertJudgeFilter, ReplayModel, recovery
from lm_eval_bertjudge.harness.metric import _spilled
from lm_eval_bertjudge.judges.encoder.cache import VerdictCache
from lm_eval_bertjudge.judges.encoder.load import DEFAULT_FOLDER
from lm_eval_bertjudge.judges.pool import JudgePool
from lm_eval_bertjudge.scorer import Scorer
from tests.conftest import CountingBackend, judge_with, unprivileged
from tests.test_harness import DOCS, OPTIONS
from tests.test_harness_run import NO_TASKS, QUESTIONS, config, judging

ANSWERS = [["Final answer: 18"], ["I would say Lima.", "Cusco"]]


@pytest.fixture(autouse=True)
def in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", None)
    _spilled.clear()
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # ignored where the tests run in the background
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> CountingBackend:
    """A judge that costs nothing, for what is not about the judge."""
    backend = CountingBackend()
    monkeypatch.setattr(JudgePool, "judge", lambda *_: judge_with(backend))
    return backend


def data(rows: list[dict[str, Any]]) -> Path:
    path = Path("questions.jsonl").absolute()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def evaluated(*tasks: Any, said: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    said = said or {row["question"]: row["said"] for row in QUESTIONS}
    found = lm_eval.simple_evaluate(
        model=ReplayModel(said),
        tasks=list(tasks),
        log_samples=True,
        bootstrap_iters=0,
        task_manager=NO_TASKS,
        **options,
    )
    assert found is not None
    return found


def resuming(caplog: pytest.LogCaptureFixture) -> str:
    """The command that the message says."""
    said = next(
        text for r in caplog.records if "once the cause is mended" in (text := r.getMessage())
    )
    return said.split("with:\n  ")[1]


def judged(command: str) -> list[dict[str, Any]]:
    output = Path(shlex.split(command)[shlex.split(command).index("--output") + 1])
    return [json.loads(line) for line in output.read_text().splitlines()]


# Documents and answers


def test_documents_and_answers_nobody_expects_are_each_decided_or_unjudged(
    quick: CountingBackend, caplog: pytest.LogCaptureFixture
) -> None:
    cases: dict[str, tuple[Any, Any, str]] = {  # question: answer, reference, what is said about it
        "none": (None, "18", "empty_answer"),
        "a number": (18, "18", "threshold"),
        "a dict": ({"answer": 18}, "18", "threshold"),
        "white space": (" \n\t\u200b", "18", "empty_answer"),
        "no reference": ("18", None, "no_reference"),
        "empty reference": ("18", "", "no_reference"),
        "long reference": ("18", "word " * 300, "reference_too_long"),
        "a megabyte": ("so " * 350_000 + "it is 18", "18", "threshold"),
        "NUL, half a surrogate, a bidi override": ("\x00\ud800\u202e18", "18", "threshold"),
    }
    docs = [{"question": q, "answer": reference} for q, (_, reference, _) in cases.items()]
    task = config(data(docs), doc_to_target="{{ answer }}", filter_list=[
        {"name": "judge", "filter": [judging(reference="answer")]},
        {"name": "cascade", "filter": [judging(reference="answer", method="cascade")]},
        {"name": "lexical", "filter": [judging(reference="answer", method="lexical")]},
    ])  # fmt: skip
    found = evaluated(task, said={q: answer for q, (answer, _, _) in cases.items()})
    reasons = {
        (sample["filter"], sample["doc"]["question"]): sample["filtered_resps"][0][0]["reason"]
        for sample in json.loads(json.dumps(found["samples"]["mine"], default=dict))
    }
    assert {q: reasons["judge", q] for q in cases} == {
        q: reason for q, (_, _, reason) in cases.items()
    }
    for question, (_, _, reason) in cases.items():
        assert reasons["cascade", question] in {reason, reason.replace("threshold", "match")}
    assert reasons["lexical", "no reference"] == "no_reference"
    assert (
        "bertjudge judge: of 9 answers 3 unjudged (no_reference, reference_too_long), 1 judged on"
        in caplog.text
    )


def test_a_column_that_only_some_documents_have_keeps_the_answers(
    caplog: pytest.LogCaptureFixture,
) -> None:
    options = judging(reference="{{ answer if question != '2 + 5?' else target }}")
    del options["function"]
    BertJudgeFilter(**options).apply([[row["said"]] for row in QUESTIONS], QUESTIONS)
    assert "failed on a document with fields answer, question, said: UndefinedError" in caplog.text
    assert "The 3 answers of this task are in" in caplog.text


# A judge that fails after generation


def breaking(
    monkeypatch: pytest.MonkeyPatch, which: Callable[[Scorer], bool] = lambda _: True
) -> None:
    """Judging breaks, in a way that nothing before it could tell."""
    judge = Scorer.judge

    def broken(self: Scorer, items: Any, **options: Any) -> Any:
        if which(self):
            raise MemoryError("no room")
        return judge(self, items, **options)

    monkeypatch.setattr(Scorer, "judge", broken)


def test_a_failing_judge_leaves_the_other_tasks_and_pipelines_their_results(
    quick: CountingBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaking(monkeypatch, lambda pipeline: pipeline.options.batch_tokens == 7)
    first = config(data(QUESTIONS), task="first", filter_list=[
        {"name": "broken", "filter": [judging(batch_tokens=7)]},
        {"name": "lexical", "filter": [judging(method="lexical")]},
    ])  # fmt: skip
    second = config(
        data(QUESTIONS), task="second", filter_list=[{"name": "judge", "filter": [judging()]}]
    )
    found = evaluated(first, second)
    assert math.isnan(found["results"]["first"]["bertjudge,broken"])
    assert found["results"]["first"]["bertjudge,lexical"] == pytest.approx(1 / 3)
    assert 0 <= found["results"]["second"]["bertjudge,judge"] <= 1
    assert "|NaN|" in lm_eval.utils.make_table(found).replace(" ", "")
    rows = [
        json.loads(line)
        for line in next(Path.cwd().glob("bertjudge_unjudged_*")).read_text().splitlines()
    ]
    assert [row["candidate"] for row in rows] == [row["said"] for row in QUESTIONS]
    assert [row["doc"] for row in rows] == QUESTIONS


@pytest.fixture(scope="module")
def mendable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded judge in a folder with a blank, without its weights."""
    folder = tmp_path_factory.mktemp("a judge") / "copied"
    shutil.copytree(DEFAULT_FOLDER, folder)
    (folder / "model.onnx").rename(folder / "model.onnx.away")
    return folder


def test_the_command_in_the_message_judges_as_the_run_would_have(
    mendable: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """From a shell, with quotes, dollars and line breaks in the template, after the judge was mended."""
    options = {
        "question": "{{ question }}\n\nIt's $5: say \"X\".", "reference": "{{ answer }}", "method": "cascade",
        "judge": str(mendable), "backend": "onnx", "threshold": 0.25,
    }  # fmt: skip
    failed = BertJudgeFilter(**options).apply(ANSWERS, DOCS)
    assert {row["reason"] for rows in failed for row in rows} == {"judging_failed"}
    assert f"judging failed: {mendable / 'model.onnx'} cannot be opened" in caplog.text
    command = resuming(caplog)
    (mendable / "model.onnx.away").rename(mendable / "model.onnx")
    ours = shlex.join([sys.executable, "-m", "lm_eval_bertjudge"])
    done = subprocess.run(
        command.replace("bertjudge", ours, 1), shell=True, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("3 answers, 0.6667 right\n")
    expected = BertJudgeFilter(**options).apply(ANSWERS, DOCS)
    flat = [(index, row) for index, rows in enumerate(expected) for row in rows]
    assert {row["source"] for _, row in flat} == {"rule", "encoder"}
    assert [
        (row["doc_id"], {name: row[name] for name in flat[0][1]}) for row in judged(command)
    ] == flat


def test_the_command_does_not_repeat_the_mistake(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = [{"answer": "18"}, {"question": "6 * 3?", "answer": "18"}]
    BertJudgeFilter(**OPTIONS).apply([["18"], ["Final answer: 18"]], docs)
    said = next(record.getMessage() for record in caplog.records)
    assert "question: the document has no field 'question'" in said
    assert "once the cause is mended, with the right question for TEMPLATE, with:" in said
    command = resuming(caplog)
    assert "--question TEMPLATE --" in command or command.endswith("--question TEMPLATE")
    mended = command.replace("TEMPLATE", "'{{ question | default(answer) }}'")
    assert cli.main(shlex.split(mended)[1:]) == 0
    assert capsys.readouterr().out.endswith("2 answers, 1.0000 right\n")
    assert [(row["question"], row["references"]) for row in judged(command)] == [
        ("18", ["18"]),
        ("6 * 3?", ["18"]),
    ]


def test_answers_whose_question_is_a_function_are_judged_from_the_file_alone(
    quick: CountingBackend, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rows = recovery.rows(ANSWERS, DOCS, options=OPTIONS, task="mine")
    assert [(row["task"], row["question"], row["references"]) for row in rows] == [
        ("mine", "6 * 3?", ["18"]),
        ("mine", "Capital of Peru?", ["Lima"]),
        ("mine", "Capital of Peru?", ["Lima"]),
    ]
    path = recovery.save(rows)
    assert (
        cli.main(["judge", "--input", str(path), "--output", "out.jsonl", "--method", "lexical"])
        == 0
    )
    assert cli.main(["rejudge", str(path), "--output", "rejudged", "--method", "lexical"]) == 0


def test_answers_of_a_wrong_template_are_rejudged_with_the_right_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where a document has no usual field that could be guessed, rejudging waits for a template."""
    docs = [{"frage": doc["question"], "antwort": doc["answer"]} for doc in DOCS]
    options = OPTIONS | {"question": "farge", "reference": "antwort"}
    path = recovery.save(recovery.rows(ANSWERS, docs, options=options, task="mine"))
    assert cli.main(["rejudge", str(path), "--output", "rejudged"]) == 2
    refusal = capsys.readouterr().err
    assert "a reference was expected" in refusal
    assert "--reference" in refusal
    flags = ("--question", "frage", "--reference", "antwort", "--method", "lexical")
    assert cli.main(["rejudge", str(path), "--output", "rejudged", *flags]) == 0
    assert questions_and_references() == [
        tuple(doc.values()) for doc in (DOCS[0], DOCS[1], DOCS[1])
    ]


def test_answers_of_a_wrong_template_are_rejudged_by_the_usual_fields_of_their_documents() -> None:
    options = OPTIONS | {"question": "questoin"}
    path = recovery.save(recovery.rows(ANSWERS, DOCS, options=options, task="mine"))
    assert cli.main(["rejudge", str(path), "--output", "rejudged", "--method", "lexical"]) == 0
    assert questions_and_references() == [
        tuple(doc.values()) for doc in (DOCS[0], DOCS[1], DOCS[1])
    ]


def questions_and_references() -> list[tuple[str, str]]:
    (path,) = Path("rejudged").glob("verdicts_*.jsonl")
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(row["question"], *row["references"]) for row in rows]


CHOICES = [
    {"method": "lexical", "match": "exact"},
    {"method": "cascade", "fallback": "parse_failure"},
    {"include_question": False, "question": "no_such_field"},
    {"threshold": 0.9, "batch_tokens": 64},
]


@pytest.mark.parametrize("more", CHOICES, ids=str)
def test_the_command_carries_the_options(
    quick: CountingBackend,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    more: dict[str, Any],
) -> None:
    def out_of_memory(*args: object, **_: object) -> None:
        raise MemoryError("no room")

    options = OPTIONS | more
    with monkeypatch.context() as patched:
        patched.setattr(Scorer, "judge", out_of_memory)
        BertJudgeFilter(**options).apply(ANSWERS, DOCS)
    assert "judging failed: MemoryError('no room')" in caplog.text
    command = resuming(caplog)
    assert cli.main(shlex.split(command)[1:]) == 0
    expected = [row for rows in BertJudgeFilter(**options).apply(ANSWERS, DOCS) for row in rows]
    assert [{name: row[name] for name in expected[0]} for row in judged(command)] == expected


def test_a_key_that_stands_in_the_options_is_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    llm = {"model": "m", "api_key": "sk-secret"}
    BertJudgeFilter(**OPTIONS, method="llm", llm=llm).apply(ANSWERS, DOCS)
    assert "llm has no option api_key" in caplog.text
    assert "sk-secret" not in caplog.text


def test_the_metric_alone_saves_all_answers_of_the_run_in_one_file(
    quick: CountingBackend, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    metric = {
        "metric": "bertjudge",
        "aggregation": "mean",
        "higher_is_better": True,
        "threshold": 0.5,
    }
    with monkeypatch.context() as patched:
        breaking(patched)
        found = evaluated(config(data(QUESTIONS), metric_list=[metric]))
    assert math.isnan(found["results"]["mine"]["bertjudge,none"])
    assert caplog.text.count("judging failed") == 1
    assert "MemoryError('no room')" in caplog.text
    command = resuming(caplog)
    assert cli.main(shlex.split(command)[1:]) == 0
    rows = judged(command)
    assert [row["candidate"] for row in rows] == [row["said"] for row in QUESTIONS]
    assert [row["doc"]["reference"] for row in rows] == ["18", "7", "4"]
    assert {row["source"] for row in rows} == {"encoder"}


# Being stopped


def sleeping(*args: object, **_: object) -> None:
    time.sleep(30)


@pytest.mark.parametrize(
    ("number", "error", "status"),
    [(signal.SIGINT, KeyboardInterrupt, None), (signal.SIGTERM, SystemExit, 143)],
)
def test_ctrl_c_and_sigterm_save_the_answers_and_end_the_run(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    number: int,
    error: type,
    status: int | None,
) -> None:
    monkeypatch.setattr(Scorer, "judge", sleeping)
    threading.Timer(0.3, os.kill, (os.getpid(), number)).start()
    with pytest.raises(error) as caught:
        BertJudgeFilter(**OPTIONS).apply(ANSWERS, DOCS)
    assert getattr(caught.value, "code", None) == status
    assert "The 3 answers of this task are in" in caplog.text
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    monkeypatch.undo()
    os.chdir(Path(resuming(caplog).split()[3]).parent)
    assert cli.main([*shlex.split(resuming(caplog))[1:], "--method", "lexical"]) == 0
    assert [row["correct"] for row in judged(resuming(caplog))] == [True, False, False]


def test_somebody_elses_sigterm_handler_stays() -> None:
    def theirs(*args: object) -> None: ...

    before = signal.signal(signal.SIGTERM, theirs)
    try:
        with recovery.termination_raises():
            assert signal.getsignal(signal.SIGTERM) is theirs
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_second_run_of_the_command_line_is_not_spoilt_by_ctrl_c(
    quick: CountingBackend, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"reference": "18", "candidate": f"{n}"} for n in range(3)]
    arguments = ["judge", "--input", str(data(rows)), "--output", "out.jsonl"]
    with monkeypatch.context() as patched:
        patched.setattr(Scorer, "judge", sleeping)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        assert cli.main(arguments) == 130
    assert capsys.readouterr().err == "bertjudge: interrupted\n"
    assert not Path("out.jsonl").exists()
    assert cli.main(arguments) == 0
    assert len(Path("out.jsonl").read_text().splitlines()) == 3


# Disks


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow beyond 4 KB: writing fails in the system call, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_answers_go_elsewhere_where_the_working_directory_is_read_only(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    elsewhere = open_folder / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o777)
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    open_folder.chmod(0o555)
    with unprivileged():
        BertJudgeFilter(**OPTIONS, metod="x").apply(ANSWERS, DOCS)
    saved = Path(resuming(caplog).split()[3])
    assert saved.parent == elsewhere
    assert len(saved.read_text().splitlines()) == 3
    open_folder.chmod(0o755)


def test_answers_that_can_be_saved_nowhere_are_an_error_that_says_why(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with full_disk():
        found = BertJudgeFilter(**OPTIONS, metod="x").apply([["so " * 9000]], DOCS[:1])
    assert found[0][0]["reason"] == "judging_failed"
    assert f"could not be saved ({Path.cwd()}: File too large; " in caplog.text
    assert "no option metod" in caplog.text
    assert "only the sample log (--log_samples) has them" in caplog.text
    assert list(Path.cwd().iterdir()) == []


def test_a_full_disk_ends_bertjudge_judge_without_a_half_written_output(
    quick: CountingBackend, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = data([{"reference": "18", "candidate": f"{n} " * 99} for n in range(40)])
    Path("out.jsonl").write_text("before")
    with full_disk():
        assert cli.main(["judge", "--input", str(rows), "--output", "out.jsonl"]) == 2
    assert capsys.readouterr().err == "bertjudge: writing the output failed: File too large\n"
    assert Path("out.jsonl").read_text() == "before"


def test_a_full_disk_during_rejudge_costs_a_chunk_and_no_wrong_line(
    quick: CountingBackend, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lm_eval_bertjudge.rejudge.command.CHUNK", 4)
    rows = data(
        [{"id": n, "question": "q", "reference": "18", "candidate": f"{n}"} for n in range(20)]
    )
    whole = ["rejudge", str(rows), "--method", "judge", "--output"]
    assert cli.main([*whole, "whole"]) == 0
    with full_disk():
        assert cli.main([*whole, "cut"]) == 2
    assert "File too large" in capsys.readouterr().err
    asked = len(quick.rows)
    assert cli.main([*whole, "cut"]) == 0
    assert 0 < len(quick.rows) - asked < 20
    outputs = [Path(folder, "verdicts_questions.jsonl").read_bytes() for folder in ("whole", "cut")]
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ["judge", "--input", "questions.jsonl", "--output", "no/folder/out"],
            "no/folder/out.tmp: No such file or",
        ),
        (
            ["judge", "--input", "questions.jsonl", "--output", "questions.jsonl/out"],
            "Not a directory",
        ),
        (
            ["rejudge", "questions.jsonl", "--method", "lexical", "--output", "questions.jsonl"],
            "questions.jsonl: ",
        ),
        (
            ["rejudge", "questions.jsonl", "--method", "lexical", "--output", "locked"],
            "Permission denied",
        ),
        (
            ["report", "questions.jsonl", "--output", "locked/report.md"],
            "locked/report.md.tmp: Permission denied",
        ),
    ],
)
def test_an_output_that_cannot_be_written_is_one_line_and_exit_2(
    open_folder: Path, capsys: pytest.CaptureFixture[str], command: list[str], message: str
) -> None:
    data(
        [
            {
                "id": "1",
                "reference": "18",
                "candidate": "18",
                "correct": True,
                "source": "judge",
                "truncated": False,
            }
        ]
    )
    Path("locked").mkdir(mode=0o555)
    import_module("scipy.stats")  # root may have a Python that nobody else can read
    with unprivileged():
        assert cli.main(command) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1


# Judge folders


def cut(name: str, keep: float = 0.5) -> Any:
    def damage(folder: Path) -> None:
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: int(len(whole) * keep)])

    return damage


def card(**changes: Any) -> Any:
    def damage(folder: Path) -> None:
        path = folder / "judge_card.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return damage


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut("model.onnx"), "model.onnx cannot be opened"),
        (cut("model.onnx", 0), "model.onnx cannot be opened"),
        (cut("tokenizer.json"), "tokenizer.json cannot be read"),
        (cut("judge_card.json"), "judge_card.json cannot be read as a judge card"),
        (cut("config.json", 0), "cannot be opened"),
        (card(max_length="256"), "max_length is '256'"),
        (card(max_length=4), "max_length is 4"),
        (card(threshold=7), "threshold is 7"),
        (card(encoding="v9"), "input format 'v9'"),
        (shutil.rmtree, "no judge at"),
    ],
)  # fmt: skip
def test_a_damaged_judge_is_refused_with_the_file_that_is_damaged(
    tmp_path: Path, damage: Any, message: str
) -> None:
    folder = tmp_path / "damaged"
    shutil.copytree(DEFAULT_FOLDER, folder)
    damage(folder)
    with pytest.raises(CheckpointError, match=re.escape(message)):
        load_judge(str(folder))


def test_weights_that_were_cut_short_are_refused(tmp_path: Path, eurobert: Path) -> None:
    folder = tmp_path / "cut"
    shutil.copytree(eurobert, folder)
    cut("model.safetensors")(folder)
    with pytest.raises(
        CheckpointError, match="cannot be loaded as a sequence-classification checkpoint"
    ):
        load_judge(str(folder))


# A GPU without room


@pytest.mark.parametrize(
    ("room", "message"), [(500, None), (50, r"no room for \d+ answers of \d+ tokens")]
)
def test_a_full_gpu_halves_the_batch_once_and_then_says_what_would_fit(
    eurobert: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    room: int,
    message: str | None,
) -> None:
    """The memory is simulated: a model that refuses more than `room` padded tokens with the error of torch."""
    torch = pytest.importorskip("torch", reason="needs the extra `torch`")
    judge = load_judge(
        str(eurobert), backend="torch", batch_tokens=512 + room
    )  # for each case a judge of its own
    texts = {"candidates": [f"It is {n}, I think" for n in range(40)], "references": ["18"] * 40}
    expected = judge.predict(**texts)
    backend = judge._backend
    model = backend._model
    monkeypatch.setattr(judge, "_cache", VerdictCache())

    def small(input_ids: Any, attention_mask: Any) -> Any:
        if input_ids.numel() > room:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory")
        return model(input_ids=input_ids, attention_mask=attention_mask)

    monkeypatch.setattr(backend, "_model", small)
    if message is None:
        assert judge.predict(**texts) == pytest.approx(expected, abs=1e-5)
        assert caplog.text.count("batches are halved from here on") == 1
    else:
        with pytest.raises(OutOfMemoryError, match=message) as caught:
            judge.predict(**texts)
        assert re.search(
            r"Use batch_tokens: \d+ \(half of what failed\), or device: cpu", str(caught.value)
        )


# Threads and processes


def test_threads_get_the_verdicts_that_one_thread_gets() -> None:
    answers = [[f"Final answer: {n}" if n % 2 else f"I think it is {n}"] for n in range(16)]
    docs = [{"question": "How many?", "answer": str(n)} for n in range(16)]

    def verdicts(start: int) -> list[Any]:
        part = slice(start, start + 4)
        return BertJudgeFilter(**OPTIONS, method="cascade").apply(answers[part], docs[part])

    with ThreadPoolExecutor(4) as pool:
        together = [rows for part in pool.map(verdicts, range(0, 16, 4)) for rows in part]
    alone = [rows for start in range(0, 16, 4) for rows in verdicts(start)]
    for [one], [other] in zip(together, alone, strict=True):
        assert one["p_correct"] == pytest.approx(other["p_correct"], abs=1e-5)
        assert one["correct"] == other["correct"]
