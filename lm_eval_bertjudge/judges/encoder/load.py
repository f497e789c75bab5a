"""From a judge's name to a judge: its folder, its card, its tokenizer, and what runs it."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from lm_eval_bertjudge.errors import CheckpointError
from lm_eval_bertjudge.judges.encoder.backends import CHECKS, LOADERS
from lm_eval_bertjudge.judges.encoder.cache import VerdictCache, identity, location
from lm_eval_bertjudge.judges.encoder.card import CARD_FILE, JudgeCard
from lm_eval_bertjudge.judges.encoder.encoding import Encoder
from lm_eval_bertjudge.judges.encoder.judge import EncoderJudge
from lm_eval_bertjudge.options import JudgeOptions
from lm_eval_bertjudge.options.judge import modern

logger = logging.getLogger(__name__)

DEFAULT_FOLDER = Path(__file__).parents[2] / "checkpoints" / "default"


def load_judge(model: str = "default", **options: Any) -> EncoderJudge:
    """Loads an encoder, anew at each call.

    Args:
        model: "default" (the embedded judge), a folder, or a hub id such as "artefactory/BERTJudge".
        **options: backend, base_url, device, dtype, batch_tokens, cache: see `JudgeOptions`.

    Raises:
        CheckpointError: The folder is not a judge that this version can run.
        InputError: An option is impossible.
        MissingExtraError: The backend's packages are not installed.
    """
    return load_encoder(JudgeOptions(**modern({"judge": model, **options})))


def load_encoder(options: JudgeOptions, *, remember: bool = True) -> EncoderJudge:
    """The encoder of these options.

    Args:
        options: Of a judge that is no LLM.
        remember: Whether verdicts that no file keeps stay in its memory.

    Raises:
        CheckpointError, InputError, MissingExtraError: As for `load_judge`.
    """
    folder = find_folder(options.judge)
    card = _card(folder, options.judge)
    encoder = _encoder(folder, card)
    backend = LOADERS[backend_of(options)](folder, **_backend_options(options))
    file = location(options.cache)
    # Verdicts that stay in this judge's memory need no hash of its weights to be told apart by.
    known = identity(folder, backend.kind) if file else b""
    cache = VerdictCache(known, file, remember=remember)
    batch_tokens = options.batch_tokens or backend.batch_tokens
    return EncoderJudge(backend, encoder, card, batch_tokens=batch_tokens, cache=cache)


def read_card(model: str) -> JudgeCard:
    """The card of the judge that `load_judge` would load.

    Raises:
        CheckpointError: There is no such judge, or its card is of another version.
    """
    return _card(find_folder(model), model)


def judge_hash(model: str) -> str:
    """16 hex digits of a hash of the weights of the judge that `load_judge` would load.

    Raises:
        CheckpointError: There is no such judge.
    """
    return identity(find_folder(model), "").hex()[:16]


def find_folder(model: str) -> Path:
    """The folder of a judge, downloaded where its name is a hub id.

    Raises:
        CheckpointError: There is none, or it cannot be downloaded.
    """
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


def backend_of(options: JudgeOptions) -> str:
    """What runs the encoder: where the options leave it open, what its folder has weights for.

    Raises:
        CheckpointError: There is no such judge.
    """
    if options.backend != "auto":
        return options.backend
    return "onnx" if (find_folder(options.judge) / "model.onnx").exists() else "torch"


def check_encoder(options: JudgeOptions) -> None:
    """Raises what `load_encoder` would, as far as it can be known without a GPU's memory.

    Args:
        options: Of a judge that torch or a server runs.

    Raises:
        CheckpointError, InputError, MissingExtraError: As for `load_judge`.
        ServerError: The backend is a server, and none answers.
    """
    folder = find_folder(options.judge)
    _encoder(folder, _card(folder, options.judge))
    CHECKS[backend_of(options)](folder, **_backend_options(options))


def _backend_options(options: JudgeOptions) -> dict[str, str]:
    server = {} if options.base_url is None else {"base_url": options.base_url}
    return {"device": options.device, "dtype": options.dtype, **server}


def _encoder(folder: Path, card: JudgeCard) -> Encoder:
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.exists():
        raise CheckpointError(
            f"{tokenizer} is missing: a judge folder has a fast tokenizer beside its weights"
        )
    try:
        text = tokenizer.read_text(encoding="utf-8")
        return Encoder(text, max_length=card.max_length, version=card.encoding)
    except CheckpointError:
        raise
    except Exception as error:  # tokenizers has no class for its errors
        raise CheckpointError(f"{tokenizer} cannot be read: {error}") from error


def _card(folder: Path, model: str) -> JudgeCard:
    """The folder's card; for a released checkpoint without one, what the paper's format implies."""
    if (folder / CARD_FILE).exists():
        return JudgeCard.read(folder)
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
