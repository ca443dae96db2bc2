"""What a run will ask for at most, before it starts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.citations import with_scope
from workbench.judging.claim_comparison import SOURCES_JUDGED
from workbench.judging.joint_calls import PlannedCall, cost_about
from workbench.judging.judge import Judge, worst_cost_of
from workbench.judging.judge_factory import open_judge, standalone_claim
from workbench.judging.llm import LlmJudge, worst_usage
from workbench.judging.local_servers import LocalProvider
from workbench.pipeline.claim import JudgedClaims
from workbench.pipeline.options import JUDGMENTS_AT_ONCE
from workbench.records.citation import LABELLED_KINDS, UNCOUNTED_KINDS, Citation, Extraction
from workbench.records.codec import Record
from workbench.records.context import LONGEST_LINE, JudgeContext, SourceFacts
from workbench.records.options import ScopeChoice
from workbench.records.source import Passage
from workbench.records.source_headings import HEADINGS_CHARS
from workbench.records.text import Span

Question = tuple[str, Sequence[Passage], JudgeContext]
"""A claim, the passages that it is judged by, and their context."""
PASSAGE_CHARS = 3000
"""What a judge is shown of a source at most."""
FREE_CALL_S, PAID_CALL_S, OWN_CALL_S, FETCH_S = 0.02, 3.0, 10.0, 1.0
"""Usual times of one judgment and one fetch; a guess that the page calls "about"."""
FETCHES_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Record):
    """An upper bound on calls, tokens and cost, and a guess at the usual cost and the time."""

    citations: int
    sources: int
    """Different addresses and entries that they point at."""
    calls: int
    """Judgments, one for each different claim, source and judge; kept ones cost nothing."""
    cost_usd: float | None
    """The most it can cost, lost attempts included; None when a model's price is unknown."""
    seconds: float
    """About how long it takes; the wait for a batch, up to a day, is not in it."""
    tokens: int = 0
    """Read and written by language models, at most, without lost attempts."""
    usual_usd: float | None = 0.0
    """About what it usually costs; None when a model's price is unknown."""


@dataclass(frozen=True, slots=True)
class _Share:
    """What one judge adds."""

    cost_usd: float | None = 0.0
    usual_usd: float | None = 0.0
    tokens: int = 0
    seconds: float = 0.0


def estimate_run(
    extraction: Extraction,
    judges: Sequence[str] | Sequence[Judge],
    *,
    fetch: bool = False,
    batch: bool = False,
    labelled: bool = False,
    standalone: bool = False,
    scope: ScopeChoice = "guess",
) -> Estimate:
    """What checking an extraction can ask for at most, with passages at their full length.

    `labelled` says that sources were given, which a citation may name by its label alone;
    `standalone` that language models also rewrite each claim to stand alone; `scope` how much of
    the text a citation stands for, of which each part is asked about.

    Claims that share a call or a cache cost less; how many can is known when the sources are read.

    Raises:
        UsageError: A judge cannot be opened.
    """
    pairs: set[tuple[str, str, JudgeContext]] = set()
    sources: set[str] = set()
    if scope != "guess":
        extraction = with_scope(extraction, scope)
    judged = JudgedClaims(extraction)
    for citation in extraction.citations:
        name = _source_name(citation, labelled)
        if name is None:
            continue
        sources.add(name)
        for part in judged.parts(citation):
            context = replace(part.context, source=_full_facts(part.claim))
            pairs.add((part.claim, name, context))
    ordered = sorted(pairs, key=lambda pair: (pair[0], pair[1], pair[2].of_claim))
    questions = [(claim, _full(claim), context) for claim, _, context in ordered]
    opened = [
        open_judge(spec_or_judge) if isinstance(spec_or_judge, str) else spec_or_judge
        for spec_or_judge in judges
    ]
    asked_judges = [standalone_claim(judge) for judge in opened] if standalone else opened
    estimate = estimate_questions(questions, asked_judges, batch=batch)
    return replace(
        estimate,
        citations=sum(c.kind not in UNCOUNTED_KINDS for c in extraction.citations),
        sources=len(sources),
        seconds=estimate.seconds + (len(sources) * FETCH_S / FETCHES_AT_ONCE if fetch else 0.0),
    )


