"""One claim with several cited sources: a joint verdict, one for each, and who adds nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.judging.proposals import first_proposal
from workbench.records import Judgment, Span, VerdictLabel

_STRENGTH: dict[VerdictLabel, int] = {
    "supported": 3,
    "partially_supported": 2,
    "not_supported": 1,
    "unverifiable": 0,
    "contradicted": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JointVerdict:
    """What several sources say of one claim together."""

    judgment: Judgment
    """The joint judgment; its evidence spans are each in the source named by `evidence_from`."""
    evidence_from: tuple[int, ...]
    """For each piece of evidence the index of its source."""
    idle: tuple[int, ...]
    """Indices of sources that add nothing: the verdict is the same without them."""
    against: tuple[int, ...]
    """Indices of sources that contradict the claim."""


def join_sources(claim: str, judgments: Sequence[Judgment]) -> JointVerdict:
    """The joint verdict of a claim over its sources' own judgments, in the sources' order.

    A contradiction by one source beside support by another is reported as `contradicted` with
    both quoted: a reader has to see it. Otherwise the strongest label counts, and several partial
    supports whose uncovered parts do not meet (what one leaves out another covers) are `supported`
    together. A source adds nothing when it neither supports nor contradicts, or when what it
    covers is covered by the stronger ones before it. Raises `ValueError` without judgments.
    """
    if not judgments:
        raise ValueError("A joint verdict needs at least one judgment.")
    if len(judgments) == 1:
        judgment = judgments[0]
        return JointVerdict(
            judgment=judgment,
            evidence_from=(0,) * len(judgment.evidence),
            idle=() if _has_bearing(judgment) else (0,),
            against=(0,) if judgment.label == "contradicted" else (),
        )
    against = tuple(i for i, j in enumerate(judgments) if j.label == "contradicted")
    useful, uncovered = _useful(claim, judgments)
    label = _label(judgments, against, uncovered)
    speaking = sorted({*useful, *against})
    best = judgments[against[0]] if label == "contradicted" else _best(judgments)
    score = max(j.score for j in judgments)
    evidence = [(e, i) for i in speaking for e in judgments[i].evidence]
    joint = replace(
        best,
        label=label,
        confidence=best.confidence if best.label == label else round(score, 4),
        score=round(min(score, 0.5) if against else score, 4),
        rationale=_balance_note(judgments, against, useful) + best.rationale,
        evidence=tuple(e for e, _ in evidence),
        input_tokens=sum(j.input_tokens for j in judgments),
        output_tokens=sum(j.output_tokens for j in judgments),
        cost_usd=sum(j.cost_usd for j in judgments),
        price_unknown=any(j.price_unknown for j in judgments),
        standalone=next((j.standalone for j in (best, *judgments) if j.standalone), None),
        proposed_correction=first_proposal(label, [best]),
        latency_ms=max(j.latency_ms for j in judgments),
        uncovered=() if label == "supported" else uncovered,
    )
    return JointVerdict(
        judgment=joint,
        evidence_from=tuple(i for _, i in evidence),
        idle=tuple(i for i in range(len(judgments)) if i not in speaking),
        against=against,
    )


def _label(
    judgments: Sequence[Judgment], against: Sequence[int], uncovered: Sequence[Span]
) -> VerdictLabel:
    """The joint label."""
    if against:
        return "contradicted"
    partial = [j for j in judgments if j.label == "partially_supported"]
    best = _best(judgments)
    if best.label == "partially_supported" and len(partial) > 1 and not uncovered:
        explained = all(j.uncovered for j in partial)
        return "supported" if explained else best.label
    return best.label


def _best(judgments: Sequence[Judgment]) -> Judgment:
    """The strongest label, the surest among equals."""
    return max(judgments, key=lambda j: (_STRENGTH[j.label], j.score))


def _useful(claim: str, judgments: Sequence[Judgment]) -> tuple[list[int], tuple[Span, ...]]:
    """Sources that add something, strongest first taken, and what none of them covers."""
    order = [i for i, j in enumerate(judgments) if j.label in ("supported", "partially_supported")]
    order.sort(key=lambda i: (-_STRENGTH[judgments[i].label], -judgments[i].score))
    open_parts: set[int] | None = None
    useful: list[int] = []
    for i in order:
        missing = {at for span in judgments[i].uncovered for at in range(span.start, span.end)}
        if judgments[i].label == "supported":
            missing = set()
        still_open = missing if open_parts is None else open_parts & missing
        if open_parts is None or still_open != open_parts:
            useful.append(i)
            open_parts = still_open
    return useful, _spans(claim, open_parts or set())


def _spans(claim: str, places: set[int]) -> tuple[Span, ...]:
    """Runs of places that hold a letter or figure, as spans."""
    spans: list[Span] = []
    for at in sorted(places):
        if spans and spans[-1].end == at:
            spans[-1] = Span(spans[-1].start, at + 1)
        else:
            spans.append(Span(at, at + 1))
    return tuple(span for span in spans if any(c.isalnum() for c in span.of(claim)))


def _has_bearing(judgment: Judgment) -> bool:
    return judgment.label in ("supported", "partially_supported", "contradicted")


def _balance_note(
    judgments: Sequence[Judgment], against: Sequence[int], useful: Sequence[int]
) -> str:
    """How the sources relate to each other, in a sentence."""
    n = len(judgments)
    if against and useful:
        return f"{len(useful)} of {n} sources support the claim, {len(against)} contradict it. "
    if against:
        return f"{len(against)} of {n} sources contradict the claim. "
    return f"{len(useful)} of {n} sources carry the claim. "
