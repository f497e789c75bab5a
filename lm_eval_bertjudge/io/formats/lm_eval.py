"""Sample files of lm_eval (`--log_samples`, 0.4.2 and later) and plain triplet files, as rows that can be judged.

A sample file has one line per document and filter, the answers in `resps`, and the metrics that the harness gave. Here
every answer is one row: lines of one document are joined by doc_id, question and references are rebuilt from `doc`,
and the old metrics are kept beside, by "name,filter".
"""

from __future__ import annotations

import ast
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval_bertjudge import known_tasks, template
from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.io.formats import shapes
from lm_eval_bertjudge.io.rows import SUFFIXES, Row, read_rows
from lm_eval_bertjudge.known_tasks import Templates

logger = logging.getLogger(__name__)

_DATE = r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?"
_NAME = re.compile(rf"(?:samples_)?(?P<task>.*?)(?:_(?P<date>{_DATE}))?")
# What lm_eval writes beside the metrics; before 0.4.4 nothing in a line says which keys are metrics.
_NOT_METRICS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "repeats", "schema_version",
}  # fmt: skip
_NOT_ANSWERS = re.compile(r"results_|results\.json$|verdicts_")
_UNPARSED = "[invalid]"  # what the harness's regex filters give where they find nothing


class LeftOutError(InputError):
    """The file cannot be judged as it is, but others beside it can."""


class NotGeneratedError(LeftOutError):
    """The file's answers are likelihoods: there is no text to judge."""


class UnknownTaskError(LeftOutError):
    """Nothing says how a document of this task becomes a question and a reference."""


def find(paths: Sequence[Path]) -> list[tuple[Path, Path]]:
    """The sample files among `paths` and in the folders there, each with the path it gets below the output folder.

    In a folder these are its `samples_*` files, at any depth; in one without any, every file of a known format.

    Raises:
        InputError: A path does not exist, a folder has no such file, or two files would get the same output.
    """
    found: list[tuple[Path, Path]] = []
    for path in paths:
        if not path.exists():
            raise InputError(
                f"{path} does not exist; give sample files of lm_eval or the folder they are in"
            )
        if path.is_dir():
            found += [(file, file.relative_to(path)) for file in _in_folder(path)]
        else:
            found.append((path, Path(path.name)))
    named = [(file, under.parent / f"verdicts_{stem(file)}.jsonl") for file, under in found]
    by_output: dict[Path, Path] = {}
    for file, output in named:
        if output in by_output:
            raise InputError(
                f"{by_output[output]} and {file} would both become {output}: give the folder above them instead, or "
                "run once per file with another --output"
            )
        by_output[output] = file
    return named


def _in_folder(folder: Path) -> list[Path]:
    files = sorted(file for file in folder.rglob("*") if file.name.endswith(SUFFIXES))
    kept = [file for file in files if file.name.startswith("samples_")]
    kept = kept or [file for file in files if not _NOT_ANSWERS.match(file.name)]
    if not kept:
        raise InputError(
            f"{folder} has no sample file; run lm_eval with --log_samples --output_path {folder}"
        )
    return kept


def stem(file: Path) -> str:
    """A file's name without the endings that `read_rows` knows."""
    ending = next(
        (
            ending
            for ending in sorted(SUFFIXES, key=len, reverse=True)
            if file.name.endswith(ending)
        ),
        "",
    )
    return file.name.removesuffix(ending)


class Origin(NamedTuple):
    """What a sample file's name and the harness's results beside it say.

    Attributes:
        task: The task's name.
        generator: The model's name.
        filters: The task's filters in order, for lines that do not name theirs (before 0.4.4); empty if not known.
        results: The results of this run; empty where there are none.
    """

    task: str
    generator: str
    filters: list[str]
    results: dict[str, Any]


def origin(file: Path) -> Origin:
    """Where a sample file comes from: `samples_TASK_DATE.jsonl`, or `MODEL_ARGS_TASK.jsonl` as 0.4.2 wrote it."""
    match = _NAME.fullmatch(stem(file))
    name, date = (match["task"], match["date"] or "") if match else (stem(file), "")
    folder = file.resolve().parent.name
    for found in _results(file, f"results_{date}*.json"):
        if name in found["results"]:
            return Origin(
                name, str(found.get("model_name") or folder), _filters(found, name), found
            )
    for found in _results(
        file, "results.json"
    ):  # in 0.4.2 those of the last run, whatever model it was of
        for task in sorted(found["results"], key=len, reverse=True):
            if name.endswith(f"_{task}"):
                model_args = name.removesuffix(f"_{task}")
                same = (
                    re.sub("/|=", "__", str(found.get("config", {}).get("model_args")))
                    == model_args
                )
                generator = model_args.removeprefix("pretrained__")
                return Origin(task, generator, _filters(found, task), found if same else {})
    return Origin(name, folder, [], {})


