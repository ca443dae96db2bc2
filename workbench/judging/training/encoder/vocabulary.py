"""Choose the pieces of the vocabulary that stay, and write them as a `tokenizer.json`.

multilingual-e5-small knows 250,000 pieces of a hundred languages, 96 MB as bytes. Kept are all
single characters, the pieces that the training texts use, and those of the most frequent words
(`wordfreq`) of the languages that the judge is measured in. What is left out is spelled with
shorter pieces.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.judging.training.encoder.e5_weights import E5Weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

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
