"""`bertjudge rejudge`: judges answers that are on disk, survives being killed, and never judges a row twice."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from lm_eval_bertjudge import __version__
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io.answers import Reading
from lm_eval_bertjudge.io.output import locked_folder
from lm_eval_bertjudge.io.rows import Row, readable_twice
from lm_eval_bertjudge.judges.encoder.cache import location
from lm_eval_bertjudge.judges.encoder.judge import BATCH_TOKENS, forget
from lm_eval_bertjudge.known_tasks import Templates
from lm_eval_bertjudge.rejudge import results
from lm_eval_bertjudge.rejudge.inputs import Input, collect
from lm_eval_bertjudge.rejudge.journal import Engine, Items, Source, Verdicts, judge_files
from lm_eval_bertjudge.rules import baseline
from lm_eval_bertjudge.rules.decision import decide_by_rules
from lm_eval_bertjudge.scorer import METHODS, Method, Pipeline

CHUNK = 1024  # rows; what a kill can cost, and the span within which batches are sorted by length
LLM_CHUNK = 128  # the same where an LLM is asked, which is slower and costs more
ENGINES = ("process", "ray")


def add_parser(commands: Any) -> None:
    """Adds the command to `bertjudge`."""
    parser = commands.add_parser(
        "rejudge", help="judge answers in sample files of lm_eval, or in triplet files"
    )
    parser.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="FILE|DIR",
        help="samples_*.jsonl, or jsonl/csv/parquet",
    )
    parser.add_argument(
        "--output", type=Path, help="folder for verdicts_*.jsonl and results_*.json"
    )
    parser.add_argument(
        "--task", help="for samples of a task that judges: rebuild items as its pipeline does"
    )
    parser.add_argument("--include_path", help="folder with task files of your own, for --task")
    on_doc = (
        "field or Jinja template on `doc`, also per task as TASK=TEMPLATE; of plain rows the column"
    )
    parser.add_argument(
        "--question", action="append", help=f"{on_doc}; `prompt` is the logged prompt"
    )
    parser.add_argument(
        "--reference", action="append", help=f"{on_doc}; `target` is the logged target"
    )
    parser.add_argument("--candidate", help="column of plain rows: the answer to judge")
    parser.add_argument("--id", help="column of plain rows: their id")
    parser.add_argument("--label", help="column of plain rows: a person's 1 or 0")
    parser.add_argument(
        "--method",
        action="append",
        choices=METHODS,
        help="repeatable; all that can run when not given",
    )
    parser.add_argument("--generator", help="the model's name, where no results_*.json says it")
    parser.add_argument(
        "--dry-run", action="store_true", help="print three rebuilt items and judge nothing"
    )
    parser.add_argument(
        "--match", choices=baseline.MATCHES, help="comparison of the lexical method (default: auto)"
    )
    parser.add_argument(
        "--judge", default="default", help="the embedded one, a folder, a hub id, or llm"
    )
    parser.add_argument(
        "--llm", metavar="OPTIONS", help="model=NAME,base_url=URL,...; see the README"
    )
    parser.add_argument(
        "--threshold",
        type=float,
        help="p_correct from which an answer is right (default: the judge's)",
    )
    parser.add_argument("--backend", default="auto", help="auto, onnx, torch or vllm")
    parser.add_argument(
        "--device", default="auto", help="auto, cpu, cuda, ...; for vllm the address"
    )
    parser.add_argument("--dtype", default="auto", help="auto, float32 or bfloat16")
    parser.add_argument(
        "--batch_tokens",
        type=int,
        default=BATCH_TOKENS,
        help="padded tokens per batch; 0: automatic",
    )
    parser.add_argument(
        "--cache",
        help="file that keeps verdicts, or 0 for none (default: one in your cache folder)",
    )
    parser.add_argument(
        "--engine", choices=ENGINES, default="process",
        help="ray: one judge on each free CPU of this machine or of a Ray cluster (with --device cuda: on each GPU)",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, help="with --engine ray: at most so many judges")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> str:
    """Judges every file; what to print: where the files are and the new numbers beside the old.

    Raises:
        InputError: An item cannot be rebuilt (said before anything is judged), or the output is of another run.
    """
    if args.output is None and not args.dry_run:
        raise InputError("--output is missing: the folder for the verdict files")
    with readable_twice(args.paths) as paths:
        return _rejudge(args, paths)


def _rejudge(args: argparse.Namespace, paths: Sequence[Path]) -> str:
    reading, match = _reading(args)
    options = ("judge", "llm", "threshold", "backend", "device", "dtype", "batch_tokens", "cache")
    pipeline = Pipeline(
        reference="", match=match, **{name: getattr(args, name) for name in options}
    )
    methods: list[Method] = list(
        dict.fromkeys(args.method or [m for m in METHODS if m != "llm" or args.llm])
    )
    asks_llm = pipeline.asks_llm_in(methods)
    starting = _engine(args, pipeline, methods, asks_llm)
    inputs = collect(paths, reading)
    if args.dry_run:
        return _preview(inputs)
    settings = _settings(pipeline, methods)
    chunk = LLM_CHUNK if asks_llm else CHUNK

    def sources() -> Iterator[Source]:
        for each in inputs:
            rows = each.rows()
            yield Source(
                each.file,
                args.output / each.output,
                rows,
                _run_id(each.file, rows, settings),
                chunk,
            )

    with (
        locked_folder(args.output),
        starting as engine,
        tqdm(
            total=sum(each.n_answers for each in inputs),
            desc="rejudging",
            unit=" rows",
            disable=None,
        ) as bar,
    ):
        judge_files(sources(), engine, bar)
        return results.write(
            [(each.file, args.output / each.output) for each in inputs], args.output, settings
        )


def _engine(
    args: argparse.Namespace, pipeline: Pipeline, methods: Sequence[Method], asks_llm: bool
) -> AbstractContextManager[Engine]:
    """What judges: this process, or workers of Ray, which start when the context is entered."""
    work = partial(decide, pipeline=pipeline, methods=methods)
    if args.engine == "process":
        return nullcontext(lambda batches: map(work, batches))
    from lm_eval_bertjudge.rejudge import parallel

    if asks_llm:
        raise InputError(
            "--engine ray is for the encoder and the rules; to ask an LLM, leave out --engine ray"
        )
    path, folder = location(pipeline.cache), Path(pipeline.judge).expanduser()
    named = (
        str(folder.absolute())
        if pipeline.judge != "default" and folder.is_dir()
        else pipeline.judge
    )
    near = replace(pipeline, judge=named, cache=str(path.absolute()) if path else False)
    far = replace(near, cache=False)  # sqlite's log does not work across machines
    on_gpus = args.device.startswith("cuda")
    return parallel.spread(
        partial(work, pipeline=near),
        partial(work, pipeline=far),
        most=args.workers,
        on_gpus=on_gpus,
    )


def _reading(args: argparse.Namespace) -> tuple[Reading, baseline.Match]:
    """How the flags say that logs are read, and which comparison suits them."""
    match: baseline.Match = args.match or "auto"
    questions, references = _by_task(args.question), _by_task(args.reference)
    question, reference = questions.pop("", None), references.pop("", None)
    templates = Templates(question or "", reference) if reference else None
    if args.task is not None:
        templates, match = _of_task(args, question, reference)
    if (question is not None and templates is None) or questions.keys() - references.keys():
        raise InputError(
            "--question alone is not enough: give --reference too (`--reference target` is the logged one)"
        )
    by_task = {name: Templates(questions.get(name, ""), text) for name, text in references.items()}
    return Reading(
        templates=templates,
        by_task=by_task,
        candidate=args.candidate,
        question=question,
        reference=reference,
        id=args.id,
        label=args.label,
        generator=args.generator,
    ), match


_PER_TASK = re.compile(r"([\w.:/*?-]+)=(.*)", re.DOTALL)  # mmlu_*=question


def _by_task(flags: Sequence[str] | None) -> dict[str, str]:
    """Templates by the task's name or pattern; "" is every other task."""
    named = {}
    for text in flags or ():
        match = _PER_TASK.fullmatch(text)
        named[match[1] if match else ""] = match[2] if match else text
    return named


