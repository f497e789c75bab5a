from __future__ import annotations

from pathlib import Path

import pytest

from lm_eval_bertjudge.judges.encoder.encoding import clean
from lm_eval_bertjudge.options import JudgeOptions
from lm_eval_bertjudge.scorer import Scorer
from lm_eval_bertjudge.text.response import read_response
from lm_eval_bertjudge.types import JudgeItem
from training.data.rows import write_rows
from training.evaluation import attacks

ITEMS = [
    JudgeItem("What is 6 * 3?", ("18",), "6 * 3 = 17"),
    JudgeItem("Which?\nA) red\nB) blue", ("B) blue",), "The answer is (A)."),
    JudgeItem("Who?", ("Lena Voss",), "Karl Amsel"),
]


def test_no_attack_turns_a_rule_or_the_rules_of_the_cascade_and_the_real_answer_does() -> None:
    rules = Scorer(JudgeOptions(method="lexical", match="exact"))
    found = attacks.flips({"lexical": rules, "judge": rules}, ITEMS, n=3)
    for method in ("lexical", "cascade"):
        assert found[method].pop(attacks.CONTROL) == (3, 3)
        assert set(found[method].values()) == {(0, 3)}


@pytest.mark.parametrize("name", sorted(attacks.ATTACKS.keys() - {attacks.CONTROL}))
def test_no_attack_names_the_reference(name: str) -> None:
    for item in ITEMS:
        left = clean(read_response(attacks.ATTACKS[name](item), item.question))
        assert item.references[0] not in left.replace(item.question[-400:], "")


def test_wrong_answers_come_from_every_source_in_an_order_that_the_seed_fixes(
    tmp_path: Path,
) -> None:
    for source in attacks.SOURCES:
        rows = [
            {"question": source, "references": ["1"], "candidate": str(n), "label": n % 2}
            for n in range(8)
        ]
        write_rows(tmp_path / f"{source}.jsonl.gz", rows)
    items = attacks.wrong_items(tmp_path, n=3, seed=0)
    assert {item.question for item in items} == set(attacks.SOURCES)
    assert {item.candidate for item in items} <= {"0", "2", "4", "6"}
    assert len(items) == 3 * len(attacks.SOURCES)
    assert items == attacks.wrong_items(tmp_path, n=3, seed=0)
