"""Run the shipped encoder: how a claim and its passages read together.

It reads three short texts, the same in training: the claim; what its context says it is about; and
the best passages with their title and headings. The encoder (`data/judge/encoder.onnx`) was trained
by `workbench.judging.training.encoder`; its figures stand in `data/judge/MODEL_CARD.md`. It needs
onnxruntime and tokenizers; without them, or without its file, `load_reader` gives None and the judge
goes by its readable features alone.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.judging.onnx_session import open_session, open_tokenizer, runtime_missing
from workbench.judging.passages import choose, load_chooser
from workbench.language.tokenization import UNSPACED, segment, without_markers
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.text import Span, fold_compatible
from workbench.shipped import JUDGE_DATA

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

LONGEST = 192
"""Tokens of a pair: what one core reads in some 35 ms."""
CLAIM_TOKENS = 72
CONTEXT_TOKENS = 24
FIXED_TOKENS = 4
"""Marks of beginning and end."""
CHARS_OF_TOKEN = 3.7
IDEOGRAPHS_OF_TOKEN = 1.35
"""What a token holds at least on average; measured are 3.7 to 4.3, and 1.35 to 1.55."""
CONTEXT_CHARS = 240
HEADING_CHARS = 80
JOIN = "\n"
_GAP = re.compile(r"\s+(?=[.,;:!?。，；：！？])|\s+$|(?<=\s)\s+")

_WIDE_GAP = re.compile(r"\s{2,}(?=[.,;:!?)\]。，；：！？）】])|(?<=\s)\s+")
"""Left where markers were blanked before: one space before a stop is how some texts are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairText:
    """A claim, its context and its source as the encoder reads them."""

    claim: str
    context: str
    source: str
    spans: tuple[tuple[Span, Span], ...] = ()
    """Where each passage's text stands in `source`, and in the source document."""


def pair_text(
    claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
) -> PairText:
    """A claim and the best of its passages, as texts; spans count code points.

    Compatibility characters are read as the plain ones they stand for, one for one.
    """
    plain, around = fold_compatible(_plain(claim)), fold_compatible(context_text(context))
    passages = [replace(passage, text=fold_compatible(passage.text)) for passage in passages]
    title = _line(context.source.title)
    narrowed = narrow(plain, passages, source_chars(plain, around, title, passages), context)
    parts: list[str] = []
    spans: list[tuple[Span, Span]] = []
    if title and not any(title in passage.text for passage in narrowed):
        parts.append(title)
    length = sum(len(part) + len(JOIN) for part in parts)
    last: tuple[str, str] = ("", "")
    for passage in narrowed:
        above = (_line(passage.heading), (passage.table_header or "").strip())
        for line in above if above != last else ():
            if line and line != title:
                parts.append(line)
                length += len(line) + len(JOIN)
        last = above
        parts.append(passage.text)
        spans.append((Span(length, length + len(passage.text)), passage.span))
        length += len(passage.text) + len(JOIN)
    return PairText(claim=plain, context=around, source=JOIN.join(parts), spans=tuple(spans))


def source_chars(claim: str, context: str, title: str, passages: Sequence[Passage]) -> int:
    """How many code points of the passages fit beside claim, context and title in `LONGEST` tokens.

    What is chosen to that length is read to its end; a longer choice, in the order of the source,
    would lose its last part, whatever stands there.
    """
    used = (
        min(CLAIM_TOKENS, _tokens(claim)) + min(CONTEXT_TOKENS, _tokens(context)) + _tokens(title)
    )
    text = "".join(passage.text for passage in passages)
    return int((LONGEST - FIXED_TOKENS - used) * len(text) / max(1.0, _tokens(text)))


def _tokens(text: str) -> float:
    wide = len(UNSPACED.findall(text))
    return wide / IDEOGRAPHS_OF_TOKEN + (len(text) - wide) / CHARS_OF_TOKEN


def narrow(
    claim: str, passages: Sequence[Passage], budget_chars: int, context: JudgeContext = NO_CONTEXT
) -> list[Passage]:
    """The best parts of the passages, by the same choice that took these from the source.

    Passages are joined by blank lines, so that no chosen part runs over two of them.
    """
    if sum(len(passage.text) for passage in passages) <= budget_chars:
        return list(passages)
    joint = "\n\n".join(passage.text for passage in passages)
    chosen = choose(load_chooser(), claim, joint, budget_chars, context.source.title)
    return list(_mapped(chosen, passages))


def _mapped(chosen: Sequence[Passage], passages: Sequence[Passage]) -> Iterator[Passage]:
    """Passages of the joined text as parts of the passages that were joined."""
    start = 0
    for passage in passages:
        end = start + len(passage.text)
        for part in chosen:
            first, last = max(part.start, start), min(part.end, end)
            if first < last:
                inside = Span(first - start, last - start)
                yield replace(
                    passage,
                    span=Span(passage.start + inside.start, passage.start + inside.end),
                    text=inside.of(passage.text),
                    score=part.score,
                )
        start = end + 2


def context_text(context: JudgeContext) -> str:
    """What a claim's context says it is about, the nearest first; empty when nothing is known."""
    lines = (
        context.table_row,
        " > ".join(map(_line, context.headings[-2:])),
        context.before.strip()[-CONTEXT_CHARS // 2 :],
        context.question,
    )
    return " | ".join(" ".join(line.split()) for line in lines if line and line.strip())[
        :CONTEXT_CHARS
    ]


def _plain(claim: str) -> str:
    """The claim without citation markers, and without the gaps that they leave."""
    plain = without_markers(claim)
    return (_WIDE_GAP if plain == claim else _GAP).sub("", plain).strip()


def _line(text: str | None) -> str:
    """A heading or title on one short line."""
    return " ".join((text or "").split())[:HEADING_CHARS]


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
