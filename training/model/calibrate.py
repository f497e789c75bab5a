"""Stage: make p_correct mean what it says. Scale and shift of the logit, fitted on dev and folded into the classifier.

    python -m training.calibrate --model OUT --triplets DEV_DIR --sources evouna,zeroeval_gsm8k,mmlu_pro_outputs

Logistic regression of the label on the logit (Platt scaling), every source with the same weight. The decision at
p = .5 moves with the shift; the order of answers does not change. Running it again starts from the weights as trained.
--threshold sets the judge's decision apart from p = .5.
"""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from sklearn.linear_model import LogisticRegression

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.judges.encoder.card import JudgeCard
from lm_eval_bertjudge.judges.encoder.judge import load_judge
from lm_eval_bertjudge.types import Source
from training import stage
from training.data.rows import read_rows
from training.evaluation.evaluate import items_of

WEIGHTS = "model.safetensors"
AS_TRAINED = Path(
    "uncalibrated", WEIGHTS
)  # in a folder of its own: vLLM loads every *.safetensors beside the config


def fit(
    logit: NDArray[np.float64], labels: NDArray[np.int64], sources: NDArray[np.str_]
) -> tuple[float, float]:
    """Scale and shift so that sigmoid(scale * logit + shift) is the share of right answers; equal weight per source."""
    names, counts = np.unique(sources, return_counts=True)
    weight_of = dict(zip(names.tolist(), (1 / counts).tolist(), strict=True))
    weights = np.array([weight_of[name] for name in sources.tolist()])
    model = LogisticRegression(C=1e6).fit(
        logit[:, None], labels, sample_weight=weights * len(labels) / weights.sum()
    )
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def logits_of(model: Path, triplets: Path, sources: list[str]) -> tuple[NDArray, NDArray, NDArray]:
    """Logit of p_correct (best reference), label and source of every judged row."""
    judge = load_judge(str(model), backend="torch", device="cpu", dtype="float32")
    p, labels, names = [], [], []
    for source in sources:
        rows = [
            row for row in read_rows(triplets / f"{source}.jsonl.gz") if row["label"] is not None
        ]
        for row, verdict in zip(rows, judge.judge(items_of(rows)), strict=True):
            if verdict.p_correct is not None and verdict.source == Source.ENCODER:
                p.append(verdict.p_correct)
                labels.append(int(row["label"]))
                names.append(source)
    clipped = np.clip(np.array(p), 1e-7, 1 - 1e-7)
    return np.log(clipped / (1 - clipped)), np.array(labels), np.array(names)


def fold(model: Path, scale: float, shift: float) -> None:
    """Writes scale and shift into the classifier: its outputs times `scale`, half of `shift` to either label's bias."""
    tensors = load_file(model / AS_TRAINED)
    if "classifier.bias" not in tensors:
        raise InputError(
            f"{model} has no classifier.bias to fold the calibration into; leave this stage out"
        )
    tensors["classifier.weight"] *= scale
    tensors["classifier.bias"] *= scale
    tensors["classifier.bias"][1] += shift / 2
    tensors["classifier.bias"][0] -= shift / 2
    save_file(tensors, model / WEIGHTS, metadata={"format": "pt"})


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument(
        "--model",
        type=Path,
        required=True,
        help="output folder of training.train; changed in place",
    )
    parser.add_argument(
        "--triplets",
        type=Path,
        required=True,
        help="folder with SOURCE.jsonl.gz, not the training's",
    )
    parser.add_argument("--sources", required=True, help="comma-separated")
    parser.add_argument(
        "--threshold", type=float, default=0.5, help="p_correct from which an answer is right"
    )
    parser.add_argument(
        "--threshold_origin", default="default", help="how it was chosen, for the card"
    )
    args = parser.parse_args(argv)
    card = JudgeCard.read(args.model)
    if (
        "calibration" not in card.training
    ):  # trained or averaged since the last calibration, if there was one
        (args.model / AS_TRAINED).parent.mkdir(exist_ok=True)
        shutil.copy(args.model / WEIGHTS, args.model / AS_TRAINED)
    shutil.copy(args.model / AS_TRAINED, args.model / WEIGHTS)
    logit, labels, sources = logits_of(args.model, args.triplets, args.sources.split(","))
    scale, shift = fit(logit, labels, sources)
    fold(args.model, scale, shift)
    found = {
        "scale": round(scale, 4),
        "shift": round(shift, 4),
        "n": len(labels),
        "sources": args.sources.split(","),
    }
    training = card.training | {"calibration": found}
    dataclasses.replace(
        card, training=training, threshold=args.threshold, threshold_origin=args.threshold_origin
    ).write(args.model)
    print(found)


if __name__ == "__main__":
    main()
