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
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    model = AutoModel.from_pretrained(encoder).eval()
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
    questions = list(answers)
    texts = list(answers.values())
    by_question = _nearest(embedded(questions, encoder))
    by_answer = _nearest(embedded(texts, encoder))
    near: dict[str, list[str]] = {}
    for question, first, second in zip(questions, by_question, by_answer, strict=True):
        places = dict.fromkeys([*first, *second])
        near[question] = [texts[place] for place in places]
    return near


def _nearest(vectors: torch.Tensor) -> list[list[int]]:
    """Per vector the positions of the most similar others, most similar first."""
    n = min(N_NEIGHBOURS + 1, len(vectors))
    nearest: list[list[int]] = []
    for start in range(0, len(vectors), 1000):
        best = (vectors[start : start + 1000] @ vectors.T).topk(n).indices.tolist()
        for at, indices in enumerate(best, start=start):
            nearest.append([index for index in indices if index != at])
    return nearest


def short_answers(rows: list[Row]) -> dict[str, str]:
    """Question to its first reference, where both are short."""
    pairs = ((row["question"], row["references"][0]) for row in rows)
    return {
        question: reference
        for question, reference in pairs
        if len(reference) < 60 and len(question) < 300
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
    rows: list[Row] = []
    for name in args.sources.split(","):
        rows += read_rows(args.triplets / f"{name}.jsonl.gz")
    near = neighbours(short_answers(rows), args.encoder)
    args.output.write_text(json.dumps(near, ensure_ascii=False), encoding="utf-8")
    print(f"{len(near)} questions -> {args.output}")


if __name__ == "__main__":
    main()
