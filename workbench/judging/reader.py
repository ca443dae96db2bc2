"""A small cross-encoder that reads claim and evidence together: supported, neither, contradicted.

Optional: it needs `onnxruntime` and `data/judge/reader.onnx` (int8, made by
`data/judge/finetune.py`); without either the embedded judge decides by its lexical part alone.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FOLDER = Path(__file__).resolve().parents[2] / "data" / "judge"
MODEL, VOCABULARY = "reader.onnx", "reader-vocab.txt"
CLAIM_TOKENS = 64
TOKENS = 150
"""Tokens read of claim and evidence together; the evidence is cut at the end."""
EVIDENCE_CHARS = 520
LONGEST_WORD = 100

_PIECE = re.compile(r"\w+|[^\w\s]", re.UNICODE)


class Reader:
    """The cross-encoder, loaded once; safe to share between threads."""

    def __init__(self, folder: Path = FOLDER) -> None:
        onnxruntime = import_module("onnxruntime")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(folder / MODEL), options, providers=["CPUExecutionProvider"]
        )
        words = (folder / VOCABULARY).read_text(encoding="utf-8").split("\n")
        self._ids: Mapping[str, int] = {word: i for i, word in enumerate(words) if word}

    def read(self, claim: str, evidence: Sequence[str]) -> list[tuple[float, float, float]]:
        """For each evidence text the probabilities: supported, neither, contradicted."""
        import numpy as np

        asked = word_pieces(claim, self._ids)[:CLAIM_TOKENS]
        found: list[tuple[float, float, float]] = []
        for text in evidence:
            given = word_pieces(text, self._ids)[: TOKENS - 3 - len(asked)]
            start, end = self._ids["[CLS]"], self._ids["[SEP]"]
            ids = np.array([[start, *asked, end, *given, end]], dtype=np.int64)
            types = np.zeros_like(ids)
            types[0, len(asked) + 2 :] = 1
            logits = self._session.run(None, {"ids": ids, "types": types})[0][0]
            found.append(_softmax(logits))
        return found


def _softmax(logits: "NDArray[np.float32]") -> tuple[float, float, float]:
    import numpy as np

    shifted = np.exp(logits - logits.max())
    shares = shifted / shifted.sum()
    return float(shares[0]), float(shares[1]), float(shares[2])


def word_pieces(text: str, ids: Mapping[str, int]) -> list[int]:
    """The token numbers of a text: lower case, no accents, longest known piece first."""
    found: list[int] = []
    plain = unicodedata.normalize("NFD", text.lower())
    plain = "".join(_apart(c) for c in plain if unicodedata.category(c) not in ("Mn", "Cc", "Cf"))
    for match in _PIECE.finditer(plain.replace("_", " _ ")):
        found.extend(_pieces_of(match.group(), ids))
    return found


def _apart(char: str) -> str:
    """A character; ideographs and white space set apart."""
    if char.isspace():
        return " "
    return f" {char} " if 0x4E00 <= ord(char) <= 0x9FFF or 0x3400 <= ord(char) <= 0x4DBF else char


def _pieces_of(word: str, ids: Mapping[str, int]) -> list[int]:
    """The pieces of one word; the unknown token where it cannot be pieced together."""
    if len(word) > LONGEST_WORD:
        return [ids["[UNK]"]]
    found: list[int] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if not start else "##" + word[start:end]
            if piece in ids:
                found.append(ids[piece])
                start = end
                break
        else:
            return [ids["[UNK]"]]
    return found


@lru_cache(maxsize=2)
def load_reader(folder: Path = FOLDER) -> Reader | None:
    """The shipped reader; None where its library or one of its files is missing or damaged."""
    if find_spec("onnxruntime") is None or not (folder / MODEL).exists():
        return None
    try:
        return Reader(folder)
    except (OSError, RuntimeError, ValueError, json.JSONDecodeError, KeyError):
        return None
