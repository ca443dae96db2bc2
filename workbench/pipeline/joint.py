"""One verdict for a claim that cites several sources, out of the verdicts for each; pure."""

from dataclasses import dataclass

from workbench.judging.joint_verdicts import join_sources
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
