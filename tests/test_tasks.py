"""The task files, on documents made by hand in the schema of each public dataset; then on the shared copies."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import lm_eval
import pytest
from lm_eval.api.task import ConfigurableTask
from lm_eval.tasks import TaskManager

from lm_eval_bertjudge.autoload import tasks_dir
from lm_eval_bertjudge.harness import ReplayModel
from lm_eval_bertjudge.pipeline import Pipeline

Doc = dict[str, Any]
FORMATS = {"soft": "", "free": "_free", "strict": "_strict"}
LEADS = {
    "soft": '\n\nConclude your response with "Final answer: X", where X is ',
    "strict": '\n\nRespond only with the exact format "Final answer: X", where X is ',
}
ASKED = {
    "exact": "the letter of the correct choice.",
    "rouge_l": "the exact span from the context that answers the question.",
    "math_verify": "the computed solution.",
}
CATEGORIES = {
    "multiple_choice": ["arc_easy", "arc_challenge", "mmlu", "mmlu_pro", "truthfulqa", "gpqa"],
    "context_extraction": ["squadv2", "hotpotqa", "drop", "coqa"],
    "open_math": ["gsm8k", "hendrycks_math", "asdiv", "aime24", "aime25"],
}
PAPER = [name for names in CATEGORIES.values() for name in names]
MATH = ["algebra", "counting_and_prob", "geometry", "intermediate_algebra", "num_theory", "prealgebra", "precalc"]


class Case(NamedTuple):
    """A dataset, one document of it, and the prompt (without format suffix), references and comparison it gives."""

    dataset: str
    doc: Doc
    prompt: str
    references: list[str]
    match: str


CHOICES = "Answer the following multiple-choice question.\n\nQuestion: {}\n\nChoices:\n{}"
PASSAGE = "Answer the question based on the provided context.\n\nContext:\n{}\n\nQuestion: {}"

COQA = {
    "id": "3zotghdk5ibi9cex97fepx7jetpso7",
    "source": "wikipedia",
    "story": "Mia keeps two goats. The elder, Ada, is grey.",
    "questions": {"input_text": ["How many goats?", "What is the elder called?"], "turn_id": [1, 2]},
    "answers": {
        "input_text": ["two", "Ada"], "span_text": ["two goats", "Ada"],
        "span_start": [10, 32], "span_end": [19, 35], "turn_id": [1, 2],
    },
    "additional_answers": {
        str(k): {
            "input_text": [said, "Ada"], "span_text": ["two goats", "Ada"],
            "span_start": [10, 32], "span_end": [19, 35], "turn_id": [1, 2],
        }
        for k, said in enumerate(["Two", "2 goats", "two"])
    },
}  # fmt: skip
COQA_PROMPT = PASSAGE.format("Mia keeps two goats. The elder, Ada, is grey.", "How many goats?")
ARC = {
    "id": "Mercury_7",
    "question": "Which gas do plants take in?",
    "choices": {"text": ["neon", "carbon dioxide", "helium"], "label": ["1", "2", "3"]},
    "answerKey": "2",
}
ARC_PROMPT = CHOICES.format("Which gas do plants take in?", "A) neon\nB) carbon dioxide\nC) helium")

CASES = {
    "arc_easy": Case("allenai/ai2_arc", ARC, ARC_PROMPT, ["B) carbon dioxide"], "exact"),
    "arc_challenge": Case("allenai/ai2_arc", ARC, ARC_PROMPT, ["B) carbon dioxide"], "exact"),
    "mmlu_anatomy": Case(
        "cais/mmlu",
        {"question": "How many ribs?", "subject": "anatomy", "choices": ["10", "12", "20", "24 "], "answer": 3},
        CHOICES.format("How many ribs?", "A) 10\nB) 12\nC) 20\nD) 24"),
        ["D) 24"],
        "exact",
    ),
    "mmlu_pro": Case(
        "TIGER-Lab/MMLU-Pro",
        {
            "question_id": 70, "question": "Which number is prime?", "options": [str(n) for n in range(20, 30)],
            "answer": "J", "answer_index": 9, "cot_content": "", "category": "math", "src": "made",
        },
        CHOICES.format(
            "Which number is prime?",
            "A) 20\nB) 21\nC) 22\nD) 23\nE) 24\nF) 25\nG) 26\nH) 27\nI) 28\nJ) 29",
        ),
        ["J) 29"],
        "exact",
    ),
    "truthfulqa": Case(
        "truthfulqa/truthful_qa",
        {
            "question": "Do goldfish forget fast?",
            "mc1_targets": {"choices": ["No, for months", "Yes", "All fish do", "Red ones do"], "labels": [1, 0, 0, 0]},
            "mc2_targets": {"choices": ["No", "Yes"], "labels": [1, 0]},
        },
        CHOICES.format("Do goldfish forget fast?", "A) All fish do\nB) Red ones do\nC) No, for months\nD) Yes"),
        ["C) No, for months"],
        "exact",
    ),
    "gpqa": Case(
        "Idavidrein/gpqa",
        {
            "Question": "Name the heaviest lepton.", "Correct Answer": "tau", "Incorrect Answer 1": "electron",
            "Incorrect Answer 2": "muon", "Incorrect Answer 3": "neutrino", "Record ID": "rec1", "Subdomain": None,
        },
        CHOICES.format("Name the heaviest lepton.", "A) muon\nB) tau\nC) neutrino\nD) electron"),
        ["B) tau"],
        "exact",
    ),
    "squadv2": Case(
        "rajpurkar/squad_v2",
        {
            "id": "1", "title": "Rollo", "context": "Rollo led them in the 10th century. ",
            "question": " When did Rollo lead them? ",
            "answers": {
                "text": ["10th century", "the 10th century", "10th Century", "10th century"],
                "answer_start": [22, 18, 22, 22],
            },
        },
        PASSAGE.format("Rollo led them in the 10th century. ", " When did Rollo lead them?"),
        ["10th century", "the 10th century"],
        "rouge_l",
    ),
    "hotpotqa": Case(
        "hotpotqa/hotpot_qa",
        {
            "id": "5a8b", "question": "Where was the director of Dune born?", "answer": "Canada",
            "type": "bridge", "level": "hard",
            "supporting_facts": {"title": ["Villeneuve", "Dune"], "sent_id": [0, 1]},
            "context": {
                "title": ["Dune", "Sand", "Villeneuve"],
                "sentences": [
                    ["Dune is a film.", " Villeneuve directed it."], ["Sand is fine."], ["He was born in Canada."]
                ],
            },
        },
        PASSAGE.format(
            "Dune is a film. Villeneuve directed it.\nHe was born in Canada.", "Where was the director of Dune born?"
        ),
        ["Canada"],
        "rouge_l",
    ),
    "drop": Case(
        "ucinlp/drop",
        {
            "section_id": "nfl_1", "query_id": "q1", "passage": "They scored 14 points, then 7.",
            "question": "How many points in all?",
            "answers_spans": {"spans": ["21", "21"], "types": ["number", "number"]},
        },
        PASSAGE.format("They scored 14 points, then 7.", "How many points in all?"),
        ["21"],
        "rouge_l",
    ),
    "coqa": Case("EleutherAI/coqa", COQA, COQA_PROMPT, ["two", "2 goats"], "rouge_l"),
    "coqa_all": Case("EleutherAI/coqa", COQA, COQA_PROMPT, ["two", "2 goats"], "rouge_l"),
    "gsm8k": Case(
        "openai/gsm8k",
        {"question": "What do 30 seats at $50 cost?", "answer": "30*50 = <<30*50=1500>>1,500.\n#### 1,500"},
        "What do 30 seats at $50 cost?",
        ["1,500"],
        "math_verify",
    ),
    "hendrycks_math_precalc": Case(
        "EleutherAI/hendrycks_math",
        {
            "problem": "Find $\\sin 60^\\circ.$", "level": "Level 1", "type": "Precalculus",
            "solution": "First $\\boxed{1}$, no: $\\boxed{\\frac{\\sqrt{3}}{2}}.$",
        },
        "Find $\\sin 60^\\circ.$",
        ["\\frac{\\sqrt{3}}{2}"],
        "math_verify",
    ),
    "math500": Case(
        "HuggingFaceH4/MATH-500",
        {"problem": "Halve 1.", "solution": "$\\boxed{\\frac12}$", "answer": "\\frac12", "unique_id": "test/algebra/1"},
        "Halve 1.",
        ["\\frac12"],
        "math_verify",
    ),
    "asdiv": Case(
        "EleutherAI/asdiv",
        {
            "body": "Seven red and two green apples are in the basket.", "question": "How many apples are there?",
            "solution_type": "Addition", "answer": "9 (apples)", "formula": "7+2=9",
        },
        "Seven red and two green apples are in the basket. How many apples are there?",
        ["9"],
        "math_verify",
    ),
    "aime24": Case(
        "Maxwell-Jia/AIME_2024",
        {"ID": "2024-I-1", "Problem": "Find the walk's minutes.", "Solution": "...", "Answer": 204},
        "Find the walk's minutes.",
        ["204"],
        "math_verify",
    ),
    "aime25": Case(
        "math-ai/aime25",
        {"problem": "Sum the bases.", "answer": "70", "id": "0"},
        "Sum the bases.",
        ["70"],
        "math_verify",
    ),
}  # fmt: skip


@pytest.fixture(scope="session")
def manager() -> TaskManager:
    return TaskManager(include_path=tasks_dir(), include_defaults=False)


def subjects(manager: TaskManager) -> list[str]:
    return [name[5:-10] for name in manager.all_subtasks if re.fullmatch(r"mmlu_(?!pro_).+_bertjudge", name)]


Load = Callable[..., ConfigurableTask]


@pytest.fixture
def load(manager: TaskManager, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Loads a task as the harness does, its dataset replaced by the given documents or by the case's."""
    made = {case.dataset: [case.doc] for case in CASES.values()}
    anatomy = CASES["mmlu_anatomy"].doc
    made["cais/mmlu"] = [anatomy | {"subject": subject} for subject in subjects(manager)]

    def load_dataset(path: str, name: str | None = None) -> datasets.DatasetDict:
        docs = datasets.Dataset.from_list(made[path])
        return datasets.DatasetDict(dict.fromkeys(("train", "validation", "test"), docs))

    def load_task(name: str, *docs: Doc, dataset: str = "") -> ConfigurableTask:
        if docs:
            made[dataset] = list(docs)
        return manager.load([name])["tasks"][name]

    monkeypatch.setattr("datasets.load_dataset", load_dataset)
    return load_task


