"""The command `bertjudge`: judge, check, tasks-dir, demo here; rejudge and the others beside their code."""

from __future__ import annotations

import argparse
import io
import json
import logging
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.analysis import agree
from lm_eval_bertjudge.errors import BertJudgeError, InputError
from lm_eval_bertjudge.io.answers import Reading
from lm_eval_bertjudge.io.formats.plain import judge_item
from lm_eval_bertjudge.io.output import open_output
from lm_eval_bertjudge.io.rows import read_rows, readable_twice
from lm_eval_bertjudge.judges.encoder.judge import BATCH_TOKENS
from lm_eval_bertjudge.known_tasks import Templates
from lm_eval_bertjudge.rejudge import command
from lm_eval_bertjudge.report import command as report
from lm_eval_bertjudge.rules import baseline
from lm_eval_bertjudge.scorer import FALLBACKS, METHODS, Pipeline
from lm_eval_bertjudge.tasks_folder import tasks_dir
from lm_eval_bertjudge.types import JudgeItem, Source

_CHUNK = 20_000  # rows held in memory at once


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; returns the exit status: 0, or 2 for anything the user can mend."""
    args = _parser().parse_args(argv)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="backslashreplace"
        )  # an answer may hold what no terminal can show
    try:
        if shown := args.run(args):
            print(shown)
    except BertJudgeError as error:
        sys.stderr.write(f"bertjudge: {error}\n")
        return 2
    except OSError as error:  # a full disk, a folder that is read-only or not there
        sys.stderr.write(
            f"bertjudge: {error.filename or 'writing the output failed'}: {error.strerror or error}\n"
        )
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("bertjudge: interrupted\n")
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bertjudge", description="Judge answers of language models by meaning."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    judge = commands.add_parser("judge", help="judge one answer, or a file of answers")
    judge.add_argument(
        "--input",
        type=Path,
        help="jsonl, json, csv, parquet, or - for standard input: a row an answer",
    )
    judge.add_argument("--output", type=Path, help="jsonl: every input field, plus the verdict")
    judge.add_argument("--candidate", help="the answer to judge; with --input its column")
    judge.add_argument(
        "--reference",
        action="append",
        help="right answer, repeatable; with --input its column, or a template where rows have `doc`",
    )
    judge.add_argument(
        "--question",
        default="",
        help="the prompt; with --input its column, or a template where rows have `doc`",
    )
    judge.add_argument("--method", choices=METHODS, default="judge")
    judge.add_argument(
        "--match", choices=baseline.MATCHES, default="auto", help="comparison of the lexical method"
    )
    judge.add_argument(
        "--fallback",
        choices=FALLBACKS,
        default="no_match",
        help="what cascade leaves to the encoder",
    )
    judge.add_argument(
        "--judge", default="default", help="the embedded one, a folder, a hub id, or llm"
    )
    judge.add_argument(
        "--llm", metavar="OPTIONS", help="model=NAME,base_url=URL,...; see the README"
    )
    judge.add_argument(
        "--threshold",
        type=float,
        help="p_correct from which an answer is right (default: the judge's)",
    )
    judge.add_argument("--backend", default="auto", help="auto, onnx, torch or vllm")
    judge.add_argument(
        "--device", default="auto", help="auto, cpu, cuda, ...; for vllm the address"
    )
    judge.add_argument("--dtype", default="auto", help="auto, float32 or bfloat16")
    judge.add_argument(
        "--batch_tokens",
        type=int,
        default=BATCH_TOKENS,
        help="padded tokens per batch; 0: automatic",
    )
    judge.add_argument(
        "--cache",
        help="file that keeps verdicts, or 0 for none (default: one in your cache folder)",
    )
    judge.set_defaults(run=_judge)

    check = commands.add_parser(
        "check", help="read a task's judging config before hours of generation"
    )
    check.add_argument("task", help="a task's name, or its YAML file")
    check.add_argument("--include_path", help="folder with task files of your own")
    check.set_defaults(run=_check)

    folder = commands.add_parser(
        "tasks-dir", help="print the folder of our task files, for lm_eval --include_path"
    )
    folder.set_defaults(run=lambda _: tasks_dir())

    run = commands.add_parser("demo", help="30 recorded answers through the real harness, offline")
    run.set_defaults(run=_demo)

    command.add_parser(commands)
    agree.add_parsers(commands)
    report.add_parser(commands)
    return parser


def _judge(args: argparse.Namespace) -> str:
    if args.input is None and args.candidate is None:
        raise InputError("give either --candidate and --reference, or --input FILE --output FILE")
    pipeline = _pipeline(args)
    if args.input is None:
        if not args.reference:
            raise InputError(
                "--reference is missing: the right answer that --candidate is compared with"
            )
        row = {"question": args.question, "references": args.reference, "candidate": args.candidate}
        return json.dumps(_judged([row], pipeline, Reading())[0], ensure_ascii=False)
    if args.output is None:
        raise InputError("--output is missing: where the verdicts of --input go")
    with readable_twice([args.input]) as (source,):
        return _judge_file(source, args.output, pipeline, _reading(args))


def _reading(args: argparse.Namespace) -> Reading:
    """The flags for --input: columns of plain rows, and templates where rows have a `doc`."""
    reference = args.reference[0] if args.reference else None
    return Reading(
        templates=Templates(args.question, reference) if reference else None,
        candidate=args.candidate,
        question=args.question or None,
        reference=reference,
    )


def _judge_file(source: Path, output: Path, pipeline: Pipeline, reading: Reading) -> str:
    # All of it first: an error must not come after the work.
    for number, row in enumerate(read_rows(source), start=1):
        judge_item(row, reading, f"{source}, line {number}")
    with open_output(output) as out:
        rows = read_rows(source)
        totals: Counter[str] = Counter()
        while chunk := list(islice(rows, _CHUNK)):
            judged = _judged(chunk, pipeline, reading)
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in judged)
            totals["right"] += sum(row["correct"] for row in judged)
            totals["unjudged"] += sum(row["source"] == Source.NONE for row in judged)
            totals["answers"] += len(judged)
    return _summary(output, totals)


def _summary(output: Path, totals: Mapping[str, int]) -> str:
    n = totals["answers"]
    right = f", {totals['right'] / n:.4f} right" if n else ""
    unjudged = (
        f", {totals['unjudged']} unjudged (not counted as right)" if totals["unjudged"] else ""
    )
    return f"{output}: {n} answers{right}{unjudged}"


def _judged(
    rows: list[dict[str, Any]], pipeline: Pipeline, reading: Reading
) -> list[dict[str, Any]]:
    """The rows with their verdict's fields added."""
    items = [judge_item(row, reading, "input") for row in rows]
    verdicts = pipeline.decide(items)
    return [
        row | (_fields(item) if "doc" in row else {}) | verdict.as_row()
        for row, item, verdict in zip(rows, items, verdicts, strict=True)
    ]


