from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lm_eval_bertjudge import cli
from lm_eval_bertjudge.analysis import agreement, baselines, comparison, intervals
from lm_eval_bertjudge.types import JudgeItem
from tests.verdict_rows import write_verdicts
from training.evaluation import baselines as training_baselines

sklearn = pytest.importorskip("sklearn.metrics")


def drawn(seed: int, n: int = 80) -> tuple[Any, Any, Any, list[str]]:
    """Decisions of a good and of a middling judge, labels, and questions of four answers each."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    judge = np.where(rng.random(n) < 0.9, labels, 1 - labels)
    other = np.where(rng.random(n) < 0.7, labels, 1 - labels)
    return judge, other, labels, [f"q{i // 4}" for i in range(n)]


def totals(decisions: Any, labels: Any) -> Any:
    return len(labels), decisions.sum(), labels.sum(), (decisions * labels).sum()


@pytest.mark.parametrize("seed", range(5))
def test_figures_from_totals_are_those_of_scipy_and_sklearn(seed: int) -> None:
    from scipy.stats import pearsonr

    judge, _, labels, _ = drawn(seed)
    sums = totals(judge, labels)
    assert intervals.accuracy(*sums) == pytest.approx(sklearn.accuracy_score(labels, judge))
    assert intervals.f1(*sums) == pytest.approx(sklearn.f1_score(labels, judge))
    assert intervals.pearson(*sums) == pytest.approx(pearsonr(judge, labels).statistic)
    assert intervals.kappa(*sums) == pytest.approx(sklearn.cohen_kappa_score(labels, judge))


def test_figures_without_anything_right_are_0_and_not_an_error() -> None:
    for figure in (intervals.f1, intervals.pearson, intervals.kappa):
        assert figure(4, 0, 0, 0) == 0


def test_a_bootstrap_interval_is_scipys_over_single_answers() -> None:
    from scipy.stats import bootstrap

    judge, _, labels, _ = drawn(1)
    single = [str(i) for i in range(len(labels))]
    ours = agreement.figure_intervals(judge, labels, single, seed=3)["f1_interval"]
    theirs = bootstrap(
        (judge, labels),
        lambda a, b: sklearn.f1_score(b, a),
        paired=True,
        vectorized=False,
        n_resamples=2000,
        random_state=np.random.default_rng(4),
    ).confidence_interval
    assert ours == pytest.approx(tuple(theirs), abs=0.02)


@pytest.mark.parametrize("n_wrong", [0, 1, 2])
def test_intervals_stay_in_the_range_of_their_figures(n_wrong: int) -> None:
    labels = np.array([1, 0] * 5)
    judge = labels.copy()
    judge[:n_wrong] = 1 - judge[:n_wrong]
    questions = [str(i) for i in range(10)]
    found = agreement.figure_intervals(judge, labels, questions)
    assert 0 <= found["f1_interval"][0] <= found["f1_interval"][1] <= 1
    for name in ("pearson_interval", "kappa_interval"):
        low, high = found[name]
        assert -1 <= low <= high <= 1
    low, high = agreement.rate_gap(judge, labels, questions)["gap_interval"]
    assert -1 <= low <= high <= 1
    compared = comparison.compare(judge, 1 - labels, labels, questions)
    for name in ("", "f1_", "pearson_"):
        low, high = compared[f"{name}difference_interval"]
        assert low <= compared[f"{name}difference"] <= high


def test_one_question_alone_gives_an_interval_of_one_point() -> None:
    judge, _, labels, _ = drawn(0)
    found = agreement.figure_intervals(judge, labels, ["the same"] * len(labels))
    assert found["f1_interval"][0] == found["f1_interval"][1]


def test_differences_are_those_of_the_figures_and_mcnemar_is_statsmodels() -> None:
    judge, other, labels, questions = drawn(2)
    found = comparison.compare(judge, other, labels, questions)
    f1 = sklearn.f1_score(labels, judge) - sklearn.f1_score(labels, other)
    assert found["f1_difference"] == pytest.approx(f1)
    pearson = np.corrcoef(judge, labels)[0, 1] - np.corrcoef(other, labels)[0, 1]
    assert found["pearson_difference"] == pytest.approx(pearson)
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    counts = [[0, found["n_only_first"]], [found["n_only_second"], 0]]
    assert found["mcnemar_p"] == pytest.approx(tables.mcnemar(counts, exact=True).pvalue)


def test_the_permutation_p_of_f1_and_pearson_is_the_share_of_all_exchanges() -> None:
    judge, other, labels, questions = drawn(3, n=24)  # 6 questions: 64 exchanges
    names = sorted(set(questions))

    def gaps(first: Any, second: Any) -> list[float]:
        f1 = sklearn.f1_score(labels, first) - sklearn.f1_score(labels, second)
        pearson = np.corrcoef(first, labels)[0, 1] - np.corrcoef(second, labels)[0, 1]
        return [f1, pearson]

    seen, as_far = np.abs(gaps(judge, other)), np.zeros(2)
    for exchanged in itertools.product([False, True], repeat=len(names)):
        swap = np.array([exchanged[names.index(name)] for name in questions])
        drawn_gaps = gaps(np.where(swap, other, judge), np.where(swap, judge, other))
        as_far += np.abs(drawn_gaps) >= seen - 1e-9
    found = comparison.compare(judge, other, labels, questions, seed=1)
    assert found["f1_permutation_p"] == pytest.approx(as_far[0] / 64, abs=0.02)
    assert found["pearson_permutation_p"] == pytest.approx(as_far[1] / 64, abs=0.02)


def test_a_judge_does_not_differ_from_itself() -> None:
    judge, _, labels, questions = drawn(0)
    found = comparison.compare(judge, judge, labels, questions)
    for name in ("", "f1_", "pearson_"):
        assert found[f"{name}difference_interval"] == (0, 0)
        assert found[f"{name}permutation_p"] == 1
    assert found["mcnemar_p"] == 1


def test_two_people_by_hand_and_by_statsmodels() -> None:
    # Both 1: 20, only the first: 5, only the second: 10, both 0: 15 (the textbook's table, kappa .4).
    first = np.array([1] * 25 + [0] * 25)
    second = np.array([1] * 20 + [0] * 5 + [1] * 10 + [0] * 15)
    found = agreement.between_people(first, second, [str(i) for i in range(50)])
    assert found["agreement"] == 0.7
    assert found["kappa"] == pytest.approx(0.4)
    raters = pytest.importorskip("statsmodels.stats.inter_rater")
    theirs = raters.cohens_kappa(np.array([[20, 5], [10, 15]]))
    assert found["kappa_interval"] == pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=0.05)


def test_a_judge_and_its_baselines_stand_in_one_table_of_figures() -> None:
    judge, other, labels, _ = drawn(4)
    found = baselines.against_labels({"judge": judge, "other": other}, labels)
    assert found["other"]["precision"] == pytest.approx(sklearn.precision_score(labels, other))
    assert found["other"]["recall"] == pytest.approx(sklearn.recall_score(labels, other))
    assert found["other"]["n_only_first"] == ((judge == labels) & (other != labels)).sum()
    assert "mcnemar_p" not in found["judge"]


def agree(tmp_path: Path, *args: str) -> Any:
    out = tmp_path / "a.json"
    verdicts = write_verdicts(tmp_path / "in")
    command = ["agree", str(verdicts), "--labels", "truth", *args, "--output", str(out)]
    assert cli.main(command) == 0
    return json.loads(out.read_text())


def test_agree_compares_with_several_judges_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_verdicts(tmp_path / "other")
    lines = [json.loads(line) for line in other.read_text().splitlines()]
    for line in lines:
        line["verdicts"]["judge"]["correct"] = not line["verdicts"]["judge"]["correct"]
    other.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = agree(tmp_path, "--against", "lexical", "--against", str(other))
    assert list(found["comparisons"]) == ["lexical", str(other)]
    assert found["against"] == found["comparisons"]["lexical"]
    assert found["judges"][str(other)]["accuracy"] == pytest.approx(
        1 - found["overall"]["accuracy"]
    )
    shown = capsys.readouterr().out
    assert "| lexical | F1 | " in shown
    assert f"| {other} | Pearson | " in shown


def test_agree_says_how_far_two_people_agree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [json.loads(line) for line in write_verdicts(tmp_path / "x").read_text().splitlines()]
    second = tmp_path / "second.jsonl"
    labels = [
        {"id": row["id"], "label": row["truth"] if i % 10 else 1 - row["truth"]}
        for i, row in enumerate(rows[:100])
    ]
    second.write_text("".join(json.dumps(label) + "\n" for label in labels))
    found = agree(tmp_path, "--second_labels", str(second))["people"]
    assert found["labels and second labels"]["n"] == 100
    assert found["labels and second labels"]["agreement"] == 0.9
    assert found["judge and labels"]["n"] == 100
    assert "## Two people" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["agree", "label-sample", "report"])
def test_a_seed_below_0_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    verdicts = write_verdicts(tmp_path)
    needed = {"agree": ["--labels", "truth"], "label-sample": ["--n", "50"], "report": []}[command]
    args = [command, str(verdicts), *needed, "--output", str(tmp_path / "o.md"), "--seed", "-1"]
    with pytest.raises(SystemExit) as stopped:
        cli.main(args)
    assert stopped.value.code == 2
    assert "'-1': a whole number from 0 on was expected" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("reference", "candidate", "is_in"),
    [("Straße", "in der STRASSE", True), (" Rome ", "rome", True), ("Rome", "Lyon", False)],
)
def test_containment_is_the_same_for_a_report_and_for_training(
    reference: str, candidate: str, is_in: bool
) -> None:
    assert baselines.contains([reference], candidate) is is_in
    assert training_baselines.contains(JudgeItem("", (reference,), candidate)) is is_in