def changed(load: Load, name: str, *changes: Doc) -> list[Doc]:
    """The soft task's documents for copies of the case's document with these changes."""
    case = CASES[name]
    return list(load(f"{name}_bertjudge", *(case.doc | change for change in changes), dataset=case.dataset).eval_docs)


def references(docs: list[Doc]) -> list[list[str]]:
    return [doc["references"] for doc in docs]


def pipelines(task: ConfigurableTask) -> dict[str, Pipeline]:
    return {ensemble.name: Pipeline.read(ensemble.filters[0].keywords) for ensemble in task._filters}


@pytest.mark.parametrize("formatting", FORMATS)
@pytest.mark.parametrize("name", CASES)
def test_the_model_and_the_judge_get_the_papers_prompt_and_the_reference(
    load: Load, name: str, formatting: str
) -> None:
    case = CASES[name]
    task = load(f"{name}_bertjudge{FORMATS[formatting]}")
    doc = task.eval_docs[0]
    suffix = LEADS[formatting] + ASKED[case.match] if formatting in LEADS else ""
    assert task.doc_to_text(doc) == case.prompt + suffix
    assert task.doc_to_target(doc) == case.references[0]
    for pipeline in pipelines(task).values():
        item = pipeline.item(doc, "an answer")
        assert (item.question, list(item.references)) == (case.prompt + suffix, case.references)