def _of_task(
    args: argparse.Namespace, question: str | None, reference: str | None
) -> tuple[Templates, baseline.Match]:
    """What the pipeline of a task that judges says, where nothing else is given."""
    from lm_eval_bertjudge.harness import check_task

    pipelines = check_task(args.task, include_path=args.include_path).pipelines
    if not pipelines:
        raise InputError(
            f"--task {args.task}: no pipeline of it judges; see `bertjudge check {args.task}`"
        )
    pipeline = pipelines.get("judge", next(iter(pipelines.values())))
    own = Templates(pipeline.question if pipeline.include_question else "", pipeline.reference, "")
    templates = Templates(
        own.question if question is None else question, reference or own.reference
    )
    baselines = [each.match for each in pipelines.values() if each.method == "lexical"]
    return templates, args.match or (baselines[0] if baselines else "auto")


def _preview(inputs: Sequence[Input]) -> str:
    """Per log how many answers it has and what was taken for question and reference; then three items of each task."""
    blocks = [
        f"{each.file}: {each.n_answers} answers; {each.first[0].get('taken', 'by its columns')}"
        for each in inputs
    ]
    by_task = {each.first[0]["task"]: each.first for each in reversed(inputs)}
    for row in (row for rows in reversed(by_task.values()) for row in rows):
        blocks.append(
            f"--- {row['id']}\nquestion: {row['question']}\nreferences: {row['references']}\n"
            f"candidate ends: {row['candidate'][-300:]!r}\nold metrics: {row['old']}"
        )
    return "\n".join(blocks)


