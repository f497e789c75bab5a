"""Stage: a fine-tuned judge to a judge folder: int8 ONNX, tokenizer, card, with the parity of the two measured.

    python -m training.export --model OUT --output JUDGE_DIR --check DEV_DIR

A BERT is written as the graph of `training/bert_graph.py`; any other encoder is exported by torch and quantised by
blocks. Rows of every source in --check are judged by the torch weights in fp32 and by the exported graph. Above 1%
flipped verdicts the export is refused and nothing is left at --output.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.matmul_nbits_quantizer import DefaultWeightOnlyQuantConfig, MatMulNBitsQuantizer
from onnxruntime.quantization.shape_inference import quant_pre_process
from transformers import AutoModelForSequenceClassification

from lm_eval_bertjudge.config import JudgeCard
from lm_eval_bertjudge.judge import load_judge
from training import bert_graph
from training.evaluate import items_of
from training.rows import Row, read_rows

MAX_FLIPS = 0.01


class _Logits(torch.nn.Module):
    """The model with two tensors in and the logits out, as the onnx backend wants it."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


def to_int8(model_dir: Path, path: Path) -> None:
    """Writes the quantised graph: for a BERT the fast one, else the exporter's with weights in int8 by blocks."""
    model = AutoModelForSequenceClassification.from_pretrained(
        model_dir, dtype=torch.float32, attn_implementation="eager"
    )  # the graph of eager attention runs a fifth faster than that of SDPA
    config = model.config
    if bert_graph.supports(config):
        weights = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
        graph = bert_graph.bert_int8(
            weights,
            heads=config.num_attention_heads,
            layers=config.num_hidden_layers,
            eps=config.layer_norm_eps,
        )
        onnx.save(graph, str(path))
        return
    with tempfile.TemporaryDirectory() as work:
        fp32 = Path(work) / "fp32.onnx"
        to_onnx(model, fp32)
        by_blocks(fp32, path)


def to_onnx(model: torch.nn.Module, path: Path) -> None:
    """Writes the fp32 graph."""
    ids = torch.arange(3 * 16).reshape(3, 16)
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    torch.onnx.export(
        _Logits(model).eval(), (ids, torch.ones_like(ids)), path, dynamo=True, opset_version=bert_graph.OPSET,
        external_data=False, input_names=["input_ids", "attention_mask"], output_names=["logits"],
        dynamic_shapes=(axes, axes), verbose=False,
    )  # fmt: skip


def by_blocks(fp32: Path, int8: Path) -> None:
    """Quantises a graph: embeddings in int8, linear layers in int8 by blocks of 32 weights.

    Activations are quantised per row and block at run time. The usual dynamic quantisation takes one scale for the
    whole batch instead, so that an answer's p depends on its neighbours.
    """
    prepared, embedded = fp32.with_name("prepared.onnx"), fp32.with_name("embedded.onnx")
    quant_pre_process(str(fp32), str(prepared), skip_symbolic_shape=True)
    quantize_dynamic(str(prepared), str(embedded), weight_type=QuantType.QInt8, op_types_to_quantize=["Gather"])
    blocks = DefaultWeightOnlyQuantConfig(bits=8, block_size=32, is_symmetric=True, accuracy_level=4)
    quantizer = MatMulNBitsQuantizer(onnx.load(str(embedded)), algo_config=blocks)
    quantizer.process()
    model = quantizer.model.model
    graph = model.graph
    for part in (*graph.node, *graph.value_info, *graph.input, *graph.output, graph, model):
        del part.metadata_props[:]  # the exporter notes the source lines of this machine on every node
    onnx.save(model, str(int8))


def parity(original: Path, exported: Path, rows: list[Row]) -> dict[str, float | int]:
    """How the exported judge's p differs from the original's on labelled rows."""
    items = items_of(rows)
    before = load_judge(str(original), backend="torch", device="cpu", dtype="float32")
    p, q = (
        np.array([verdict.p_correct or 0.0 for verdict in judge.judge(items)])
        for judge in (before, load_judge(str(exported), backend="onnx"))
    )
    threshold = before.card.threshold
    return {
        "n": len(rows),
        "threshold": threshold,
        "max_dp": round(float(np.abs(p - q).max()), 4),
        "mean_dp": round(float(np.abs(p - q).mean()), 5),
        "flips": int(((p >= threshold) != (q >= threshold)).sum()),
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="output folder of training.train")
    parser.add_argument("--output", type=Path, required=True, help="judge folder to write (replaced if there)")
    parser.add_argument("--check", type=Path, required=True, help="folder with SOURCE.jsonl.gz")
    parser.add_argument("--check_rows", type=int, default=100, help="how many of each source")
    parser.add_argument("--max_flips", type=float, default=MAX_FLIPS, help="share of verdicts that may differ")
    args = parser.parse_args(argv)

    rows = [row for path in sorted(args.check.glob("*.jsonl.gz")) for row in islice(read_rows(path), args.check_rows)]
    if not rows:
        raise SystemExit(f"--check {args.check} has no SOURCE.jsonl.gz: there is nothing to measure the export on")
    with tempfile.TemporaryDirectory(dir=args.output.parent) as work:
        made = Path(work) / "judge"
        made.mkdir()
        to_int8(args.model, made / "model.onnx")
        for name in ("config.json", "tokenizer.json"):
            shutil.copy(args.model / name, made / name)
        card = JudgeCard.read(args.model)
        card.write(made)
        found = parity(args.model, made, rows)
        if found["flips"] > args.max_flips * len(rows):
            raise SystemExit(f"refused: {found['flips']} of {len(rows)} verdicts differ from the original's ({found})")
        dataclasses.replace(card, parity=found).write(made)
        if args.output.exists():
            shutil.rmtree(args.output)
        shutil.move(made, args.output)
    print(f"{args.output}: {found}")


if __name__ == "__main__":
    main()
