"""What holds for any input. Order, batches and neighbours: test_judge.py; markers and lengths: test_encoding.py."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lm_eval_bertjudge import cli, template
from lm_eval_bertjudge.errors import BertJudgeError, CheckpointError, InputError
from lm_eval_bertjudge.harness import VerdictRow, recovery
from lm_eval_bertjudge.io.answers import Reading
from lm_eval_bertjudge.io.formats import read_answers
from lm_eval_bertjudge.io.formats.plain import judge_item
from lm_eval_bertjudge.io.rows import read_rows
from lm_eval_bertjudge.judges.encoder.card import JudgeCard
from lm_eval_bertjudge.known_tasks import Templates
from lm_eval_bertjudge.options import JudgeOptions
from lm_eval_bertjudge.scorer import Scorer
from lm_eval_bertjudge.types import Source, Verdict

# More with FUZZ_EXAMPLES=20000, for a search of minutes.
N_EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "40"))
any_input = settings(
    max_examples=N_EXAMPLES,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.data_too_large,
    ],
)

text = st.text(st.characters() | st.sampled_from("\x00\ud800\u202e\r\n{}%[]\"'"), max_size=20)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | text
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3)
)
names = st.sampled_from(["question", "answer", "options", "self", "result", "loop", ""]) | text
docs = st.dictionaries(names, values, max_size=5)
template_texts = st.lists(
    st.sampled_from([
        "{{", "}}", "{%", "%}", "question", "answer", " ", ".", "[0]", "['x']", "|", "list", "map('upper')", "join",
        "(", ")", "for x in ", "if ", "endfor", "endif", "set x = ", "10", "**", "99999", "/0", "~", "'", "self", "x",
    ]) | text,
    max_size=8,
).map("".join)  # fmt: skip


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@any_input
@given(text=template_texts | names, doc=docs)
def test_rendering_gives_text_or_our_error(text: str, doc: dict[str, Any]) -> None:
    try:
        assert isinstance(template.question(text, doc), str)
        assert all(
            isinstance(each, str) and each.strip() for each in template.references(text, doc)
        )
    except InputError:
        pass


@any_input
@given(
    p=st.none() | st.floats(0, 1),
    correct=st.booleans(),
    source=st.sampled_from(list(Source)),
    reason=text,
)
def test_a_verdict_survives_json_and_the_harness_log(
    p: float | None, correct: bool, source: Any, reason: str
) -> None:
    row = Verdict(p, correct, source, False, reason).as_row()
    assert Verdict(**json.loads(json.dumps(row))) == Verdict(**row)
    assert json.loads(str(VerdictRow(row))) == row


SCORER = Scorer(JudgeOptions(question="question", reference="answer"))
TEMPLATES = Reading(templates=Templates("question", "answer"))


@any_input
@given(
    answers=st.lists(scalars | st.lists(text, max_size=2), min_size=1, max_size=4),
    doc=docs,
    reference=values,
)
def test_what_is_saved_is_judged_as_the_same_item(
    answers: list[Any], doc: Any, reference: Any, folder: Path
) -> None:
    doc = doc | {"question": "q", "answer": reference}
    path = recovery._written(recovery.rows([answers], [doc]), str(folder))
    again = [judge_item(row, TEMPLATES, "") for row in read_rows(path)]
    path.unlink()
    assert again == [SCORER.item(doc, answer) for answer in answers]


@any_input
@given(answers=st.lists(text, min_size=1, max_size=3), doc=docs)
def test_an_answer_leaves_a_sample_file_as_it_went_in(
    answers: list[str], doc: Any, folder: Path
) -> None:
    line = {
        "doc_id": 0,
        "doc": doc | {"q": "q", "a": "a"},
        "resps": [answers],
        "filtered_resps": answers,
        "target": "a",
    }
    file = folder / "samples_mine_2026-01-01T00-00-00.jsonl"
    file.write_text(json.dumps(line) + "\n")
    found = read_answers(file, Reading(templates=Templates("q", "a"), generator="g"))
    assert [row["candidate"] for row in found] == answers


# The keys that the readers look for, with anything in them.
keys = st.sampled_from([
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "exact_match", "candidate",
    "reference", "references", "question", "id", "generator", "task", "category", "old", "verdicts", "correct", "label",
    "p_correct", "source", "truncated", "reason", "run",
])  # fmt: skip
likely = values | st.sampled_from([
    0, "q", ["18"], [["18"]], {"q": "q", "a": "18"}, {"judge": {"correct": True, "p_correct": 0.5, "source": "judge"}},
    {"exact_match,none": 1.0}, [["", "18"]], "['18']",
])  # fmt: skip
rows = st.dictionaries(keys, likely, max_size=12) | values
contents = st.lists(rows.map(json.dumps), max_size=4).map("\n".join).map(str.encode) | st.binary(
    max_size=60
)
ENDINGS = (".jsonl", ".json", ".csv", ".jsonl.gz", ".parquet", "")
COMMANDS = (
    ("judge", "--input", "FILE", "--output", "out/v.jsonl", "--method", "lexical", "--match", "exact"),
    ("judge", "--input", "FILE", "--output", "out/v.jsonl", "--method", "lexical", "--match", "exact",
     "--reference", "{{ a }}"),
    ("rejudge", "FILE", "--output", "out", "--method", "lexical", "--match", "exact"),
    ("rejudge", "FILE", "--output", "out", "--method", "lexical", "--match", "exact", "--question", "q",
     "--reference", "{{ a }}"),
    ("agree", "FILE", "--labels", "FILE"),
    ("correct", "FILE", "--labels", "label"),
    ("label-sample", "FILE", "--n", "2", "--output", "out/labels.csv"),
    ("report", "FILE", "--output", "out/report.md", "--labels", "label"),
    ("report", "FILE", "--output", "out/report.md"),
)  # fmt: skip


@any_input
@given(content=contents, ending=st.sampled_from(ENDINGS), command=st.sampled_from(COMMANDS))
def test_no_file_gets_a_traceback_out_of_the_command_line(
    content: bytes, ending: str, command: tuple[str, ...], folder: Path
) -> None:
    before = Path.cwd()
    os.chdir(folder)
    try:
        shutil.rmtree("out", ignore_errors=True)
        Path("out").mkdir()
        file = Path(f"samples_mine{ending}")
        file.write_bytes(content)
        assert cli.main([str(file) if part == "FILE" else part for part in command]) in (0, 2)
        file.unlink()
    finally:
        os.chdir(before)


@any_input
@given(content=contents)
def test_a_card_is_read_or_refused(content: bytes, folder: Path) -> None:
    (folder / "judge_card.json").write_bytes(content)
    with pytest.raises(CheckpointError):
        JudgeCard.read(folder)


@any_input
@given(
    options=st.dictionaries(
        st.sampled_from(sorted(JudgeOptions.__dataclass_fields__)), values, max_size=5
    )
)
def test_options_are_read_or_refused_and_give_a_command(options: dict[str, Any]) -> None:
    with contextlib.suppress(BertJudgeError):
        JudgeOptions.read(options)
    assert recovery.command(Path("bertjudge_unjudged_1.jsonl"), options).startswith(
        "bertjudge judge --input"
    )
