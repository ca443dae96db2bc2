"""Compares claims with sources, one claim at a time: the best source decides.

`ClaimComparison.decide_all` gives each claim its verdict, by a judge or by embeddings;
`ClaimComparison.look_up` compares what stayed unverifiable with what a search gives. Functions of
the user's own for embedding and entailment:

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
from dataclasses import dataclass, field, replace
from typing import TypeVar

from workbench.errors import EmbeddingError, ErrorKind, JudgeError, UsageError, WorkbenchError
from workbench.judging.bibliography import evidence_spans
from workbench.judging.budget import Budget, paid_call
from workbench.judging.ground_report import (
    ClaimSide,
    ClaimStance,
    GroundedClaim,
    GroundVerdict,
    ReferenceDocument,
)
from workbench.judging.judge import Judge, ask_judge, worst_cost_of
from workbench.judging.passages import bearing, select_passages
from workbench.language.tokenization import pack, segment
from workbench.masking import mask, mask_known
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.spending import PricedCall
from workbench.records.text import Excerpt, Span
from workbench.records.verdict import Judgment

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
        whole = part.of(source)
        units = [part]
        if len(whole) > PASSAGE_CHARS:
            units = [Span(part.start + s.start, part.start + s.end) for s in segment(whole)]
        spans = pack(units, PASSAGE_CHARS)
        passages += [Passage(span=s, text=s.of(source)) for s in spans if s.of(source).strip()]
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


SNIPPET = 200
"""Longest snippet of a source, in characters."""
PREMISE_CHARS = 3000
"""Of a source that a judge quoted nothing from, as the premise of an entailment function."""
AT_ONCE = 8
SOURCES_JUDGED = 3
"""A claim is judged against this many sources: those whose passages bear on it most."""


ContextOf = Callable[[Span], JudgeContext]
"""What a judge gets about a claim's surroundings, by its place in the text."""
WebResults = Sequence[ReferenceDocument | Mapping[str, str | None]]
Search = Callable[[str], WebResults | Awaitable[WebResults]]
"""Looks a claim up on the web and gives texts that may bear on it; off unless given. A plain
function runs in a thread of its own; a coroutine function is awaited."""
OnJudged = Callable[[int, int], None]
"""Is told how many claims have been compared with the sources, and how many there are."""


