"""A judge on a vLLM server that many evaluation runs share: `vllm serve JUDGE_FOLDER` answers POST /classify.

Token ids are sent, not text: tokenised by the server, a forged marker in an answer would become a real one, and the
server would cut a long input at its end, where the reference stands.
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lm_eval_bertjudge.errors import CheckpointError, InputError, ServerError

DEFAULT_URL = "http://localhost:8000"
SERVED = (
    "bert",
    "modernbert",
    "roberta",
    "xlm-roberta",
)  # `model_type` of the encoders that vLLM serves
_CONCURRENCY = 16  # requests at once; the server batches across them
_ROWS = 8  # per request
_TIMEOUT_S = 300.0
_SMALLEST = 1e-12  # a probability that was rounded to 0 has no logarithm


class VllmBackend:
    """Asks a server for the probabilities; needs the judge's folder for tokenizer, card and config, not its weights."""

    kind = "vllm"
    batch_tokens = 32_768  # what is in flight at once

    def __init__(
        self,
        folder: Path,
        *,
        device: str = "auto",
        dtype: str = "auto",
        base_url: str = DEFAULT_URL,
    ) -> None:
        """Asks the server which model it has.

        Args:
            folder: The judge's folder, the same that the server was started with.
            device: Only "auto": the server has chosen.
            dtype: As for `device`.
            base_url: The server's address.

        Raises:
            CheckpointError: vLLM does not serve encoders of this kind.
            InputError: A device or a dtype is given.
            ServerError: No server answers there, or it has no sequence classifier.
        """
        if dtype != "auto":
            raise InputError(
                f"dtype {dtype!r} cannot be chosen here: give it to the server (vllm serve --dtype)"
            )
        if device != "auto":
            raise InputError(
                f"device {device!r} cannot be chosen here: the server has chosen", option="device"
            )
        self._url = base_url.rstrip("/").removesuffix("/v1")
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{folder / 'config.json'} cannot be read: {error}") from error
        if config.get("model_type") not in SERVED:
            raise CheckpointError(
                f"vLLM does not serve {config.get('model_type')!r} as a classifier (it serves {', '.join(SERVED)}): "
                "use `backend: torch`, with `device: cuda` where there is a GPU"
            )
        self.pad_id = int(config.get("pad_token_id") or 0)
        self._model = _served(f"{self._url}/v1/models")

    def logits(
        self, input_ids: NDArray[np.int64], attention_mask: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Logits (wrong, right) up to a constant, shape (n, 2): the logarithms of the server's probabilities."""
        rows = [
            ids[mask == 1].tolist() for ids, mask in zip(input_ids, attention_mask, strict=True)
        ]
        parts = [rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS)]
        with ThreadPoolExecutor(max_workers=_CONCURRENCY) as pool:
            probabilities = [p for part in pool.map(self._classify, parts) for p in part]
        return np.log(np.maximum(np.array(probabilities, dtype=np.float64), _SMALLEST)).astype(
            np.float32
        )

    def _classify(self, rows: list[list[int]]) -> list[list[float]]:
        answer = _call(f"{self._url}/classify", {"model": self._model, "input": rows})
        try:
            ordered = sorted(answer["data"], key=lambda each: int(each["index"]))
            found = [[float(p) for p in each["probs"]] for each in ordered]
        except (KeyError, TypeError, ValueError) as error:
            raise ServerError(
                f"{self._url}/classify answered {str(answer)[:200]}; probabilities were expected"
            ) from error
        if len(found) != len(rows) or any(len(each) != 2 for each in found):
            raise ServerError(
                f"{self._url}/classify: {len(found)} answers to {len(rows)} rows, {len(found[0]) if found else 0} "
                "labels; a judge has 2 (wrong, right). Is the server's model this judge?"
            )
        return found


def _served(url: str) -> Any:
    """The name of the server's first model."""
    answer = _call(url)
    try:
        return answer["data"][0]["id"]
    except (KeyError, IndexError, TypeError) as error:
        raise ServerError(
            f"{url} answered {str(answer)[:200]}; a list of models was expected. Is it a vLLM server? Start one with: "
            "vllm serve JUDGE_FOLDER --runner pooling"
        ) from error


def _call(url: str, body: dict[str, Any] | None = None) -> Any:
    """The JSON answer to a GET, or to a POST of `body`."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        said = error.read().decode(errors="replace")[:300]
        raise ServerError(
            f"{url} answered {error.code}: {said}. The server must run the judge: "
            "vllm serve JUDGE_FOLDER --runner pooling"
        ) from error
    except (OSError, ValueError) as error:  # not reachable, or not JSON
        raise ServerError(
            f"no vLLM server answers at {url} ({error}). Start one with: vllm serve JUDGE_FOLDER --runner pooling"
        ) from error
