"""The two public verbs, `verify` and its awaitable twin, and joint judgments of several sources."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from workbench.citations import (
    extract,
    with_claim_context,
    with_clean_claims,
    with_question,
    with_scope,
)
from workbench.errors import UsageError
from workbench.judging.batch import BatchProvider
from workbench.judging.joint_verdicts import join_sources
from workbench.judging.judge import Judge, run_sync
from workbench.judging.judge_factory import open_judges, standalone_claim
from workbench.judging.llm import LlmJudge
from workbench.judging.prompts import joint_prompt
from workbench.pipeline.options import OtherKeywords, Sources, VerifyOptions
from workbench.pipeline.run_executor import RunExecutor
from workbench.pipeline.source_matching import match_sources
from workbench.records.citation import Extraction
from workbench.records.prompts import Prompt
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import CitationResult, Judgment, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVerdict:
    """What the sources of one claim say together."""

    claim: Span
    """In the output's text."""
    citations: tuple[str, ...]
    """Ids of the citations that have a judgment, in text order."""
    judgment: Judgment
    idle: tuple[str, ...]
    """Ids of citations that add nothing: the verdict is the same without them."""
    against: tuple[str, ...]
    """Ids of citations whose source contradicts the claim."""

    def to_dict(self) -> JsonDict:
        """`{"claim", "citations", "verdict", "score", "confidence", "rationale", …}`."""
        return {
            "claim": self.claim.to_dict(),
            "citations": list(self.citations),
            "verdict": self.judgment.label,
            "score": self.judgment.score,
            "confidence": self.judgment.confidence,
            "rationale": self.judgment.rationale,
            "idle": list(self.idle),
            "against": list(self.against),
        }


def joint_verdicts(run: Run) -> list[ClaimVerdict]:
    """The joint verdict of every claim with judgments from at least two sources, in text order.

    Two citations of one source in one claim are one source. Time grows with the citations.
    """
    by_claim: dict[Span, list[CitationResult]] = {}
    for result in run.counted:
        if result.citation.claim and result.judgment and result.source:
            by_claim.setdefault(result.citation.claim.span, []).append(result)
    verdicts = []
    for span, results in by_claim.items():
        sources = {result.source.sha256: result for result in reversed(results) if result.source}
        different = [result for result in results if result in sources.values()]
        if len(different) > 1:
            verdicts.append(_join(span, different))
    return verdicts


def _join(span: Span, results: list[CitationResult]) -> ClaimVerdict:
    claim = results[0].citation.claim
    joint = join_sources(
        claim.text if claim else "", [result.judgment for result in results if result.judgment]
    )
    ids = tuple(result.citation.id for result in results)
    return ClaimVerdict(
        claim=span,
        citations=ids,
        judgment=joint.judgment,
        idle=tuple(ids[index] for index in joint.idle),
        against=tuple(ids[index] for index in joint.against),
    )


def verify(
    text: str | Extraction,
    judge: str | Sequence[str] | Judge = "local",
    sources: Sources = None,
    allow_fetch: bool = False,
    **options: Unpack[OtherKeywords],
) -> Run:
    """The run over everything a text cites; also works where an event loop is running.

    Takes what `averify` takes and raises what it raises.
    """
    return run_sync(averify(text, judge, sources, allow_fetch, **options))


async def averify(
    text: str | Extraction,
    judge: str | Sequence[str] | Judge = "local",
    sources: Sources = None,
    allow_fetch: bool = False,
    **options: Unpack[OtherKeywords],
) -> Run:
    """The run over everything a text cites.

    Args:
        text: Agent output, or what `extract` or `read_output` made of it.
        judge: A judge SPEC, several (a panel), or a Judge.
        sources: Given sources or a Fetcher; a citation that matches none gets `no_source`.
        allow_fetch: Whether addresses may be fetched; without it only given sources and snapshots
            answer.
        **options: The other fields of `VerifyOptions`, which says what each does.

    Raises:
        UsageError: The judge or the sources cannot be opened, an option is unknown, or it has a
            value that it does not know.
    """
    return await verify_with(
        text,
        VerifyOptions.from_keywords(
            judge=judge, sources=sources, allow_fetch=allow_fetch, **options
        ),
    )


async def verify_with(text: str | Extraction, options: VerifyOptions) -> Run:
    """The run over everything a text cites.

    Raises:
        UsageError: The judge or the sources cannot be opened, or the judge cannot be asked so.
    """
    judges = _open_judges(options.judge, options.prompt, options.standalone)
    _check(options, judges)
    started = time.perf_counter()
    if isinstance(text, Extraction):
        # what was read by an older version has no context yet, and its claims have their markers
        extraction = await asyncio.to_thread(with_claim_context, text)
        extraction = await asyncio.to_thread(with_clean_claims, extraction)
    else:
        extraction = await asyncio.to_thread(extract, text)
    extraction = with_question(extraction, options.question)
    if options.scope != "guess":
        extraction = await asyncio.to_thread(with_scope, extraction, options.scope)
    matching = await asyncio.to_thread(match_sources, extraction, options.sources)
    work = RunExecutor(extraction, judges, options, matching, time.perf_counter() - started)
    return await work.run()


def _check(options: VerifyOptions, judges: Sequence[Judge]) -> None:
    """Raise UsageError where the judges cannot be asked as the options have it."""
    models = [judge for judge in judges if isinstance(judge, LlmJudge)]
    if options.together != "never" and any(joint_prompt(judge.prompt) is None for judge in models):
        raise UsageError(
            f"A call with several claims uses its own prompt, not {models[0].prompt.title}; "
            "set together to never, or leave the prompt out."
        )
    if options.batch and not any(isinstance(judge.provider, BatchProvider) for judge in models):
        raise UsageError(
            "A batch needs a judge of Anthropic or OpenAI: choose one, or do not use a batch."
        )


def _open_judges(
    judge: str | Sequence[str] | Judge, prompt: Prompt | None, standalone: bool
) -> list[Judge]:
    if isinstance(judge, str):
        return open_judges([judge], prompt, standalone=standalone)
    if isinstance(judge, Sequence):
        return open_judges(judge, prompt, standalone=standalone)
    if prompt is not None:
        raise UsageError(
            "An opened judge already has its prompt; pass its SPEC instead, or no prompt."
        )
    return [standalone_claim(judge) if standalone else judge]