def test_the_datasets_own_columns_stay(load: Load) -> None:
    for name, case in CASES.items():
        if name != "coqa_all":
            assert case.doc.keys() <= load(f"{name}_bertjudge").eval_docs[0].keys()


def test_an_unanswerable_squad_question_has_its_word(load: Load) -> None:
    docs = changed(load, "squadv2", {"answers": {"text": [], "answer_start": []}})
    assert references(docs) == [["Unanswerable"]]


@pytest.mark.parametrize(
    ("spans", "kind", "expected"),
    [
        (["11 June 1734", "11 June 1734"], "date", [["11 June 1734"]]),
        (["3"], "number", [["3"]]),
        (["East Frisia ", "East Frisia "], "span", [["East Frisia"]]),
        (["Kenya", "Tanzania"], "span", []),
        (["3", "4"], "number", []),
    ],
    ids=["date", "number", "span", "two spans", "annotators differ"],
)
def test_drop_keeps_questions_with_one_agreed_answer(
    load: Load, spans: list[str], kind: str, expected: list[list[str]]
) -> None:
    other = {"answers_spans": {"spans": ["21"], "types": ["number"]}}
    docs = changed(load, "drop", other, {"answers_spans": {"spans": spans, "types": [kind] * len(spans)}})
    assert references(docs) == [["21"], *expected]


def test_coqa_all_asks_every_turn_after_the_earlier_ones(load: Load) -> None:
    task = load("coqa_all_bertjudge_free")
    first, second = task.eval_docs
    assert task.doc_to_text(first) == CASES["coqa"].prompt
    assert task.doc_to_text(second) == PASSAGE.format(
        "Mia keeps two goats. The elder, Ada, is grey.\n\nQ: How many goats?\nA: two", "What is the elder called?"
    )
    assert (second["turn"], second["references"]) == (2, ["Ada"])


