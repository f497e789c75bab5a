"""Answers that could not be judged, on disk: hours of generation must survive whatever happens after them."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.errors import BertJudgeError, InputError
from lm_eval_bertjudge.judges.llm.judge import LLMOptions
from lm_eval_bertjudge.scorer import Pipeline

PREFIX = "bertjudge_unjudged_"


def rows(
    answers: Sequence[Sequence[Any]], docs: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The answers to each document as rows with doc_id (position), doc and candidate, as `bertjudge judge` reads."""
    pairs = zip(answers, docs, strict=False)  # lengths that differ may be the very fault
    return [
        {"doc_id": index, "doc": doc, "candidate": answer}
        for index, (responses, doc) in enumerate(pairs)
        for answer in responses
    ]


def save(unjudged: Sequence[Mapping[str, Any]]) -> Path:
    """Writes rows to a new file in the working directory, else in the temporary or the home directory.

    Raises:
        BertJudgeError: None of them can be written; the message says why for each.
    """
    refused = []
    folders: tuple[Callable[[], str], ...] = (
        os.getcwd,
        tempfile.gettempdir,
        lambda: os.path.expanduser("~"),
    )
    for folder in folders:
        try:
            return _written(unjudged, folder())
        except OSError as error:  # full, read-only, or gone
            refused.append(f"{error.filename or folder.__name__}: {error.strerror}")
    raise BertJudgeError(f"the answers could not be saved ({'; '.join(refused)})")


def _written(unjudged: Sequence[Mapping[str, Any]], folder: str) -> Path:
    handle, name = tempfile.mkstemp(prefix=PREFIX, suffix=".jsonl", dir=folder)
    try:
        with open(handle, "w") as out:
            out.writelines(_lines(unjudged))
    except OSError as error:
        os.unlink(name)
        raise OSError(error.errno, error.strerror, folder) from error
    return Path(name)


def append(unjudged: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Adds rows to a file that `save` made."""
    with path.open("a") as out:
        out.writelines(_lines(unjudged))


def _lines(unjudged: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One ASCII line of JSON per row: a lone surrogate stays readable, and no encoding of the system matters."""
    for row in unjudged:
        try:
            line = json.dumps({**row, "doc": dict(row["doc"])}, default=str)
        except (
            TypeError,
            ValueError,
            RecursionError,
        ):  # keys that are no text, or a document that holds itself
            line = json.dumps(
                {**row, "doc": {str(key): str(value) for key, value in row["doc"].items()}},
                default=str,
            )
        yield line + "\n"


def saved(
    error: BaseException, unjudged: list[dict[str, Any]], options: Mapping[str, Any]
) -> tuple[Path | None, str]:
    """Saves what a failure or a stop left unjudged: the file, and what to tell about it."""
    stopped = {KeyboardInterrupt: "stopped by Ctrl-C", SystemExit: "stopped by SIGTERM"}.get(
        type(error)
    )
    cause = stopped or (str(error) if isinstance(error, BertJudgeError) else repr(error))
    after = (
        "answers of other tasks that were not judged yet are not saved"
        if stopped
        else "they count as unjudged, and bertjudge is NaN"
    )
    try:
        path = save(unjudged)
    except BertJudgeError as full:
        return (
            None,
            f"judging failed: {cause}\n{full}: only the sample log (--log_samples) has them; {after}",
        )
    return path, (
        f"judging failed: {cause}\nThe {len(unjudged)} answers of this task are in {path}; {after}.\n"
        f"Judge them, once the cause is mended, with:\n  {command(path, options)}"
    )


def command(path: Path, options: Mapping[str, Any]) -> str:
    """The command line that judges a saved file as a pipeline with these options would have.

    `llm` is left out where it cannot be read: it may be wrong because a key stands in it, which must not be shown.
    """
    known = [each.name for each in fields(Pipeline) if each.name != "include_question"]
    if not options.get("include_question", True):
        known.remove("question")
    given = {name: options[name] for name in known if options.get(name) is not None}
    if not _readable(given.get("llm")):
        del given["llm"]
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, default=str)
        for name, value in given.items()
    }
    flags = "".join(f" --{name} {shlex.quote(text)}" for name, text in texts.items())
    output = path.with_name(path.name.replace(PREFIX, "verdicts_"))
    return f"bertjudge judge --input {shlex.quote(str(path))} --output {shlex.quote(str(output))}{flags}"


def _readable(llm: Any) -> bool:
    try:
        return llm is None or bool(LLMOptions.read(llm))
    except (TypeError, ValueError, InputError):
        return False


@contextlib.contextmanager
def termination_raises() -> Iterator[None]:
    """SIGTERM raises SystemExit in here, so that a job whose time is up can save its answers.

    Only in the main thread, and only where nobody else has taken the signal.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _exit(number: int, _: Any) -> None:
    raise SystemExit(128 + number)
