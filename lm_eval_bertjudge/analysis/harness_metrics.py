"""What regex scoring decided: the harness's own metrics where the samples have them, else our lexical stage.

Answers of the harness's tasks were never asked for "Final answer: X", so holding them to the lexical stage would beat
a straw man: there the rule is the metric that the harness computed, and an answer counts as not parsed where its regex
filter gave "[invalid]".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.types import Reason

LEXICAL = "lexical"


class Difference(NamedTuple):
    """Answers of a set on which a rule and the judge differ, by why.

    Attributes:
        n: Answers in the set.
        n_unparsed: That the rule could not parse, whatever the judge says.
        n_lost_parsing: That the judge alone calls right, not parsed.
        n_lost_matching: That the judge alone calls right, parsed and compared otherwise.
        n_rule_alone: That the rule alone calls right.
    """

    n: int
    n_unparsed: int
    n_lost_parsing: int
    n_lost_matching: int
    n_rule_alone: int

    def __str__(self) -> str:
        n_lost = self.n_lost_parsing + self.n_lost_matching
        return (
            f"The rules and the judge differ on {n_lost + self.n_rule_alone} of {self.n} answers: the judge alone "
            f"calls {n_lost} right ({self.n_lost_parsing} of them the rules could not parse), the rules alone "
            f"{self.n_rule_alone}."
        )


def names(rows: Sequence[Row], main: str) -> list[str]:
    """The rules that say yes or no to every one of a task's answers; `main` is what they are compared with."""
    found = metrics(rows)
    has_lexical = main != LEXICAL and all(LEXICAL in row["verdicts"] for row in rows)
    return found + [LEXICAL] * (has_lexical and (not found or any(_asked(row) for row in rows)))


def metrics(rows: Sequence[Row]) -> list[str]:
    """The old metrics, other than our own, that are 0 or 1 for every answer."""
    mine = [name for name in rows[0]["old"] if not name.startswith("bertjudge")]
    return [name for name in mine if all(row["old"].get(name) in (0, 1) for row in rows)]


def _asked(row: Row) -> bool:
    return "final answer" in row["question"].casefold()


def strongest(rows: Sequence[Row], main: str) -> dict[str, str]:
    """By task the rule that differs least often from `main`; a task without any rule is left out."""
    tasks: dict[str, list[Row]] = {}
    for row in rows:
        tasks.setdefault(row["task"], []).append(row)
    return {
        task: min(
            found,
            key=lambda rule: sum(
                verdict_files.decision(r, rule) != verdict_files.decision(r, main) for r in own
            ),
        )
        for task, own in tasks.items()
        if (found := names(own, main))
    }


def unparsed(row: Row, rule: str) -> bool:
    """Whether the rule found no answer in the text."""
    if rule == LEXICAL:
        return bool(row["verdicts"].get(LEXICAL, {}).get("reason") == Reason.PARSE_FAILURE)
    return rule.rpartition(",")[2] in row["unparsed"]


def difference(rows: Sequence[Row], rule_of: Mapping[str, str], main: str) -> Difference:
    """Counts over the answers whose task has a rule in `rule_of`."""
    pairs = [(row, rule_of[row["task"]]) for row in rows if row["task"] in rule_of]
    said = [
        (verdict_files.decision(row, main), verdict_files.decision(row, rule), unparsed(row, rule))
        for row, rule in pairs
    ]
    return Difference(
        n=len(said),
        n_unparsed=sum(failed for _, _, failed in said),
        n_lost_parsing=sum(judge > rule and failed for judge, rule, failed in said),
        n_lost_matching=sum(judge > rule and not failed for judge, rule, failed in said),
        n_rule_alone=sum(rule > judge for judge, rule, _ in said),
    )
