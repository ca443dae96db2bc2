"""A judge that asks a language model and believes nothing it cannot check."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from uuid import uuid4

from workbench.errors import ErrorKind, JudgeError
from workbench.judging.calculation_checks import with_calculation
from workbench.judging.judge import run_sync
from workbench.judging.prices import CACHE_LEAST_TOKENS, Price, Usage, tokens_about, tokens_at_most
from workbench.judging.prompts import STRICT, ask, shared_part, shows_context, source_values
from workbench.judging.proposals import accept_proposal
from workbench.judging.provider import (
    MOST_LOST,
    Completion,
    CompletionRequest,
    Provider,
    ProviderFailure,
    with_retries,
)
from workbench.judging.quotes import locate_quotes, locate_words, normalise
from workbench.judging.reply import (
    MalformedReply,
    Reply,
    asks_correction,
    asks_standalone,
    fields_of,
    object_schema,
    read_reply,
    room_for_extra,
    score_of,
)
from workbench.language.tokenization import first_sentence
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.prompts import Prompt
from workbench.records.providers import caches_prompts
from workbench.records.source import Passage
from workbench.records.text import Span
from workbench.records.verdict import QUOTED_LABELS, JudgedPart, Judgment

MAX_OUTPUT_TOKENS = 700
"""Room for reasoning, three quotes and a rationale; a bare verdict would fit into 256."""
OVERHEAD_TOKENS = 400
"""What a provider may add to the request: the schema in its own form, message framing."""


class LlmJudge:
    """Asks a provider's model with a prompt record; the same for every provider."""

    calculates = True
    """The calculation is no part of the question: it checks the answer, and kept answers hold."""

    def __init__(
        self,
        spec: str,
        provider: Provider,
        price: Price | None,
        *,
        prompt: Prompt = STRICT,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
    ) -> None:
        self.spec = spec
        self.name_in_keys = spec if ":" in spec else f"{spec} {uuid4().hex}"
        """Under which judgments are kept; a SPEC without a model may mean another one tomorrow."""
        self.provider = provider
        self.price = price
        """None when the table does not know the model: it then costs an unknown sum."""
        self.prompt = prompt
        self.max_output_tokens = max_output_tokens

    def __repr__(self) -> str:
        return f"LlmJudge({self.spec!r}, prompt={self.prompt.id!r})"

    def room_for_reply(self, claim: str) -> int:
        """The tokens that a reply on a claim may have."""
        return self.max_output_tokens + room_for_extra(self.prompt, claim)

    def context_shown(self, context: JudgeContext) -> JudgeContext:
        """The part of a context that the prompt has a place for."""
        return shows_context(self.prompt, context)

    def judge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """What `ajudge` gives; connections are closed afterwards."""

        async def once() -> Judgment:
            try:
                return await self.ajudge(claim, passages, context)
            finally:
                await self.aclose()

        return run_sync(once())

    async def aclose(self) -> None:
        """Close the connections of the running event loop; the judge can be used again."""
        await self.provider.aclose()

    def worst_cost_usd(
        self,
        claim: str,
        passages: Sequence[Passage],
        context: JudgeContext = NO_CONTEXT,
        *,
        shared: bool = False,
    ) -> float | None:
        """The most one judgment can cost, in US dollars; None when the model's price is unknown.

        It covers the attempts that get lost on the way and are repeated (`MOST_LOST`).
        """
        return most_usd(self.price, self.question(claim, passages, context, shared=shared))

    def caches(
        self,
        passages: Sequence[Passage],
        context: JudgeContext = NO_CONTEXT,
        prompt: Prompt | None = None,
    ) -> bool:
        """Whether the provider's prompt cache takes instructions and passages, and is cheaper."""
        least = self.price.cache_least_tokens if self.price else CACHE_LEAST_TOKENS
        if self.price.cache_read_factor >= 1 if self.price else not caches_prompts(self.spec):
            return False
        prompt = prompt or self.prompt
        system, before = shared_part(prompt, source_values(prompt, passages, context))
        return tokens_about(system + before) >= least

    async def ajudge(
        self,
        claim: str,
        passages: Sequence[Passage],
        context: JudgeContext = NO_CONTEXT,
        *,
        shared: bool = False,
    ) -> Judgment:
        """The model's judgment with its quotes found in the source.

        Of `context` the model gets what the prompt has a place for. With `shared` the provider
        is asked to keep instructions and passages for the next claim.

        Raises:
            JudgeError: `not_evidence` without any text; `llm_judge_error` when the API failed;
                `malformed_judge_response` when the reply is refused, cut or no verdict;
                `unverified_quote` when no quote stands in the source. Carries usage and reply.
        """
        if not any(passage.text.strip() for passage in passages):
            raise JudgeError("not_evidence", "The source contains no text to judge the claim by.")
        begun = perf_counter()
        question = self.question(claim, passages, context, shared=shared)
        try:
            completion, usage = await complete(self.provider, question)
        except ProviderFailure as failure:
            message = f"{self.spec} could not be asked: {failure}."
            spent = Spent(failure.usage, begun)
            raise self.failed("llm_judge_error", message, spent) from failure
        return self._judgment(claim, passages, completion, Spent(usage, begun))

    def question(
        self,
        claim: str,
        passages: Sequence[Passage],
        context: JudgeContext = NO_CONTEXT,
        *,
        shared: bool = False,
    ) -> CompletionRequest:
        """The request to the model; with `shared` marked for its cache where that pays."""
        system, message = ask(self.prompt, claim, passages, context)
        shared_chars = 0
        if shared and self.caches(passages, context):
            values = source_values(self.prompt, passages, context)
            shared_chars = len(shared_part(self.prompt, values)[1])
        return CompletionRequest(
            system=system,
            message=message,
            schema=object_schema(fields_of(self.prompt)),
            max_tokens=self.room_for_reply(claim),
            shared_chars=shared_chars,
        )

    def accept(
        self,
        claim: str,
        passages: Sequence[Passage],
        completion: Completion,
        context: JudgeContext = NO_CONTEXT,
        *,
        batch: bool,
    ) -> Judgment:
        """The judgment in a completion that came in another way, at the batch price if so.

        Raises:
            JudgeError: as `ajudge` for a reply that is not a verdict.
        """
        usage = completion.usage or _estimate(self.question(claim, passages, context), completion)
        return self._judgment(claim, passages, completion, Spent(usage, perf_counter(), batch))

    def _judgment(
        self, claim: str, passages: Sequence[Passage], completion: Completion, spent: "Spent"
    ) -> Judgment:
        if completion.refused:
            message = (
                f"{self.spec} refused to answer: read the source yourself, or use another judge."
            )
            raise self.failed("malformed_judge_response", message, spent, completion.text)
        try:
            reply = read_reply(completion.text)
        except MalformedReply as problem:
            max_tokens = self.room_for_reply(claim)
            reason = f"was cut at {max_tokens} tokens" if completion.cut else str(problem)
            message = f"The reply of {self.spec} is not a verdict: {reason}."
            raise self.failed(
                "malformed_judge_response", message, spent, completion.text
            ) from problem
        return self.checked(claim, passages, reply, spent, completion.text, self.prompt.id)

    def checked(
        self,
        claim: str,
        passages: Sequence[Passage],
        reply: Reply,
        spent: "Spent",
        text: str,
        prompt: str,
    ) -> Judgment:
        """The judgment of a well-formed reply, its quotes found; raises `JudgeError`."""
        located = locate_quotes(reply.quotes, passages)
        if reply.label in QUOTED_LABELS and not located.evidence:
            reason = located.rejected[0][1] if located.rejected else "it gives no quote"
            message = f"{self.spec} says {reply.label}, but {reason}: read the source yourself."
            quotes = tuple(quote for quote, _ in located.rejected)
            raise self.failed("unverified_quote", message, spent, text, quotes)
        dropped = len(located.rejected)
        note = f" ({dropped} of its quotes were not found in the source.)" if dropped else ""
        judgment = Judgment(
            label=reply.label,
            confidence=reply.confidence,
            score=round(reply.score, 4),
            rationale=reply.rationale + note,
            reason=first_sentence(reply.rationale),
            evidence=located.evidence,
            judge=self.spec,
            prompt=prompt,
            input_tokens=spent.usage.total_input,
            output_tokens=spent.usage.output_tokens,
            cost_usd=spent.cost_usd(self.price),
            price_unknown=self.price is None,
            latency_ms=spent.latency_ms,
            uncovered=uncovered_spans(reply, claim),
            parts=judged_parts(reply, claim, passages),
            limits=locate_words(reply.limits, passages),
            standalone=reply.standalone if asks_standalone(self.prompt) else None,
            proposed_correction=accept_proposal(
                claim,
                reply.corrected_claim if asks_correction(self.prompt) else "",
                passages,
                reply.label,
                why=reply.rationale,
                judge=self.spec,
            ),
        )
        return with_calculation(judgment, claim, passages)

    def failed(
        self,
        kind: ErrorKind,
        message: str,
        spent: "Spent",
        reply: str = "",
        quotes: tuple[str, ...] = (),
    ) -> JudgeError:
        """An error that carries what it cost."""
        return JudgeError(
            kind,
            message,
            input_tokens=spent.usage.total_input,
            output_tokens=spent.usage.output_tokens,
            cost_usd=spent.cost_usd(self.price),
            latency_ms=spent.latency_ms,
            reply=reply,
            quotes=quotes,
        )


