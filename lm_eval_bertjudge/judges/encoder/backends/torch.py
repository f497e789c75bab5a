"""Any Hugging Face sequence-classification checkpoint with two labels: EuroBERT, ModernBERT, BERT, RoBERTa, ..."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lm_eval_bertjudge.errors import (
    CheckpointError,
    InputError,
    MissingExtraError,
    OutOfMemoryError,
)

try:
    import torch
    from transformers import AutoModelForSequenceClassification
except ImportError as error:
    raise MissingExtraError(error.name or "torch", "torch") from error

logger = logging.getLogger(__name__)

# Free GPU memory below which `device: auto` stays on the CPU: the evaluated model still holds its own.
_MIN_FREE_BYTES = 2 << 30
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class TorchBackend:
    """Runs a checkpoint with transformers; the forward pass in the chosen precision, logits in fp32."""

    def __init__(self, folder: Path, *, device: str = "auto", dtype: str = "auto") -> None:
        """Loads the weights.

        Args:
            folder: A checkpoint folder with `config.json` and weights.
            device: "auto" (a GPU with free memory, else the CPU), "cpu", "cuda", "cuda:1", "mps".
            dtype: "float32", "bfloat16", or "auto": bfloat16 on CUDA, float32 elsewhere.

        Raises:
            CheckpointError: The weights are missing or damaged, or have no trained two-label head.
            InputError: The device or dtype is unknown.
        """
        self._device = _device(device)
        chosen = _dtype(dtype, self._device)
        model = _load(folder, _DTYPES[chosen])
        self.pad_id = int(model.config.pad_token_id or 0)
        self.kind = f"torch {chosen}"
        self.batch_tokens = 1024 if self._device.type == "cpu" else 8192
        self._model = model.to(self._device).eval()
        self._parts = 1  # of a batch that are run one after the other
        logger.info("judge %s on %s in %s", folder.name, self._device, chosen)

    def logits(
        self, input_ids: NDArray[np.int64], attention_mask: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Logits (wrong, right), shape (n, 2). Where GPU memory runs out, batches are halved from there on, once.

        Raises:
            OutOfMemoryError: Half a batch does not fit either.
        """
        try:
            ids = np.array_split(input_ids, self._parts)
            masks = np.array_split(attention_mask, self._parts)
            return np.concatenate(
                [self._forward(i, m) for i, m in zip(ids, masks, strict=True) if len(i)]
            )
        except torch.cuda.OutOfMemoryError:
            n, length = input_ids.shape
            if self._parts == 2 or n == 1:
                raise _no_room(-(-n // self._parts), length, self._device) from None
            logger.warning(
                "no GPU memory for %d answers of %d tokens: batches are halved from here on",
                n,
                length,
            )
            self._parts = 2
        torch.cuda.empty_cache()  # here and not above: the error being handled holds on to the failed batch
        return self.logits(input_ids, attention_mask)

    def _forward(
        self, input_ids: NDArray[np.int64], attention_mask: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        with torch.inference_mode():
            out = self._model(
                input_ids=torch.from_numpy(input_ids).to(self._device),
                attention_mask=torch.from_numpy(attention_mask).to(self._device),
            )
            return np.asarray(out.logits.float().cpu().numpy(), dtype=np.float32)


def check(folder: Path, *, device: str, dtype: str) -> None:
    """Raises what loading would, as far as the files' names and the device tell.

    Raises:
        CheckpointError: The folder has no weights, or only pickled ones.
        InputError: The device or dtype is unknown or not there.
    """
    _dtype(dtype, _device(device))
    _check_pickle(folder)
    if not any(folder.glob("*.safetensors")):
        raise CheckpointError(f"{folder} has no weights: a file model.safetensors was expected")


def _dtype(name: str, device: torch.device) -> str:
    if name == "auto":
        return "bfloat16" if device.type == "cuda" else "float32"
    if name not in _DTYPES:
        raise InputError(f"dtype is {name!r}; one of auto, {', '.join(_DTYPES)} was expected")
    return name


def _no_room(n: int, length: int, device: torch.device) -> OutOfMemoryError:
    free = (
        f" ({torch.cuda.mem_get_info(device)[0] / 2**30:.1f} GiB free)"
        if torch.cuda.is_available()
        else ""
    )
    smaller = f"batch_tokens: {n * length // 2} (half of what failed), or " if n > 1 else ""
    return OutOfMemoryError(
        f"the GPU has no room for {n} answers of {length} tokens{free}. Use {smaller}device: cpu; or judge the saved "
        "answers later, when the evaluated model has left the GPU"
    )


def _check_pickle(folder: Path) -> None:
    pickled = sorted(path.name for path in folder.glob("pytorch_model*.bin"))
    if pickled and not any(folder.glob("*.safetensors")):
        raise CheckpointError(
            f"{folder} has its weights as {pickled[0]}, which is pickle: loading it can run any code. If you trust it, "
            "convert it: AutoModelForSequenceClassification.from_pretrained(FOLDER).save_pretrained(FOLDER)"
        )


def _load(folder: Path, dtype: torch.dtype) -> Any:
    _check_pickle(folder)
    try:
        model, info = AutoModelForSequenceClassification.from_pretrained(
            folder,
            dtype=dtype,
            output_loading_info=True,
            use_safetensors=True,
            trust_remote_code=False,
        )
    except Exception as error:  # transformers and safetensors raise many kinds
        raise CheckpointError(
            f"{folder} cannot be loaded as a sequence-classification checkpoint: {error}"
        ) from error
    if info["missing_keys"] or info["mismatched_keys"]:
        missing = ", ".join(sorted(map(str, [*info["missing_keys"], *info["mismatched_keys"]]))[:5])
        raise CheckpointError(
            f"{folder} has no trained weights for {missing}: its verdicts would be random. This is a base encoder, not "
            "a judge; fine-tune it first: python -m training.train --help"
        )
    if model.config.num_labels != 2:
        raise CheckpointError(
            f"{folder} has {model.config.num_labels} labels; a judge has 2 (wrong, right)"
        )
    return model


def _device(name: str) -> torch.device:
    if name != "auto":
        try:
            device = torch.device(name)
        except RuntimeError as error:
            raise InputError(
                f"device is {name!r}; use auto, cpu, cuda, cuda:1 or mps ({error})"
            ) from error
        if device.type == "cuda" and not torch.cuda.is_available():
            raise InputError(f"device is {name!r}, and this torch sees no GPU; use auto or cpu")
        return device
    if torch.cuda.is_available():
        free, _ = torch.cuda.mem_get_info()
        if free >= _MIN_FREE_BYTES:
            return torch.device("cuda")
        logger.warning(
            "the GPU has %.1f GiB free: judging on the CPU (device: cuda overrides this)",
            free / 2**30,
        )
    return torch.device("cpu")
