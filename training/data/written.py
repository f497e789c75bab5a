"""Stage: the written questions of training/written to folders of triplets, split by question.

    python -m training.written --output TRIPLETS_DIR

A group is a question with its references and several candidates, each labelled by who wrote it. Writes
train/written.jsonl.gz and dev/written.jsonl.gz, one row a candidate; `generator` is the group's kind, `lang` its
language. A hash of the question puts a tenth of the questions into dev.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from training import stage
from training.data.rows import Row, read_rows, write_rows
from training.data.triplets import in_dev

WRITTEN = Path(__file__).parents[1] / "written"


def rows_of(group: Row, group_id: str) -> Iterator[Row]:
    """One labelled triplet per candidate of a group."""
    for number, (candidate, label) in enumerate(group["candidates"]):
        yield {
            "id": f"{group_id}.{number}",
            "source": "written",
            "category": "open_qa",
            "lang": group["lang"],
            "generator": group["kind"],
            "question": group["question"],
            "prompt": group["question"],
            "references": group["references"],
            "candidate": candidate,
            "label": label,
            "label_source": "written",
            "licence": "Apache-2.0",
        }


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument("--written", type=Path, default=WRITTEN, help="folder of .jsonl.gz groups")
    parser.add_argument("--output", type=Path, required=True, help="folder for train/ and dev/")
    parser.add_argument("--dev_percent", type=float, default=10.0, help="of the questions")
    args = parser.parse_args(argv)
    splits: dict[str, list[Row]] = {"train": [], "dev": []}
    for file in sorted(args.written.glob("*.jsonl.gz")):
        name = file.name.removesuffix(".jsonl.gz")
        for number, group in enumerate(read_rows(file)):
            split = "dev" if in_dev(group, args.dev_percent) else "train"
            splits[split] += rows_of(group, f"{name}/{number}")
    for split, rows in splits.items():
        write_rows(args.output / split / "written.jsonl.gz", rows)
        print(f"{split}: {len(rows)} rows")


if __name__ == "__main__":
    main()
