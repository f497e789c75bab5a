"""Every benchmark's documents in common columns, so that all tasks of a category share one template.

A task file names its benchmark and its format: `process_docs: !function documents.gpqa_soft` applies `gpqa` below to
each document and adds the column `formatting`, here "soft". The other columns it adds beside the dataset's own:

    multiple choice       question, options, references
    context extraction    question, passage, references
    open maths            problem, references

Texts are left as the dataset has them; the templates trim the whole prompt. `references` lists every gold answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from string import ascii_uppercase
from typing import Any

from datasets import Dataset

FORMATS = ("soft", "free", "strict")
Doc = dict[str, Any]


def target(doc: Doc) -> str:
    """The first reference; a function, since the harness would read a template's "[2, 5]" as a list of targets."""
    return str(doc["references"][0])


def arc(doc: Doc) -> Iterator[Doc]:
    """ARC, whose options are labelled A to E or 1 to 4."""
    options = doc["choices"]
    yield _choice(doc, doc["question"], options["text"], options["label"].index(doc["answerKey"]))


def mmlu(doc: Doc) -> Iterator[Doc]:
    """MMLU, any subject; the config `auxiliary_train` has all columns inside one, `train`."""
    doc = doc.get("train") or doc
    yield _choice(doc, doc["question"], doc["choices"], doc["answer"])


def mmlu_pro(doc: Doc) -> Iterator[Doc]:
    """MMLU-Pro, with up to ten options."""
    yield _choice(doc, doc["question"], doc["options"], ascii_uppercase.index(doc["answer"]))


def truthfulqa(doc: Doc) -> Iterator[Doc]:
    """TruthfulQA's single-true options, shuffled: in the dataset the true one comes first."""
    options = doc["mc1_targets"]
    yield _shuffled_choice(doc, doc["question"], options["choices"], options["labels"].index(1))


def gpqa(doc: Doc) -> Iterator[Doc]:
    """GPQA's four options, shuffled."""
    options = [doc["Correct Answer"], *(doc[f"Incorrect Answer {number}"] for number in (1, 2, 3))]
    yield _shuffled_choice(doc, doc["Question"], options, 0)


def squadv2(doc: Doc) -> Iterator[Doc]:
    """SQuAD v2; `Unanswerable` where the annotators found no answer."""
    references = _distinct(doc["answers"]["text"]) or ["Unanswerable"]
    yield doc | {"passage": doc["context"], "references": references}


def hotpotqa(doc: Doc) -> Iterator[Doc]:
    """HotpotQA with the articles that hold the supporting facts, without the distractors."""
    needed = set(doc["supporting_facts"]["title"])
    articles = zip(doc["context"]["title"], doc["context"]["sentences"], strict=True)
    passage = "\n".join("".join(sentences) for title, sentences in articles if title in needed)
    yield doc | {"passage": passage, "references": [doc["answer"].strip()]}


def drop(doc: Doc) -> Iterator[Doc]:
    """DROP where all annotators agree on one answer: the dataset does not tell lists from alternatives otherwise."""
    answers = doc["answers_spans"]["spans"]
    if len(set(answers)) == 1:
        yield doc | {"references": [answers[0].strip()]}


def coqa(doc: Doc) -> Iterator[Doc]:
    """CoQA's first question of each conversation."""
    yield doc | {
        "passage": doc["story"],
        "question": doc["questions"]["input_text"][0],
        "references": _coqa_answers(doc, 0),
    }


def coqa_all(doc: Doc) -> Iterator[Doc]:
    """CoQA's every question; the earlier turns with their gold answers follow the story. One document per turn."""
    passage = doc["story"]
    turns = zip(doc["questions"]["input_text"], doc["answers"]["input_text"], strict=True)
    for turn, (question, answer) in enumerate(turns):
        shared = {"id": doc["id"], "source": doc["source"], "turn": turn + 1}
        yield shared | {
            "passage": passage,
            "question": question,
            "references": _coqa_answers(doc, turn),
        }
        passage += f"\n\nQ: {question}\nA: {answer}"


def gsm8k(doc: Doc) -> Iterator[Doc]:
    """GSM8K; the number after `####`."""
    yield _problem(doc, doc["question"], doc["answer"].split("#### ")[-1])


