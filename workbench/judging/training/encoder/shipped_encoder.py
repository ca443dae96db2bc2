"""Read an exported encoder back, so that training can go on from the weights that are shipped."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from workbench.judging.pair_reader import MODEL, TOKENIZER
from workbench.judging.training.encoder.e5_weights import Array

LAYER = (
    ("qkv", True), ("out", True), ("attention_norm", False),
    ("wide", True), ("narrow", True), ("norm", False),
)  # fmt: skip
HEAD = ("attend", "attend_to", "pooled", "labels")


def read_encoder(folder: Path) -> tuple[dict[str, Array], int]:
    """The weights by the names of `PairEncoder` as `float32`, and how many steps made them.

    What `export_encoder` wrote is read in the order in which it writes; matrices come back as
    bytes times their scales.

    Raises:
        ValueError: The file has other weights than `export_encoder` writes.
    """
    model = onnx.load(folder / MODEL)
    steps = next(int(p.value) for p in model.metadata_props if p.key == "steps")
    arrays = map(numpy_helper.to_array, model.graph.initializer)
    kept = iter([a for a in arrays if a.ndim and a.dtype in (np.dtype("i1"), np.dtype("f4"))])
    state = {
        "words.weight": next(kept).astype(np.float32) * next(kept),
        "positions.weight": next(kept),
        "types.weight": next(kept),
        **_pair("embedding_norm", kept),
    }
    layers = sum(node.op_type == "Softmax" for node in model.graph.node) - 1
    for number in range(layers):
        for part, quantized in LAYER:
            state |= (_matrix if quantized else _pair)(f"layers.{number}.{part}", kept)
    for part in HEAD:
        weight, bias = next(kept), next(kept)
        state |= {f"{part}.weight": weight.T.copy(), f"{part}.bias": bias}
    if next(kept, None) is not None:
        raise ValueError(f"{folder / MODEL} has weights that export_encoder does not write")
    return state, steps


def read_pieces(folder: Path) -> list[str]:
    """The pieces of the exported tokenizer in the order of their ids."""
    tokenizer = json.loads((folder / TOKENIZER).read_text(encoding="utf-8"))
    return [piece for piece, _ in tokenizer["model"]["vocab"]]


def _pair(name: str, kept: Iterator[Array]) -> dict[str, Array]:
    return {f"{name}.weight": next(kept), f"{name}.bias": next(kept)}


def _matrix(name: str, kept: Iterator[Array]) -> dict[str, Array]:
    whole, scale, bias = next(kept), next(kept), next(kept)
    return {f"{name}.weight": whole.T.astype(np.float32) * scale[:, None], f"{name}.bias": bias}
