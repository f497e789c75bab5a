"""Stage: an exported and evaluated judge into the package, with its card and figures, and a check of all of it.

    python -m training.ship --judge EXPORTED --evaluation evaluation.json --text training/recipes/embedded_v3_card.md

Writes the judge's files, README.md from the text, and SHA256SUMS of all of them to the package's default judge, and the
evaluation to docs/figures. Nothing is written unless the judge has a parity with few flips, its card has the figures of
the evaluation, it judges, and its files fit into a wheel. `--check` compares a shipped folder with its SHA256SUMS.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import zipfile
from pathlib import Path

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.judges.encoder.card import CARD_FILE, JudgeCard
from lm_eval_bertjudge.judges.encoder.load import DEFAULT_FOLDER, load_judge
from training import stage
from training.data.rows import sha256
from training.evaluation import card as card_text

FILES = ("model.onnx", "tokenizer.json", "config.json", CARD_FILE)
SUMS = "SHA256SUMS"
MAX_MB = 90.0  # PyPI takes wheels of up to 100 MB
FIGURES = Path(__file__).parents[2] / "docs" / "figures"


def check_figures(card: JudgeCard, evaluation: Path, max_flips: float) -> None:
    """Whether the card's figures are there, those of the evaluation, and good enough.

    Raises:
        InputError: They are not; the message says which stage to run.
    """
    if not card.parity:
        raise InputError("the card has no parity: make the judge with training.export")
    flips = card.parity["flips"]
    n = card.parity["n"]
    if flips > max_flips * n:
        raise InputError(f"the export turns {flips} of {n} verdicts; at most {max_flips:.0%} may")
    figures = json.loads(evaluation.read_text(encoding="utf-8"))["accuracy"]
    if not figures or card.accuracy != figures:
        raise InputError(
            f"the card's figures are not those of {evaluation}: run training.evaluate --write_card --output"
        )


def checksums(folder: Path) -> str:
    """A line of SHA256SUMS for each file of a folder."""
    names = sorted(path.name for path in folder.iterdir() if path.name != SUMS)
    return "".join(f"{sha256(folder / name)}  {name}\n" for name in names)


def check_sums(folder: Path) -> None:
    """Whether a shipped folder has the files it was shipped with.

    Raises:
        InputError: A file was added, changed or removed since.
    """
    sums = folder / SUMS
    if not sums.exists() or sums.read_text(encoding="utf-8") != checksums(folder):
        raise InputError(f"{folder} is not as {SUMS} says: ship the judge again with training.ship")


def packed_mb(folder: Path) -> float:
    """Megabytes that a folder takes in a wheel."""
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
            for path in folder.iterdir():
                wheel.write(path, path.name)
        return file.tell() / 1e6


def assemble(args: argparse.Namespace, folder: Path) -> float:
    """Puts everything into a new folder and checks it there; returns its size in a wheel in MB."""
    for name in FILES:
        if not (args.judge / name).exists():
            raise InputError(f"{args.judge} has no {name}: give the output of training.export")
        shutil.copy(args.judge / name, folder / name)
    card = JudgeCard.read(folder)
    check_figures(card, args.evaluation, args.max_flips)
    text = card_text.render(card, args.text.read_text(encoding="utf-8"))
    (folder / "README.md").write_text(text, encoding="utf-8")
    load_judge(str(folder)).predict(candidates=["4"], references=["4"])
    size = packed_mb(folder)
    if size > args.max_mb:
        raise InputError(f"{size:.0f} MB in a wheel, of which {args.max_mb:.0f} may be the judge")
    (folder / SUMS).write_text(checksums(folder), encoding="utf-8")
    return size


def parsed(argv: list[str] | None) -> argparse.Namespace:
    """The command line's arguments."""
    parser = stage.parser(__doc__)
    add = parser.add_argument
    add("--judge", type=Path, help="output folder of training.export, evaluated")
    add("--evaluation", type=Path, help="output of training.evaluate")
    add("--text", type=Path, help="template of the model card, as of training.card")
    add("--output", type=Path, default=DEFAULT_FOLDER, help="folder to replace")
    add("--figures", type=Path, default=FIGURES, help="folder that gets the evaluation")
    add(
        "--max_flips",
        type=float,
        default=0.01,
        help="share of verdicts the export may turn",
    )
    add("--max_mb", type=float, default=MAX_MB, help="size in a wheel")
    add("--check", action="store_true", help="only compare --output with its SHA256SUMS")
    args = parser.parse_args(argv)
    if not args.check and not (args.judge and args.evaluation and args.text):
        parser.error("--judge, --evaluation and --text are needed to ship")
    return args


@stage.command
def main(argv: list[str] | None) -> None:
    args = parsed(argv)
    if args.check:
        check_sums(args.output)
        print(f"{args.output} is as it was shipped")
        return
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.output.parent) as work:
        Path(work).chmod(0o755)
        size = assemble(args, Path(work))
        shutil.rmtree(args.output, ignore_errors=True)
        shutil.copytree(work, args.output)
    check_sums(args.output)
    args.figures.mkdir(parents=True, exist_ok=True)
    shutil.copy(args.evaluation, args.figures / "evaluation.json")
    print(f"{args.output}: {size:.1f} MB in a wheel")


if __name__ == "__main__":
    main()
