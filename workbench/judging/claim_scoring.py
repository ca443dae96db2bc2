"""How claim mode scores a claim: thresholds, and embedding and entailment functions of the user's.

    def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]: ...
    def nli(premise: str, hypothesis: str) -> str | Mapping[str, float]: ...

Either may be a coroutine function; a plain one runs in a thread of its own. One call embeds all
claims and all passages of all sources together, claims first. The cosine is
`a·b / (|a| |b|)`; an entailment function gives a label that begins with `entail`, `neutral` or
`contra`, a probability for each, or what the pipelines of Transformers give
(`[{"label": …, "score": …}]`).
"""

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from workbench.errors import EmbeddingError, UsageError
from workbench.judging.bibliography import evidence_spans
from workbench.judging.segment import segment
from workbench.masking import mask
from workbench.records import Passage, Span

SUPPORTED_FROM = 0.6
WEAK_FROM = 0.3
PASSAGE_CHARS = 1000
"""A longer source is embedded in passages of whole sentences, each of at most about this length."""

EmbeddingVectors = Sequence[Sequence[float]]
Embed = Callable[[Sequence[str]], EmbeddingVectors | Awaitable[EmbeddingVectors]]
NliAnswer = str | Mapping[str, float] | Sequence[Mapping[str, object]]
Nli = Callable[[str, str], NliAnswer | Awaitable[NliAnswer]]


Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimScoring:
    """From which confidence on a claim is supported or weak, and who says so.

    Raises:
        UsageError: Not 0 <= weak_from <= supported_from <= 1, or a function is none.
    """

    supported_from: float = SUPPORTED_FROM
    weak_from: float = WEAK_FROM
    embed: Embed | None = None
    """Takes the judge's place: the cosine of a claim and its best passage is its confidence."""
    nli: Nli | None = None
    """Turns a supported claim into a contradicted one where the source contradicts it."""

    def __post_init__(self) -> None:
        for value in (self.supported_from, self.weak_from):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise UsageError(f"A threshold is a number from 0 to 1, not {value!r}.")
        if not 0 <= self.weak_from <= self.supported_from <= 1:
            raise UsageError(
                f"The thresholds must be 0 <= weak <= supported <= 1, not weak {self.weak_from} "
                f"and supported {self.supported_from}."
            )
        for name in ("embed", "nli"):
            if getattr(self, name) is not None and not callable(getattr(self, name)):
                raise UsageError(f"{name} is a function, not {getattr(self, name)!r}.")


DEFAULT_SCORING = ClaimScoring()


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """The best passage of one source for a claim, and its cosine with the claim, -1 to 1."""

    source_index: int
    passage: Passage
    cosine: float


async def score_by_embeddings(
    claims: Sequence[str], sources: Sequence[str], embed: Embed
) -> list[list[ScoredPassage]]:
    """For each claim the best passage of each source, in the order of the sources.

    One call of `embed` for everything; none where there are no claims or nothing to compare with.

    Raises:
        EmbeddingError: The function failed, or did not give one vector of one length for each text.
    """
    passages = [
        (i, passage) for i, source in enumerate(sources) for passage in _passages_of(source)
    ]
    if not claims or not passages:
        return [[] for _ in claims]
    texts = [*claims, *(passage.text for _, passage in passages)]
    vectors = await _embedded(embed, texts)
    scored = []
    for claim_vector in vectors[: len(claims)]:
        best: dict[int, ScoredPassage] = {}
        for (i, passage), vector in zip(passages, vectors[len(claims) :], strict=True):
            cosine = sum(a * b for a, b in zip(claim_vector, vector, strict=True))
            if i not in best or cosine > best[i].cosine:
                best[i] = ScoredPassage(i, passage, cosine)
        scored.append([best[i] for i in sorted(best)])
    return scored


async def contradiction_of(nli: Nli, premise: str, hypothesis: str) -> float | None:
    """How surely the premise contradicts the hypothesis, 0 to 1; None where it does not.

    A label alone counts as sure.

    Raises:
        UsageError: The answer is no label and no probabilities.
    """
    answer = await call_own(nli, premise, hypothesis)
    if isinstance(answer, str):
        return 1.0 if _nli_label(answer) == "contradiction" else None
    if isinstance(answer, Mapping):
        shares = {_nli_label(str(name)): float(share) for name, share in answer.items()}
    elif isinstance(answer, Sequence):
        shares = {
            _nli_label(str(item.get("label"))): _number(item.get("score"))
            for item in answer
            if isinstance(item, Mapping)
        }
    else:
        shares = {}
    if not shares:
        raise UsageError(
            "The nli function gave no answer: a label (entailment, neutral, contradiction) or "
            "probabilities by label."
        )
    top = max(shares, key=lambda name: shares[name])
    return min(1.0, max(0.0, shares[top])) if top == "contradiction" else None


def _passages_of(source: str) -> list[Passage]:
    """A source in passages of whole sentences, its reference list left out."""
    passages: list[Passage] = []
    for part in evidence_spans(source):
        spans: list[Span] = []
        whole = part.of(source)
        units = [part] if len(whole) <= PASSAGE_CHARS else [
            Span(part.start + unit.start, part.start + unit.end) for unit in segment(whole)
        ]  # fmt: skip
        for unit in units:
            if spans and unit.end - spans[-1].start <= PASSAGE_CHARS:
                spans[-1] = Span(spans[-1].start, unit.end)
            else:
                spans.append(unit)
        passages += [
            Passage(span=span, text=span.of(source)) for span in spans if span.of(source).strip()
        ]
    return passages


async def _embedded(embed: Embed, texts: Sequence[str]) -> list[list[float]]:
    """The vectors of some texts at unit length; zeros stay zeros."""
    try:
        answer = await call_own(embed, texts)
        vectors = [[float(number) for number in vector] for vector in answer]
    except Exception as error:  # anything may go wrong in a function of the user's own
        message = mask(str(error))[:200]
        raise EmbeddingError(
            f"The embedding function failed ({type(error).__name__}): {message}"
        ) from error
    if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1:
        lengths = sorted({len(vector) for vector in vectors})
        raise EmbeddingError(
            f"The embedding function gave {len(vectors)} vectors of length "
            f"{', '.join(map(str, lengths)) or 'none'} for {len(texts)} texts: it must return one "
            f"for each, all of the same length."
        )
    if not all(math.isfinite(number) for vector in vectors for number in vector):
        raise EmbeddingError("The embedding function gave a number that is not finite.")
    units = []
    for vector in vectors:
        length = math.sqrt(sum(number * number for number in vector)) or 1.0
        units.append([number / length for number in vector])
    return units


async def call_own(
    function: Callable[..., Answer | Awaitable[Answer]], *arguments: object
) -> Answer:
    """What a function of the user's own gives, plain or a coroutine function."""
    if inspect.iscoroutinefunction(function):
        awaited: Answer = await function(*arguments)
        return awaited
    answer = await asyncio.to_thread(function, *arguments)
    return await answer if isinstance(answer, Awaitable) else answer


def _nli_label(name: str) -> str:
    """A label by its beginning.

    Raises:
        UsageError: It is none of the three.
    """
    for start, label in (("entail", "entailment"), ("neutral", "neutral"), ("contra", "contradiction")):  # fmt: skip
        if name.strip().lower().startswith(start):
            return label
    raise UsageError(
        f"The nli function gave the label {name[:40]!r}: name entailment, neutral or contradiction."
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
