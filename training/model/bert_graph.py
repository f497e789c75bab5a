"""A BERT judge as an int8 ONNX graph, written node by node, so that every step has a fast kernel in onnxruntime.

Linear layers multiply 8-bit integers. Activations get their scale per token while the graph runs, so an answer's p does
not depend on its neighbours in the batch; weights have one scale per column. The last layer is computed for the first
token only, which is all that the head reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from training.model.quantise import MICROSOFT, Array, int8_columns

OPSET = 18
_GELU_FLOOR = 0.17  # gelu(x) > -0.17
_Q = "query"
_K = "key"
_V = "value"


def supports(config: object) -> bool:
    """Whether the encoder is of the kind this graph computes; `config` is that of transformers."""
    wanted = {"model_type": "bert", "hidden_act": "gelu", "is_decoder": False}
    absolute = getattr(config, "position_embedding_type", "absolute") == "absolute"
    return absolute and all(getattr(config, name, None) == value for name, value in wanted.items())


def bert_int8(
    weights: Mapping[str, Array], *, heads: int, layers: int, eps: float
) -> onnx.ModelProto:
    """The graph of a `BertForSequenceClassification`: inputs `input_ids` and `attention_mask`, output `logits`.

    Args:
        weights: Its state dict in fp32.
        heads: Attention heads per layer.
        layers: Encoder layers.
        eps: Of the layer norms.
    """
    return _Bert(weights, heads=heads, eps=eps).model(layers)


class _Bert:
    """Collects nodes and constants."""

    def __init__(self, weights: Mapping[str, Array], *, heads: int, eps: float) -> None:
        self._weights = weights
        self._heads = heads
        self._eps = eps
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def model(self, layers: int) -> onnx.ModelProto:
        mask = self._node("Cast", "attention_mask", to=TensorProto.INT32)
        x = self._embeddings()
        for number in range(layers):
            x = self._layer(f"bert.encoder.layer.{number}", x, mask, last=number == layers - 1)
        first = self._node("Squeeze", x, self._const("axis_1", np.array([1], np.int64)))
        pooled = self._node("Tanh", self._gemm(first, "bert.pooler.dense"))
        self._gemm(pooled, "classifier", output="logits")
        ids = [
            helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"])
            for n in _INPUTS
        ]
        logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 2])
        graph = helper.make_graph(
            self._nodes, "judge", ids, [logits], list(self._constants.values())
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(
            graph, opset_imports=opsets, ir_version=9, producer_name="lm-eval-bertjudge"
        )

    def _embeddings(self) -> str:
        """Words in int8 with a scale per word; positions; the first token type."""
        words = self._weights["bert.embeddings.word_embeddings.weight"]
        scale = np.maximum(np.abs(words).max(1, keepdims=True), 1e-12) / 127
        rows = self._const("words", np.round(words / scale).astype(np.int8))
        looked_up = self._node(
            "Cast", self._node("Gather", rows, "input_ids"), to=TensorProto.FLOAT
        )
        scales = self._node(
            "Gather", self._const("words_scale", scale.astype(np.float32)), "input_ids"
        )
        types = self._weights["bert.embeddings.token_type_embeddings.weight"]
        places = self._const(
            "places",
            self._weights["bert.embeddings.position_embeddings.weight"] + types[0],
        )
        length = self._node("Shape", "input_ids", start=1, end=2)
        place = self._node("Slice", places, self._const("axis_0", np.array([0], np.int64)), length)
        x = self._node("Add", self._node("Mul", looked_up, scales), place)
        return self._norm(x, "bert.embeddings.LayerNorm")

    def _layer(self, name: str, x: str, mask: str, *, last: bool) -> str:
        """One encoder layer; of the last one only the first token comes back, shape (batch, 1, hidden)."""
        x = self._attention(f"{name}.attention", x, mask, last=last)
        wide = self._product(*self._quantised(x), f"{name}.intermediate.dense")
        bias = self._weight(f"{name}.intermediate.dense.bias")
        wide = self._node("BiasGelu", wide, bias, domain=MICROSOFT)
        out = self._linear(wide, f"{name}.output.dense", after_gelu=True)
        return self._norm(self._node("Add", out, x), f"{name}.output.LayerNorm")

    def _attention(self, name: str, x: str, mask: str, *, last: bool) -> str:
        ints, scale = self._quantised(x)
        read = x
        read_ints = ints
        read_scale = scale
        if last:
            parts = (x, ints, scale)
            read, read_ints, read_scale = (self._first(part) for part in parts)
        query = self._product(read_ints, read_scale, f"{name}.self.{_Q}")
        key = self._product(ints, scale, f"{name}.self.{_K}")
        value = self._product(ints, scale, f"{name}.self.{_V}")
        biases = [self._weights[f"{name}.self.{part}.bias"] for part in (_Q, _K, _V)]
        mixed = self._node(
            "MultiHeadAttention",
            query,
            key,
            value,
            self._const(f"{name}.self.bias", np.concatenate(biases)),
            mask,
            domain=MICROSOFT,
            num_heads=self._heads,
        )
        out = self._linear(mixed, f"{name}.output.dense")
        return self._norm(self._node("Add", out, read), f"{name}.output.LayerNorm")

    def _quantised(self, x: str, *, after_gelu: bool = False) -> tuple[str, str]:
        """(uint8 activations, what each token was divided by); after gelu hardly any level is spent on negatives."""
        axis = self._const("axis_last", np.array([-1], np.int64))
        zero = 32 if after_gelu else 128
        steps = 255 - zero
        if after_gelu:
            floor = self._const("floor", np.float32(_GELU_FLOOR * steps / zero))
            largest = self._node("Max", self._node("ReduceMax", x, axis, keepdims=1), floor)
        else:
            largest = self._node("ReduceMax", self._node("Abs", x), axis, keepdims=1)
        ints = self._node("QuantizeLinear", self._node("Div", x, largest), *self._step(steps, zero))
        return ints, largest

    def _step(self, steps: int, zero: int) -> tuple[str, str]:
        return self._const(f"step_{steps}", np.float32(1 / steps)), self._const(
            f"zero_{zero}", np.uint8(zero)
        )

    def _product(self, ints: str, scale: str, name: str, *, after_gelu: bool = False) -> str:
        """Quantised activations times a layer's weight, without its bias."""
        weight, column_scale = int8_columns(self._weights[f"{name}.weight"].T)
        step, zero = self._step(223, 32) if after_gelu else self._step(127, 128)
        product = self._node(
            "MatMulIntegerToFloat",
            ints,
            self._const(f"{name}.weight", weight),
            step,
            self._const(f"{name}.scale", column_scale),
            zero,
            domain=MICROSOFT,
        )
        return self._node("Mul", product, scale)

    def _linear(self, x: str, name: str, *, after_gelu: bool = False) -> str:
        ints, scale = self._quantised(x, after_gelu=after_gelu)
        product = self._product(ints, scale, name, after_gelu=after_gelu)
        return self._node("Add", product, self._weight(f"{name}.bias"))

    def _gemm(self, x: str, name: str, *, output: str = "") -> str:
        return self._node(
            "Gemm",
            x,
            *map(self._weight, (f"{name}.weight", f"{name}.bias")),
            output=output,
            transB=1,
        )

    def _norm(self, x: str, name: str) -> str:
        parts = map(self._weight, (f"{name}.weight", f"{name}.bias"))
        return self._node("LayerNormalization", x, *parts, axis=-1, epsilon=self._eps)

    def _first(self, x: str) -> str:
        return self._node("Gather", x, self._const("first", np.array([0], np.int64)), axis=1)

    def _weight(self, name: str) -> str:
        return self._const(name, self._weights[name])

    def _const(self, name: str, value: NDArray[np.generic] | np.generic) -> str:
        self._constants.setdefault(name, numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def _node(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output


_INPUTS = ("input_ids", "attention_mask")
