"""The default backend: an ONNX graph on onnxruntime, no torch needed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from lm_eval_bertjudge.errors import CheckpointError, InputError

MODEL_FILE = "model.onnx"


class OnnxBackend:
    """Runs `model.onnx` of a judge folder; inputs `input_ids` and `attention_mask`, output `logits`."""

    def __init__(self, folder: Path, *, device: str = "auto", dtype: str = "auto") -> None:
        """Opens the graph.

        Args:
            folder: A judge folder with `model.onnx` and `config.json`.
            device: "auto" or "cpu"; "cuda" needs the onnxruntime-gpu package.
            dtype: Only "auto": an ONNX graph has the precision it was exported with.

        Raises:
            CheckpointError: The graph is missing or damaged, or has no two-label output.
            InputError: The device or dtype is not available here.
        """
        if dtype != "auto":
            raise InputError(
                f"dtype {dtype!r} cannot be chosen for an ONNX judge; use `backend: torch` for that",
                option="backend",
            )
        try:
            self._session = onnxruntime.InferenceSession(
                str(folder / MODEL_FILE), sess_options=_options(), providers=_providers(device)
            )
            self.pad_id = int(
                json.loads((folder / "config.json").read_text(encoding="utf-8"))["pad_token_id"]
                or 0
            )
        except InputError:
            raise
        except Exception as error:  # onnxruntime has no common base class for its errors
            raise CheckpointError(
                f"{folder / MODEL_FILE} cannot be opened: {error}. Download the judge again, or export it again with: "
                "python -m training.export --help"
            ) from error
        self.kind = "onnx"
        self.batch_tokens = 8192 if device.startswith("cuda") else 1024
        names = {i.name for i in self._session.get_inputs()}
        labels = self._session.get_outputs()[0].shape[-1]
        if names != {"input_ids", "attention_mask"} or labels != 2:
            raise CheckpointError(
                f"{folder / MODEL_FILE} has inputs {sorted(names)} and {labels} labels; a judge has input_ids, "
                "attention_mask and 2 labels. Export it with: python -m training.export --help"
            )

    def logits(
        self, input_ids: NDArray[np.int64], attention_mask: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Logits (wrong, right), shape (n, 2)."""
        feed = {"input_ids": input_ids, "attention_mask": attention_mask}
        return np.asarray(self._session.run(["logits"], feed)[0], dtype=np.float32)


def _options() -> onnxruntime.SessionOptions:
    """As many threads as OMP_NUM_THREADS says, else as this process has CPUs: onnxruntime would take the machine's."""
    options = onnxruntime.SessionOptions()
    told = os.environ.get("OMP_NUM_THREADS", "")
    if told.isdigit() and int(told) > 0:
        options.intra_op_num_threads = int(told)
    elif hasattr(os, "sched_getaffinity"):
        options.intra_op_num_threads = len(os.sched_getaffinity(0))
    return options


def _providers(device: str) -> list[str]:
    available = onnxruntime.get_available_providers()
    if device.startswith("cuda"):
        if "CUDAExecutionProvider" not in available:
            raise InputError(
                "device 'cuda' was asked for, but this onnxruntime has no CUDA: pip install onnxruntime-gpu"
            )
        return ["CUDAExecutionProvider", "CPUExecutionProvider"]
    if device not in ("auto", "cpu"):
        raise InputError(f"device is {device!r}; the onnx backend knows auto, cpu and cuda")
    return ["CPUExecutionProvider"]
