"""Stage: dev rows whose final answer is said in new forms. Does a judge read the answer, or the format it knows?

    python -m training.format_robustness --triplets DEV_DIR --output TRANSFER_DIR

Takes the rows of zeroeval_gsm8k and mmlu_pro_outputs apart (question, way, final answer) and says the same final answer
in forms that no template of training/phrasing.py gives (tests/test_training.py compares them); the label stays. One
file per form, `maths_table.jsonl.gz` and so on, in the form training.evaluate reads.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from num2words import num2words

from training import stage
from training.data.rows import Row, read_rows, write_manifest, write_rows
from training.synthetic import answers

# {a} the final answer, {w} another one, {r} the way to it.
FORMS = {
    "first": "{a} - this is what it comes to. Here is how you can see it:\n{r}",
    "table": "{r}\n\n| what was asked | value found |\n|:--|--:|\n| the question above | {a} |",
    "not_but": "{r}\nTempting as {w} looks, it does not hold up; {a} does.",
    "remark": "{r}\nWhich lands us at {a}. Do double-check the steps yourself, and good luck with the exercise!",
    "yaml": "{r}\n---\nverdict:\n  value: {a}\n  confidence: high",
    "code": "{r}\n```python\n>>> print(final())\n{a}\n```",
    "html": "{r}\n<p>Outcome &rarr; <em>{a}</em></p>",
    "chat": "ok so {r}\n\nlocking in {a} here, pretty sure about it :)",
    "list": "{r}\n\n* checked: yes\n* rounded: no\n* outcome: {a}",
}
WORDS = "{r}\nWritten out, that makes {a}."
TEXT_ONLY = "{r}\nWhat remains is this one: {a}"


def restatements(row: Row, rng: random.Random) -> Iterator[tuple[str, str]]:
    """(form, candidate) for a row in every form that fits it; nothing where the final answer cannot be found."""
    choices = answers.options(row["question"])
    parts = answers.take_apart(row["candidate"])
    if parts is None:
        return
    way = parts.reasoning if rng.random() < 0.7 else ""
    if choices:
        answer, other, more = _choice(parts.answer, choices, rng)
    else:
        answer, other, more = _maths(parts.answer, rng)
    if not answer or _agrees(row, answer, choices) != bool(row["label"]):
        return  # the rule that labelled the row read something else than this
    forms = {name: (text, answer) for name, text in FORMS.items()}
    for form, (template, written) in (forms | more).items():
        yield form, template.format(a=written, w=other, r=way).strip()


Further = dict[str, tuple[str, str]]  # form to its template and the answer as it is said there


def _maths(answer: str, rng: random.Random) -> tuple[str, str, Further]:
    number = answer.strip("$ ").replace(",", "")
    if not answers.is_number(number):
        return "", "", {}
    more: Further = {}
    if number.lstrip("-").isdigit() and len(number) < 8:
        more["words"] = (WORDS, num2words(int(number)))
    return number, answers.other_number(number, "", rng), more


def _choice(answer: str, choices: dict[str, str], rng: random.Random) -> tuple[str, str, Further]:
    letter = answers.letter_of(answer)
    if letter not in choices or len(set(choices.values())) < len(choices):
        return "", "", {}
    others = [each for each in choices if each != letter]
    return letter, rng.choice(others), {"text_only": (TEXT_ONLY, choices[letter])}


def _agrees(row: Row, answer: str, choices: dict[str, str]) -> bool:
    reference = row["references"][0]
    if choices:
        return answers.letter_of(reference) == answer
    plain = reference.replace(",", "")
    return answers.is_number(plain) and float(plain) == float(answer)


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument(
        "--triplets",
        type=Path,
        required=True,
        help="folder with dev files of the two sources",
    )
    parser.add_argument("--output", type=Path, required=True, help="folder to write into")
    parser.add_argument("--rows_per_form", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    forms: list[str] = []
    for kind, source in (("maths", "zeroeval_gsm8k"), ("choice", "mmlu_pro_outputs")):
        rng = random.Random(args.seed)
        by_name: dict[str, list[Row]] = defaultdict(list)
        for row in read_rows(args.triplets / f"{source}.jsonl.gz"):
            for form, candidate in restatements(row, rng):
                name = f"{kind}_{form}"
                new = {"candidate": candidate, "source": name, "parent_id": row["id"]}
                by_name[name].append(row | new)
        for name, rows in by_name.items():
            write_rows(
                args.output / f"{name}.jsonl.gz",
                _balanced(rows, args.rows_per_form, rng),
            )
            forms.append(name)
    write_manifest(
        args.output / "transfer",
        {"forms": forms, "rows_per_form": args.rows_per_form, "seed": args.seed},
    )
    print(f"{len(forms)} forms -> {args.output}")


def _balanced(rows: list[Row], n: int, rng: random.Random) -> list[Row]:
    drawn: list[Row] = []
    for label in (0, 1):
        group = [row for row in rows if row["label"] == label]
        drawn += rng.sample(group, min(n // 2, len(group)))
    return drawn


if __name__ == "__main__":
    main()
