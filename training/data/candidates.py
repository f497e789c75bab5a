"""Stage: sample logs of the harness to candidates, one row an answer.

    python -m training.candidates RUN_DIR... --output candidates.jsonl

Reads the `samples_*.jsonl` that `lm_eval --predict_only --log_samples` wrote for tasks of training/tasks (or of
task_yamls), each with the `results_*.json` beside it. A row has id, source, category, task, question, context?,
prompt (what the model was asked, without its chat template), references, candidate, generator, revision, format,
finish_reason (None: the harness does not log it) and licence (that of the questions).

The id ends in a digest of prompt, references and candidate, so a label can never be joined with another answer. Equal
answers of one model to one document are one row; where a task was run twice, the later run counts.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import yaml

from lm_eval_bertjudge import template
from training.data.rows import Row, read_rows, sha256, write_manifest, write_rows

TASK_YAMLS = Path(__file__).parents[2] / "task_yamls"
# The column of a document that tells its category, which is also the file in task_yamls that has the prompt.
CATEGORIES = {"options": "multiple_choice", "passage": "context_extraction", "problem": "open_math"}
LICENCES = {
    "mmlu_train": "MIT", "gsm8k_train": "MIT", "hendrycks_math_train": "MIT", "arc_easy_train": "CC-BY-SA-4.0",
    "arc_challenge_train": "CC-BY-SA-4.0", "squadv2_train": "CC-BY-SA-4.0", "hotpotqa_train": "CC-BY-SA-4.0",
}  # fmt: skip

_FILE = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+?)\.jsonl(?:\.gz)?")
_SOURCE = re.compile(r"(?P<source>.+?(?:_train(?=_)|(?=_bertjudge)))")


def sample_files(folders: list[Path]) -> list[tuple[Path, str, str]]:
    """The sample files under the folders with their task and date, by date, so that a later run comes last."""
    found = []
    for folder in folders:
        named = [
            (path, _FILE.fullmatch(path.name)) for path in sorted(folder.rglob("samples_*.jsonl*"))
        ]
        if not any(match for _, match in named):
            raise SystemExit(
                f"{folder} has no samples_TASK_DATE.jsonl: run lm_eval with --log_samples --output_path"
            )
        found += [(path, match["task"], match["date"]) for path, match in named if match]
    return sorted(found, key=lambda each: each[2])


def generator_of(file: Path, date: str) -> tuple[str, str]:
    """The model's name and revision in the results file of a sample file's run; a local folder by its last part."""
    results = file.with_name(f"results_{date}.json")
    if not results.exists():
        raise SystemExit(
            f"{file} has no {results.name} beside it: the run was cut short, run it again"
        )
    found = json.loads(results.read_text(encoding="utf-8"))
    name, config = str(found["model_name"]), found["config"]
    revision = config.get("model_sha") or config.get("model_revision") or ""
    return Path(name).name if name.startswith(("/", ".")) else name, str(revision)


@lru_cache
def prompt_template(category: str) -> str:
    """The Jinja prompt of a category's tasks, from the one place where it stands."""

    class Loader(yaml.SafeLoader):
        """YAML with the harness's `!function` tags left as text."""

    Loader.add_multi_constructor("!", lambda loader, suffix, node: suffix)
    text = (TASK_YAMLS / category).read_text(encoding="utf-8")
    return str(yaml.load(text, Loader)["doc_to_text"])  # a subclass of SafeLoader


def document(sample: Row, file: Path) -> Row:
    """What a row says about the question: category, question, context?, prompt, references, format."""
    doc = sample["doc"]
    column = next((name for name in CATEGORIES if name in doc and "references" in doc), None)
    if column is None:
        raise SystemExit(
            f"{file}: its documents have {', '.join(sorted(doc))}; expected were those of training/tasks, with "
            f"`references` and one of {', '.join(CATEGORIES)}"
        )
    category = CATEGORIES[column]
    prompt = template.question(prompt_template(category), doc)
    if prompt not in _asked(sample):
        raise SystemExit(
            f"{file}, document {sample['doc_id']}: the model was not asked what task_yamls/{category} asks now; use "
            "the checkout that generated these answers, or generate them again"
        )
    question = doc.get("problem", doc.get("question", "")).strip()
    if column == "options":
        listed = zip(ascii_uppercase, doc["options"], strict=False)
        question += "\n" + "\n".join(f"{letter}) {text}" for letter, text in listed)
    context = {"context": doc["passage"]} if column == "passage" else {}
    about = {"category": category, "question": question} | context
    return about | {"prompt": prompt, "references": doc["references"], "format": doc["formatting"]}


def _asked(sample: Row) -> str:
    """The logged request as text; of a chat server, which gets messages, what they say."""
    request = sample["arguments"]["gen_args_0"]["arg_0"]
    if isinstance(request, str):
        return request
    return "\n".join(message["content"] for message in json.loads(request[0]))


def answers(file: Path, task: str, generator: str, revision: str) -> Iterator[tuple[tuple, Row]]:
    """The answers in a sample file, each after the key that another run of the same task would give it."""
    match = _SOURCE.match(task)
    source = match["source"] if match else task
    for sample in read_rows(file):
        about = document(sample, file)
        for repeat, candidate in enumerate(sample["resps"][0]):
            text = "\0".join([about["prompt"], *about["references"], str(candidate)])
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            row = {
                "id": f"{generator}/{task}/{sample['doc_id']}/{digest}",
                "source": source,
                "task": task,
                **about,
            }
            row |= {"candidate": str(candidate), "generator": generator, "revision": revision}
            row |= {
                "finish_reason": sample.get("finish_reason"),
                "licence": LICENCES.get(source, "unstated"),
            }
            yield (generator, revision, task, sample["doc_id"], repeat), row


def collect(folders: list[Path], generator: str | None = None) -> tuple[list[Row], dict[str, Any]]:
    """The candidates of all runs under the folders, without repetitions, and what the manifest says about them."""
    by_place: dict[tuple, Row] = {}
    files = sample_files(folders)
    for file, task, date in files:
        name, revision = generator_of(file, date)
        by_place.update(answers(file, task, generator or name, revision))
    rows = list({row["id"]: row for row in by_place.values()}.values())
    counts = collections.Counter((row["generator"], row["source"], row["format"]) for row in rows)
    return rows, {
        "rows": len(rows),
        "rows_by_generator_source_format": {" ".join(key): n for key, n in sorted(counts.items())},
        "n_equal_answers_left_out": len(by_place) - len(rows),
        "sample_files_sha256": {file.name: sha256(file) for file, _, _ in files},
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "runs", type=Path, nargs="+", help="output folders of lm_eval, searched at any depth"
    )
    parser.add_argument("--output", type=Path, required=True, help="candidates.jsonl to write")
    parser.add_argument(
        "--generator", help="the model's name, where the results file has none worth keeping"
    )
    args = parser.parse_args(argv)
    rows, manifest = collect(args.runs, args.generator)
    write_rows(args.output, rows)
    write_manifest(args.output, manifest)
    print(
        f"{len(rows)} candidates of {len({row['generator'] for row in rows})} models -> {args.output}"
    )


if __name__ == "__main__":
    main()
