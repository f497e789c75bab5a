"""Stage: a tiny BERT with random weights, and a tokenizer learned from the training rows. Needs no hub; for rehearsals.

python -m training.toy_base --train train.jsonl --output BASE_DIR
"""

from __future__ import annotations

import os
from pathlib import Path

import torch
from tokenizers import (
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from training import stage
from training.data.rows import read_rows

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def tokenizer_from(texts: list[str], vocab_size: int) -> PreTrainedTokenizerFast:
    """A lower-case byte-level BPE with BERT's special tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=SPECIAL,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=ends
    )
    names = {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
    }
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names)


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument(
        "--train", type=Path, required=True, help="training file from training.mixture"
    )
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--vocab_size", type=int, default=2000)
    parser.add_argument("--hidden_size", type=int, default=64)
    parser.add_argument("--num_layers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    texts: list[str] = []
    for row in read_rows(args.train):
        texts += (row["question"], row["reference"], row["candidate"])
    tokenizer = tokenizer_from(texts, args.vocab_size)
    torch.manual_seed(args.seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=args.hidden_size,
        num_hidden_layers=args.num_layers,
        num_attention_heads=max(1, args.hidden_size // 32),
        intermediate_size=4 * args.hidden_size,
    )
    part = args.output.with_name(args.output.name + ".tmp")
    BertModel(config).save_pretrained(part)
    tokenizer.save_pretrained(part)
    os.replace(part, args.output)
    print(f"{len(tokenizer)} tokens, {args.num_layers} layers -> {args.output}")


if __name__ == "__main__":
    main()
