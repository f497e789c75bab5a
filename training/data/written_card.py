"""Stage: what stands in training/written, as the tables of its data card.

    python -m training.written_card

Per kind and language: groups, candidates, share right, how well the label can be told from the candidate's length or
from whether it holds a reference (area under the ROC curve; .5 tells nothing), and agreement of a second reader, who
saw neither labels nor kinds. The tables replace what stands below the marker in training/written/README.md.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

from lm_eval_bertjudge import render
from lm_eval_bertjudge.analysis.baselines import contains
from lm_eval_bertjudge.analysis.intervals import wilson
from training import stage
from training.data.rows import Row, read_rows
from training.data.written import WRITTEN, rows_of

MARKER = "<!-- tables: python -m training.written_card -->"
HEADER = (
    "questions",
    "candidates",
    "right",
    "length AUC",
    "containment AUC",
    "second reader agrees",
)


def all_rows(folder: Path) -> list[Row]:
    """Every labelled candidate of a folder of groups."""
    rows: list[Row] = []
    for file in sorted(folder.glob("*.jsonl.gz")):
        for number, group in enumerate(read_rows(file)):
            rows += rows_of(group, f"{file.name}/{number}")
    return rows


def second_labels(folder: Path) -> dict[tuple[str, str], int | None]:
    """The second reader's label by (question, candidate); None where he could not decide."""
    file = folder / "second_reading" / "labels.jsonl.gz"
    return {(row["question"], row["candidate"]): row["label"] for row in read_rows(file)}


def table(
    rows: Iterable[Row],
    field: Callable[[Row], str],
    title: str,
    second: Mapping[tuple[str, str], int | None],
) -> str:
    """One markdown row per value of `field`, then one for all."""
    groups: dict[str, list[Row]] = collections.defaultdict(list)
    rows = list(rows)
    for row in rows:
        groups[field(row)].append(row)
    lines = [_cells(name, groups[name], second) for name in sorted(groups)]
    return render.table((title, *HEADER), [*lines, _cells("all", rows, second)]) + "\n"


def _cells(
    name: str, rows: list[Row], second: Mapping[tuple[str, str], int | None]
) -> tuple[str, ...]:
    labels = [row["label"] for row in rows]
    n_questions = len({row["question"] for row in rows})
    right = sum(labels) / len(labels)
    lengths = [len(row["candidate"]) for row in rows]
    holds = [contains(row["references"], row["candidate"]) for row in rows]
    aucs = [roc_auc_score(labels, values) for values in (lengths, holds)]
    figures = [render.number(value, digits=2) for value in (right, *aucs)]
    return (name, str(n_questions), str(len(rows)), *figures, _agreement(rows, second))


def _agreement(rows: list[Row], second: Mapping[tuple[str, str], int | None]) -> str:
    labels = ((row["label"], second.get((row["question"], row["candidate"]))) for row in rows)
    is_same = [first == again for first, again in labels if again is not None]
    if not is_same:
        return ""
    n_same = sum(is_same)
    n = len(is_same)
    return f"{n_same} of {n} {render.interval(wilson(n_same, n), digits=2)}"


def language(row: Row) -> str:
    """A row's language; `across` where question and answer are in different ones."""
    return "across" if ">" in row["lang"] else str(row["lang"])


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument("--written", type=Path, default=WRITTEN, help="folder of .jsonl.gz groups")
    args = parser.parse_args(argv)
    rows = all_rows(args.written)
    second = second_labels(args.written)
    card = args.written / "README.md"
    prose = card.read_text(encoding="utf-8").partition(MARKER)[0]
    tables = [
        table(rows, language, "language", second),
        table(rows, lambda row: str(row["generator"]), "kind", second),
    ]
    card.write_text(prose + MARKER + "\n\n" + "\n".join(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
