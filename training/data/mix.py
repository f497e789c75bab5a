"""Stage: labelled triplets to a training file, balanced and augmented.

    python -m training.mix --triplets DIR --mix MIX.json --output train.jsonl --seed 0

MIX.json maps a source to how many rows of each kind it gives, {"rows": 4000, "exchanged": 900}:
    rows             real rows, restated: balanced by label and spread over generators
    bare             the same without the way to the answer
    plain            the same, not restated
    labelled         the same as they are, asked about by their own prompt (rows of training.triplets)
    exchanged, exchanged_bare, other_reference, open_answers, corrected, forged, spelled, amount,
    in_passage, named
                     made from them, see training/augment.py
    cut, echo, listed, several, chatter, elsewhere
                     made from them and without an answer, see training/unanswered.py
Upstream's --training_mix, {source: {generator: N}}, is read too. Without a mix, --balance N takes N labelled rows of
all sources, spread over category x generator x label. Only rows under the licences given are used. The manifest
`train.jsonl.manifest.json` is written last: counts, seed, licences, hash of the data.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from training.data import labelled
from training.data.rows import Row, in_turns, read_rows, sha256, write_manifest, write_rows
from training.synthetic import amounts, answers, augment, phrasing, unanswered

KEPT = ("id", "parent_id", "made", "source", "category", "generator", "label_source", "licence")
CODE = (
    __file__,
    *(m.__file__ for m in (amounts, answers, augment, labelled, phrasing, unanswered)),
)  # what rows depend on
MADE = ("exchanged", "exchanged_bare", "other_reference", "open_answers", "cut", "echo")
MADE_SINCE = (
    "corrected", "forged", "spelled", "amount", "listed", "several", "chatter", "elsewhere", "in_passage", "named",
)  # fmt: skip
ALONE: dict[str, Callable[[Row, random.Random], Row | None]] = {  # kinds that are made from a row and nothing else
    f.__name__: f
    for f in (
        augment.forged, augment.spelled, augment.amount, augment.named,
        unanswered.cut, unanswered.echo, unanswered.listed, unanswered.several, unanswered.chatter,
    )
}  # fmt: skip


def balanced(rows: list[Row], n: int, rng: random.Random) -> list[Row]:
    """`n` rows, half of each label as far as there are enough, spread evenly over the generators of each label."""
    chosen: list[Row] = []
    for label in (0, 1):
        by_generator: dict[str, list[Row]] = collections.defaultdict(list)
        for row in rng.sample(rows, len(rows)):
            if row["label"] == label:
                by_generator[row["generator"]].append(row)
        chosen += itertools.islice(
            in_turns(reversed(queue) for queue in by_generator.values()), n // 2
        )
    return chosen


class Pool:
    """Short answers that may stand in for a wrong one."""

    def __init__(self, texts: list[str], neighbours: dict[str, list[str]]) -> None:
        self._by_shape: dict[str, list[str]] = collections.defaultdict(list)
        self._all, self._neighbours = texts, neighbours
        for text in texts:
            self._by_shape[answers.shape(text)].append(text)

    def of_shape(self, row: Row) -> list[str]:
        """Answers that look like the row's (a number, a year, a name); all of them where none does."""
        return self._by_shape.get(answers.shape(row["references"][0])) or self._all

    def near(self, row: Row) -> list[str]:
        """Answers to similar questions (training/neighbours.py), of the row's shape where there are any."""
        near = self._neighbours.get(row["question"], [])
        alike = [
            answer
            for answer in near
            if answers.shape(answer) == answers.shape(row["references"][0])
        ]
        return alike or near or self.of_shape(row)


def made_rows(
    source_rows: list[Row], plan: dict[str, int], pool: Pool, rng: random.Random
) -> Iterator[Row]:
    """The training rows of one source, in the numbers its plan asks for (fewer where the source runs out)."""
    for row in balanced(source_rows, plan.get("rows", 0), rng):
        yield augment.restated(row, rng)
    for row in balanced(source_rows, plan.get("bare", 0), rng):
        yield augment.restated(row, rng, bare=True)
    for row in balanced(source_rows, plan.get("plain", 0), rng):
        yield row | {"reference": augment.one_reference(row, rng), "made": "plain"}
    if plan.get("labelled"):
        yield from map(labelled.as_it_is, balanced(source_rows, plan["labelled"], rng))
    by_generator = {
        name: n
        for name, n in plan.items()
        if name not in ("rows", "bare", "plain", "labelled", *MADE, *MADE_SINCE)
    }
    yield from labelled.of_generators(source_rows, by_generator, rng)
    # A kind of MADE draws even where it has no rows, so that the files of older mixes stay what they were.
    for kind in (*MADE, *(kind for kind in MADE_SINCE if kind in plan)):
        left = plan.get(kind, 0)
        for row in rng.sample(source_rows, len(source_rows)):
            if left <= 0:
                break
            for new in _made(kind, row, source_rows, pool, rng):
                yield new | {"made": f"{kind}_{new['made']}"}
                left -= 1


