"""One verdict for a claim that cites several sources, out of the verdicts for each; pure."""

from dataclasses import dataclass

from workbench.judging import join_sources
from workbench.records import CitationResult, JsonDict, Judgment, Run, Span


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
    found = []
    for span, results in by_claim.items():
        sources = {one.source.sha256: one for one in reversed(results) if one.source}
        different = [one for one in results if one in sources.values()]
        if len(different) > 1:
            found.append(_join(span, different))
    return found


def _join(span: Span, results: list[CitationResult]) -> ClaimVerdict:
    claim = results[0].citation.claim
    joint = join_sources(
        claim.text if claim else "", [one.judgment for one in results if one.judgment]
    )
    ids = tuple(one.citation.id for one in results)
    return ClaimVerdict(
        claim=span,
        citations=ids,
        judgment=joint.judgment,
        idle=tuple(ids[index] for index in joint.idle),
        against=tuple(ids[index] for index in joint.against),
    )
