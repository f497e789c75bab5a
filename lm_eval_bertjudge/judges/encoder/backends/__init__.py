"""What runs the encoder. A backend is anything like `Backend`; `LOADERS` maps its name to how it is loaded.

Heavy packages are imported inside the loaders' modules only, so that importing this package costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Backend(Protocol):
    """An encoder with a two-label head.

    Attributes:
        pad_id: Token id of padding.
        batch_tokens: Padded tokens per batch that suit it. A CPU wants a batch to stay in its cache: with 1024
            tokens the embedded judge is 1.3 times as fast on long answers as with 8192, and 1.9 times on short ones.
        kind: What computes, in which precision, such as "torch float32"; verdicts are kept apart by it.
    """

    pad_id: int
    batch_tokens: int
    kind: str

    def logits(
        self, input_ids: NDArray[np.int64], attention_mask: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Logits (wrong, right), shape (n, 2), of padded token ids and their mask, both of shape (n, length)."""
        ...


Loader = Callable[..., Backend]


def _loader(module: str, name: str) -> Loader:
    """Loads a backend of this package, whose heavy packages are imported on its first use."""

    def load(folder: Path, **options: str) -> Backend:
        backend: Backend = getattr(import_module(f"{__name__}.{module}"), name)(folder, **options)
        return backend

    return load


LOADERS: dict[str, Loader] = {
    "onnx": _loader("onnx", "OnnxBackend"),
    "torch": _loader("torch", "TorchBackend"),
    "vllm": _loader("vllm", "VllmBackend"),
}


def _check_torch(folder: Path, **options: str) -> None:
    import_module(f"{__name__}.torch").check(folder, **options)


def _check_vllm(folder: Path, **options: str) -> None:
    LOADERS["vllm"](folder, **options)  # it only asks the server what it has


# What can be known of a backend before it takes a GPU's memory.
CHECKS: dict[str, Callable[..., None]] = {"torch": _check_torch, "vllm": _check_vllm}
