from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from lm_eval_bertjudge.judges.encoder.card import JudgeCard
from lm_eval_bertjudge.judges.encoder.load import load_judge
from tests.conftest import save_tiny_judge
from tests.stages import refused

ship = pytest.importorskip("training.model.ship", reason="needs the extra `train`")
FIGURES = [
    {"split": "dev", "source": "a", "n": 8, "accuracy": 0.75, "low": 0.4, "high": 0.9, "f1": 0.7}
]
TEXT = "{{ card.name }}: {{ mean('dev') }}\n\n{{ table('dev') }}\n"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny judge as training.export and training.evaluate leave it."""
    transformers = pytest.importorskip("transformers")
    export = pytest.importorskip("training.model.export", reason="needs the extra `train`")
    folder = tmp_path_factory.mktemp("exported")
    config = transformers.BertConfig(
        vocab_size=403, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64
    )  # fmt: skip
    save_tiny_judge(folder, config)
    export.to_int8(folder, folder / "model.onnx")
    parity = {"n": 100, "threshold": 0.5, "max_dp": 0.01, "mean_dp": 0.001, "flips": 1}
    card = JudgeCard.read(folder)
    dataclasses.replace(card, parity=parity, accuracy=FIGURES).write(folder)
    return folder


def shipped(folder: Path, exported: Path, figures: list[dict[str, Any]], *flags: str) -> Path:
    (folder / "evaluation.json").write_text(json.dumps({"accuracy": figures, "sweep": {}}))
    (folder / "card.md").write_text(TEXT)
    paths = {"judge": exported, "evaluation": folder / "evaluation.json"}
    paths |= {"text": folder / "card.md", "output": folder / "default", "figures": folder / "docs"}
    given = [part for name, path in paths.items() for part in (f"--{name}", str(path))]
    ship.main([*given, *flags])
    return folder / "default"


def test_a_shipped_judge_has_its_card_its_figures_and_its_checksums(
    exported: Path, tmp_path: Path
) -> None:
    folder = shipped(tmp_path, exported, FIGURES)
    assert 0 < load_judge(str(folder)).predict(candidates=["a"], references=["a"])[0] < 1
    assert "0.750" in (folder / "README.md").read_text()
    figures = json.loads((tmp_path / "docs" / "evaluation.json").read_text())["accuracy"]
    assert JudgeCard.read(folder).accuracy == figures
    ship.main(["--check", "--output", str(folder)])
    (folder / "README.md").write_text("better")
    with refused("is not as SHA256SUMS says"):
        ship.main(["--check", "--output", str(folder)])


@pytest.mark.parametrize(
    ("figures", "flags", "message"),
    [
        ([FIGURES[0] | {"accuracy": 0.8}], (), "figures are not those of"),
        (FIGURES, ("--max_flips", "0.001"), "turns 1 of 100 verdicts"),
        (FIGURES, ("--max_mb", "0.001"), "MB in a wheel"),
        (FIGURES, ("--judge", "nowhere"), "has no model.onnx"),
    ],
    ids=["other figures", "flips", "size", "no judge"],
)
def test_what_does_not_fit_together_is_not_shipped(
    exported: Path,
    tmp_path: Path,
    figures: list[dict[str, Any]],
    flags: tuple[str, ...],
    message: str,
) -> None:
    with refused(message):
        shipped(tmp_path, exported, figures, *flags)
    assert not (tmp_path / "default").exists()
    assert not (tmp_path / "docs").exists()
