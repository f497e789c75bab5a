"""`bertjudge rejudge`: judges answers that are on disk, survives being killed, and never judges a row twice."""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from lm_eval_bertjudge import __version__
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io.formats import lm_eval
from lm_eval_bertjudge.io.output import locked_folder
from lm_eval_bertjudge.io.rows import Row, readable_twice
from lm_eval_bertjudge.judges.encoder.cache import location
from lm_eval_bertjudge.judges.encoder.judge import BATCH_TOKENS, forget
from lm_eval_bertjudge.known_tasks import Templates
from lm_eval_bertjudge.rejudge import results
from lm_eval_bertjudge.rejudge.journal import Engine, Items, Source, Verdicts, judge_files
from lm_eval_bertjudge.rules import baseline
from lm_eval_bertjudge.rules.decision import decide_by_rules
from lm_eval_bertjudge.scorer import METHODS, Method, Pipeline
from lm_eval_bertjudge.template import Template

logger = logging.getLogger(__name__)

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
    parser.add_argument(
        "--question", help="field or Jinja template on `doc`; `prompt` is the logged prompt"
    )
    parser.add_argument(
        "--reference", help="field or Jinja template on `doc`; `target` is the logged target"
    )
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
    templates, match = _templates(args)
    options = ("judge", "llm", "threshold", "backend", "device", "dtype", "batch_tokens", "cache")
    pipeline = Pipeline(
        reference="", match=match, **{name: getattr(args, name) for name in options}
    )
    methods: list[Method] = list(
        dict.fromkeys(args.method or [m for m in METHODS if m != "llm" or args.llm])
    )
    asks_llm = pipeline.asks_llm_in(methods)
    starting = _engine(args, pipeline, methods, asks_llm)
    sized = _sized(args, paths, templates)
    if args.dry_run:
        first = lm_eval.rows(sized[0][0], templates=templates, generator=args.generator)
        return _preview([(file, n) for file, _, n in sized], first)
    settings = _settings(pipeline, methods)
    chunk = LLM_CHUNK if asks_llm else CHUNK

    def sources() -> Iterator[Source]:
        for file, output, _ in sized:
            found = lm_eval.rows(file, templates=templates, generator=args.generator)
            yield Source(file, args.output / output, found, _run_id(file, found, settings), chunk)

    with (
        locked_folder(args.output),
        starting as engine,
        tqdm(
            total=sum(n for _, _, n in sized), desc="rejudging", unit=" rows", disable=None
        ) as bar,
    ):
        judge_files(sources(), engine, bar)
        return results.write(
            [(file, args.output / output) for file, output, _ in sized], args.output, settings
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


def _templates(args: argparse.Namespace) -> tuple[Templates | None, baseline.Match]:
    """What --task, --question and --reference say; None leaves it to the table of known tasks."""
    match: baseline.Match = args.match or "auto"
    if args.task is None and args.question is None and args.reference is None:
        return None, match
    question: Template = ""
    reference: Template = ""
    if args.task is not None:
        from lm_eval_bertjudge.harness import check_task

        pipelines = check_task(args.task, include_path=args.include_path).pipelines
        if not pipelines:
            raise InputError(
                f"--task {args.task}: no pipeline of it judges; see `bertjudge check {args.task}`"
            )
        pipeline = pipelines.get("judge", next(iter(pipelines.values())))
        question, reference = (
            pipeline.question if pipeline.include_question else "",
            pipeline.reference,
        )
        theirs = [p.match for p in pipelines.values() if p.method == "lexical"]
        match = theirs[0] if theirs and args.match is None else match
    question = question if args.question is None else args.question
    reference = reference if args.reference is None else args.reference
    if not reference:
        raise InputError(
            "--question alone is not enough: give --reference too (`--reference target` is the logged one)"
        )
    return Templates(question, reference), match


def _sized(
    args: argparse.Namespace, paths: Sequence[Path], templates: Templates | None
) -> list[tuple[Path, Path, int]]:
    """The files that can be judged, each with its output and how many answers it has.

    All are rebuilt before any is judged, and not kept: an error must not come after hours, and a sweep outgrows memory.
    """
    sized: list[tuple[Path, Path, int]] = []
    left_out: list[InputError] = []
    for file, output in lm_eval.find(paths):
        try:
            sized.append(
                (
                    file,
                    output,
                    len(lm_eval.rows(file, templates=templates, generator=args.generator)),
                )
            )
        except lm_eval.LeftOutError as error:
            left_out.append(error)
    if not sized:
        raise left_out[0]
    for reason in left_out:
        logger.warning("left out: %s", reason)
    return sized


def _preview(sized: Sequence[tuple[Path, int]], first: Sequence[Row]) -> str:
    blocks = [f"{file}: {n} answers" for file, n in sized]
    for row in first[:3]:
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