def _results(file: Path, pattern: str) -> Iterator[dict[str, Any]]:
    for beside in sorted(file.parent.glob(pattern), reverse=True):
        try:
            found = json.loads(beside.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            logger.warning("%s cannot be read and is left out: %s", beside, error)
            continue
        if isinstance(found, dict) and isinstance(found.get("results"), dict):
            yield found


def _filters(results: Mapping[str, Any], task: str) -> list[str]:
    return [
        each["name"] for each in results.get("configs", {}).get(task, {}).get("filter_list") or []
    ]


def rows(
    file: Path, *, templates: Templates | None = None, generator: str | None = None
) -> list[Row]:
    """The answers in a file, in its order, one row each.

    A row has id (unique over generators and tasks), generator, task, category, doc_id, repeat, question, references,
    candidate, old: the harness's numeric metrics by "name,filter", and unparsed: the filters that found no answer in
    the text. Rows of plain triplet files keep their other columns.

    Args:
        file: A sample file of lm_eval, or one with columns candidate, reference or references, optional question, id.
        templates: Question and reference on `doc`; by the task's name from the table of known tasks when None.
        generator: The model's name; else what `results_*.json` beside the file says, else the folder's name.

    Raises:
        InputError: The file has neither format, or a template does not fit.
        LeftOutError: The task is not known, or the answers are likelihoods.
    """
    read = read_rows(file)
    first = next(read, None)
    if first is None:
        raise InputError(f"{file} is empty")
    every = _again(first, read)
    if "resps" in first:
        return _sampled(file, every, templates, generator)
    if "candidate" in first:
        rebuilt = (_rebuilt(row, file, templates) for row in every)
        return [_plain(row, file, number, generator) for number, row in enumerate(rebuilt)]
    raise InputError(
        f"{file}: its rows have {', '.join(first)}; expected were `resps` and `doc` (samples of lm_eval) or "
        "`candidate` and `reference` (plain triplets)"
    )


def _again(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _sampled(
    file: Path, lines: Iterator[Row], templates: Templates | None, generator: str | None
) -> list[Row]:
    task, model, filters, _ = origin(file)
    generator = generator or model
    known = known_tasks.templates(task)
    category = known.category if known else ""
    found: list[Row] = []
    for doc_id, (sample, old, unparsed) in _documents(lines, file, filters).items():
        doc = _doc(sample)
        chosen = templates or known or _unknown(task, doc, file)
        responses = _responses(sample["resps"], file)
        asked = template.question(chosen.question, doc) if chosen.question else ""
        shared = {
            "generator": generator, "task": task, "category": category, "doc_id": doc_id, "question": asked,
            "references": list(template.references(chosen.reference, doc)), "old": old, "unparsed": unparsed,
        }  # fmt: skip
        for repeat, response in enumerate(responses):
            name = f"{generator}/{task}/{doc_id}" + (f"#{repeat}" if len(responses) > 1 else "")
            found.append({"id": name, **shared, "repeat": repeat, "candidate": response})
    if found and not any(row["references"] for row in found):
        raise InputError(
            f"{file}: the reference is empty on every document; give another --reference"
        )
    return found


class Document(NamedTuple):
    """A document's first line, its metrics under every filter, and the filters that found no answer."""

    sample: Row
    old: dict[str, float]
    unparsed: list[str]


def _documents(lines: Iterator[Row], file: Path, filters: Sequence[str]) -> dict[Any, Document]:
    """What the lines of a file say about each document, by doc_id; `filters` name those that lines do not."""
    found: dict[Any, Document] = {}
    n_filters: dict[Any, int] = {}
    for number, line in enumerate(lines, start=1):
        if lacking := {"doc_id", "doc", "resps"} - line.keys():
            raise InputError(
                f"{file}, sample {number} lacks {', '.join(sorted(lacking))}; it has {', '.join(line)}"
            )
        shapes.sample(line, f"{file}, sample {number}")
        key = line["doc_id"]
        n = n_filters[key] = n_filters.get(key, 0) + 1
        name = line.get("filter") or (
            filters[n - 1] if n <= len(filters) else "none" if n == 1 else f"none#{n}"
        )
        document = found.setdefault(key, Document(line, {}, []))
        document.old.update({f"{metric},{name}": value for metric, value in _metrics(line).items()})
        if line.get("filtered_resps") == [_UNPARSED]:
            document.unparsed.append(name)
    return found


def _metrics(line: Row) -> dict[str, float]:
    names = line.get("metrics") or [name for name in line if name not in _NOT_METRICS]
    values = {name: line.get(name) for name in names}
    return {
        name: float(value)
        for name, value in values.items()
        if isinstance(value, (bool, int, float))
    }


def _doc(sample: Row) -> dict[str, Any]:
    """The document, and as `prompt` and `target` what was logged, for templates where it has no such field itself."""
    prompt = sample.get("arguments")
    while (
        isinstance(prompt, (dict, list)) and prompt
    ):  # [[prompt, options]], or by name in later versions
        prompt = next(iter(prompt.values())) if isinstance(prompt, dict) else prompt[0]
    prompt = prompt if isinstance(prompt, str) else ""
    return {"prompt": prompt, "target": sample.get("target", ""), **sample["doc"]}


def _unknown(task: str, doc: Mapping[str, Any], file: Path) -> Templates:
    raise UnknownTaskError(
        f"{file}: the task {task!r} is not in the table of known tasks. Say how to rebuild its items, by a task of the "
        "harness that judges (--task NAME) or by fields or templates on its documents (--question ... --reference "
        f"...); a document has {', '.join(sorted(doc))} (prompt and target as logged)"
    )


def _responses(resps: Any, file: Path) -> list[str]:
    """The answers to a document's first request: one, or several with `repeats`."""
    if isinstance(resps, str):
        resps = _literal(resps)
    first = resps[0] if isinstance(resps, list) and resps else resps
    answers = (
        first if isinstance(first, (list, tuple)) else resps if isinstance(resps, list) else [resps]
    )
    if any(isinstance(answer, (list, tuple)) for answer in answers):
        raise NotGeneratedError(
            f"{file}: its answers are likelihoods of given options, not texts; run a generating variant of the task"
        )
    return ["" if answer is None else str(answer) for answer in answers]


def _literal(text: str) -> Any:
    """A list that was written as text, or the text itself."""
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return [text]
    return found if isinstance(found, list) else [text]


def _rebuilt(row: Row, file: Path, templates: Templates | None) -> Row:
    """A row that a run left unjudged: with question and references from its `doc`, where it lacks them."""
    doc = row.get("doc")
    if not isinstance(doc, dict) or (templates is None and "references" in row):
        return row
    task = str(row.get("task") or stem(file))
    chosen = templates or known_tasks.templates(task) or _unknown(task, doc, file)
    asked = template.question(chosen.question, doc) if chosen.question else ""
    return row | {
        "question": asked,
        "references": list(template.references(chosen.reference, doc)),
    }


def _plain(row: Row, file: Path, number: int, generator: str | None) -> Row:
    given = row.get("references") or row.get("reference")
    if (
        isinstance(given, str) and given.lstrip().startswith("[") and "references" in row
    ):  # a list in a csv cell
        given = _literal(given)
    references = [
        str(each)
        for each in (given if isinstance(given, list) else [given])
        if each not in (None, "")
    ]
    if (not references and "doc" not in row) or "candidate" not in row:
        raise InputError(
            f"{file}, row {number + 1}: a candidate and a reference (or references) were expected; it has "
            f"{', '.join(name for name in row if row[name] not in (None, '', []))}"
        )
    name = stem(file)
    own = {
        key: value
        for key, value in row.items()
        if key not in ("reference", "references", "candidate", "question")
    }
    return {
        **own,
        "id": str(row.get("id") if row.get("id") not in (None, "") else f"{name}/{number}"),
        "generator": str(row.get("generator") or generator or ""),
        "task": str(row.get("task") or name.removeprefix("samples_")),
        "category": str(row.get("category") or ""),
        "doc_id": number,
        "repeat": 0,
        "question": str(row.get("question") or ""),
        "references": references,
        "old": row.get("old") or {},
        "unparsed": row.get("unparsed") or [],
        "candidate": str(row["candidate"] or ""),
    }
