from __future__ import annotations

import json
import math
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lm_eval_bertjudge import cli
from lm_eval_bertjudge.analysis import agreement, comparison, ppi, sampling
from lm_eval_bertjudge.analysis.baselines import text_scores
from lm_eval_bertjudge.errors import InputError
from tests.verdict_rows import biased, write_verdicts


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


def test_figures_of_a_table_worked_out_by_hand() -> None:
    # 40 right and called right, 10 wrong and called right, 5 right and called wrong, 45 wrong and called wrong
    decisions = ints(*[1] * 50, *[0] * 50)
    labels = ints(*[1] * 40, *[0] * 10, *[1] * 5, *[0] * 45)
    found = agreement.agreement(decisions, labels)
    assert found["confusion"] == {"n_tp": 40, "n_fp": 10, "n_fn": 5, "n_tn": 45}
    assert found["accuracy"] == 0.85
    assert found["precision"] == 0.8
    assert found["recall"] == pytest.approx(40 / 45)
    assert found["f1"] == pytest.approx(80 / 95)
    assert found["kappa"] == pytest.approx((0.85 - 0.5) / 0.5)  # chance: .5 * .45 + .5 * .55
    assert found["pearson"] == pytest.approx((40 * 45 - 10 * 5) / math.sqrt(50 * 50 * 45 * 55))
    z, p, n = 1.959964, 0.85, 100
    centre, reach = p + z * z / 2 / n, z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    expected = [(centre + sign * reach) / (1 + z * z / n) for sign in (-1, 1)]
    assert found["accuracy_interval"] == pytest.approx(expected, abs=1e-6)


def test_brier_and_calibration_by_hand_leave_out_the_unjudged() -> None:
    p = np.array([0.95, 0.85, 0.85, 0.05, np.nan])
    found = agreement.agreement(ints(1, 1, 1, 0, 0), ints(1, 1, 0, 0, 1), p)
    assert found["n_unjudged"] == 1
    assert found["brier"] == pytest.approx((0.05**2 + 0.15**2 + 0.85**2 + 0.05**2) / 4)
    assert found["ece"] == pytest.approx((0.05 + abs(1 - 1.7) + 0.05) / 4)
    assert found["accuracy"] == 0.6  # the unjudged one counts as called wrong


def test_a_constant_judge_has_no_correlation_and_no_kappa_with_constant_labels() -> None:
    found = agreement.agreement(ints(1, 1), ints(1, 1))
    assert found["pearson"] is None
    assert found["kappa"] is None


def test_the_sweep_at_a_threshold_is_the_agreement_of_its_decisions() -> None:
    rng = np.random.default_rng(0)
    p, labels = rng.random(200), rng.integers(0, 2, 200)
    (row,) = agreement.threshold_sweep(p, labels, [0.3])
    whole = agreement.agreement((p >= 0.3).astype(np.int64), labels)
    assert {name: row[name] for name in ("accuracy", "precision", "recall", "f1")} == {
        name: whole[name] for name in ("accuracy", "precision", "recall", "f1")
    }


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    [(0, 0, 1.0), (5, 0, 2 / 32), (8, 2, 2 * (1 + 10 + 45) / 1024), (3, 3, 1.0)],
)
def test_mcnemar_is_the_exact_binomial_p(only_first: int, only_second: int, p: float) -> None:
    assert comparison.mcnemar(only_first, only_second) == pytest.approx(p)


def test_the_permutation_p_is_the_exact_share_of_sign_flips() -> None:
    # five questions on which only the first judge is right: of 32 flips 2 are as far from 0
    right, other, labels = ints(1, 1, 1, 1, 1, 1), ints(0, 0, 0, 0, 0, 1), ints(*[1] * 6)
    found = comparison.compare(right, other, labels, list("abcdef"), seed=1)
    assert found["permutation_p"] == pytest.approx(2 / 32, abs=0.008)
    assert found["mcnemar_p"] == pytest.approx(2 / 32)
    assert found["difference"] == pytest.approx(5 / 6)
    assert found == comparison.compare(right, other, labels, list("abcdef"), seed=1)


