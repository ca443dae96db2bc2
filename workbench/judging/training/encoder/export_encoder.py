"""Write a trained encoder as ONNX with weights of one byte.

`python -m workbench.judging.training.encoder.export_encoder --work WORK --out data/judge` takes the
averaged weights of the last checkpoint. The graph is written by hand, so that nothing but what is
needed is in it: matrices are signed bytes with a scale for each column, activations are quantized
while it runs (`DynamicQuantizeLinear`), word embeddings are signed bytes with a scale for each row.
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from workbench.judging.pair_reader import MODEL, TOKENIZER
from workbench.judging.training.encoder.e5_weights import Array

OPSET = 20


class GraphWriter:
    """Collects nodes and weights; every method gives the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self._number = 0

    def weight(self, values: Array, name: str = "") -> str:
        """A constant."""
        self._number += 1
        name = name or f"w{self._number}"
        self.weights.append(numpy_helper.from_array(np.array(values, order="C"), name))
        return name

    def node(self, operator: str, *inputs: str, outputs: int = 1, **attributes: object) -> str:
        """The first output of an operator; the others are named with `_1`, `_2` behind it."""
        self._number += 1
        name = f"n{self._number}"
        names = [name, *(f"{name}_{n}" for n in range(1, outputs))]
        self.nodes.append(helper.make_node(operator, list(inputs), names, **attributes))
        return name

    def linear(self, quantized: str, weight: Array, bias: Array) -> str:
        """A product with a matrix (out, in) in signed bytes, of a tensor that `quantize` made."""
        scale = np.maximum(np.abs(weight).max(axis=1), 1e-8) / 127
        whole = np.rint(weight / scale[:, None]).astype(np.int8).T
        product = self.node(
            "MatMulInteger", quantized, self.weight(whole), f"{quantized}_2",
            self.weight(np.zeros((), dtype=np.int8)),
        )  # fmt: skip
        scales = self.node("Mul", f"{quantized}_1", self.weight(scale.astype(np.float32)))
        floats = self.node("Mul", self.node("Cast", product, to=TensorProto.FLOAT), scales)
        return self.node("Add", floats, self.weight(bias.astype(np.float32)))

    def quantize(self, x: str) -> str:
        """A tensor as bytes, with its scale and zero point as outputs 1 and 2."""
        return self.node("DynamicQuantizeLinear", x, outputs=3)

    def norm(self, x: str, weight: Array, bias: Array, epsilon: float) -> str:
        """Layer normalisation."""
        return self.node(
            "LayerNormalization",
            x,
            self.weight(weight),
            self.weight(bias),
            axis=-1,
            epsilon=epsilon,
        )