def _made(kind: str, row: Row, source_rows: list[Row], pool: Pool, rng: random.Random) -> list[Row]:
    reference = row["references"][0]
    distractors = pool.near(row) if rng.random() < 0.85 else pool.of_shape(row)
    if answers.is_number(reference) and rng.random() < 0.7:
        distractors = [answers.other_number(reference, row["question"], rng)]
    if kind == "open_answers":
        return augment.open_answers(row, distractors, rng)
    if kind in ALONE:
        made = ALONE[kind](row, rng)
    elif kind == "corrected":
        made = augment.corrected(row, distractors, rng)
    elif kind == "elsewhere":
        made = unanswered.elsewhere(row, rng.choice(source_rows), rng)
    elif kind == "in_passage":
        made = augment.in_passage(row, rng.sample(source_rows, rng.randint(2, 8)), rng)
    else:
        made = _against_another(kind, row, distractors, rng)
    return [made] if made else []


def _against_another(kind: str, row: Row, distractors: list[str], rng: random.Random) -> Row | None:
    exchange = kind.startswith("exchanged")
    swapped = (
        augment.exchanged(row, rng) if exchange else augment.other_reference(row, distractors, rng)
    )
    bare = kind == "exchanged_bare"
    return augment.restated(swapped, rng, bare=bare) | {"label_source": "made"} if swapped else None


def finished(row: Row, number: int, rng: random.Random) -> Row:
    """A training row: framed question, one reference, provenance."""
    out = {"parent_id": row["id"]} | {key: row[key] for key in KEPT if key in row}
    out["id"] = f"{row['id']}#{number}"
    return out | {
        "question": row["prompt"] if row["made"] == "labelled" else augment.framed(row, rng),
        "reference": row["reference"],
        "candidate": row["candidate"],
        "label": row["label"],
    }


def load_sources(
    folders: list[Path], plans: dict[str, dict[str, int]], licences: set[str]
) -> dict[str, list[Row]]:
    """Rows per source of the mix, of the licences allowed."""
    sources = {}
    for name in plans:
        path = next(
            (f / f"{name}.jsonl.gz" for f in folders if (f / f"{name}.jsonl.gz").exists()), None
        )
        if path is None:
            raise SystemExit(
                f"no {name}.jsonl.gz in {', '.join(map(str, folders))}: leave {name!r} out of the mix"
            )
        sources[name] = [
            row
            for row in read_rows(path)
            if row["licence"] in licences and row["label"] is not None
        ]
        if not sources[name]:
            raise SystemExit(
                f"{path} has no row under {sorted(licences)}: leave {name!r} out of the mix"
            )
    return sources


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--triplets", type=Path, nargs="+", required=True, help="folders with SOURCE.jsonl.gz files"
    )
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--mix", type=Path, help="JSON: source -> numbers of rows")
    wanted.add_argument(
        "--balance", type=int, metavar="N", help="N labelled rows of all sources instead"
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="training file to write (.jsonl)"
    )
    parser.add_argument(
        "--licences",
        default="Apache-2.0,MIT",
        help="comma-separated; rows under others are left out",
    )
    parser.add_argument(
        "--max_chars",
        type=int,
        help="only rows whose question, candidate and reference are together shorter",
    )
    parser.add_argument("--max_rows", type=int, help="stop after this many")
    parser.add_argument(
        "--neighbours",
        type=Path,
        nargs="*",
        default=[],
        help="files of training.neighbours or .facts",
    )
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)

    have = labelled.sources_in(args.triplets)
    plans = (
        labelled.our_names(json.loads(args.mix.read_text(encoding="utf-8")), have)
        if args.mix
        else {name: {} for name in have}
    )
    sources = load_sources(args.triplets, plans, set(args.licences.split(",")))
    short = [name for name in sources if {"open_answers", "other_reference"} & plans[name].keys()]
    texts = [
        row["references"][0]
        for name in short
        for row in sources[name]
        if len(row["references"][0]) < 60
    ]
    near = [json.loads(path.read_text(encoding="utf-8")) for path in args.neighbours]
    pool = Pool(texts, {question: texts for each in near for question, texts in each.items()})

    rng = random.Random(args.seed)
    rows = [
        row for name, source in sources.items() for row in made_rows(source, plans[name], pool, rng)
    ]
    if args.balance:
        rows = labelled.balanced(
            [row for source in sources.values() for row in source], args.balance, rng
        )
    rng.shuffle(rows)
    done = [finished(row, number, rng) for number, row in enumerate(rows)]
    done = [row for row in done if args.max_chars is None or _chars(row) < args.max_chars][
        : args.max_rows
    ]
    n = write_rows(args.output, done)
    manifest = {
        "rows": n,
        "seed": args.seed,
        "licences": sorted({row["licence"] for row in done}),
        "mix": plans,
        "balance": args.balance,
        "max_chars": args.max_chars,
        "rows_by_source_and_label": _counts(done),
        "triplets_sha256": {
            f.name: sha256(f)
            for d in args.triplets
            for f in sorted(d.iterdir())
            if _named(f) in plans
        },
        "code_sha256": hashlib.sha256(
            b"".join(Path(file).read_bytes() for file in CODE)
        ).hexdigest(),
        "sha256": sha256(args.output),
    }
    write_manifest(args.output, manifest)
    print(f"{n} rows -> {args.output}")


def _named(path: Path) -> str:
    return path.name.removesuffix(".jsonl.gz")


def _chars(row: Row) -> int:
    return sum(len(row[field]) for field in ("question", "candidate", "reference"))


def _counts(rows: list[Row]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = collections.defaultdict(lambda: {"0": 0, "1": 0})
    for row in rows:
        counts[row["source"]][str(row["label"])] += 1
    return dict(sorted(counts.items()))


if __name__ == "__main__":
    main()
