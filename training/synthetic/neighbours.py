"""Stage: for each short question, answers that are of the right kind and wrong, as hard distractors.

    python -m training.neighbours --triplets DIR --sources evouna,nq_open_reader_outputs --encoder BASE --output FILE

A distractor drawn at random ("Orchid" for a capital) teaches that related means right: a judge trained on those alone
gave "London." p = .98 for the capital of France. Answers of similar questions are of the right kind; answers similar to
the right one are what a sentence encoder confuses it with.
FILE is JSON: question to a list of texts.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer

from training import stage
from training.data.rows import Row, read_rows

N_NEIGHBOURS = 20


def embedded(texts: list[str], encoder: str, *, batch_size: int = 256) -> torch.Tensor:
    """Unit vectors of mean-pooled token states, shape (n, width)."""
    tokenizer, model = (
        AutoTokenizer.from_pretrained(encoder),
        AutoModel.from_pretrained(encoder).eval(),
    )
    vectors = []
    for start in range(0, len(texts), batch_size):
        batch = tokenizer(
            texts[start : start + batch_size],
            padding=True,
            truncation=True,
            max_length=64,
            return_tensors="pt",
        )
        with torch.inference_mode():
            states = model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1)
        vectors.append((states * mask).sum(1) / mask.sum(1))
    return torch.nn.functional.normalize(torch.cat(vectors), dim=1)


def neighbours(answers: dict[str, str], encoder: str) -> dict[str, list[str]]:
    """Question to the answers of its most similar other questions, then the answers most similar to its own."""
    questions, texts = list(answers), list(answers.values())
    by_question, by_answer = (
        _nearest(embedded(questions, encoder)),
        _nearest(embedded(texts, encoder)),
    )
    return {
        question: [texts[i] for i in dict.fromkeys([*by_question[at], *by_answer[at]])]
        for at, question in enumerate(questions)
    }


def _nearest(vectors: torch.Tensor) -> list[list[int]]:
    """Per vector the positions of the most similar others, most similar first."""
    n = min(N_NEIGHBOURS + 1, len(vectors))
    found: list[list[int]] = []
    for start in range(0, len(vectors), 1000):
        best = (vectors[start : start + 1000] @ vectors.T).topk(n).indices.tolist()
        found += [[i for i in indices if i != row] for row, indices in enumerate(best, start=start)]
    return found


def short_answers(rows: list[Row]) -> dict[str, str]:
    """Question to its first reference, where both are short."""
    return {
        r["question"]: r["references"][0]
        for r in rows
        if len(r["references"][0]) < 60 and len(r["question"]) < 300
    }


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument(
        "--triplets", type=Path, required=True, help="folder with SOURCE.jsonl.gz files"
    )
    parser.add_argument("--sources", required=True, help="comma-separated")
    parser.add_argument("--encoder", required=True, help="sentence encoder: folder or hub id")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args(argv)
    rows = [
        row
        for name in args.sources.split(",")
        for row in read_rows(args.triplets / f"{name}.jsonl.gz")
    ]
    found = neighbours(short_answers(rows), args.encoder)
    args.output.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
    print(f"{len(found)} questions -> {args.output}")


if __name__ == "__main__":
    main()
