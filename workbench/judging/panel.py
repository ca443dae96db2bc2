"""One judgment out of several judges' judgments."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.records import VERDICT_LABELS, Judgment


def joint_judgment(judgments: Sequence[Judgment]) -> Judgment:
    """The panel's judgment: the label most judges gave, on a tie the more doubtful one.

    `score` is the mean, `confidence` the mean of those who gave the label, the evidence theirs.
    One judgment is returned as it is.

    Raises:
        ValueError: There is no judgment.
    """
    if not judgments:
        raise ValueError("a panel needs at least one judgment")
    if len(judgments) == 1:
        return judgments[0]
    votes = {label: [j for j in judgments if j.label == label] for label in VERDICT_LABELS}
    # VERDICT_LABELS runs from supported to unverifiable, so the later of equals is more doubtful
    label = max(VERDICT_LABELS, key=lambda one: (len(votes[one]), VERDICT_LABELS.index(one)))
    side = votes[label]
    return replace(
        side[0],
        score=sum(j.score for j in judgments) / len(judgments),
        confidence=sum(j.confidence for j in side) / len(side),
        rationale=" · ".join(f"{j.judge}: {j.label}, {j.rationale}" for j in judgments),
        judge=" + ".join(j.judge for j in judgments),
        input_tokens=sum(j.input_tokens for j in judgments),
        output_tokens=sum(j.output_tokens for j in judgments),
        cost_usd=sum(j.cost_usd for j in judgments),
        latency_ms=max(j.latency_ms for j in judgments),
    )
