"""Verdict files of a judge with known errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np


def biased(seed: int, n: int = 3000) -> tuple[Any, Any, Any, Any]:
    """True labels, a judge that calls a fifth of the wrong answers right, its p, and what rules say."""
    rng = np.random.default_rng(seed)
    gold = (rng.random(n) < 0.6).astype(np.int64)
    said = np.where(gold == 1, rng.random(n) < 0.95, rng.random(n) > 0.8).astype(np.int64)
    sure = np.where(said == gold, rng.beta(6, 1, n), rng.beta(2, 2, n))
    p = np.where(said == 1, 0.5 + sure / 2, 0.5 - sure / 2)
    return gold, said, p, np.where(rng.random(n) < 0.7, gold, 0)


def write_verdicts(folder: Path, n: int = 300, *, n_generators: int = 2, seed: int = 0) -> Path:
    """A verdict file as rejudge writes it, with the true label as a field."""
    gold, said, p, rules = biased(seed, n)
    lines = []
    for i in range(n):
        judge = {
            "p_correct": p[i],
            "correct": bool(said[i]),
            "source": "judge",
            "truncated": False,
            "reason": "x",
        }
        rule = {
            "p_correct": 1.0 * rules[i],
            "correct": bool(rules[i]),
            "source": "lexical",
            "truncated": False,
        }
        reason = {"reason": "match" if rules[i] else ("parse_failure", "mismatch")[i % 2]}
        generator = f"model{i % n_generators}"
        lines.append({
            "id": f"{generator}/t/{i}", "generator": generator, "task": f"t{i % 3}", "category": "open_qa",
            "question": f"q{i // n_generators}", "references": ["a"], "candidate": "word " * (i % 60), "repeat": 0,
            "old": {"exact_match,strict": float(rules[i])}, "verdicts": {"judge": judge, "lexical": rule | reason},
            "truth": int(gold[i]), "doc_id": i, "run": "r1",
        })  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "verdicts_t.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path