def _fields(item: JudgeItem) -> dict[str, Any]:
    return {"question": item.question, "references": list(item.references)}


def _pipeline(args: argparse.Namespace) -> Pipeline:
    """The flags as a pipeline; the first --reference is its template where rows have a `doc`."""
    options = (
        "question", "method", "match", "fallback", "judge", "llm", "threshold", "backend", "device", "dtype",
        "batch_tokens", "cache",
    )  # fmt: skip
    template = args.reference[0] if args.reference else ""
    chosen = {name: getattr(args, name) for name in options}
    pipeline = Pipeline(reference=template, include_question=bool(args.question), **chosen)
    pipeline.asks_llm_in([pipeline.method])  # an --llm that is not used is refused
    return pipeline


def _check(args: argparse.Namespace) -> str:
    from lm_eval_bertjudge.harness import check_task

    task = check_task(args.task, include_path=args.include_path)
    for warning in task.warnings:
        logging.getLogger(__name__).warning("task %s: %s", task.name, warning)
    if task.problems:
        raise InputError("\n".join(f"task {task.name}: {problem}" for problem in task.problems))
    blocks = [_preview(name, pipeline, task.docs) for name, pipeline in task.pipelines.items()]
    return "\n".join([*blocks, f"task {task.name} is ready"])


def _preview(name: str, pipeline: Pipeline, docs: Sequence[Mapping[str, Any]]) -> str:
    """What a pipeline would judge: each document's item, and what it says of its own reference."""
    items = [item for doc in docs if (item := pipeline.item(doc, "")).references]
    echoes = [
        JudgeItem(i.question, i.references, f"Final answer: {i.references[0]}") for i in items
    ]
    lines = [f"pipeline {name} ({pipeline.method})"]
    for item, verdict in zip(items, pipeline.decide(echoes), strict=True):
        p = "unjudged" if verdict.p_correct is None else f"{verdict.p_correct:.3f}"
        references = ", ".join(map(repr, item.references))
        lines.append(f"  question  ...{item.question[-100:]!r}")
        lines.append(f"  reference {references}; judged against itself: {p} ({verdict.reason})")
    return "\n".join(lines)


def _demo(_: argparse.Namespace) -> None:
    os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    from lm_eval_bertjudge.demo.run import run

    print(run())
