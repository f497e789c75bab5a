"""Stage: which kinds of answers the lexical stage, the cascade and the judge get wrong.

    python -m training.cases tests/fixtures/cases.jsonl [--judge JUDGE_DIR] [--errors]

A case has id, kind, question, reference, candidate, label (1 right, 0 wrong); cases marked `debatable` are left out.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from lm_eval_bertjudge import render
from lm_eval_bertjudge.judges.encoder.judge import load_judge
from lm_eval_bertjudge.rules import baseline
from lm_eval_bertjudge.rules.decision import decide_by_rules
from lm_eval_bertjudge.types import JudgeItem
from training import stage
from training.data.rows import Row, read_rows

METHODS = ("lexical", "cascade", "judge")


def read_cases(path: Path) -> list[Row]:
    return [row for row in read_rows(path) if not row.get("debatable")]


def item_of(case: Row) -> JudgeItem:
    return JudgeItem(case["question"], (case["reference"],), case["candidate"])


def decide(cases: list[Row], judge: str) -> list[dict[str, bool]]:
    """Per case what each method says."""
    items = [item_of(case) for case in cases]
    verdicts = load_judge(judge).judge(items)
    return [
        {
            "lexical": baseline.verdict(item).correct,
            "cascade": (decide_by_rules(item) or verdict).correct,
            "judge": verdict.correct,
        }
        for item, verdict in zip(items, verdicts, strict=True)
    ]


def by_kind(cases: list[Row], decisions: list[dict[str, bool]]) -> dict[str, dict[str, float]]:
    """Per kind, and for "all", the number of cases and the accuracy of each method."""
    right: dict[str, list[list[bool]]] = defaultdict(list)
    for case, said in zip(cases, decisions, strict=True):
        for kind in (case["kind"], "all"):
            right[kind].append([said[method] == bool(case["label"]) for method in METHODS])
    return {
        kind: {"n": len(rows)}
        | {m: sum(row[i] for row in rows) / len(rows) for i, m in enumerate(METHODS)}
        for kind, rows in right.items()
    }


def table(found: dict[str, dict[str, float]]) -> str:
    """Markdown, one row per kind, all of them together last."""
    rows = [
        [kind, found[kind]["n"], *(float(found[kind][method]) for method in METHODS)]
        for kind in sorted(found, key=lambda kind: (kind == "all", kind))
    ]
    return render.table(["kind", "n", *METHODS], rows)


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument("cases", type=Path, help="jsonl file")
    parser.add_argument(
        "--judge", default="default", help="judge folder, hub id, or the embedded one"
    )
    parser.add_argument(
        "--errors", action="store_true", help="also the cases that the cascade gets wrong"
    )
    args = parser.parse_args(argv)
    cases = read_cases(args.cases)
    decisions = decide(cases, args.judge)
    if args.errors:
        for case, said in zip(cases, decisions, strict=True):
            if said["cascade"] != bool(case["label"]):
                shown = f"{case['reference'][:50]!r} {case['candidate'][-80:]!r}"
                print(f"{case['id']} {case['kind']}: label {case['label']}, {shown}")
    print(table(by_kind(cases, decisions)))


if __name__ == "__main__":
    main()
