"""One verdict out of several: of a panel of judges, of a claim's parts, of a claim's sources. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workbench.judging.proposals import first_proposal
from workbench.records.format import word_for
from workbench.records.options import PanelRule
from workbench.records.text import Excerpt, Span
from workbench.records.verdict import JudgedPart, Judgment, VerdictLabel

ABSTAIN_BAND = (0.3, 0.7)
"""Scores between these two leave a cascade undecided: the next judge is asked."""

_CAUTION: tuple[VerdictLabel, ...] = (
    "contradicted",
    "not_supported",
    "partially_supported",
    "supported",
    "unverifiable",
)
"""Who wins a tie: the more cautious label."""


def joint_judgment(judgments: Sequence[Judgment], rule: PanelRule = "majority") -> Judgment:
    """One judgment out of several judges' on the same claim and source; a single one is itself.

    - `majority`: the label most give; the more cautious one on a tie.
    - `unanimous`: the label all give; where they differ, `not_supported` with the disagreement in
      the rationale (`supported` needs every judge).
    - `cascade`: the last one asked.

    The score is the mean (the last one's in a cascade), cost and tokens are sums, the evidence is
    that of the judges who gave the label. Raises `ValueError` for no judgment at all.
    """
    if not judgments:
        raise ValueError("A joint judgment needs at least one judgment.")
    if len(judgments) == 1:
        return judgments[0]
    if rule == "cascade":
        chosen, agreeing = judgments[-1].label, [judgments[-1]]
    else:
        votes = {label: sum(j.label == label for j in judgments) for label in _CAUTION}
        chosen = max(_CAUTION, key=lambda name: votes[name])
        agreeing = [j for j in judgments if j.label == chosen]
        if rule == "unanimous" and len(agreeing) < len(judgments):
            cautious = [j for j in judgments if j.label in ("not_supported", "contradicted")]
            chosen, agreeing = "not_supported", cautious or agreeing
    scores = [j.score for j in (agreeing if rule == "cascade" else judgments)]
    confidence = sum(j.confidence for j in agreeing if j.label == chosen)
    votes_text = "; ".join(f"{j.judge}: {_label_words(j.label)}" for j in judgments)
    same = sum(j.label == chosen for j in judgments)
    return replace(
        agreeing[0],
        label=chosen,
        confidence=round(confidence / (1 if rule == "cascade" else len(judgments)), 4),
        score=round(sum(scores) / len(scores), 4),
        rationale=f"{same} of {len(judgments)} judges say {_label_words(chosen)} ({votes_text}). "
        + agreeing[0].rationale,
        sure=any(j.sure for j in agreeing if j.label == chosen)
        and all(j.label == chosen or not j.sure for j in agreeing),
        evidence=tuple(dict.fromkeys(e for j in agreeing for e in j.evidence)),
        judge=" + ".join(j.judge for j in judgments),
        prompt=None,
        **_total_cost(judgments),
        standalone=next((j.standalone for j in (*agreeing, *judgments) if j.standalone), None),
        proposed_correction=first_proposal(chosen, agreeing),
        latency_ms=sum(j.latency_ms for j in judgments)
        if rule == "cascade"
        else max(j.latency_ms for j in judgments),
    )


def _total_cost(judgments: Sequence[Judgment]) -> Mapping[str, Any]:
    return {
        "input_tokens": sum(j.input_tokens for j in judgments),
        "output_tokens": sum(j.output_tokens for j in judgments),
        "cost_usd": sum(j.cost_usd for j in judgments),
        "price_unknown": any(j.price_unknown for j in judgments),
    }


def _label_words(label: VerdictLabel) -> str:
    return label.replace("_", " ")


def is_undecided(judgment: Judgment, band: tuple[float, float] = ABSTAIN_BAND) -> bool:
    """Whether a cascade should ask the next judge: the score lies inside the abstain band."""
    return band[0] <= judgment.score < band[1]


LONGEST_PART = 60
"""Code points of a part that a rationale names."""
MOST_NAMED = 4
"""Parts that a rationale names."""


def join_parts(parts: Sequence[Excerpt], judgments: Sequence[Judgment]) -> Judgment:
    """The joint judgment of a claim over its parts', in the parts' order.

    A part that is contradicted makes the whole `contradicted`; all parts supported make it
    `supported`; none supported and none partially leaves it `not_supported`; anything else is
    `partially_supported`. The score is the lowest of a part: all of the claim is supported at most
    as likely as its weakest part. The rationale names the parts that are not covered, and `parts`
    has the verdict on each; its spans are the parts' own. Costs and tokens add up; `uncovered` is
    empty, since its offsets are those of one claim; for the same
    reason there is no proposed correction. One part is its judgment.

    Raises:
        ValueError: There are no parts, or not one judgment for each.
    """
    if not parts or len(parts) != len(judgments):
        raise ValueError("A joint verdict needs one judgment for each of its parts.")
    if len(parts) == 1:
        return judgments[0]
    label = _label_of_parts([judgment.label for judgment in judgments])
    deciding = _deciding(judgments, label)
    confidence = (
        min(judgment.confidence for judgment in judgments)
        if label == "supported"
        else deciding.confidence
    )
    return replace(
        deciding,
        label=label,
        confidence=confidence,
        score=min(judgment.score for judgment in judgments),
        rationale=f"{_counted(parts, judgments)} {deciding.rationale}".strip(),
        evidence=tuple(dict.fromkeys(e for judgment in judgments for e in judgment.evidence)),
        **_total_cost(judgments),
        latency_ms=max(judgment.latency_ms for judgment in judgments),
        standalone=None,
        proposed_correction=None,
        uncovered=(),
        parts=tuple(
            JudgedPart(span=part.span, label=judgment.label, score=judgment.score)
            for part, judgment in zip(parts, judgments, strict=True)
        ),
    )


def _label_of_parts(labels: Sequence[VerdictLabel]) -> VerdictLabel:
    if "contradicted" in labels:
        return "contradicted"
    if all(label == "supported" for label in labels):
        return "supported"
    if any(label in ("supported", "partially_supported") for label in labels):
        return "partially_supported"
    return "not_supported"


def _deciding(judgments: Sequence[Judgment], label: VerdictLabel) -> Judgment:
    """The judgment whose reason is shown: of a contradiction that one, else the weakest part's."""
    if label == "contradicted":
        return next(judgment for judgment in judgments if judgment.label == "contradicted")
    return min(judgments, key=lambda judgment: judgment.score)


def _counted(parts: Sequence[Excerpt], judgments: Sequence[Judgment]) -> str:
    """How many parts are covered, and the words of those that are not."""
    missing = [
        part.text
        for part, judgment in zip(parts, judgments, strict=True)
        if judgment.label != "supported"
    ]
    covered = len(parts) - len(missing)
    counted = f"{covered} of {len(parts)} parts {word_for(covered, 'is', 'are')} covered."
    if not missing:
        return counted
    names = "; ".join(f"“{_cut(text)}”" for text in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return f"{counted} Not covered: {names}{more}."


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_PART else words[: LONGEST_PART - 1].rstrip() + "…"


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
    """The joint judgment, with the evidence of the sources that say something, in their order."""
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
            idle=(0,) if judgment.label in ("not_supported", "unverifiable") else (),
            against=(0,) if judgment.label == "contradicted" else (),
        )
    against = tuple(i for i, j in enumerate(judgments) if j.label == "contradicted")
    useful, uncovered = _useful(claim, judgments)
    label = _label_of_sources(judgments, against, uncovered)
    speaking = sorted({*useful, *against})
    best = judgments[against[0]] if label == "contradicted" else _best(judgments)
    score = max(j.score for j in judgments)
    joint = replace(
        best,
        label=label,
        confidence=best.confidence if best.label == label else round(score, 4),
        score=round(min(score, 0.5) if against else score, 4),
        rationale=_balance_note(judgments, against, useful) + best.rationale,
        evidence=tuple(e for i in speaking for e in judgments[i].evidence),
        **_total_cost(judgments),
        standalone=next((j.standalone for j in (best, *judgments) if j.standalone), None),
        proposed_correction=first_proposal(label, [best]),
        latency_ms=max(j.latency_ms for j in judgments),
        uncovered=() if label == "supported" else uncovered,
    )
    return JointVerdict(
        judgment=joint,
        idle=tuple(i for i in range(len(judgments)) if i not in speaking),
        against=against,
    )


def _label_of_sources(
    judgments: Sequence[Judgment], against: Sequence[int], uncovered: Sequence[Span]
) -> VerdictLabel:
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