@dataclass(frozen=True, slots=True)
class Spent:
    """What a call took."""

    usage: Usage
    begun: float
    batch: bool = False

    @property
    def latency_ms(self) -> int:
        """Milliseconds since the call was begun."""
        return round((perf_counter() - self.begun) * 1000)

    def cost_usd(self, price: Price | None) -> float:
        """What it cost; 0 where the price is unknown."""
        return price.cost_usd(self.usage, batch=self.batch) if price else 0.0


def worst_usage(question: CompletionRequest) -> Usage:
    """The most tokens one attempt at a question can be billed for, cache writes apart."""
    read = tokens_at_most(question.system + question.message) + OVERHEAD_TOKENS
    cached = 0
    if question.shared_chars:
        cached = tokens_at_most(question.system + question.message[: question.shared_chars])
    return Usage(
        input_tokens=read - cached, output_tokens=question.max_tokens, cache_write_tokens=cached
    )


def most_usd(price: Price | None, *questions: CompletionRequest) -> float | None:
    """The most that calls can cost, lost attempts included; None when the price is unknown."""
    if price is None:
        return None
    return sum(price.cost_usd(worst_usage(question)) for question in questions) * (1 + MOST_LOST)


def uncovered_spans(reply: Reply, claim: str) -> tuple[Span, ...]:
    """Where the parts that a reply calls missing stand in the claim; others are left out."""
    spans = {span for span in _places_in(claim, reply.missing) if span}
    return tuple(sorted(spans))


