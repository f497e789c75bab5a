"""Stage: plain questions with one short answer each, as a triplet source, with same-kind wrong answers.

    python -m training.facts --output FACTS_DIR

Writes `facts.jsonl.gz`, and `neighbours.json` in the form of training.neighbours: for each question the answers to the
other questions of its kind. France and the United Kingdom are left out: tests/test_embedded.py asks about them.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import yaml

from training import stage
from training.data.rows import write_rows

FILE = Path(__file__).with_name("facts.yaml")
FACTS: dict[str, dict[str, str]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument("--output", type=Path, required=True, help="folder to write into")
    parser.add_argument(
        "--copies", type=int, default=70, help="rows per fact; each becomes another made answer"
    )
    args = parser.parse_args(argv)
    args.output.mkdir(parents=True, exist_ok=True)
    near = {
        q.format(x): [b for b in facts.values() if b != a]
        for q, facts in FACTS.items()
        for x, a in facts.items()
    }
    (args.output / "neighbours.json").write_text(json.dumps(near), encoding="utf-8")
    rows = (
        {
            "id": f"facts/{question.format(about)}/{copy}",
            "source": "facts",
            "category": "open_qa",
            "question": question.format(about),
            "references": [answer],
            "candidate": answer,
            "label": 1,
            "generator": "made",
            "label_source": "made",
            "licence": "Apache-2.0",
        }
        for question, facts in FACTS.items()
        for (about, answer), copy in itertools.product(facts.items(), range(args.copies))
    )
    write_rows(args.output / "facts.jsonl.gz", rows)
    print(f"{len(near)} facts -> {args.output}")


if __name__ == "__main__":
    main()