def test_coqa_without_additional_answers_has_its_own(load: Load) -> None:
    assert references(changed(load, "coqa", {"additional_answers": None})) == [["two"]]


@pytest.mark.parametrize(
    ("solution", "expected"),
    [
        (r"so $\boxed{2}$, or rather $\boxed{3}$", [["3"]]),
        (r"$\boxed{\left\{1, \frac{a}{b}\right\}}$", [[r"\left\{1, \frac{a}{b}\right\}"]]),
        (r"$\boxed{x \text{ if } \{ x > 0}$", [[r"x \text{ if } \{ x > 0"]]),
        (r"$\boxed{5}$ and a broken $\boxed{6$", [["5"]]),
        (r"$\boxed{[-2, 7]}$", [["[-2, 7]"]]),
        ("no box", []),
    ],
    ids=["last", "nested", "escaped brace", "unclosed", "brackets", "none"],
)
def test_the_maths_reference_is_the_last_box_whose_braces_close(
    load: Load, solution: str, expected: list[list[str]]
) -> None:
    name = "hendrycks_math_precalc"
    docs = changed(load, name, {"solution": solution}, {"solution": r"$\boxed{0}$"})
    assert references(docs) == [*expected, ["0"]]
    task = load(f"{name}_bertjudge")
    assert [task.doc_to_target(doc) for doc in docs] == [found[0] for found in references(docs)]
    assert task.multiple_target == 0


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("14  (seats)", "14"),
        ("6 (inches); 12 (inches)", "6; 12"),
        ("8 (ft); 128 (sq. ft)", "8; 128"),
        ("Mrs. Hilt", "Mrs. Hilt"),
        ("-(1/3)", "-(1/3)"),
    ],
)
def test_an_asdiv_answer_loses_its_unit_only(load: Load, answer: str, expected: str) -> None:
    assert references(changed(load, "asdiv", {"answer": answer})) == [[expected]]


def test_shuffled_options_are_the_same_every_time_and_the_letter_is_the_right_ones(load: Load) -> None:
    questions = [{"question": f"Question {n}?", "Question": f"Question {n}?"} for n in range(40)]
    for name, right in (("truthfulqa", "No, for months"), ("gpqa", "tau")):
        docs = changed(load, name, *questions)
        letters = [doc["references"][0][0] for doc in docs]
        assert set(letters) == set("ABCD")
        assert all(doc["options"]["ABCD".index(letter)] == right for doc, letter in zip(docs, letters, strict=True))
        for formatting in ("_free", "_strict"):
            again = load(f"{name}_bertjudge{formatting}").eval_docs
            assert [doc["options"] for doc in again] == [doc["options"] for doc in docs]


def test_a_wrong_name_of_process_docs_says_what_there_is(load: Load) -> None:
    documents = load("arc_easy_bertjudge").config.doc_to_target.__globals__
    for name in ("arc", "arc_loose", "nothing_soft"):
        with pytest.raises(AttributeError, match="mmlu_SUBJECT, then _soft"):
            documents["__getattr__"](name)


def test_every_file_is_a_task_or_group_of_its_name(manager: TaskManager) -> None:
    files = {path.stem for path in Path(tasks_dir()).glob("*.yaml")}
    assert files == {*manager.all_subtasks, *manager.all_groups}


def test_every_benchmark_has_the_three_formats(manager: TaskManager) -> None:
    maths = [f"hendrycks_math_{subject}" for subject in MATH]
    mmlu = [f"mmlu_{subject}" for subject in subjects(manager)]
    assert len(mmlu) == 57
    benchmarks = {*PAPER, "coqa_all", "math500", *maths, *mmlu} - {"mmlu", "hendrycks_math"}
    assert set(manager.all_subtasks) == {f"{name}_bertjudge{end}" for name in benchmarks for end in FORMATS.values()}


def test_every_task_loads_without_a_warning_and_with_the_papers_settings(
    load: Load, manager: TaskManager, caplog: pytest.LogCaptureFixture
) -> None:
    for name in manager.all_subtasks:
        task = load(name)
        assert [type(task.doc_to_target(doc)) for doc in task.eval_docs] == [str] * len(task.eval_docs), name
        kwargs = task.config.generation_kwargs
        assert (task.config.num_fewshot, kwargs["do_sample"], kwargs["max_gen_toks"]) == (0, False, 2048)
        assert all(stop.startswith("<") for stop in kwargs["until"])
        assert task.config.metadata["version"] == 1.0
    assert [r.getMessage() for r in caplog.records if r.levelname in ("WARNING", "ERROR")] == []