def _settings(pipeline: Pipeline, methods: Sequence[Method]) -> dict[str, Any]:
    """What verdicts depend on besides the rows: options, versions, and the cards of the judges that are used."""
    card = (
        asdict(replace(pipeline, method="judge").card())
        if {"judge", "cascade"} & set(methods)
        else None
    )
    llm_card = asdict(replace(pipeline, method="llm").card()) if "llm" in methods else None
    # An LLM's card has what its verdicts depend on; where the server stands is none of it.
    left_out = ("question", "reference", "llm", "cache")
    options = {name: value for name, value in asdict(pipeline).items() if name not in left_out}
    options |= {"method": list(methods)}
    return {"version": __version__, "options": options, "judge_card": card, "llm_card": llm_card}


def _run_id(file: Path, found: list[Row], settings: dict[str, Any]) -> str:
    """A short hash of everything the verdicts of a file depend on."""
    content = json.dumps([settings, file.name, found], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def decide(items: Items, *, pipeline: Pipeline, methods: Sequence[Method]) -> Verdicts:
    """Per item the verdict's fields by method, in the order of `methods`.

    Where judge and cascade are both wanted, the judge runs once: they differ only where a rule settles an answer.
    What was decided before and no cache file keeps is forgotten, so that who decides it, and when, changes nothing.
    """
    forget()
    found: dict[Method, list[Any]] = {}
    for method in sorted(methods, key=METHODS.index):
        chosen = replace(pipeline, method=method)
        if method == "cascade" and "judge" in found and chosen.fallback == "no_match":
            found[method] = [
                decide_by_rules(item) or verdict
                for item, verdict in zip(items, found["judge"], strict=True)
            ]
        else:
            found[method] = chosen.decide(items)
    return [{method: found[method][i].as_row() for method in methods} for i in range(len(items))]
