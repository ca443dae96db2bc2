"""One verdict out of several judgments of the same claim, with the disagreement kept."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.records import Judgment

_CAUTION = ("contradicted", "not_supported", "partially_supported", "supported", "unverifiable")
"""Who wins a tie: the more cautious label."""


def joint_judgment(judgments: Sequence[Judgment]) -> Judgment:
    """The judgment most judges give; the more cautious one on a tie, the judgment itself alone.

    Score and confidence are means, cost and tokens are sums, the evidence is that of the judges
    who gave the label. Raises `ValueError` for no judgment at all.
    """
    if not judgments:
        raise ValueError("A joint judgment needs at least one judgment.")
    if len(judgments) == 1:
        return judgments[0]
    votes = {label: sum(j.label == label for j in judgments) for label in _CAUTION}
    label = max(_CAUTION, key=lambda name: votes[name])
    agreeing = [j for j in judgments if j.label == label]
    said = "; ".join(f"{j.judge}: {j.label}" for j in judgments)
    return replace(
        agreeing[0],
        confidence=round(sum(j.confidence for j in agreeing) / len(judgments), 4),
        score=round(sum(j.score for j in judgments) / len(judgments), 4),
        rationale=f"{len(agreeing)} of {len(judgments)} judges agree ({said}). "
        + agreeing[0].rationale,
        evidence=tuple(dict.fromkeys(e for j in agreeing for e in j.evidence)),
        judge=" + ".join(j.judge for j in judgments),
        prompt=None,
        input_tokens=sum(j.input_tokens for j in judgments),
        output_tokens=sum(j.output_tokens for j in judgments),
        cost_usd=sum(j.cost_usd for j in judgments),
        latency_ms=max(j.latency_ms for j in judgments),
    )
