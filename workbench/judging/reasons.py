"""One sentence for people on why the embedded judge gives a verdict. Pure.

It comes from what can be checked by hand, never from a score.
"""

from collections.abc import Sequence

from workbench.judging.features import FeatureVector
from workbench.records import Evidence, VerdictLabel

COPIED_FROM = 0.85
"""Share of the claim's words in one sentence from which it says the same in nearly the same words."""
MOST_FROM = 0.6


def tell_reason(
    claim: str,
    features: FeatureVector,
    label: VerdictLabel,
    evidence: Sequence[Evidence],
    sure: bool,
) -> str:
    """Why the embedded judge gives a label, in one sentence that a reader can check.

    Only of a verdict that the judge is sure of is it said what the source means; of another, what
    stands in it.
    """
    if label in ("contradicted", "not_supported", "partially_supported"):
        clash = _clash(features)
        if clash:
            return clash
    if not evidence and label == "not_supported":
        return f"No passage of the source says this{_lacking(claim, features)}."
    if label == "contradicted":
        return "The quoted passage seems to say otherwise."
    if label == "supported" and sure:
        words = (
            "nearly the same words"
            if features.values["cover_sentence"] >= COPIED_FROM
            else "other words"
        )
        return f"The quoted passage says the same in {words}."
    lacking = _lacking(claim, features)
    if label == "not_supported":
        return f"The nearest passage does not say this{lacking}."
    share = features.values["cover_window"]
    found = "Most of" if share >= MOST_FROM else "Part of"
    return f"{found} the claim's words stand in the quoted passage{lacking}."


def _clash(features: FeatureVector) -> str:
    """What claim and source plainly give otherwise; empty where nothing is seen."""
    for difference in features.differences:
        if not difference.holds:
            return f"Source: {difference.given}. Claim: {difference.claimed}."
    if features.opposites:
        claimed, given = features.opposites[0]
        return f"The source says “{given}”; the claim says “{claimed}”."
    if features.values["polarity_sentence"]:
        return "The same words are negated on one side only."
    return ""


def _lacking(claim: str, features: FeatureVector) -> str:
    """What of the claim the source does not hold, to go on a sentence with."""
    numbers = [claim[q.start : q.end] for q in features.missing_numbers[:2]]
    names = [claim[word.start : word.end] for word in features.missing_names[:2]]
    missing = list(dict.fromkeys([*numbers, *names]))
    if not missing and features.uncovered:
        longest = max(features.uncovered, key=lambda span: span.end - span.start)
        missing = [" ".join(longest.of(claim).split())[:60]]
    return f"; not found: {', '.join(f'“{words}”' for words in missing)}" if missing else ""
