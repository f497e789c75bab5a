"""The judge: items in, verdicts out, same length, same order.

Deduplicate, encode, look what is known already, run the backend on the rest in length-sorted batches, apply the
threshold. Several references of one item are judged one by one and the best counts.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lm_eval_bertjudge.errors import CheckpointError, InputError, ReferenceTooLongError
from lm_eval_bertjudge.judges.encoder.backends import CHECKS, LOADERS, Backend
from lm_eval_bertjudge.judges.encoder.batching import batches
from lm_eval_bertjudge.judges.encoder.cache import VerdictCache, identity, location
from lm_eval_bertjudge.judges.encoder.card import CARD_FILE, JudgeCard
from lm_eval_bertjudge.judges.encoder.encoding import Encoded, Encoder, clean
from lm_eval_bertjudge.text.item import prepare
from lm_eval_bertjudge.types import (
    EMPTY_ANSWER,
    JudgeItem,
    Reason,
    Source,
    Verdict,
    unjudged,
)

logger = logging.getLogger(__name__)

DEFAULT_FOLDER = Path(__file__).parents[2] / "checkpoints" / "default"
BATCH_TOKENS = 0  # what suits the backend
_PROGRESS_FROM = 2000  # items; shorter lists are done before a bar would help
# What the harness hands a judge at once can be long; encoding it all would hold every token id in memory.
_CHUNK = 20_000

Triplet = tuple[str, str, str]


class Judge:
    """An encoder with its tokenizer, card and threshold. Made by `load_judge`."""

    def __init__(
        self,
        backend: Backend,
        encoder: Encoder,
        card: JudgeCard,
        *,
        batch_tokens: int = 1024,
        cache: VerdictCache | None = None,
    ) -> None:
        self.card = card
        self._cache = cache or VerdictCache()
        self._backend = backend
        self._encoder = encoder
        self._batch_tokens = batch_tokens

    def judge(self, items: Sequence[JudgeItem], *, threshold: float | None = None) -> list[Verdict]:
        """One verdict per item, in order.

        An answer that is empty, or whose reasoning block never ends, is wrong by rule: there is nothing to read.
        An item whose every reference is too long for the judge is unjudged.

        Args:
            items: What to judge.
            threshold: p_correct from which an answer counts as right, in [0, 1]; the card's when None.

        Raises:
            InputError: An item has no reference, or the threshold is not in [0, 1].
        """
        limit = self.card.threshold if threshold is None else threshold
        if not 0.0 <= limit <= 1.0:
            raise InputError(f"threshold is {limit}; a probability in [0, 1] was expected")
        verdicts: list[Verdict] = []
        for start in range(0, len(items), _CHUNK):
            verdicts += self._judge_chunk(items[start : start + _CHUNK], limit)
        return verdicts

    def forget(self) -> None:
        """Forgets the verdicts that no file keeps."""
        self._cache.forget()

    def predict(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str | Sequence[str]],
        questions: Sequence[str] | None = None,
    ) -> list[float]:
        """p_correct of each candidate, in order; without `questions`, candidate against reference alone (CR mode).

        Args:
            candidates: Model outputs.
            references: For each candidate the right answer, or several that are all right.
            questions: The prompts the outputs answer.

        Raises:
            InputError: The lists differ in length, or an item could not be judged.
        """
        asked = [""] * len(candidates) if questions is None else questions
        if not len(candidates) == len(references) == len(asked):
            raise InputError(
                f"{len(candidates)} candidates, {len(references)} references and {len(asked)} questions: the lists "
                "must be equally long"
            )
        items = [
            JudgeItem(
                question,
                (reference,) if isinstance(reference, str) else tuple(reference),
                candidate,
            )
            for question, reference, candidate in zip(asked, references, candidates, strict=True)
        ]
        probabilities = []
        for number, verdict in enumerate(self.judge(items)):
            if verdict.p_correct is None:
                raise InputError(f"item {number} could not be judged: {verdict.reason}")
            probabilities.append(verdict.p_correct)
        return probabilities

    def _judge_chunk(self, items: Sequence[JudgeItem], threshold: float) -> list[Verdict]:
        wanted: dict[Triplet, None] = {}
        asked: list[list[Triplet]] = []
        for item in items:
            triplets = _triplets(item)
            asked.append(triplets)
            wanted.update(dict.fromkeys(triplets))
        scored = dict(zip(wanted, self._score(list(wanted)), strict=True))
        return [
            _best([scored[triplet] for triplet in triplets], threshold)
            if triplets
            else EMPTY_ANSWER
            for triplets in asked
        ]

    def _score(self, triplets: list[Triplet]) -> list[tuple[float, bool] | None]:
        """(p_correct, truncated) per triplet; None where the reference does not fit."""
        encoded = self._encode(triplets)
        p = iter(self._probabilities([e.ids for e in encoded if e is not None]))
        return [None if e is None else (next(p), e.truncated) for e in encoded]

    def _probabilities(self, rows: list[list[int]]) -> list[float]:
        """p_correct per row of token ids; what was judged before is not judged again."""
        keys = [self._cache.key(ids) for ids in rows]
        known = self._cache.get(keys)
        left = {key: ids for key, ids in zip(keys, rows, strict=True) if key not in known}
        judged: dict[bytes, float] = {}
        try:
            self._run(left, judged)
        finally:  # what is done survives Ctrl-C and a failing backend
            self._cache.put(judged)
        known |= judged
        return [known[key] for key in keys]

    def _run(self, rows: dict[bytes, list[int]], judged: dict[bytes, float]) -> None:
        """Adds p_correct of each row to `judged`, batch by batch."""
        keys, ids = list(rows), list(rows.values())
        with tqdm(
            total=len(keys),
            desc="judging",
            unit=" answers",
            disable=len(keys) < _PROGRESS_FROM or None,
        ) as bar:
            for batch in batches(ids, batch_tokens=self._batch_tokens, pad_id=self._backend.pad_id):
                logits = self._backend.logits(batch.input_ids, batch.attention_mask).astype(
                    np.float64
                )
                p = 1.0 / (1.0 + np.exp(logits[:, 0] - logits[:, 1]))
                if np.isnan(p).any():
                    raise CheckpointError(
                        f"judge {self.card.name}: its logits are not numbers; are its weights damaged? Export or "
                        "download it again"
                    )
                judged.update(zip((keys[i] for i in batch.indices), p.tolist(), strict=True))
                bar.update(len(batch.indices))

    def _encode(self, triplets: list[Triplet]) -> list[Encoded | None]:
        try:
            return list(self._encoder.encode(triplets))
        except ReferenceTooLongError:
            return [self._encode_one(triplet) for triplet in triplets]

    def _encode_one(self, triplet: Triplet) -> Encoded | None:
        try:
            return self._encoder.encode([triplet])[0]
        except ReferenceTooLongError:
            return None


_TOO_LONG = unjudged(Reason.REFERENCE_TOO_LONG)


def load_judge(
    model: str = "default",
    *,
    backend: str = "auto",
    device: str = "auto",
    dtype: str = "auto",
    batch_tokens: int = BATCH_TOKENS,
    cache: bool | str | None = None,
) -> Judge:
    """Loads a judge once per process and set of options.

    Args:
        model: "default" (the embedded judge), a folder, or a hub id such as "artefactory/BERTJudge".
        backend: "onnx", "torch", "vllm" (a server), or "auto": onnx where the folder has a `model.onnx`, else torch.
        device: "auto", "cpu", "cuda", ...; see the backend.
        dtype: "auto", "float32" or "bfloat16"; see the backend.
        batch_tokens: Padded tokens per batch; 0 is what suits the backend: 1024 on a CPU, 8192 on a GPU, 32768 for a
            server.
        cache: The file that keeps verdicts: True, False, a path, or None for what the environment variable
            LM_EVAL_BERTJUDGE_CACHE says (without it: on).

    Raises:
        CheckpointError: The folder is not a judge this version can run.
        InputError: Unknown backend, device or dtype.
        MissingExtraError: The backend's packages are not installed.
    """
    key = (model, backend, device, dtype, batch_tokens)
    path = location(cache)
    own = (os.getpid(), *key, path)
    if own not in _LOADED:
        _LOADED[own] = _load(*key, path)
    return _LOADED[own]


def check_judge(
    model: str = "default", *, backend: str = "auto", device: str = "auto", dtype: str = "auto"
) -> None:
    """Raises what `load_judge` would, as far as it can be known without a GPU's memory.

    Raises:
        CheckpointError: The folder is not a judge this version can run.
        InputError: Unknown backend, device or dtype.
        MissingExtraError: The backend's packages are not installed.
        ServerError: The backend is a server, and none answers.
    """
    folder = _folder(model)
    _card(folder, model)
    chosen = _backend(folder, backend)
    if chosen == "onnx":
        load_judge(model, backend=backend, device=device, dtype=dtype)
        return
    _tokenizer(folder)
    CHECKS[chosen](folder, device=device, dtype=dtype)


def forget() -> None:
    """The judges of this process forget the verdicts that no file keeps: they judge as they would in a new process."""
    for judge in _LOADED.values():
        judge.forget()


def read_card(model: str) -> JudgeCard:
    """The card of the judge that `load_judge` would load.

    Raises:
        CheckpointError: There is no such judge, or its card is of another version.
    """
    return _card(_folder(model), model)


# By process, too: what a forked child inherits has lost the threads that it computes with.
_LOADED: dict[tuple[int, str, str, str, str, int, Path | None], Judge] = {}


def _load(
    model: str, backend: str, device: str, dtype: str, batch_tokens: int, cache: Path | None
) -> Judge:
    folder = _folder(model)
    chosen = _backend(folder, backend)
    tokenizer = _tokenizer(folder)
    card = _card(folder, model)
    try:
        encoder = Encoder(
            tokenizer.read_text(encoding="utf-8"), max_length=card.max_length, version=card.encoding
        )
    except CheckpointError:
        raise
    except Exception as error:  # tokenizers has no class for its errors
        raise CheckpointError(f"{tokenizer} cannot be read: {error}") from error
    running = LOADERS[chosen](folder, device=device, dtype=dtype)
    # Verdicts that stay in this judge's memory need no hash of its weights to be told apart by.
    known = VerdictCache(identity(folder, running.kind), cache) if cache else VerdictCache()
    return Judge(
        running, encoder, card, batch_tokens=batch_tokens or running.batch_tokens, cache=known
    )


def _backend(folder: Path, backend: str) -> str:
    if backend == "auto":
        return "onnx" if (folder / "model.onnx").exists() else "torch"
    if backend not in LOADERS:
        raise InputError(f"backend is {backend!r}; one of auto, {', '.join(LOADERS)} was expected")
    return backend


def _tokenizer(folder: Path) -> Path:
    path = folder / "tokenizer.json"
    if not path.exists():
        raise CheckpointError(
            f"{path} is missing: a judge folder has a fast tokenizer beside its weights"
        )
    return path


def _folder(model: str) -> Path:
    if model == "default":
        return DEFAULT_FOLDER
    folder = Path(model).expanduser()
    if folder.is_dir():
        return folder
    if folder.is_absolute() or model.count("/") != 1 or model.startswith("."):
        raise CheckpointError(
            f"no judge at {model!r}: give a folder, a hub id like 'owner/name', or 'default'"
        )
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(model))
    except Exception as error:  # the hub client raises many kinds: network, 401, 404, offline mode
        raise CheckpointError(
            f"judge {model!r} is neither a folder here nor could it be downloaded: {error}"
        ) from error


def _card(folder: Path, model: str) -> JudgeCard:
    """The folder's card; for a released checkpoint without one, what the paper's format implies."""
    if (folder / CARD_FILE).exists():
        return JudgeCard.read(folder)
    import json

    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        max_length = int(config["max_position_embeddings"])
    except (OSError, ValueError, KeyError) as error:
        raise CheckpointError(
            f"{folder} has neither {CARD_FILE} nor a usable config.json: {error!r}"
        ) from error
    logger.warning(
        "judge %s has no %s: taken as input format v1 with threshold 0.5", model, CARD_FILE
    )
    return JudgeCard(name=model, max_length=max_length, threshold_origin="no card: 0.5 assumed")


def _triplets(item: JudgeItem) -> list[Triplet]:
    """What the encoder is asked for an item, one per reference; nothing when the candidate says nothing."""
    if not item.references:
        raise InputError(
            f"an item has no reference (question: {item.question[:80]!r}): give at least one right answer"
        )
    prepared = prepare(item)
    if not clean(prepared.response):
        return []
    return [(prepared.question, prepared.response, gold) for gold in prepared.golds]


def _best(scores: list[tuple[float, bool] | None], threshold: float) -> Verdict:
    fitting = [score for score in scores if score is not None]
    if not fitting:
        return _TOO_LONG
    p, truncated = max(fitting)
    return Verdict(p, p >= threshold, Source.ENCODER, truncated, Reason.THRESHOLD)
