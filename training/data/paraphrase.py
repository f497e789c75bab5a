"""Stage: references reworded by an LLM, as right answers of another form.

    python -m training.paraphrase --triplets TRIPLETS/train --source evouna --n 2000 --output REWORDED_DIR \\
        --llm model=NAME,base_url=http://localhost:8000/v1

Made positives as in arXiv 2603.04033, section 3.2: the reworded reference stands as the candidate, one per question.
The wording of the prompt is ours. A rewording that repeats the reference, lost one of its numbers, was cut, or rambles
is left out, since nobody checks its label; the counts say how many. Killed, it goes on where it was. The result,
REWORDED_DIR/SOURCE_reworded.jsonl.gz, is a source for training.mixture (kind "verbatim", which keeps it as it is).
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import random
import re
from pathlib import Path

from lm_eval_bertjudge.errors import BertJudgeError, InputError
from lm_eval_bertjudge.judges.llm.judge import start
from lm_eval_bertjudge.judges.llm.prompts import Message, Reply, neutral
from lm_eval_bertjudge.options import LLMOptions
from lm_eval_bertjudge.text import response
from training import stage
from training.data.journal import Journal, finished_lines
from training.data.rows import Row, read_rows, write_manifest, write_rows

VERSION = "reword-1"
PROMPT = """Reword the ANSWER to the QUESTION. Keep its meaning exactly: every name, number and unit, and nothing added.
Use other words or another form where there is one. Respond with the reworded answer alone, on one line.

[QUESTION starts here]
{question}
[QUESTION ends here]

[ANSWER starts here]
{answer}
[ANSWER ends here]"""
MAX_TOKENS = 128
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def messages(row: Row) -> list[Message]:
    text = PROMPT.format(question=neutral(row["question"]), answer=neutral(row["references"][0]))
    return [{"role": "user", "content": text}]


def reworded(reply: Reply, reference: str) -> tuple[str, str]:
    """What became of a reply: ("reworded", text), or (why not, "")."""
    text = response.read_response(reply.text).strip().strip('"').strip()
    if reply.finish_reason == "length":
        return "cut", ""
    if not text or "\n" in text or len(text) > 3 * len(reference) + 80:
        return "rambling", ""
    if _folded(text) == _folded(reference):
        return "repeated", ""
    if collections.Counter(_NUMBER.findall(reference)) - collections.Counter(_NUMBER.findall(text)):
        return "number_lost", ""
    return "reworded", text


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def chosen(rows: list[Row], n: int, seed: int) -> list[Row]:
    """`n` rows with different questions, drawn by seed."""
    by_question = {
        row["question"]: row for row in sorted(rows, key=lambda row: row["id"], reverse=True)
    }
    found = sorted(by_question.values(), key=lambda row: row["id"])
    return random.Random(seed).sample(found, min(n, len(found)))


def ask(rows: list[Row], options: LLMOptions, journal_path: Path) -> int:
    """Asks about the rows that the journal lacks; how many got no reply at all."""
    missing = 0
    about = {
        "model": options.model,
        "prompt": VERSION,
        "temperature": options.temperature,
    }
    with Journal(journal_path, about) as journal:
        todo = [row for row in rows if row["id"] not in journal.ids]
        for index, reply in start(options).complete([messages(row) for row in todo]):
            if isinstance(reply, Reply):
                reason, text = reworded(reply, todo[index]["references"][0])
            elif reply.passing:
                missing += 1
                continue
            else:
                reason = reply.reason
                text = ""
            journal.append({"id": todo[index]["id"], "reason": reason, "text": text})
    return missing


def positives(rows: list[Row], texts: dict[str, str], model: str) -> list[Row]:
    """The rows with the reworded reference as their candidate."""
    return [
        row
        | {
            "id": f"{row['id']}#reworded",
            "source": f"{row['source']}_reworded",
            "candidate": texts[row["id"]],
            "label": 1,
            "label_source": f"made:{model}",
            "generator": model,
        }
        for row in rows
        if texts.get(row["id"])
    ]


def parsed(argv: list[str] | None) -> argparse.Namespace:
    """The command line's arguments."""
    parser = stage.parser(__doc__)
    parser.add_argument("--triplets", type=Path, required=True, help="folder with SOURCE.jsonl.gz")
    parser.add_argument("--source", required=True)
    parser.add_argument("--n", type=int, default=2000, help="questions")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, required=True, help="folder")
    parser.add_argument(
        "--llm", metavar="OPTIONS", required=True, help="model=NAME,base_url=URL,..."
    )
    return parser.parse_args(argv)


@stage.command
def main(argv: list[str] | None) -> None:
    args = parsed(argv)
    try:
        options = dataclasses.replace(
            LLMOptions.read(args.llm), max_tokens=MAX_TOKENS, logprobs=False
        )
        path = args.output / f"{args.source}_reworded.jsonl.gz"
        journal = args.output / f"{args.source}_reworded.journal"
        rows = chosen(
            list(read_rows(args.triplets / f"{args.source}.jsonl.gz")),
            args.n,
            args.seed,
        )
        missing = ask(rows, options, journal)
    except BertJudgeError as error:
        raise InputError(
            f"{error}\nKept: {args.output}. The same command goes on from there"
        ) from error
    if missing:
        raise InputError(
            f"{missing} of {len(rows)} got no reply. Kept: {journal}. The same command goes on from there"
        )
    lines = finished_lines(journal)[1]
    counts = dict(collections.Counter(line["reason"] for line in lines))
    made = positives(rows, {line["id"]: line["text"] for line in lines}, options.model)
    n = write_rows(path, made)
    write_manifest(
        path,
        {
            "rows": n,
            "asked": len(rows),
            "outcomes": counts,
            "model": options.model,
            "prompt": VERSION,
        },
    )
    print(f"{counts}: {n} rows -> {path}")


if __name__ == "__main__":
    main()