def judged_parts(reply: Reply, claim: str, passages: Sequence[Passage]) -> tuple[JudgedPart, ...]:
    """Return the parts of a reply that stand in the claim, by their place in it; none for less than two.

    A part whose quote is not in the source has none; its label stays, as the reply's does.
    """
    places = _places_in(claim, [part.text for part in reply.parts])
    parts = tuple(
        JudgedPart(
            span=span,
            label=part.label,
            score=round(score_of(part.label, reply.confidence), 4),
            evidence=locate_quotes([part.quote], passages).evidence if part.quote else (),
        )
        for part, span in zip(reply.parts, places, strict=True) if span
    )  # fmt: skip
    return parts if len(parts) > 1 else ()


def _places_in(claim: str, texts: Sequence[str]) -> list[Span | None]:
    """Where texts stand in a claim, white space and marks aside; None for those that do not."""
    claim_text, places = normalise(claim)
    found: list[Span | None] = []
    for text in texts:
        needle = normalise(text)[0].strip(" .,;:\"'")
        at = claim_text.find(needle) if needle else -1
        found.append(Span(places[at], places[at + len(needle) - 1] + 1) if at >= 0 else None)
    return found


async def complete(provider: Provider, question: CompletionRequest) -> tuple[Completion, Usage]:
    """The completion, and the tokens billed for it and for the attempts that were lost before it.

    Raises:
        ProviderFailure: There is none; its `usage` is what the lost attempts cost at most.
    """
    worst = worst_usage(question)
    try:
        completion, lost = await with_retries(lambda: provider.complete(question))
    except ProviderFailure as failure:
        failure.usage = worst.times(failure.lost)
        raise
    usage = completion.usage or _estimate(question, completion)
    return completion, usage.plus(worst.times(lost))


def _estimate(question: CompletionRequest, completion: Completion) -> Usage:
    """Usage of a call whose server does not say: the upper bound of what it read and wrote."""
    return Usage(
        input_tokens=tokens_at_most(question.system + question.message),
        output_tokens=min(tokens_at_most(completion.text), question.max_tokens),
    )
