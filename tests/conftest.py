"""A tiny real tokenizer and a tiny real encoder, made in memory: no network, no downloads."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

os.environ["HF_HUB_OFFLINE"] = "1"  # read once, when huggingface_hub is imported
os.environ["LM_EVAL_BERTJUDGE_CACHE"] = "0"  # nothing may be left in the user's cache folder

import numpy as np
import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from lm_eval_bertjudge.judges.encoder.cache import VerdictCache
from lm_eval_bertjudge.judges.encoder.card import JudgeCard
from lm_eval_bertjudge.judges.encoder.encoding import MARKERS, Encoder
from lm_eval_bertjudge.judges.encoder.judge import EncoderJudge
from lm_eval_bertjudge.tasks_folder import tasks_dir

if TYPE_CHECKING:
    from lm_eval.tasks import TaskManager

SHARED = Path(__file__).resolve().parents[2] / "shared"
TEXT = [
    "What is the capital of France? Paris. London. The answer is 18, 3.5 or \\frac{1}{2}. Final answer: B) blue"
] * 4


def byte_level_tokenizer() -> Tokenizer:
    """A byte-level BPE with the special tokens and post-processor of the Llama 3 and EuroBERT family."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|pad|>", "<|begin_of_text|>", "<|end_of_text|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin_of_text|> $A <|end_of_text|>",
        special_tokens=[("<|begin_of_text|>", 1), ("<|end_of_text|>", 2)],
    )
    tokenizer.add_tokens([AddedToken(marker, normalized=False) for marker in MARKERS])
    return tokenizer


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    return byte_level_tokenizer()


class CountingBackend:
    """A backend whose p depends on the row's own tokens only, and that remembers what it was asked."""

    pad_id = 0
    kind = "counting"

    def __init__(self) -> None:
        self.rows: list[list[int]] = []

    def logits(self, input_ids: np.ndarray, attention_mask: np.ndarray) -> np.ndarray:
        assert input_ids.shape == attention_mask.shape
        kept = [
            ids[mask == 1].tolist() for ids, mask in zip(input_ids, attention_mask, strict=True)
        ]
        self.rows += kept
        right = [(sum(i * t for i, t in enumerate(row, start=1)) % 97) / 97 * 6 - 3 for row in kept]
        return np.array([[0.0, r] for r in right], dtype=np.float32)


@pytest.fixture
def backend() -> CountingBackend:
    return CountingBackend()


@cache
def _encoder() -> Encoder:
    return Encoder(byte_level_tokenizer().to_str(), max_length=128)


def judge_with(
    backend: CountingBackend, *, batch_tokens: int = 1024, known: VerdictCache | None = None
) -> EncoderJudge:
    """A judge of 128 tokens on the given backend."""
    card = JudgeCard(name="test", max_length=128)
    return EncoderJudge(backend, _encoder(), card, batch_tokens=batch_tokens, cache=known)


def save_tiny_judge(
    folder: Path, config: object, *, with_head: bool = True, card: bool = True
) -> Path:
    """Saves a randomly initialised encoder of the given config as a judge folder."""
    torch = pytest.importorskip("torch", reason="needs the extra `torch`")
    from transformers import AutoModel, AutoModelForSequenceClassification

    torch.manual_seed(0)
    made = AutoModelForSequenceClassification if with_head else AutoModel
    folder.mkdir(parents=True, exist_ok=True)
    made.from_config(config).save_pretrained(folder)
    byte_level_tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps(
            {
                "tokenizer_class": "PreTrainedTokenizerFast",
                "pad_token": "<|pad|>",
                "eos_token": "<|end_of_text|>",
            }
        )
    )
    if card:
        JudgeCard(name="tiny", max_length=128).write(folder)
    return folder


@pytest.fixture(scope="session")
def eurobert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny, randomly initialised EuroBERT as a judge folder."""
    transformers = pytest.importorskip("transformers", reason="needs the extra `torch`")
    return save_tiny_judge(
        tmp_path_factory.mktemp("judges") / "eurobert", eurobert_config(transformers)
    )


def eurobert_config(transformers: object) -> object:
    return transformers.EuroBertConfig(  # type: ignore[attr-defined]
        vocab_size=403, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=4, max_position_embeddings=256, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        num_labels=2,
    )  # fmt: skip


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shared folder of benchmarks as working directory, so that the harness loads them offline."""
    folder = SHARED / "hub"
    if not folder.is_dir():
        pytest.skip("the shared benchmark folder is absent")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="session")
def manager() -> TaskManager:
    """Our tasks without the harness's thousands, whose indexing takes seconds."""
    from lm_eval.tasks import TaskManager

    return TaskManager(include_path=tasks_dir(), include_defaults=False)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Permissions do not bind root, so become somebody else for a while."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def open_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory that everybody may read; those of pytest are the user's alone."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        monkeypatch.chdir(name)
        yield Path(name)
