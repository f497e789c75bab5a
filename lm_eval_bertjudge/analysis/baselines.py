"""What else decides or scores the answers that a judge is checked on: the baselines that it has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lm_eval_bertjudge.analysis import agreement, harness_metrics
from lm_eval_bertjudge.errors import InputError, MissingExtraError
from lm_eval_bertjudge.io import verdict_files
from lm_eval_bertjudge.io.rows import Row
from lm_eval_bertjudge.rules import baseline
from lm_eval_bertjudge.text.final_answer import paper_answer
from lm_eval_bertjudge.text.response import read_response

CONTAINMENT = "containment"  # a reference occurs in the answer, letter case aside


def beside(
    rows: Sequence[Row], said: agreement.Ints, gold: agreement.Ints, method: str
) -> dict[str, dict[str, Any]]:
    """Other ways of deciding on the same answers: methods, containment of a reference, old metrics of 0 or 1.

    Args:
        rows: The answers.
        said: What `method` decides on them.
        gold: Their labels.
        method: The judge's name in the rows; it is left out.

    Returns:
        By name: accuracy, accuracy_interval (Wilson, 95%), n_judge_alone and n_it_alone right, mcnemar_p.
    """
    names = [name for name in verdict_files.methods(rows) if name != method]
    others = {
        name: [verdict_files.decision(row, name) for row in rows]
        for name in names + harness_metrics.metrics(rows)
    }
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


def text_scores(
    rows: Sequence[Row], *, bertscore: str | None = None
) -> dict[str, agreement.Floats]:
    """How close the stated final answer (the whole answer where none is stated) is to its best reference.

    Args:
        rows: The answers.
        bertscore: Model for BERTScore as MODEL or MODEL:LAYER; None leaves it out.

    Returns:
        One number per row under rouge_l and bleu, in [0, 1], and under bertscore (F1, not rescaled).

    Raises:
        MissingExtraError: BERTScore is wanted and bert-score is not installed.
        InputError: Its model is not known or cannot be loaded.
    """
    from sacrebleu import sentence_bleu

    texts = [read_response(row["candidate"]) for row in rows]
    stated = [paper_answer(text) or text for text in texts]
    references = [[str(reference) for reference in row["references"]] for row in rows]
    pairs = list(zip(stated, references, strict=True))
    rouge = [
        max((baseline.rouge_l(each, said) for each in every), default=0.0) for said, every in pairs
    ]
    bleu = [sentence_bleu(said, every).score / 100 for said, every in pairs]
    found = {"rouge_l": np.array(rouge), "bleu": np.array(bleu)}
    return found | ({"bertscore": _bertscore(pairs, bertscore)} if bertscore else {})


def _bertscore(pairs: Sequence[tuple[str, list[str]]], spec: str) -> agreement.Floats:
    """BERTScore F1 of each text against its best reference; 0 where there is no text."""
    try:
        import bert_score
        from bert_score.utils import model2layers
    except ImportError as error:
        raise MissingExtraError("bert-score", "bertscore") from error
    name, _, layer = spec.rpartition(":") if spec.rpartition(":")[2].isdigit() else (spec, "", "")
    if not layer and name not in model2layers:
        raise InputError(
            f"--bertscore {spec}: bert-score has no best layer for it; name one as {spec}:LAYER"
        )
    # It cannot read an empty text with transformers 5.
    full = [
        i
        for i, (said, every) in enumerate(pairs)
        if said.strip() and any(each.strip() for each in every)
    ]
    scores = np.zeros(len(pairs))
    if full:
        said, every = (
            [pairs[i][0] for i in full],
            [[each for each in pairs[i][1] if each.strip()] for i in full],
        )
        try:
            _, _, f1 = bert_score.score(
                said, every, model_type=name, num_layers=int(layer) if layer else None
            )
        except (
            OSError,
            AssertionError,
            OverflowError,
        ) as error:  # no such model, layer, length
            raise InputError(f"--bertscore {spec}: {error}") from error
        scores[full] = f1.tolist()
    return scores