def test_the_bootstrap_resamples_questions_and_not_answers() -> None:
    rng = np.random.default_rng(0)
    per_question = rng.integers(0, 2, 60)
    right, other = np.repeat(per_question, 10), np.repeat(rng.integers(0, 2, 60), 10)
    clusters = [str(i) for i in range(60) for _ in range(10)]
    single = [str(i) for i in range(600)]
    (low, high), (low_1, high_1) = (
        comparison.compare(right, other, np.ones_like(right), each, n_resamples=2000)[
            "difference_interval"
        ]
        for each in (clusters, single)
    )
    assert (high - low) / (high_1 - low_1) == pytest.approx(math.sqrt(10), rel=0.15)


def test_the_gap_of_rates_has_a_cluster_robust_interval() -> None:
    from scipy.stats import t

    said, gold = ints(1, 1, 1, 0, 0, 0), ints(1, 0, 0, 0, 0, 1)
    names = ["a", "a", "b", "b", "c", "c"]
    gaps = {"a": [0, 1], "b": [1, 0], "c": [0, -1]}
    mean = 1 / 6
    sums = [sum(g - mean for g in each) for each in gaps.values()]
    reach = t.ppf(0.975, 2) * math.sqrt(sum(s * s for s in sums) * 3 / 2) / 6
    found = agreement.rate_gap(said, gold, names)
    assert found["gap"] == pytest.approx(mean)
    assert mean + reach > 1
    assert found["gap_interval"] == (-1, 1)  # no difference of rates is farther than that
    often = 20  # as many questions of each kind, so that the interval stays inside
    many = agreement.rate_gap(
        np.tile(said, often), np.tile(gold, often), [f"{n}{i}" for i in range(often) for n in names]
    )
    ratio = math.sqrt(3 * often / (3 * often - 1) / (3 / 2) / often)
    reach *= ratio * t.ppf(0.975, 3 * often - 1) / t.ppf(0.975, 2)
    assert many["gap_interval"] == pytest.approx((mean - reach, mean + reach))
    assert (found["judge_rate"], found["gold_rate"], found["n_questions"]) == (
        0.5,
        pytest.approx(1 / 3),
        3,
    )


@pytest.mark.parametrize(
    ("accuracy", "rho", "expected"),
    [(0.9, 1.0, 0.9), (0.9, 0.975, 0.88), (0.3, 0.5, 0.5), (1.0, 0.95, 0.95)],
)
def test_equation_6_of_the_paper(accuracy: float, rho: float, expected: float) -> None:
    assert agreement.accuracy_for_true_labels(accuracy, rho) == pytest.approx(expected)


def test_equation_6_holds_where_label_errors_are_independent_of_the_judge() -> None:
    rng = np.random.default_rng(0)
    human = rng.integers(0, 2, 400_000)
    synthetic = np.where(rng.random(400_000) < 0.9, human, 1 - human)
    judge = np.where(rng.random(400_000) < 0.8, synthetic, 1 - synthetic)
    estimate = agreement.accuracy_for_true_labels(float((judge == synthetic).mean()), 0.9)
    assert estimate == pytest.approx(float((judge == human).mean()), abs=0.005)


def test_corrected_intervals_cover_the_truth_95_times_in_100_where_the_raw_rate_never_does() -> (
    None
):
    n_runs, covered, raw = 600, {"ppi": 0, "rogan_gladen": 0}, 0
    estimates: dict[str, list[float]] = {"ppi": [], "rogan_gladen": []}
    for seed in range(n_runs):
        gold, said, p, rules = biased(seed)
        stratum = sampling.strata(said, p, rules)
        sizes = dict(
            zip(*(each.tolist() for each in np.unique(stratum, return_counts=True)), strict=True)
        )
        chosen = sampling.draw(stratum, 250, seed=seed)
        found = ppi.corrected(said, chosen, gold[chosen], stratum[chosen], sizes)
        for name in covered:
            low, high = found[name]["interval"]
            covered[name] += low <= 0.6 <= high
            estimates[name].append(found[name]["estimate"])
        raw += abs(found["raw"] - 0.6) < 1.96 * math.sqrt(0.24 / 3000)
    assert raw == 0
    for name, times in covered.items():
        assert times / n_runs == pytest.approx(0.95, abs=0.02), name
        assert np.mean(estimates[name]) == pytest.approx(0.6, abs=0.003), (
            name
        )  # unequal sampling is weighted away


