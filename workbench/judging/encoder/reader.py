"""Run the shipped encoder: how a claim and its passages read together.

The encoder (`data/judge/encoder.onnx`) was trained by `workbench.judging.training.encoder`; its
figures stand in `data/judge/MODEL_CARD.md`. It needs onnxruntime and tokenizers; without them, or
without its file, `load_reader` gives None and the judge goes by its readable features alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.judging.encoder.pair_text import (
    CLAIM_TOKENS,
    CONTEXT_TOKENS,
    LONGEST,
    PairText,
    pair_text,
)
from workbench.judging.onnx_session import open_session, open_tokenizer, runtime_missing
from workbench.judging.segment import segment
from workbench.records import NO_CONTEXT, JudgeContext, Passage, Span
from workbench.shipped import JUDGE_DATA

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

MODEL = "encoder.onnx"
TOKENIZER = "encoder_tokenizer.json"
BEGINNING, END = 0, 2
"""Ids of the marks around the texts."""
SURE = 12.0
"""Log-odds are cut here: nothing is surer than that."""


@dataclass(frozen=True, slots=True)
class PairReading:
    """What the encoder makes of a claim beside its passages."""

    supported: float
    """Log-odds that the passages bear the claim out, as the encoder was trained, uncalibrated."""
    contradicted: float
    """Log-odds that they contradict it, uncalibrated."""
    decisive: Span | None
    """The sentence that counted most, in code points of the source; None when only headings or the
    title were read."""


class PairReader:
    """The encoder with its tokenizer; stateless and safe to share between threads."""

    def __init__(self, session: "InferenceSession", tokenizer: "Tokenizer") -> None:
        self._session = session
        self._tokenizer = tokenizer

    def read(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> PairReading:
        """The reading of a claim; its cost depends on `LONGEST`, not on the source."""
        import numpy as np

        text = pair_text(claim, passages, context)
        claim_tokens, context_tokens, source_tokens = self._tokenizer.encode_batch(
            [_encodable(part) for part in (text.claim, text.context, text.source)],
            add_special_tokens=False,
        )
        ids, source_from = join(claim_tokens.ids, context_tokens.ids, source_tokens.ids)
        types = [0] * source_from + [1] * (len(ids) - source_from)
        logits, shares = self._session.run(
            ["logits", "shares"],
            {
                "ids": np.array([ids], dtype=np.int64),
                "types": np.array([types], dtype=np.int64),
                "mask": np.ones((1, len(ids)), dtype=np.int64),
            },
        )
        supported, neither, contradicted = (float(logit) for logit in logits[0])
        return PairReading(
            supported=_log_odds(supported, neither, contradicted),
            contradicted=_log_odds(contradicted, supported, neither),
            decisive=_decisive(text, source_tokens, shares[0][source_from:]),
        )


def join(
    claim: Sequence[int], context: Sequence[int], source: Sequence[int], longest: int = LONGEST
) -> tuple[list[int], int]:
    """`<s> claim </s> context </s> source </s>` as ids, and where the source begins."""
    ids = [BEGINNING, *claim[:CLAIM_TOKENS], END, *context[:CONTEXT_TOKENS], END]
    source_from = len(ids)
    return [*ids, *source[: longest - source_from - 1], END], source_from


@lru_cache(maxsize=2)
def load_reader(folder: Path = JUDGE_DATA) -> PairReader | None:
    """The encoder in a folder; None without its file, or without the packages that run it.

    Raises:
        UnknownJudge: The file is there and damaged.
    """
    if reader_missing(folder):
        return None
    return PairReader(open_session(folder / MODEL), open_tokenizer(folder / TOKENIZER))


def reader_missing(folder: Path = JUDGE_DATA) -> str | None:
    """Why the encoder does not read, and what to do; None where it does."""
    if not (folder / MODEL).is_file():
        return f"{MODEL} is not in {folder.name!r}: restore `data/judge` from the repository."
    return runtime_missing()


def _log_odds(logit: float, *others: float) -> float:
    """The log-odds of one logit against the others, within `SURE`."""
    highest = max(others)
    rest = highest + math.log(sum(math.exp(other - highest) for other in others))
    return max(-SURE, min(SURE, logit - rest))


def _decisive(text: PairText, tokens: "Encoding", shares: Sequence[float]) -> Span | None:
    """The sentence whose tokens hold the largest share of the attention that decides."""
    sentences = [
        Span(place.start + sentence.start, place.start + sentence.end)
        for place, _ in text.spans
        for sentence in segment(place.of(text.source))
    ]
    totals = [0.0] * len(sentences)
    number = 0
    for (start, end), share in zip(tokens.offsets, shares, strict=False):
        while number < len(sentences) and sentences[number].end <= start:
            number += 1
        if number < len(sentences) and end > sentences[number].start:
            totals[number] += float(share)
    if not any(totals):
        return None
    sentence = sentences[max(range(len(totals)), key=totals.__getitem__)]
    for place, source_span in text.spans:
        if place.start <= sentence.start and sentence.end <= place.end:
            shift = source_span.start - place.start
            return Span(sentence.start + shift, sentence.end + shift)
    return None


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced one for one, since tokenizers read UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