@dataclass(frozen=True, slots=True)
class ClaimComparison:
    """Compares claims with sources; holds what all claims of one check share."""

    judge: Judge
    budget: Budget
    scoring: ClaimScoring
    notes: list[str]
    context_of: ContextOf | None = None
    room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def decide_all(
        self,
        claims: Sequence[Excerpt | str],
        sources: Sequence[ReferenceDocument],
        on_judged: OnJudged | None = None,
    ) -> list[GroundedClaim]:
        """Every claim against the sources, in the order of the claims."""
        pairs = [(c, None) if isinstance(c, str) else (c.text, c.span) for c in claims]
        if self.scoring.embed is None:
            done = 0

            async def judge(claim: str, span: Span | None) -> GroundedClaim:
                nonlocal done
                judged = await self._judged(claim, span, sources)
                done += 1
                if on_judged is not None:
                    on_judged(done, len(pairs))
                return judged

            return await asyncio.gather(*(judge(claim, span) for claim, span in pairs))
        scored = await score_by_embeddings(
            [claim for claim, _ in pairs], [s.content for s in sources], self.scoring.embed
        )
        return await asyncio.gather(
            *(
                self._embedded(claim, span, sources, scores)
                for (claim, span), scores in zip(pairs, scored, strict=True)
            )
        )

    async def look_up(
        self, decided: Sequence[GroundedClaim], search: Search, name: str | None
    ) -> list[GroundedClaim]:
        """The claims, those that stayed unverifiable compared with what a search gives."""

        async def compare(claim: GroundedClaim) -> GroundedClaim:
            if claim.verdict != "unverifiable":
                return claim
            try:
                async with self.room:
                    results = await call_own(search, claim.text)
                    looked_up = [_search_result(source) for source in results]
            except WorkbenchError as error:
                self.notes.append(str(error))
                return claim
            except Exception as error:  # anything may go wrong in a function of the user's own
                message = mask(str(error))[:120]
                self.notes.append(f"The web search failed ({type(error).__name__}): {message}")
                return claim
            if not looked_up:
                return claim
            again: Excerpt | str = claim.text
            if claim.span is not None:
                again = Excerpt(span=claim.span, text=claim.text)
            (second,) = await self.decide_all([again], looked_up)
            return _web_verified(second, name) if second.verdict == "supported" else claim

        return await asyncio.gather(*map(compare, decided))

    async def _judged(
        self, claim: str, span: Span | None, sources: Sequence[ReferenceDocument]
    ) -> GroundedClaim:
        context = self.context_of(span) if self.context_of and span else NO_CONTEXT
        async with self.room:
            decided = await self._decide(claim, span, sources, context)
            if decided.verdict != "supported" or self.scoring.nli is None:
                return decided
            supporting = [
                (
                    i,
                    " ".join(evidence.quote for evidence in judgment.evidence)
                    or sources[i].content[:PREMISE_CHARS],
                    grounding_confidence(judgment),
                )
                for i, judgment in decided.judgments
                if judgment.label == "supported"
            ]
            return await self._entailed(decided, supporting, sources)

    async def _decide(
        self,
        claim: str,
        span: Span | None,
        sources: Sequence[ReferenceDocument],
        context: JudgeContext,
    ) -> GroundedClaim:
        """The claim against its likeliest sources; the best one decides."""
        selected = [
            (i, select_passages(claim, source.content, title=source.title, context=context))
            for i, source in enumerate(sources)
        ]
        selected = [(i, passages) for i, passages in selected if passages]
        if len(selected) > SOURCES_JUDGED:
            selected.sort(key=lambda item: -bearing(claim, item[1]))
            selected = sorted(selected[:SOURCES_JUDGED], key=lambda item: item[0])
        judged: list[tuple[int, Judgment]] = []
        error: ErrorKind | None = None
        for i, passages in selected:
            try:
                source_context = replace(context, source=sources[i].self_description())
                judged.append((i, await self._paid(claim, passages, source_context)))
            except JudgeError as failure:
                error = failure.kind
        if not judged:
            return GroundedClaim(
                text=claim, verdict="unverifiable", confidence=0.0, span=span, error=error
            )
        index, best = max(judged, key=lambda item: _rank(item[1]))
        confidence = grounding_confidence(best)
        verdict = _verdict(confidence, self.scoring)
        if best.label == "contradicted":
            verdict, confidence = "contradicted", round(best.confidence, 4)
        return _placed(
            GroundedClaim(
                text=claim,
                verdict=verdict,
                confidence=confidence,
                source_index=index,
                source_snippet=_snippet(best),
                span=span,
                judgments=tuple(judged),
                sides=_sides(judged, sources),
            ),
            sources,
        )

    async def _paid(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext
    ) -> Judgment:
        """The judgment, its cost within the budget; raises `JudgeError`."""
        worst = worst_cost_of(self.judge, claim, passages, context)
        return await paid_call(
            self.budget,
            PricedCall(judge=self.judge.spec, worst_usd=worst),
            lambda: ask_judge(self.judge, claim, passages, context),
            lambda judgment: judgment.cost_usd,
        )

    async def _embedded(
        self,
        claim: str,
        span: Span | None,
        sources: Sequence[ReferenceDocument],
        scores: Sequence[ScoredPassage],
    ) -> GroundedClaim:
        best = max(scores, key=lambda scored: scored.cosine, default=None)
        if best is None:
            return GroundedClaim(text=claim, verdict="unverifiable", confidence=0.0, span=span)
        confidence = round(min(1.0, max(0.0, best.cosine)), 4)
        decided = _placed(
            GroundedClaim(
                text=claim,
                verdict=_verdict(confidence, self.scoring),
                confidence=confidence,
                source_index=best.source_index,
                source_snippet=_best_words(claim, best.passage.text),
                span=span,
            ),
            sources,
        )
        if decided.verdict != "supported" or self.scoring.nli is None:
            return decided
        likeliest = sorted(scores, key=lambda scored: -scored.cosine)[:SOURCES_JUDGED]
        supporting = [
            (scored.source_index, scored.passage.text, round(scored.cosine, 4))
            for scored in likeliest
            if scored.cosine >= self.scoring.supported_from
        ]
        async with self.room:
            return await self._entailed(decided, supporting, sources)

    async def _entailed(
        self,
        claim: GroundedClaim,
        supporting: Sequence[tuple[int, str, float]],
        sources: Sequence[ReferenceDocument],
    ) -> GroundedClaim:
        """The supported claim after the entailment function: contradicted where its source is."""
        assert self.scoring.nli is not None
        sides: list[ClaimSide] = []
        against: float | None = None
        for i, premise, confidence in supporting:
            try:
                contradicted = await contradiction_of(self.scoring.nli, premise, claim.text)
            except Exception as error:  # anything may go wrong in a function of the user's own
                message = mask(str(error))[:120]
                self.notes.append(f"The nli function failed ({type(error).__name__}): {message}")
                return claim
            if i == claim.source_index:
                against = contradicted
            sides.append(
                ClaimSide(
                    stance="supports" if contradicted is None else "contradicts",
                    source_index=i,
                    source_ref=_ref(sources[i]),
                    quote=_best_words(claim.text, premise),
                    confidence=confidence if contradicted is None else round(contradicted, 4),
                )
            )
        sides = sides if any(side.stance == "contradicts" for side in sides) else []
        # what the judge found against the claim in other sources stays
        known = {side.source_index for side in sides}
        sides += [side for side in claim.sides if side.source_index not in known]
        claim = replace(claim, sides=_ordered(sides))
        if against is None:
            return claim
        return replace(claim, verdict="contradicted", confidence=round(against, 4))


