"""Several judges on one claim: one verdict, with the disagreement kept."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.judging.proposals import first_proposal
from workbench.records import Judgment, PanelRule, VerdictLabel

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
        input_tokens=sum(j.input_tokens for j in judgments),
        output_tokens=sum(j.output_tokens for j in judgments),
        cost_usd=sum(j.cost_usd for j in judgments),
        price_unknown=any(j.price_unknown for j in judgments),
        standalone=next((j.standalone for j in (*agreeing, *judgments) if j.standalone), None),
        proposed_correction=first_proposal(chosen, agreeing),
        latency_ms=sum(j.latency_ms for j in judgments)
        if rule == "cascade"
        else max(j.latency_ms for j in judgments),
    )


def _label_words(label: VerdictLabel) -> str:
    return label.replace("_", " ")


def is_undecided(judgment: Judgment, band: tuple[float, float] = ABSTAIN_BAND) -> bool:
    """Whether a cascade should ask the next judge: the score lies inside the abstain band."""
    return band[0] <= judgment.score < band[1]
