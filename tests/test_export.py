"""The exported graph against the checkpoint it was made from."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from lm_eval_bertjudge.judges.encoder.card import JudgeCard
from tests.conftest import save_tiny_judge
from tests.triplet_rows import CHOICE

onnx = pytest.importorskip("onnx", reason="needs the extra `train`")
transformers = pytest.importorskip("transformers", reason="needs the extra `torch`")

from lm_eval_bertjudge.judges.encoder.backends.onnx import OnnxBackend
from lm_eval_bertjudge.judges.encoder.backends.torch import TorchBackend
from tests.stages import refused
from training.data.rows import write_rows
from training.model import bert_graph, export, quantise


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT, and its exported graph beside it; its weights are large enough that p is not always 0.5."""
    config = transformers.BertConfig(
        vocab_size=403, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=256, initializer_range=0.3,
    )  # fmt: skip
    folder = save_tiny_judge(tmp_path_factory.mktemp("judges") / "bert", config)
    export.to_int8(folder, folder / "model.onnx")
    return folder


def rows(n: int = 24) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.integers(3, 400, size=rng.integers(5, 60)) for _ in range(n)]


def padded(some: list[np.ndarray], length: int) -> tuple[np.ndarray, np.ndarray]:
    ids, mask = np.zeros((2, len(some), length), dtype=np.int64)
    for i, row in enumerate(some):
        ids[i, : len(row)], mask[i, : len(row)] = row, 1
    return ids, mask


def p(logits: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(logits[:, 0] - logits[:, 1].astype(np.float64)))


def test_the_int8_graph_of_a_bert_says_what_the_checkpoint_says(bert: Path) -> None:
    ids, mask = padded(rows(), 64)
    exported, original = (p(made(bert).logits(ids, mask)) for made in (OnnxBackend, TorchBackend))
    assert original.std() > 0.05
    assert np.abs(exported - original).mean() < 0.02


def test_padding_and_neighbours_do_not_change_what_the_int8_graph_says(bert: Path) -> None:
    judge = OnnxBackend(bert)
    together = p(judge.logits(*padded(rows(), 96)))
    alone = [p(judge.logits(*padded([row], len(row))))[0] for row in rows()]
    assert together == pytest.approx(alone, abs=1e-5)


def test_the_graph_has_no_weight_in_fp32_but_the_embeddings_of_positions_norms_and_head(
    bert: Path,
) -> None:
    graph = onnx.load(bert / "model.onnx").graph
    large = {
        c.name
        for c in graph.initializer
        if c.data_type == onnx.TensorProto.FLOAT and np.prod(c.dims) > 512
    }
    assert large == {"places", "bert.pooler.dense.weight"}


@pytest.mark.parametrize("spread", [0.01, 1.0, 30.0])
def test_two_products_of_activations_and_weights_fit_16_bits(spread: float) -> None:
    weight = np.random.default_rng(0).normal(scale=spread, size=(64, 48)).astype(np.float32)
    weight[:, 0] = 0
    weight[:2, 1] = 100 * spread
    ints, scale = quantise.int8_columns(weight)
    pairs = ints.astype(np.int64).reshape(-1, 2, 48)
    assert 255 * np.maximum(pairs, 0).sum(1).max() <= 32767
    assert 255 * np.minimum(pairs, 0).sum(1).min() >= -32768
    assert (np.abs(ints * scale - weight) <= 0.501 * scale).all()


@pytest.fixture(scope="module")
def others(eurobert: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A tiny EuroBERT exported in both ways."""
    assert not bert_graph.supports(transformers.AutoConfig.from_pretrained(eurobert))
    found = {}
    for way in (quantise.by_rows, quantise.by_blocks):
        folder = found[way.__name__] = tmp_path_factory.mktemp(way.__name__)
        export.to_int8(eurobert, folder / "model.onnx", quantised=way)
        (folder / "config.json").write_bytes((eurobert / "config.json").read_bytes())
    return found


@pytest.mark.parametrize("name", ["by_rows", "by_blocks"])
def test_other_encoders_are_exported_by_torch(
    eurobert: Path, others: dict[str, Path], name: str
) -> None:
    ids, mask = padded(rows(8), 64)
    judge = OnnxBackend(others[name])
    together = p(judge.logits(ids, mask))
    assert np.abs(together - p(TorchBackend(eurobert).logits(ids, mask))).max() < 0.02
    alone = [p(judge.logits(*padded([row], len(row))))[0] for row in rows(8)]
    assert together == pytest.approx(alone, abs=1e-5)


def test_by_rows_every_linear_layer_is_in_int8(others: dict[str, Path]) -> None:
    graph = onnx.load(others["by_rows"] / "model.onnx").graph
    assert not [
        c.name
        for c in graph.initializer
        if c.data_type == onnx.TensorProto.FLOAT and len(c.dims) == 2 and min(c.dims) > 2
    ]
    assert sum(node.op_type == "MatMulIntegerToFloat" for node in graph.node) > 7
    assert not any(node.metadata_props for node in graph.node)


@pytest.mark.parametrize(
    ("flips", "written"), [([0], "by_rows"), ([9, 0], "by_blocks"), ([9, 9], None)]
)
def test_what_flips_too_much_by_rows_is_written_by_blocks_or_refused(
    eurobert: Path, others: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    flips: list[int], written: str | None,
) -> None:  # fmt: skip
    model = tmp_path / "model"
    shutil.copytree(eurobert, model)
    JudgeCard(name="random", max_length=256).write(model)
    found = iter(flips)
    monkeypatch.setattr(export, "parity", lambda *args: {"flips": next(found)})
    write_rows(tmp_path / "check" / "m.jsonl.gz", [CHOICE])
    args = [
        "--model",
        str(model),
        "--output",
        str(tmp_path / "out"),
        "--check",
        str(tmp_path / "check"),
    ]
    if written is None:
        with refused(match="refused: 9 of"):
            export.main(args)
        assert not (tmp_path / "out").exists()
        return
    export.main(args)
    graph = onnx.load(tmp_path / "out" / "model.onnx").graph
    assert [n.op_type for n in graph.node] == [
        n.op_type for n in onnx.load(others[written] / "model.onnx").graph.node
    ]
