"""Training rows as conversations with an LLM judge."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from datasets import Dataset
from transformers import PreTrainedTokenizerBase

from lm_eval_bertjudge.errors import InputError
from lm_eval_bertjudge.judges.llm.prompts import PROMPTS, messages
from lm_eval_bertjudge.types import JudgeItem
from training.data.rows import Row, read_rows

logger = logging.getLogger(__name__)
PROMPT = PROMPTS["binary"]


def conversation(row: Row) -> list[dict[str, str]]:
    """What the judge is asked about a row."""
    return messages(PROMPT, JudgeItem(row["question"], (row["reference"],), row["candidate"]))


def load(path: Path, tokenizer: PreTrainedTokenizerBase, max_length: int) -> Dataset:
    """Rows with prompt, completion and label; none whose prompt is longer than `max_length` tokens."""
    rows = [row for row in read_rows(path) if row["label"] is not None]
    prompts = [conversation(row) for row in rows]
    asked = [
        tokenizer.apply_chat_template(prompt, add_generation_prompt=True, tokenize=False)
        for prompt in prompts
    ]
    fits = [
        len(ids) <= max_length for ids in tokenizer(asked, add_special_tokens=False)["input_ids"]
    ]
    logger.info("%s: %d rows, %d too long and left out", path, sum(fits), len(fits) - sum(fits))
    if not any(fits):
        raise InputError(
            f"no row of {path} fits into {max_length} tokens: give a greater --max_length"
        )
    kept = [(row, prompt) for row, prompt, fit in zip(rows, prompts, fits, strict=True) if fit]
    return Dataset.from_list([_example(prompt, int(row["label"])) for row, prompt in kept])


def _example(prompt: list[dict[str, str]], label: int) -> dict[str, Any]:
    completion = [{"role": "assistant", "content": str(label)}]
    return {"prompt": prompt, "label": label, "completion": completion}
