"""Stage: a fine-tuned judge to a judge folder: int8 ONNX, tokenizer, card, with the parity of the two measured.

    python -m training.export --model OUT --output JUDGE_DIR --check dev.jsonl

The rows of --check are judged by the torch weights in fp32 and by the exported graph. Above 1% flipped verdicts the
export is refused and nothing is left at --output.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from transformers import AutoModelForSequenceClassification

from lm_eval_bertjudge.config import JudgeCard
from lm_eval_bertjudge.judge import load_judge
from training.rows import read_rows

MAX_FLIPS = 0.01
OPSET = 18


class _Logits(torch.nn.Module):
    """The model with two tensors in and the logits out, as the onnx backend wants it."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


def to_onnx(model_dir: Path, path: Path) -> None:
    """Writes the fp32 graph."""
    model = AutoModelForSequenceClassification.from_pretrained(model_dir, dtype=torch.float32)
    ids = torch.arange(3 * 16).reshape(3, 16)
    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    torch.onnx.export(
        _Logits(model).eval(), (ids, torch.ones_like(ids)), path, dynamo=True, opset_version=OPSET, external_data=False,
        input_names=["input_ids", "attention_mask"], output_names=["logits"], dynamic_shapes=(axes, axes),
        verbose=False,
    )  # fmt: skip


def to_int8(fp32: Path, int8: Path) -> None:
    """Writes the dynamically quantised graph: int8 weights per channel, activations quantised at run time."""
    prepared = fp32.with_name("prepared.onnx")
    quant_pre_process(str(fp32), str(prepared), skip_symbolic_shape=True)
    quantize_dynamic(str(prepared), str(int8), weight_type=QuantType.QInt8, per_channel=True)
    onnx.checker.check_model(str(int8))


def parity(original: Path, exported: Path, rows: list[dict]) -> dict[str, float | int]:
    """How the exported judge's p differs from the original's on `rows`."""
    fields = {
        "questions": [row["question"] for row in rows],
        "candidates": [row["candidate"] for row in rows],
        "references": [row["reference"] for row in rows],
    }
    before = load_judge(str(original), backend="torch", device="cpu", dtype="float32")
    p = np.array(before.predict(**fields))
    q = np.array(load_judge(str(exported), backend="onnx").predict(**fields))
    threshold = before.card.threshold
    return {
        "n": len(rows),
        "max_dp": round(float(np.abs(p - q).max()), 4),
        "mean_dp": round(float(np.abs(p - q).mean()), 5),
        "flips": int(((p >= threshold) != (q >= threshold)).sum()),
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="output folder of training.train")
    parser.add_argument("--output", type=Path, required=True, help="judge folder to write (replaced if there)")
    parser.add_argument("--check", type=Path, required=True, help=".jsonl rows with question, candidate, reference")
    parser.add_argument("--check_rows", type=int, default=1000, help="how many of them")
    args = parser.parse_args(argv)

    rows = [row for row, _ in zip(read_rows(args.check), range(args.check_rows))]  # noqa: B905 (the shorter ends it)
    with tempfile.TemporaryDirectory(dir=args.output.parent) as work:
        made = Path(work) / "judge"
        made.mkdir()
        to_onnx(args.model, Path(work) / "fp32.onnx")
        to_int8(Path(work) / "fp32.onnx", made / "model.onnx")
        for name in ("config.json", "tokenizer.json"):
            shutil.copy(args.model / name, made / name)
        card = JudgeCard.read(args.model)
        card.write(made)
        found = parity(args.model, made, rows)
        if found["flips"] > MAX_FLIPS * len(rows):
            raise SystemExit(f"refused: {found['flips']} of {len(rows)} verdicts differ from the original's ({found})")
        dataclasses.replace(card, parity=found).write(made)
        if args.output.exists():
            shutil.rmtree(args.output)
        shutil.move(made, args.output)
    print(f"{args.output}: {found}")


if __name__ == "__main__":
    main()