def test_a_perfect_judge_keeps_its_rate_and_gets_an_interval_all_the_same() -> None:
    said = ints(*[1] * 60, *[0] * 40)
    chosen = np.arange(0, 100, 4)
    found = ppi.corrected(said, chosen, said[chosen])
    assert found["ppi"]["estimate"] == pytest.approx(0.6)
    assert found["rogan_gladen"]["estimate"] == pytest.approx(0.6)
    low, high = found["ppi"]["interval"]
    assert high - low > 2 * 1.96 * math.sqrt(0.24 / 100)


def test_rogan_gladen_by_hand() -> None:
    said = ints(*[1] * 50, *[0] * 50)
    chosen = np.array([0, 1, 2, 3, 4, 50, 51, 52, 53, 54])
    found = ppi.corrected(said, chosen, ints(1, 1, 1, 1, 0, 1, 0, 0, 0, 0))
    assert (found["sensitivity"], found["specificity"]) == (0.8, 0.8)
    assert found["rogan_gladen"]["estimate"] == pytest.approx((0.5 + 0.8 - 1) / 0.6)
    assert ppi.corrected(said, chosen, ints(*[1] * 10))["rogan_gladen"] is None


def test_the_sample_takes_the_doubtful_first_and_two_of_everything() -> None:
    stratum = ints(*[1] * 20, *[2] * 20, *[3] * 500, *[4] * 2)
    chosen = stratum[sampling.draw(stratum, 60)]
    counts = {name: int((chosen == name).sum()) for name in (1, 2, 3, 4)}
    assert sum(counts.values()) == 60
    assert counts[4] == 2
    assert counts[1] / 20 > counts[3] / 500
    assert sorted(sampling.draw(stratum, 542).tolist()) == list(range(542))
    with pytest.raises(InputError, match=r"between 8 \(two per stratum\) and 542"):
        sampling.draw(stratum, 543)


def test_agree_reports_every_slice_and_the_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = write_verdicts(tmp_path), tmp_path / "a.json"
    args = [
        "agree",
        str(path),
        "--labels",
        "truth",
        "--against",
        "lexical",
        "--label_accuracy",
        "0.975",
    ]
    assert cli.main([*args, "--output", str(out)]) == 0
    gold, said, _, rules = biased(0, 300)
    found = json.loads(out.read_text())
    accuracy = float((gold == said).mean())
    assert found["overall"]["accuracy"] == pytest.approx(accuracy)
    assert found["accuracy_for_true_labels"] == pytest.approx(0.95 * accuracy + 0.025)
    assert found["by"]["generator"]["model1"]["n"] == 150
    assert sum(part["n"] for part in found["by"]["length"].values()) == 300
    assert found["overall"]["n_questions"] == 150
    assert found["against"]["difference"] == pytest.approx(accuracy - float((gold == rules).mean()))
    beside = found["judges"]
    assert list(beside) == ["judge", "lexical", "exact_match,strict", "containment"]
    assert beside["lexical"] == beside["exact_match,strict"]
    assert beside["lexical"]["accuracy"] == pytest.approx(float((gold == rules).mean()))
    assert beside["lexical"]["n_only_first"] == int(((said == gold) & (rules != gold)).sum())
    assert beside["lexical"]["mcnemar_p"] == pytest.approx(found["against"]["mcnemar_p"])
    assert beside["containment"]["accuracy"] == pytest.approx(
        float((gold == 0).mean())
    )  # no answer has the letter a
    shown = capsys.readouterr().out
    for text in (
        "## By category",
        "## By threshold",
        "| containment | ",
        "McNemar p",
        "| model0 | 150 |",
    ):
        assert text in shown


def test_texts_are_scored_by_their_stated_answer_and_their_best_reference() -> None:
    answers = ["So. Final answer: the small red cat", "the small red cat", "a dog", ""]
    rows = [
        {"references": ["a mouse", "the small red cat"], "candidate": answer} for answer in answers
    ]
    for scores in text_scores(rows).values():
        assert scores[:2] == pytest.approx(1.0)
        assert scores[2] == pytest.approx(0.5)
        assert scores[3] == 0.0