def estimate_questions(
    questions: Sequence[Question], judges: Sequence[str] | Sequence[Judge], *, batch: bool = False
) -> Estimate:
    """What asking each judge about each claim and its passages can cost at most.

    Raises:
        UsageError: A judge cannot be opened.
    """
    opened = [
        open_judge(spec_or_judge) if isinstance(spec_or_judge, str) else spec_or_judge
        for spec_or_judge in judges
    ]
    shares = [
        _of_model(judge, questions, batch) if isinstance(judge, LlmJudge) else _of(judge, questions)
        for judge in opened
    ]
    return Estimate(
        citations=len(questions),
        sources=len(questions),
        calls=len(questions) * len(opened),
        cost_usd=_total([share.cost_usd for share in shares]),
        seconds=sum(share.seconds for share in shares),
        tokens=sum(share.tokens for share in shares),
        usual_usd=_total([share.usual_usd for share in shares]),
    )


def estimate_claims(claims: Sequence[str], sources: int, judge: str) -> Estimate:
    """What comparing each claim with the likeliest of some sources can cost at most.

    Raises:
        UsageError: The judge cannot be opened.
    """
    context = JudgeContext(source=_full_facts("".join(claims)))
    each = min(sources, SOURCES_JUDGED)
    guess = estimate_questions([(claim, _full(claim), context) for claim in claims] * each, [judge])
    return replace(guess, citations=len(claims), sources=sources)


def _source_name(citation: Citation, labelled: bool) -> str | None:
    """What names the source of a citation; None where nothing does, so that no judge is asked."""
    if citation.target is not None:
        return citation.target.value
    if citation.reference is not None:
        return f"entry {citation.reference}"
    if labelled and citation.kind in LABELLED_KINDS and citation.identifier:
        return f"label {citation.identifier}"
    return None


def _full(claim: str) -> tuple[Passage, ...]:
    """A passage at its full length, in letters that take as many tokens as the claim's."""
    letter = _letter(claim)
    return (
        Passage(
            span=Span(0, PASSAGE_CHARS),
            text=letter * PASSAGE_CHARS,
            heading=letter * HEADINGS_CHARS,
        ),
    )


def _full_facts(claim: str) -> SourceFacts:
    """What a source may say of itself, at its full length."""
    line = _letter(claim) * LONGEST_LINE
    return SourceFacts(title=line, site=line, author=line, published=line, url=line)


def _letter(claim: str) -> str:
    wide = sum(not letter.isascii() for letter in claim) * 5 > len(claim)
    return "\u5b57" if wide else "x"


def _of(judge: Judge, questions: Sequence[Question]) -> _Share:
    """A judge that is no language model."""
    worst = _total([worst_cost_of(judge, *question) for question in questions])
    return _Share(worst, worst, 0, _seconds(len(questions), paid=worst != 0))


def _of_model(judge: LlmJudge, questions: Sequence[Question], batch: bool) -> _Share:
    """A language model asked about each claim alone."""
    usages = [worst_usage(judge.question(*question)) for question in questions]
    tokens = sum(usage.total_input + usage.output_tokens for usage in usages)
    seconds = 0.0 if batch else _seconds(len(questions), paid=True)
    if isinstance(judge.provider, LocalProvider):
        seconds = len(questions) * OWN_CALL_S / judge.provider.server.at_once
    price = judge.price
    if price is None:
        return _Share(None, None, tokens, seconds)
    calls = [
        PlannedCall(claims=(at,), passages=tuple(passages))
        for at, (_, passages, _) in enumerate(questions)
    ]
    contexts = [context for _, _, context in questions]
    usual = cost_about(judge, [claim for claim, _, _ in questions], calls, contexts)
    if batch:
        cost = sum(price.cost_usd(usage, batch=True) for usage in usages)
        return _Share(cost, usual * price.batch_factor, tokens, seconds)
    worst = _total([judge.worst_cost_usd(*question) for question in questions])
    return _Share(worst, usual, tokens, seconds)


def _seconds(calls: int, *, paid: bool) -> float:
    return calls * (PAID_CALL_S / JUDGMENTS_AT_ONCE if paid else FREE_CALL_S)


def _total(costs: Sequence[float | None]) -> float | None:
    """The sum; None when one of them is unknown."""
    known_costs = [cost for cost in costs if cost is not None]
    return sum(known_costs) if len(known_costs) == len(costs) else None
