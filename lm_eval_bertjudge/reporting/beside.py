"""What else decides or scores the answers that a judge is checked on: the baselines that it has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lm_eval_bertjudge import agreement, lexical
from lm_eval_bertjudge.reading import visible
from lm_eval_bertjudge.reporting import rules
from lm_eval_bertjudge.rescoring import verdicts
from lm_eval_bertjudge.rescoring.verdicts import Row

CONTAINMENT = "containment"  # a reference occurs in the answer, letter case aside


def beside(rows: Sequence[Row], said: agreement.Ints, gold: agreement.Ints, method: str) -> dict[str, dict[str, Any]]:
    """Other ways of deciding on the same answers: methods, containment of a reference, old metrics of 0 or 1.

    Args:
        rows: The answers.
        said: What `method` decides on them.
        gold: Their labels.
        method: The judge's name in the rows; it is left out.

    Returns:
        By name: accuracy, accuracy_interval (Wilson, 95%), n_judge_alone and n_it_alone right, mcnemar_p.
    """
    names = [name for name in verdicts.methods(rows) if name != method]
    others = {name: [verdicts.decision(row, name) for row in rows] for name in names + rules.metrics(rows)}
    others[CONTAINMENT] = [int(_contains(row)) for row in rows]
    return {name: _compared(said == gold, np.array(each) == gold) for name, each in others.items()}


def _compared(judge_right: Any, it_right: Any) -> dict[str, Any]:
    n_judge, n_it = int((judge_right & ~it_right).sum()), int((it_right & ~judge_right).sum())
    n_right, n = int(it_right.sum()), len(it_right)
    return {
        "accuracy": n_right / n,
        "accuracy_interval": agreement.wilson(n_right, n),
        "n_judge_alone": n_judge,
        "n_it_alone": n_it,
        "mcnemar_p": agreement.mcnemar(n_judge, n_it),
    }


def _contains(row: Row) -> bool:
    candidate = row["candidate"].casefold()
    return any(str(reference).casefold().strip() in candidate for reference in row["references"])


def text_scores(rows: Sequence[Row]) -> dict[str, agreement.Floats]:
    """ROUGE-L and BLEU in [0, 1] of the stated final answer (the whole answer where none is stated), best reference."""
    from sacrebleu import sentence_bleu

    rouge, bleu = [], []
    for row in rows:
        text = visible(row["candidate"])
        stated = lexical.final_answer(text) or text
        references = [str(reference) for reference in row["references"]]
        rouge.append(max((lexical.rouge_l(each, stated) for each in references), default=0.0))
        bleu.append(sentence_bleu(stated, references).score / 100)
    return {"rouge_l": np.array(rouge), "bleu": np.array(bleu)}