class Scores(types.ModuleType):
    """bert-score's interface, with how often the first word of a text occurs in a reference as F1."""

    utils = types.SimpleNamespace(model2layers={"known": 3})

    def score(
        self, texts: list[str], references: list[list[str]], **options: Any
    ) -> tuple[Any, Any, Any]:
        if options not in (
            {"model_type": "known", "num_layers": None},
            {"model_type": "a/folder", "num_layers": 2},
        ):
            raise OSError("no such model")
        assert all(texts)
        found = [
            max(each.split().count(text.split()[0]) for each in own)
            for text, own in zip(texts, references, strict=True)
        ]
        return None, None, np.array(found)


def with_bert_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bert_score", Scores("bert_score"))
    monkeypatch.setitem(sys.modules, "bert_score.utils", Scores.utils)  # type: ignore[arg-type]


def test_bertscore_takes_the_best_reference_and_nothing_for_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_bert_score(monkeypatch)
    rows = [
        {"references": ["b", "a a"], "candidate": answer}
        for answer in ("", "a cat", "So.\nFinal answer: b")
    ]
    for model in ("known", "a/folder:2"):
        assert text_scores(rows, bertscore=model)["bertscore"].tolist() == [0.0, 2.0, 1.0]
    assert "bertscore" not in text_scores(rows)


def test_agree_correlates_bertscore_with_the_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with_bert_score(monkeypatch)
    path = tmp_path / "verdicts_t.jsonl"
    verdict = {
        "p_correct": 0.5,
        "correct": True,
        "source": "judge",
        "truncated": False,
        "reason": "x",
    }
    said = [("a", 1), ("a b", 1), ("b", 0), ("a c", 0)]
    rows = [
        {"id": i, "reference": "a", "candidate": text, "label": label}
        for i, (text, label) in enumerate(said)
    ]
    path.write_text("".join(json.dumps(row | verdict) + "\n" for row in rows))
    args = ["agree", str(path), "--labels", "label", "--bertscore"]
    assert cli.main([*args, "known"]) == 0
    assert (
        "- bertscore_pearson: 0.577" in capsys.readouterr().out
    )  # of 1 1 0 1 with 1 1 0 0: 1 / sqrt(3)
    assert cli.main([*args, "other"]) == 2
    assert "name one as other:LAYER" in capsys.readouterr().err
    assert cli.main([*args, "other:2"]) == 2
    assert "--bertscore other:2: no such model" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "bert_score", None)  # type: ignore[arg-type]
    assert cli.main([*args, "known"]) == 2
    assert "pip install 'lm-eval-bertjudge[bertscore]'" in capsys.readouterr().err


