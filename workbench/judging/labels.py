"""From the embedded judge's numbers to one of its labels. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.records import VerdictLabel

SURE_FROM = 0.85
"""A score from here on is `supported` although a number or name is missing."""
RIVAL_FROM = 0.5
"""Share of the claim in three sentences that contradict it by a number that they give otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLimits:
    """From which probabilities on a pair gets its label."""

    support_from: float
    """P(supported) of `supported`."""
    partial_from: float
    """P(supported) of `partially_supported`."""
    against_from: float
    """P(contradicted) of `contradicted`."""


def choose_label(
    values: Mapping[str, float], score: float, denied: float, limits: LabelLimits
) -> VerdictLabel:
    """The label by both probabilities and the reasons that can be shown.

    `values` are the features of `features.py`, `score` is P(supported), `denied` P(contradicted). A
    number that the source gives otherwise contradicts beside enough of the claim; a number or a name
    that it lacks leaves a claim partially supported, unless the score is `SURE_FROM`. Without any
    word of the claim in the source it is not supported.
    """
    if not values["like_window"]:
        return "not_supported"
    if values["numbers_rival"] and values["like_window"] >= RIVAL_FROM and score < SURE_FROM:
        return "contradicted"
    if score >= limits.support_from:
        lacking = values["numbers_missing"] or values["names_missing"]
        return "partially_supported" if lacking and score < SURE_FROM else "supported"
    if denied >= limits.against_from:
        return "contradicted"
    return "partially_supported" if score >= limits.partial_from else "not_supported"