def test_the_categories_pipelines_differ_in_nothing_but_the_comparison_and_the_prompt(load: Load) -> None:
    seen = set()
    for name, case in CASES.items():
        task = load(f"{name}_bertjudge")
        found = pipelines(task)
        assert list(found) == ["lexical", "cascade", "judge"]
        assert found["lexical"].match == case.match
        own = {method: {"question": task.config.doc_to_text, "method": method} for method in found}
        own["lexical"]["match"] = case.match
        assert found == {method: Pipeline(reference="references", **options) for method, options in own.items()}
        seen.add(found["judge"].question)
    assert len(seen) == len(CATEGORIES)


@pytest.mark.parametrize("end", FORMATS.values())
def test_the_groups_hold_the_papers_benchmarks(load: Load, manager: TaskManager, end: str) -> None:
    load("arc_easy_bertjudge")
    loaded = manager.load([f"bertjudge{end}"])
    assert loaded["group_map"][f"bertjudge{end}"] == [f"{name}_bertjudge{end}" for name in PAPER]
    assert len(PAPER) == 15
    assert len(loaded["group_map"][f"mmlu_bertjudge{end}"]) == 57
    assert loaded["group_map"][f"hendrycks_math_bertjudge{end}"] == [
        f"hendrycks_math_{subject}_bertjudge{end}" for subject in MATH
    ]
    for group in loaded["groups"].values():
        (mean,) = group.aggregate_metric_list
        assert (mean.metric, mean.weight_by_size) == ("bertjudge", True)
        assert mean.filter_list == ["lexical", "cascade", "judge"]


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_categorys_group_and_tag_hold_its_benchmarks(load: Load, manager: TaskManager, category: str) -> None:
    load("arc_easy_bertjudge")
    members = manager.load([f"bertjudge_{category}"])["group_map"][f"bertjudge_{category}"]
    assert members == [f"{name}_bertjudge" for name in CATEGORIES[category]]
    tagged = manager.task_index[f"bertjudge_{category}_tasks"].tags
    assert {f"{name}_bertjudge_free" for name in CATEGORIES[category]} - {
        "mmlu_bertjudge_free", "hendrycks_math_bertjudge_free",
    } <= tagged  # fmt: skip


def test_a_groups_mean_counts_every_document_once(load: Load, manager: TaskManager) -> None:
    sums = [{"question": f"{n} + 1?", "answer": f"#### {n + 1}"} for n in range(3)]
    load("gsm8k_bertjudge", *sums, dataset="openai/gsm8k")
    tasks = manager.load(["bertjudge_open_math"])["tasks"].values()
    right = {task.doc_to_text(doc): doc for task in tasks for doc in task.eval_docs}
    said = {prompt: f"Final answer: {doc['references'][0]}" for prompt, doc in right.items()}
    said |= {prompt: "I cannot tell." for prompt in said if "+ 1?" in prompt}
    found = lm_eval.simple_evaluate(
        model=ReplayModel(said), tasks=["bertjudge_open_math"], task_manager=manager, bootstrap_iters=0
    )
    assert found["results"]["gsm8k_bertjudge"]["bertjudge,lexical"] == 0
    assert found["groups"]["hendrycks_math_bertjudge"]["bertjudge,lexical"] == 1
    assert found["groups"]["bertjudge_open_math"]["bertjudge,lexical"] == pytest.approx(10 / 13)


def test_the_readme_names_every_group_and_benchmark(manager: TaskManager) -> None:
    text = (Path(tasks_dir()) / "README.md").read_text(encoding="utf-8")
    names = [f"{name}_bertjudge" for name in (*PAPER, "coqa_all", "math500")]
    assert [name for name in (*names, *manager.all_groups, *manager.all_tags) if f"`{name}`" not in text] == []


@pytest.mark.parametrize("end", FORMATS.values(), ids=list(FORMATS))
def test_all_tasks_run_on_the_shared_datasets(
    hub: Path, manager: TaskManager, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    # The dummy model asks the hub for a tokenizer, and by now the environment variable has been read.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    names = [
        name
        for name in manager.all_subtasks
        if name.endswith(f"_bertjudge{end}") and (hub / manager.task_index[name].cfg["dataset_path"]).is_dir()
    ]
    assert len(names) >= 70
    found = lm_eval.simple_evaluate(model="dummy", tasks=names, limit=2, task_manager=manager, bootstrap_iters=0)
    for name in names:
        for pipeline in ("lexical", "cascade", "judge"):
            assert 0 <= found["results"][name][f"bertjudge,{pipeline}"] <= 1
        assert len(found["samples"][name]) == 6