def hendrycks_math(doc: Doc) -> Iterator[Doc]:
    """MATH; the last box of the solution. A solution without a box is left out."""
    answer = last_boxed(doc["solution"])
    if answer is not None:
        yield _problem(doc, doc["problem"], answer)


def math500(doc: Doc) -> Iterator[Doc]:
    """MATH-500, which has the box's content as a column."""
    yield _problem(doc, doc["problem"], doc["answer"])


def asdiv(doc: Doc) -> Iterator[Doc]:
    """ASDiv; "9 (apples)" without its unit, and likewise each part of "6 (cm); 15 (cm)"."""
    answer = re.sub(r"\s+\([^()]*\)", "", doc["answer"])
    yield _problem(doc, f"{doc['body']} {doc['question']}", answer)


def aime24(doc: Doc) -> Iterator[Doc]:
    """AIME 2024."""
    yield _problem(doc, doc["Problem"], doc["Answer"])


def aime25(doc: Doc) -> Iterator[Doc]:
    """AIME 2025."""
    yield _problem(doc, doc["problem"], doc["answer"])


def last_boxed(solution: str) -> str | None:
    r"""What stands in the last `\boxed{...}` whose braces close; None without one."""
    for box in reversed(list(re.finditer(r"\\boxed\s*\{", solution))):
        depth = 1
        for brace in re.compile(r"\\.|[{}]", re.DOTALL).finditer(solution, box.end()):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if depth == 0:
                return solution[box.end() : brace.start()].strip()
    return None


def _choice(doc: Doc, question: str, options: Sequence[str], right: int) -> Doc:
    reference = f"{ascii_uppercase[right]}) {options[right]}".strip()
    return doc | {"question": question, "options": list(options), "references": [reference]}


def _shuffled_choice(doc: Doc, question: str, options: Sequence[str], right: int) -> Doc:
    """Options in an order that depends on nothing but the question, so that every run and format has the same."""
    order = list(range(len(options)))
    random.Random(question).shuffle(order)
    return _choice(doc, question, [options[i] for i in order], order.index(right))


def _problem(doc: Doc, problem: str, answer: object) -> Doc:
    return doc | {"problem": problem, "references": [str(answer).strip()]}


def _coqa_answers(doc: Doc, turn: int) -> list[str]:
    others = (doc.get("additional_answers") or {}).values()
    return _distinct([each["input_text"][turn] for each in (doc["answers"], *others) if each])


def _distinct(answers: Iterable[str]) -> list[str]:
    """The answers without repetitions and empty ones; of spellings that differ in case the first stays."""
    found: dict[str, str] = {}
    for answer in map(str.strip, answers):
        found.setdefault(answer.casefold(), answer)
    return [answer for answer in found.values() if answer]


BENCHMARKS = {
    read.__name__: read
    for read in (
        arc, mmlu, mmlu_pro, truthfulqa, gpqa, squadv2, hotpotqa, drop, coqa, coqa_all,
        gsm8k, hendrycks_math, math500, asdiv, aime24, aime25,
    )
}  # fmt: skip


def __getattr__(name: str) -> Callable[[Dataset], Dataset]:
    """The `process_docs` of a benchmark and a format, e.g. `arc_free`, or of a subject, e.g. `mmlu_anatomy_soft`."""
    benchmark, _, formatting = name.rpartition("_")
    subject = benchmark.removeprefix("mmlu_") if benchmark not in BENCHMARKS else None
    if formatting not in FORMATS or subject == benchmark:
        raise AttributeError(
            f"no {name!r}: one of {', '.join(BENCHMARKS)}, mmlu_SUBJECT, then _soft, _free or _strict"
        )
    read = BENCHMARKS.get(benchmark, mmlu)

    @lru_cache(maxsize=1)  # the harness asks for a task's documents seven times
    def process_docs(docs: Dataset) -> Dataset:
        if subject is not None:
            docs = docs.select([i for i, each in enumerate(docs["subject"][:]) if each == subject])
        return Dataset.from_list(
            [made | {"formatting": formatting} for doc in docs for made in read(doc)]
        )

    return process_docs
