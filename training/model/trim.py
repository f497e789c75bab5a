"""Stage: a multilingual encoder with the word pieces that our languages and texts use.

    python -m training.trim --base intfloat/multilingual-e5-small --texts DIR... --output OUT

Most of a small multilingual encoder is its table of word embeddings: 96 of 118 million parameters here. Kept are the
special tokens, every piece of one character, and every piece that the commonest words of LANGUAGES (wordfreq) or the
given texts are cut into. The end of a line and each of the 256 bytes get a piece of their own: a character without a
piece is read as its UTF-8 bytes (`byte_fallback`), so two unknown symbols stay different.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

from training import stage
from training.data.rows import read_rows

LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "ru", "ar", "zh", "ja", "ko")
_NEWLINE = [
    "▁\n",
    -4.0,
]  # scored like a common word; input format v3 writes a line's end as " \n "
_BYTE_SCORE = -100.0  # below any piece's, so that the literal text "<0x41>" is never read as a byte
_ADDED = [_NEWLINE, *([f"<0x{byte:02X}>", _BYTE_SCORE] for byte in range(256))]
_CHUNK = 10_000


def common_words(languages: Iterable[str], n_words: int) -> Iterator[str]:
    """The `n_words` commonest words of each language, as they are and capitalised."""
    import wordfreq

    for language in languages:
        for word in wordfreq.top_n_list(language, n_words):
            yield word
            yield word.capitalize()


def row_texts(paths: Iterable[Path]) -> Iterator[str]:
    """Every text field of the rows of .jsonl.gz files below the given folders."""
    for file in (file for path in paths for file in sorted(path.rglob("*.jsonl.gz"))):
        for row in read_rows(file):
            yield from _texts(row)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def used_pieces(tokenizer: Tokenizer, texts: Iterable[str]) -> set[int]:
    """Ids of the pieces that the texts are cut into."""
    used: set[int] = set()
    texts = iter(texts)
    while chunk := list(islice(texts, _CHUNK)):
        for encoding in tokenizer.encode_batch_fast(chunk, add_special_tokens=False):
            used.update(encoding.ids)
    return used


def trimmed(spec: dict[str, Any], used: set[int]) -> tuple[dict[str, Any], list[int]]:
    """The tokenizer with fewer pieces and the added ones, and the old id of each piece that is kept.

    Args:
        spec: Content of the `tokenizer.json` of a Unigram tokenizer.
        used: Ids to keep beside special tokens and single characters.

    Raises:
        ValueError: The tokenizer is not a Unigram one.
    """
    model = spec["model"]
    if model["type"] != "Unigram":
        raise ValueError(f"a Unigram tokenizer was expected, this is {model['type']}")
    special = {token["id"] for token in spec["added_tokens"]}
    kept = [
        number
        for number, (piece, _) in enumerate(model["vocab"])
        if number in special or number in used or len(piece.removeprefix("▁")) <= 1
    ]
    vocab = [*(model["vocab"][number] for number in kept), *_ADDED]
    new_ids = {old: new for new, old in enumerate(kept)}
    tokens = [token | {"id": new_ids[token["id"]]} for token in spec["added_tokens"]]
    model = model | {
        "vocab": vocab,
        "unk_id": new_ids[model["unk_id"]],
        "byte_fallback": True,
    }
    return spec | {"model": model, "added_tokens": tokens}, kept


def embeddings(weight: torch.Tensor, kept: list[int], seed: int) -> torch.Tensor:
    """Rows of the kept pieces, then of the added ones, drawn like these: [pieces + 257, width]."""
    generator = torch.Generator().manual_seed(seed)
    rows = weight[kept]
    noise = torch.randn(len(_ADDED), weight.shape[1], generator=generator)
    return torch.cat([rows, rows.mean(0) + noise * rows.std(0)])


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument("--base", required=True, help="encoder: folder or hub id")
    parser.add_argument("--texts", type=Path, nargs="*", default=[], help="folders of .jsonl.gz")
    parser.add_argument("--words", type=int, default=25_000, help="commonest words per language")
    parser.add_argument("--output", type=Path, required=True, help="folder to write")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)

    tokenizer = AutoTokenizer.from_pretrained(args.base)
    model = AutoModel.from_pretrained(args.base, dtype=torch.float32)
    backend = tokenizer.backend_tokenizer
    used = used_pieces(backend, common_words(LANGUAGES, args.words))
    used |= used_pieces(backend, row_texts(args.texts))
    spec, kept = trimmed(json.loads(backend.to_str()), used)
    table = embeddings(model.get_input_embeddings().weight.detach(), kept, args.seed)
    model.resize_token_embeddings(len(table), mean_resizing=False)
    with torch.no_grad():
        model.get_input_embeddings().weight.copy_(table)
    model.config.pad_token_id = kept.index(tokenizer.pad_token_id)
    model.save_pretrained(args.output)
    tokenizer.save_pretrained(args.output)
    path = args.output / "tokenizer.json"
    path.write_text(json.dumps(spec, ensure_ascii=False), encoding="utf-8")
    print(f"{len(kept)} of {len(tokenizer)} pieces and {len(_ADDED)} new ones -> {args.output}")


if __name__ == "__main__":
    main()