def encoder_graph(
    state: dict[str, Array], layers: int, heads: int, epsilon: float
) -> onnx.ModelProto:
    """The graph: `ids`, `types`, `mask` (pairs, tokens) to `logits` (pairs, 3) and `shares`."""
    g = GraphWriter()
    width = state["types.weight"].shape[1]
    x = _embeddings(g, state, epsilon)
    bias = _attention_bias(g)
    for number in range(layers):
        part = {
            k.removeprefix(f"layers.{number}."): v
            for k, v in state.items()
            if k.startswith(f"layers.{number}.")
        }
        q = g.linear(g.quantize(x), part["qkv.weight"], part["qkv.bias"])
        attended = _attention(g, q, bias, heads, width)
        out = g.linear(g.quantize(attended), part["out.weight"], part["out.bias"])
        x = g.norm(
            g.node("Add", x, out),
            part["attention_norm.weight"],
            part["attention_norm.bias"],
            epsilon,
        )
        wide = g.node("Gelu", g.linear(g.quantize(x), part["wide.weight"], part["wide.bias"]))
        fed = g.linear(g.quantize(wide), part["narrow.weight"], part["narrow.bias"])
        x = g.norm(g.node("Add", x, fed), part["norm.weight"], part["norm.bias"], epsilon)
    logits, shares = _head(g, x, state)
    g.nodes.append(helper.make_node("Identity", [logits], ["logits"]))
    g.nodes.append(helper.make_node("Identity", [shares], ["shares"]))
    inputs = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["pairs", "tokens"])
        for n in ("ids", "types", "mask")
    ]
    outputs = [
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", 3]),
        helper.make_tensor_value_info("shares", TensorProto.FLOAT, ["pairs", "tokens"]),
    ]
    graph = helper.make_graph(g.nodes, "encoder", inputs, outputs, g.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def _embeddings(g: GraphWriter, state: dict[str, Array], epsilon: float) -> str:
    words = state["words.weight"]
    scale = np.maximum(np.abs(words).max(axis=1), 1e-8) / 127
    rows = g.weight(np.rint(words / scale[:, None]).astype(np.int8), "words")
    scales = g.weight(scale.astype(np.float32)[:, None], "word_scales")
    word = g.node(
        "Mul",
        g.node("Cast", g.node("Gather", rows, "ids"), to=TensorProto.FLOAT),
        g.node("Gather", scales, "ids"),
    )
    length = g.node("Gather", g.node("Shape", "ids"), g.weight(np.int64(1)))
    places = g.node("Range", g.weight(np.int64(0)), length, g.weight(np.int64(1)))
    position = g.node("Gather", g.weight(state["positions.weight"]), places)
    kind = g.node("Gather", g.weight(state["types.weight"]), "types")
    summed = g.node("Add", g.node("Add", word, position), kind)
    return g.norm(summed, state["embedding_norm.weight"], state["embedding_norm.bias"], epsilon)


def _attention_bias(g: GraphWriter) -> str:
    """0 for tokens and -10,000 for padding, as (pairs, 1, 1, tokens)."""
    floats = g.node("Cast", "mask", to=TensorProto.FLOAT)
    hidden = g.node(
        "Mul", g.node("Sub", floats, g.weight(np.float32(1))), g.weight(np.float32(1e4))
    )
    return g.node("Unsqueeze", hidden, g.weight(np.array([1, 2], dtype=np.int64)))


def _attention(g: GraphWriter, qkv: str, bias: str, heads: int, width: int) -> str:
    shape = g.weight(np.array([0, 0, 3, heads, width // heads], dtype=np.int64))
    split = g.node("Transpose", g.node("Reshape", qkv, shape), perm=[2, 0, 3, 1, 4])
    q, k, v = (g.node("Gather", split, g.weight(np.int64(n)), axis=0) for n in range(3))
    scaled = g.node("Mul", q, g.weight(np.float32((width // heads) ** -0.5)))
    weights = g.node("MatMul", scaled, g.node("Transpose", k, perm=[0, 1, 3, 2]))
    weights = g.node("Softmax", g.node("Add", weights, bias), axis=-1)
    mixed = g.node("Transpose", g.node("MatMul", weights, v), perm=[0, 2, 1, 3])
    return g.node("Reshape", mixed, g.weight(np.array([0, 0, width], dtype=np.int64)))


def _head(g: GraphWriter, x: str, state: dict[str, Array]) -> tuple[str, str]:
    """Logits and shares as `PairEncoder.forward`, in floats: it is small."""

    def dense(y: str, name: str) -> str:
        product = g.node("MatMul", y, g.weight(np.ascontiguousarray(state[f"{name}.weight"].T)))
        return g.node("Add", product, g.weight(state[f"{name}.bias"]))

    weight = g.node(
        "Squeeze",
        dense(g.node("Tanh", dense(x, "attend")), "attend_to"),
        g.weight(np.array([2], dtype=np.int64)),
    )
    source = g.node("Cast", g.node("Mul", "types", "mask"), to=TensorProto.FLOAT)
    hidden = g.node(
        "Mul", g.node("Sub", source, g.weight(np.float32(1))), g.weight(np.float32(1e4))
    )
    shares = g.node("Softmax", g.node("Add", weight, hidden), axis=-1)
    row = g.node("Unsqueeze", shares, g.weight(np.array([1], dtype=np.int64)))
    read = g.node("Squeeze", g.node("MatMul", row, x), g.weight(np.array([1], dtype=np.int64)))
    first = g.node("Gather", x, g.weight(np.int64(0)), axis=1)
    pooled = g.node("Gelu", dense(g.node("Concat", first, read, axis=-1), "pooled"))
    return dense(pooled, "labels"), shares


def main(arguments: Sequence[str] | None = None) -> None:
    """Write model and tokenizer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    import torch

    base = torch.load(options.work / "base.pt", weights_only=False)
    saved = torch.load(options.work / "checkpoint.pt", map_location="cpu", weights_only=False)
    state = {name: values.float().numpy() for name, values in saved["ema"].items()}
    model = encoder_graph(state, base.layers, base.heads, base.epsilon)
    model.metadata_props.add(key="steps", value=json.dumps(saved["step"]))
    options.out.mkdir(parents=True, exist_ok=True)
    onnx.save(model, options.out / MODEL)
    shutil.copy(options.work / "tokenizer.json", options.out / TOKENIZER)
    for name in (MODEL, TOKENIZER):
        print(f"{name}: {(options.out / name).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
