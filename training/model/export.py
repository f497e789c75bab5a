"""Stage: a fine-tuned judge to a judge folder: int8 ONNX, tokenizer, card, with the parity of the two measured.

    python -m training.export --model OUT --output JUDGE_DIR --check DEV_DIR

A BERT is written as the graph of `training/bert_graph.py`; any other encoder is exported by torch and quantised by
rows, or, where that flips too many verdicts, by blocks (`training/quantise.py`). Rows of every source in --check are
judged by the torch weights in fp32 and by the exported graph. Above 1% flipped verdicts the export is refused and
nothing is left at --output.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import onnx
import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.judges.encoder.card import JudgeCard
from lm_eval_bertjudge.judges.encoder.load import load_judge
from training import stage
from training.data.rows import Row, read_rows
from training.evaluation.evaluate import items_of
from training.model import bert_graph, quantise

MAX_FLIPS = 0.01
Quantised = Callable[[Path, Path], None]  # from an fp32 graph to an int8 one


class _Logits(torch.nn.Module):
    """The model with two tensors in and the logits out, as the onnx backend wants it."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.model(input_ids=input_ids, attention_mask=attention_mask).logits
        return logits


def to_int8(model_dir: Path, path: Path, *, quantised: Quantised = quantise.by_rows) -> None:
    """Writes the int8 graph: for a BERT the one of `bert_graph`, else the exporter's, quantised as said."""
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
        quantised(fp32, path)


def to_onnx(model: torch.nn.Module, path: Path) -> None:
    """Writes the fp32 graph."""
    ids = torch.arange(3 * 16).reshape(3, 16)
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    torch.onnx.export(
        _Logits(model).eval(),
        (ids, torch.ones_like(ids)),
        path,
        dynamo=True,
        opset_version=bert_graph.OPSET,
        external_data=False,
        input_names=["input_ids", "attention_mask"],
        output_names=["logits"],
        dynamic_shapes=(axes, axes),
        verbose=False,
    )


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


def exported(args: argparse.Namespace, rows: list[Row], work: Path) -> Path:
    """A judge folder below `work`: by rows, or where that flips too many verdicts, by blocks.

    Raises:
        InputError: Too many verdicts differ from the original's, whichever way.
    """
    ways = [quantise.by_rows, quantise.by_blocks]
    if bert_graph.supports(AutoConfig.from_pretrained(args.model)):
        ways = ways[:1]
    for quantised in ways:
        folder = work / quantised.__name__
        folder.mkdir()
        to_int8(args.model, folder / "model.onnx", quantised=quantised)
        for name in ("config.json", "tokenizer.json"):
            shutil.copy(args.model / name, folder / name)
        card = JudgeCard.read(args.model)
        card.write(folder)
        figures = parity(args.model, folder, rows)
        if figures["flips"] <= args.max_flips * len(rows):
            dataclasses.replace(card, parity=figures).write(folder)
            return folder
    raise InputError(
        f"refused: {figures['flips']} of {len(rows)} verdicts differ from the original's ({figures})"
    )


def parsed(argv: list[str] | None) -> argparse.Namespace:
    """The command line's arguments."""
    parser = stage.parser(__doc__)
    add = parser.add_argument
    add("--model", type=Path, required=True, help="output folder of training.train")
    add(
        "--output",
        type=Path,
        required=True,
        help="judge folder to write (replaced if there)",
    )
    add("--check", type=Path, required=True, help="folder with SOURCE.jsonl.gz")
    add("--check_rows", type=int, default=100, help="how many of each source")
    add(
        "--max_flips",
        type=float,
        default=MAX_FLIPS,
        help="share of verdicts that may differ",
    )
    return parser.parse_args(argv)


@stage.command
def main(argv: list[str] | None) -> None:
    args = parsed(argv)
    files = sorted(args.check.glob("*.jsonl.gz"))
    rows = [row for path in files for row in islice(read_rows(path), args.check_rows)]
    if not rows:
        raise InputError(
            f"--check {args.check} has no SOURCE.jsonl.gz: there is nothing to measure the export on"
        )
    with tempfile.TemporaryDirectory(dir=args.output.parent) as work:
        folder = exported(args, rows, Path(work))
        shutil.rmtree(args.output, ignore_errors=True)
        shutil.move(folder, args.output)
    print(f"{args.output}: {JudgeCard.read(args.output).parity}")


if __name__ == "__main__":
    main()
