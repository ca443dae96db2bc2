"""Word vectors: which words of a source mean much the same as a word of the claim.

`data/judge/vectors.npy` holds a short vector (signed bytes, unit length times 127) for each word of
`vectors.txt`, made once from a sentence encoder by `data/judge/make_vectors.py`. Likeness is the
cosine. Vectors also put opposites and neighbours of the same kind (Paris, Lyon) near each other:
likeness helps to find a passage, it does not prove anything.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.judging.lexicon import OPPOSITES
from workbench.shipped import JUDGE_DATA

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LIKE = 0.6
"""Cosine from which two words count as alike; one pair of random words in a thousand reaches it."""


class Vectors:
    """The table of word vectors; an empty one where its files are missing."""

    def __init__(self, words: Sequence[str], rows: "NDArray[np.int8] | None") -> None:
        self._place: Mapping[str, int] = {word: i for i, word in enumerate(words)}
        self._rows = rows

    def alike(
        self, claim_words: Iterable[str], text_words: Iterable[str]
    ) -> dict[str, tuple[str, float]]:
        """For each given word that is like an asked one: the asked word and how alike, 0.6 to 1.

        Equal words, words with figures and known opposites are left out.
        """
        if self._rows is None:
            return {}
        import numpy as np

        claim = [word for word in dict.fromkeys(claim_words) if word in self._place]
        text = sorted({word for word in text_words if word in self._place})
        if not claim or not text:
            return {}
        claim_vectors = self._take(claim)
        text_vectors = self._take(text)
        cosines = text_vectors @ claim_vectors.T
        best = np.asarray(cosines.argmax(axis=1))
        similar: dict[str, tuple[str, float]] = {}
        for i in np.nonzero(cosines.max(axis=1) >= LIKE)[0].tolist():
            word, asked_word = text[i], claim[int(best[i])]
            if word != asked_word and word not in OPPOSITES.get(asked_word, ()):
                similar[word] = (asked_word, float(cosines[i, int(best[i])]))
        return similar

    def _take(self, words: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        assert self._rows is not None
        rows = self._rows[[self._place[word] for word in words]].astype(np.float32)
        length = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)
        unit: NDArray[np.float32] = rows / length
        return unit


@lru_cache(maxsize=2)
def load_vectors(folder: Path = JUDGE_DATA) -> Vectors:
    """The shipped word vectors; an empty table where the files are missing or damaged."""
    import numpy as np

    try:
        words = (folder / "vectors.txt").read_text(encoding="utf-8").split()
        rows = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return Vectors((), None)
    if rows.ndim != 2 or len(rows) != len(words):
        return Vectors((), None)
    return Vectors(words, rows)