def test_two_files_are_joined_by_id_and_not_by_position(tmp_path: Path) -> None:
    path = write_verdicts(tmp_path / "a")
    lines = path.read_text().splitlines(keepends=True)
    (tmp_path / "b.jsonl").write_text("".join(reversed(lines)))
    labels = [{"id": row["id"], "label": row["truth"]} for row in map(json.loads, reversed(lines))]
    (tmp_path / "labels.csv").write_text(
        "id,label\n" + "".join(f"{row['id']},{row['label']}\n" for row in labels)
    )
    out = tmp_path / "a.json"
    args = [
        "agree",
        str(path),
        "--labels",
        str(tmp_path / "labels.csv"),
        "--against",
        str(tmp_path / "b.jsonl"),
    ]
    assert cli.main([*args, "--output", str(out)]) == 0
    found = json.loads(out.read_text())
    assert found["against"]["n_only_first"] == found["against"]["n_only_second"] == 0
    gold, said, _, _ = biased(0, 300)
    assert found["overall"]["accuracy"] == pytest.approx(float((gold == said).mean()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"id": "model0/t/0", "label": 1}\n',
            "299 of 300 verdicts have no row there: model0/t/10, ",
        ),
        ('{"id": "nobody", "label": 1}\n', "1 ids that no verdict has: nobody"),
        ('{"id": "model0/t/0", "label": 2}\n', "id model0/t/0: 2 is no label: 1 (right)"),
        ('{"id": "model0/t/0", "label": null}\n', "no row has a label"),
        ('{"name": "model0/t/0"}\n', "columns id and label were expected; it has name"),
        ('{"id": 1, "label": 1}\n{"id": 1, "label": 0}\n', "the id 1 is there twice"),
    ],
)
def test_labels_that_do_not_fit_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str, message: str
) -> None:
    path, labels = write_verdicts(tmp_path), tmp_path / "labels.jsonl"
    labels.write_text(content)
    subset = [] if "of 300" in message else ["--subset"]
    assert cli.main(["agree", str(path), "--labels", str(labels), *subset]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_drawn_sample_filled_in_gives_a_corrected_accuracy(
    tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path, sample, out = (
        write_verdicts(tmp_path, 3000),
        tmp_path / f"sample.{ending}",
        tmp_path / "c.json",
    )
    assert cli.main(["label-sample", str(path), "--n", "250", "--output", str(sample)]) == 0
    truth = {row["id"]: row["truth"] for row in map(json.loads, path.read_text().splitlines())}
    if ending == "jsonl":
        rows = [json.loads(line) for line in sample.read_text().splitlines()]
        assert not rows[0].keys() & {
            "verdicts",
            "p_correct",
            "correct",
            "old",
        }  # whoever labels must not see these
        assert sum(row["weight"] for row in rows) == pytest.approx(3000)
        sample.write_text(
            "".join(json.dumps(row | {"label": truth[row["id"]]}) + "\n" for row in rows)
        )
    else:
        import csv

        with sample.open(newline="") as lines:
            rows = [row | {"label": truth[row["id"]]} for row in csv.DictReader(lines)]
        with sample.open("w", newline="") as out_lines:
            writer = csv.DictWriter(out_lines, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    assert cli.main(["correct", str(path), "--labels", str(sample), "--output", str(out)]) == 0
    found = json.loads(out.read_text())["all"]
    low, high = found["ppi"]["interval"]
    assert low < 0.6 < high
    assert found["raw"] > high
    assert "| all | 3000 | 250 |" in capsys.readouterr().out
    assert (
        cli.main(["label-sample", str(path), "--n", "250", "--output", str(sample)]) == 2
    )  # labels are not lost


def test_a_sample_of_other_verdicts_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, sample = write_verdicts(tmp_path, 300), tmp_path / "sample.jsonl"
    assert cli.main(["label-sample", str(path), "--n", "50", "--output", str(sample)]) == 0
    sample.write_text(sample.read_text().replace('"label": null', '"label": 1'))
    args = ["agree", str(path), "--labels", str(sample), "--subset"]
    assert cli.main(args) == 0
    write_verdicts(tmp_path, 320)
    assert cli.main(["correct", str(path), "--labels", str(sample)]) == 2
    assert "drawn from 300 verdicts, these are 320" in capsys.readouterr().err


def test_a_plain_random_sample_gives_a_figure_per_generator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, labels = write_verdicts(tmp_path, 600), tmp_path / "labels.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    chosen = [row for row in rows if row["generator"] == "model0"][:90] + rows[1:20:2]
    labels.write_text(
        "".join(json.dumps({"id": row["id"], "label": row["truth"]}) + "\n" for row in chosen)
    )
    assert cli.main(["correct", str(path), "--labels", str(labels)]) == 0
    shown = capsys.readouterr().out
    assert "| model0 | 300 | 90 |" in shown
    assert "| model1 | - | fewer than 20 |" in shown


def test_the_output_of_bertjudge_judge_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    flat = {
        "p_correct": 0.9,
        "correct": True,
        "source": "judge",
        "truncated": False,
        "reason": "threshold",
    }
    path.write_text(
        "".join(
            json.dumps({"reference": "a", "candidate": "a", "label": 1} | flat) + "\n" for _ in "ab"
        )
    )
    out = tmp_path / "o.json"
    assert cli.main(["agree", str(path), "--labels", "label", "--output", str(out)]) == 0
    assert json.loads(out.read_text())["overall"]["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("verdicts", "message"),
    [
        (
            {"judge": None},
            "the verdict of judge lacks correct, p_correct, reason, source, truncated",
        ),
        ({"judge": 1}, "judge is 1; an object was expected"),
    ],
)
def test_a_verdict_that_is_none_or_no_object_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verdicts: dict[str, Any], message: str
) -> None:
    file = tmp_path / "verdicts_mine.jsonl"
    file.write_text(json.dumps({"id": "1", "verdicts": verdicts, "label": 1}) + "\n")
    assert cli.main(["agree", str(file), "--labels", "label"]) == 2
    assert message in capsys.readouterr().err
