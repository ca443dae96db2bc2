"""Pairs as batches of token ids, drawn by origin and packed by length."""

import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.judging.pair_reader import join

if TYPE_CHECKING:
    from tokenizers import Tokenizer

POOL = 60
"""So many batches are packed by length at a time."""
PADDING = 1
"""The id that fills a batch up."""

TARGETS: Mapping[str, tuple[float, float, float]] = {
    "s": (1.0, 0.0, 0.0),
    "p": (0.2, 0.8, 0.0),
    "n": (0.0, 1.0, 0.0),
    "c": (0.0, 0.0, 1.0),
    "x": (0.0, -1.0, -1.0),
}
"""Supported, neither, contradicted; -1 where one of them holds, untold which."""

SHARES: Mapping[str, float] = {
    "citecheck_zh_dev": 1.5, "begin_wow": 0.3, "check_covid": 1.5, "scitab": 0.7,
    "diasumfact_qmsum": 0.5, "mt_rag_human": 2.0, "expertqa_domain": 2.0, "scone_nli": 0.1,
    "q2_wow": 0.6, "wice": 4.0, "expertqa": 2.0, "corrupt_number": 0.6, "corrupt_name": 0.8,
    "corrupt_negation": 0.4,
    "corrupt_opposite": 0.12, "corrupt_source": 0.25, "other_passage": 0.4, "foreign": 0.3,
    "copy": 0.5, "corrupt_copy": 0.4, "context": 0.5, "joined": 0.7, "own_": 2.0,
}  # fmt: skip
"""How often a pair of an origin is drawn in an epoch; 1 where nothing stands here."""


@dataclass(frozen=True, slots=True)
class TokenizedPair:
    """Token ids of a pair without padding; the source begins at `source_from`."""

    ids: Sequence[int]
    source_from: int
    target: tuple[float, float, float]
    origin: str
    group: str
    label: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Arrays (pairs, tokens) of int64, and targets (pairs, 3) of float32."""

    ids: np.ndarray
    types: np.ndarray
    mask: np.ndarray
    targets: np.ndarray


def read_pairs(path: Path, tokenizer: "Tokenizer", split: str) -> list[TokenizedPair]:
    """The pairs of one split of a file that `training_pairs` wrote, as token ids."""
    rows = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [row for line in lines if (row := json.loads(line))["split"] == split]
    encoded = [
        tokenizer.encode_batch_fast([row[part] for row in rows], add_special_tokens=False)
        for part in ("claim", "context", "source")
    ]
    return [
        TokenizedPair(
            *join(claim.ids, context.ids, source.ids),
            TARGETS[row["label"]], row["origin"], row["group"], row["label"],
        )
        for row, claim, context, source in zip(rows, *encoded, strict=True)
    ]  # fmt: skip


def epoch(pairs: Sequence[TokenizedPair], seed: int) -> list[TokenizedPair]:
    """The pairs of one epoch in random order, each origin as often as its share says."""
    generator = random.Random(seed)
    drawn = []
    for pair in pairs:
        share = SHARES.get(pair.origin, SHARES["own_"] if pair.origin.startswith("own_") else 1.0)
        drawn += [pair] * (int(share) + (generator.random() < share % 1))
    generator.shuffle(drawn)
    return drawn


def batches(pairs: Sequence[TokenizedPair], tokens: int, seed: int) -> Iterator[Batch]:
    """The pairs as batches of about so many tokens, packed by length within a pool."""
    generator = random.Random(seed)
    pool_size = POOL * tokens // 100
    for start in range(0, len(pairs), pool_size):
        pool = sorted(pairs[start : start + pool_size], key=lambda pair: len(pair.ids))
        packed: list[list[TokenizedPair]] = [[]]
        for pair in pool:
            if packed[-1] and len(pair.ids) * (len(packed[-1]) + 1) > tokens:
                packed.append([])
            packed[-1].append(pair)
        generator.shuffle(packed)
        yield from map(padded, packed)


def padded(pairs: Sequence[TokenizedPair]) -> Batch:
    """Pairs as arrays, filled up to the longest."""
    longest = max(len(pair.ids) for pair in pairs)
    ids = np.full((len(pairs), longest), PADDING, dtype=np.int64)
    types = np.zeros_like(ids)
    mask = np.zeros_like(ids)
    for row, pair in enumerate(pairs):
        ids[row, : len(pair.ids)] = pair.ids
        types[row, pair.source_from : len(pair.ids)] = 1
        mask[row, : len(pair.ids)] = 1
    return Batch(ids, types, mask, np.array([pair.target for pair in pairs], dtype=np.float32))
