"""What a hostile template or checkpoint must not be able to do, and that nothing is sent anywhere.

Hostile text in a report: test_report.py. Keys of LLM servers: test_llm.py.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lm_eval_bertjudge import load_judge, template
from lm_eval_bertjudge.errors import CheckpointError, InputError
from lm_eval_bertjudge.judges.encoder.load import DEFAULT_FOLDER
from tests.conftest import eurobert_config, save_tiny_judge
from tests.test_layers import imports

ROOT = Path(__file__).resolve().parents[1]
DOC = {"question": "q", "answer": "18", "items": [1, 2]}


# Templates

ESCAPES = [
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ question.__class__.__base__.__subclasses__()[0] }} x",
    "{{ cycler.__init__.__globals__.os.system('touch escaped') }}",
    "{{ self.__init__.__globals__ }}{{ question }}",
    "{{ question | attr('__class__') }}",
    "{{ '{0.__class__.__mro__}'.format(question) }}",
    "{{ (question | map('attr', '__class__') | list)[0] }}",
    "{% set f = cycler.__init__ %}{{ f.__globals__['os'].popen('touch escaped').read() }}",
    "{% include '/etc/passwd' %}{{ question }}",
    "{% import 'os' as os %}{{ os }}",
]


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_template_cannot_leave_the_document(
    escape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        InputError, match="failed on a document with fields answer, items, question"
    ):
        template.question(escape, DOC)
    assert not (tmp_path / "escaped").exists()


def test_a_template_cannot_count_for_ever() -> None:
    with pytest.raises(InputError, match="Range too big"):
        template.question("{% for i in range(999999999) %}{% endfor %}{{ question }}", DOC)


# Checkpoints

REMOTE_CODE = """
from pathlib import Path
Path(EXECUTED).touch()
from transformers import BertConfig as Config, BertForSequenceClassification as Model
"""


def test_code_that_comes_with_a_checkpoint_is_not_run(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="needs the extra `torch`")
    folder = save_tiny_judge(tmp_path / "remote", eurobert_config(transformers))
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "mine",
        "auto_map": {
            "AutoConfig": "code.Config",
            "AutoModelForSequenceClassification": "code.Model",
        },
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "code.py").write_text(
        REMOTE_CODE.replace("EXECUTED", repr(str(tmp_path / "executed")))
    )
    with pytest.raises(CheckpointError, match="cannot be loaded"):
        load_judge(str(folder), backend="torch")
    assert not (tmp_path / "executed").exists()


class Payload:
    """Runs a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[object, tuple[str]]:
        import os

        return os.system, (self.command,)


def test_pickled_weights_are_refused_unread(tmp_path: Path, eurobert: Path) -> None:
    torch = pytest.importorskip("torch", reason="needs the extra `torch`")
    folder = tmp_path / "pickled"
    shutil.copytree(eurobert, folder)
    (folder / "model.safetensors").unlink()
    torch.save({"weights": Payload(f"touch {folder / 'executed'}")}, folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=r"weights as pytorch_model\.bin, which is pickle"):
        load_judge(str(folder), backend="torch")
    assert not (folder / "executed").exists()


def test_no_module_reads_pickle_or_runs_text() -> None:
    forbidden = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve"}
    for path in (ROOT / "lm_eval_bertjudge").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        imported = {part for name in imports(path) for part in name.split(".")}
        assert not forbidden & imported, path
        assert (
            not {"eval", "exec", "compile", "torch.load", "np.load", "os.system", "os.popen"}
            & calls
        ), path
    assert sorted({path.suffix for path in DEFAULT_FOLDER.iterdir()}) == [".json", ".md", ".onnx"]


# The network

OFFLINE = """
import socket, sys

def refuse(event, arguments):
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.gethostname"):
        raise RuntimeError(f"network: {event} {arguments}")
    if event == "socket.__new__" and arguments[1] != socket.AF_UNIX:
        raise RuntimeError(f"network: {event} {arguments}")

sys.addaudithook(refuse)
from lm_eval_bertjudge import cli
from lm_eval_bertjudge.harness import BertJudgeFilter
docs = [{"question": "Half of 2?", "answer": "1"}]
for method in ("judge", "cascade", "lexical"):
    filter = BertJudgeFilter(question="question", reference="answer", method=method, match="math_verify")
    rows = filter.apply([["Final answer: 2/2"]], docs)
    assert rows[0][0]["reason"] in ("threshold", "match"), rows
assert cli.main(["judge", "--question", "q", "--reference", "1", "--candidate", "It is 1."]) == 0
try:
    socket.create_connection(("127.0.0.1", 9))
except RuntimeError:
    print("refused")
"""


def test_the_default_judge_opens_no_connection() -> None:
    done = subprocess.run([sys.executable, "-c", OFFLINE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("refused\n")