def grounding_confidence(judgment: Judgment) -> float:
    """A judgment on the scale of claim mode, where 0.6 and 0.3 part the verdicts.

    Supported is 0.6 to 1 and partially supported 0.3 to 0.6 by the judge's confidence; anything
    else is 0.3 down to 0 with growing confidence that it does not hold.
    """
    confidence = min(1.0, max(0.0, judgment.confidence))
    if judgment.label == "supported":
        return round(SUPPORTED_FROM + (1 - SUPPORTED_FROM) * confidence, 4)
    if judgment.label == "partially_supported":
        return round(WEAK_FROM + (SUPPORTED_FROM - WEAK_FROM - 0.001) * confidence, 4)
    return round((WEAK_FROM - 0.001) * (1 - confidence), 4)


def _verdict(confidence: float, scoring: ClaimScoring) -> GroundVerdict:
    if confidence >= scoring.supported_from:
        return "supported"
    return "weak" if confidence >= scoring.weak_from else "unverifiable"


def _placed(claim: GroundedClaim, sources: Sequence[ReferenceDocument]) -> GroundedClaim:
    """The claim with what its source is called; without a source where it is unverifiable."""
    if claim.verdict == "unverifiable" or claim.source_index is None:
        return replace(claim, source_index=None, source_snippet=None)
    source = sources[claim.source_index]
    return replace(claim, source_ref=_ref(source), source_title=source.title, source_url=source.url)


def _sides(
    judged: Sequence[tuple[int, Judgment]], sources: Sequence[ReferenceDocument]
) -> tuple[ClaimSide, ...]:
    """Who supports and who contradicts; empty where no source contradicts."""
    stances: dict[str, ClaimStance] = {
        "supported": "supports", "partially_supported": "supports", "contradicted": "contradicts",
    }  # fmt: skip
    if not any(judgment.label == "contradicted" for _, judgment in judged):
        return ()
    return _ordered(
        [
            ClaimSide(
                stance=stances[judgment.label],
                source_index=i,
                source_ref=_ref(sources[i]),
                quote=_snippet(judgment),
                confidence=round(judgment.confidence, 4),
            )
            for i, judgment in judged
            if judgment.label in stances
        ]
    )


def _ordered(sides: Sequence[ClaimSide]) -> tuple[ClaimSide, ...]:
    """The supporting sides first, the surest of each first."""
    return tuple(sorted(sides, key=lambda side: (side.stance != "supports", -side.confidence)))


def _best_words(claim: str, passage: str) -> str:
    """At most 200 characters of a passage, verbatim: those that bear on the claim most."""
    chosen = select_passages(claim, passage, budget_chars=SNIPPET)
    best = max(chosen, key=lambda part: part.score, default=None)
    return (best.text if best else passage)[:SNIPPET]


def _rank(judgment: Judgment) -> tuple[int, float]:
    """Support first, then contradiction, then weak support, then nothing; the surest of a kind."""
    order = {"supported": 3, "contradicted": 2, "partially_supported": 1}
    return order.get(judgment.label, 0), judgment.confidence


def _snippet(judgment: Judgment) -> str | None:
    return judgment.evidence[0].quote[:SNIPPET] if judgment.evidence else None


def _ref(source: ReferenceDocument) -> str | None:
    return source.url or source.title


def _web_verified(claim: GroundedClaim, search_name: str | None) -> GroundedClaim:
    """The claim as verified by a search; its source is not one of the given ones."""
    sides = tuple(replace(side, source_index=None) for side in claim.sides)
    return replace(claim, web_verified=True, web_search=search_name, source_index=None, sides=sides)


def _search_result(result: ReferenceDocument | Mapping[str, str | None]) -> ReferenceDocument:
    """A result of a search, whose address may contain the key of the request."""
    source = as_source(result)
    return replace(
        source,
        url=source.url and mask_known(source.url),
        title=source.title and mask_known(source.title),
    )


def as_source(source: ReferenceDocument | Mapping[str, str | None]) -> ReferenceDocument:
    """A source record out of a record or a mapping."""
    if isinstance(source, ReferenceDocument):
        return source
    content = source.get("content") if isinstance(source, Mapping) else None
    if not isinstance(content, str):
        raise UsageError(
            "A source to check claims against has no text: provide {content, title?, url?}."
        )
    return ReferenceDocument(content=content, title=source.get("title"), url=source.get("url"))
