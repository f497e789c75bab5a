from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer

trim = pytest.importorskip("training.model.trim", reason="needs the extra `train`")

PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁red", "▁blue", "r", "e", "d", "b", "l", "u", "∀"]


def spec() -> dict[str, Any]:
    special = [
        {
            "id": number,
            "content": piece,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for number, piece in enumerate(PIECES[:4])
    ]
    metaspace = {
        "type": "Metaspace",
        "replacement": "▁",
        "prepend_scheme": "always",
        "split": True,
    }
    vocab = [[piece, -float(number)] for number, piece in enumerate(PIECES)]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": None,
        "pre_tokenizer": metaspace,
        "post_processor": None,
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": vocab, "byte_fallback": False},
    }


def tokens(tokenizer: Tokenizer, text: str) -> list[str]:
    return list(tokenizer.encode(text, add_special_tokens=False).tokens)


def test_pieces_that_the_texts_use_stay_and_the_others_go() -> None:
    whole = Tokenizer.from_str(json.dumps(spec()))
    new, kept = trim.trimmed(spec(), trim.used_pieces(whole, ["red red"]))
    small = Tokenizer.from_str(json.dumps(new))
    assert tokens(small, "red") == ["▁red"]
    assert tokens(small, "blue") == ["▁", "b", "l", "u", "e"]
    assert [PIECES[number] for number in kept] == [piece for piece in PIECES if piece != "▁blue"]


def test_no_text_is_unknown_and_two_unknown_symbols_differ() -> None:
    new, _ = trim.trimmed(spec(), set())
    small = Tokenizer.from_str(json.dumps(new))
    assert tokens(small, "∀") == ["▁", "∀"]
    assert "<unk>" not in tokens(small, "∃ 𝄞 ᚠ")
    assert tokens(small, "∃") != tokens(small, "⊃")
    assert tokens(small, "r \n d") == ["▁", "r", "▁\n", "▁", "d"]


def test_kept_pieces_keep_their_embedding() -> None:
    weight = torch.arange(len(PIECES) * 2, dtype=torch.float32).reshape(-1, 2)
    table = trim.embeddings(weight, [0, 5], seed=0)
    assert table[:2].tolist() == [[0.0, 1.0], [10.0, 11.0]]
    assert table.shape == (2 + 257, 2)
    assert torch.equal(table, trim.embeddings(weight, [0, 5], seed=0))


def test_another_kind_of_tokenizer_is_refused() -> None:
    with pytest.raises(ValueError, match="Unigram"):
        trim.trimmed({"model": {"type": "BPE"}, "added_tokens": []}, set())
