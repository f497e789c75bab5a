"""Stage: make p_correct mean what it says. Scale and shift of the logit, fitted on dev and folded into the classifier.

    python -m training.calibrate --model OUT --triplets DEV_DIR --sources evouna,zeroeval_gsm8k,mmlu_pro_outputs

Logistic regression of the label on the logit (Platt scaling), every source with the same weight. The decision at
p = .5 moves with the shift; the order of answers does not change. Running it again starts from the weights as trained.
--threshold sets the judge's decision apart from p = .5.
"""

from __future__ import annotations

import argparse
import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.judges.encoder.card import JudgeCard
from lm_eval_bertjudge.judges.encoder.load import load_judge
from lm_eval_bertjudge.types import Source
from training import stage
from training.data.rows import Row, read_rows
from training.evaluation.evaluate import items_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Texts = NDArray[np.str_]
WEIGHTS = "model.safetensors"
AS_TRAINED = Path(
    "uncalibrated", WEIGHTS
)  # in a folder of its own: vLLM loads every *.safetensors beside the config


def fit(logit: Floats, labels: Integers, sources: Texts) -> tuple[float, float]:
    """Scale and shift so that sigmoid(scale * logit + shift) is the share of right answers; equal weight per source."""
    names, counts = np.unique(sources, return_counts=True)
    weight_of = dict(zip(names.tolist(), (1 / counts).tolist(), strict=True))
    weights = np.array([weight_of[name] for name in sources.tolist()])
    model = LogisticRegression(C=1e6).fit(
        logit[:, None], labels, sample_weight=weights * len(labels) / weights.sum()
    )
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def labelled_rows(folders: list[Path], sources: list[str]) -> Iterator[Row]:
    """The labelled rows of the sources, each from the first folder that has it.

    Raises:
        InputError: No folder has a source.
    """
    for source in sources:
        files = [folder / f"{source}.jsonl.gz" for folder in folders]
        file = next((file for file in files if file.exists()), None)
        if file is None:
            raise InputError(f"no {source}.jsonl.gz in {', '.join(map(str, folders))}")
        for row in read_rows(file):
            if row["label"] is not None:
                yield row | {"source": source}


def logits_of(model: Path, rows: list[Row]) -> tuple[Floats, Integers, Texts]:
    """Logit of p_correct (best reference), label and source of every row that the encoder judged."""
    judge = load_judge(str(model), backend="torch", device="cpu", dtype="float32")
    verdicts = judge.judge(items_of(rows))
    judged = [
        (verdict.p_correct, int(row["label"]), row["source"])
        for row, verdict in zip(rows, verdicts, strict=True)
        if verdict.source == Source.ENCODER
    ]
    p, labels, sources = zip(*judged, strict=True)
    clipped = np.clip(np.array(p, dtype=np.float64), 1e-7, 1 - 1e-7)
    return np.log(clipped / (1 - clipped)), np.array(labels), np.array(sources)


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


def as_trained(model: Path, card: JudgeCard) -> None:
    """Puts the weights as trained into the model, kept apart before its first calibration."""
    kept = model / AS_TRAINED
    if "calibration" not in card.training:  # trained or merged since the last one
        kept.parent.mkdir(exist_ok=True)
        shutil.copy(model / WEIGHTS, kept)
    shutil.copy(kept, model / WEIGHTS)


def parsed(argv: list[str] | None) -> argparse.Namespace:
    """The command line's arguments."""
    parser = stage.parser(__doc__)
    add = parser.add_argument
    add(
        "--model",
        type=Path,
        required=True,
        help="output of training.train; changed in place",
    )
    add(
        "--triplets",
        type=Path,
        nargs="+",
        required=True,
        help="folders, not the training's",
    )
    add("--sources", required=True, help="comma-separated")
    add(
        "--threshold",
        type=float,
        default=0.5,
        help="p_correct from which an answer is right",
    )
    add("--threshold_origin", default="default", help="how it was chosen, for the card")
    return parser.parse_args(argv)


@stage.command
def main(argv: list[str] | None) -> None:
    args = parsed(argv)
    card = JudgeCard.read(args.model)
    sources = args.sources.split(",")
    as_trained(args.model, card)
    logit, labels, names = logits_of(args.model, list(labelled_rows(args.triplets, sources)))
    scale, shift = fit(logit, labels, names)
    fold(args.model, scale, shift)
    figures = {"scale": round(scale, 4), "shift": round(shift, 4), "n": len(labels)}
    training = card.training | {"calibration": figures | {"sources": sources}}
    card = dataclasses.replace(card, training=training, threshold=args.threshold)
    dataclasses.replace(card, threshold_origin=args.threshold_origin).write(args.model)
    print(figures)


if __name__ == "__main__":
    main()
