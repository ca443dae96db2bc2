"""From the embedded judge's numbers to one of its labels. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.records import VerdictLabel

SUPPORT_FROM = (0.38, 0.6)
"""Scores from here on are `supported`: of a whole page, of extracts. Pages support a third of the
claims that cite them, and the score counts that in; these limits do best at telling labels apart
(`data/judge/MODEL_CARD.md`)."""
PARTIAL_FROM = (0.15, 0.5)
"""Scores from here on are `partially_supported`."""
SURE_FROM = 0.85
"""A score from here on is `supported` although a number or name is missing."""
MOST_OF_CLAIM = 0.75
"""Share of the claim in a sentence that contradicts it by a negation alone."""
NEGATED_FROM = (0.4, 0.4)
"""Share of the claim in the sentence, and P(contradicted), from which a negation contradicts."""
OPPOSED_FROM = (0.7, 0.5)
"""The same for an opposite word."""
RIVAL_FROM = 0.5
"""Share of the claim in three sentences that contradict it by a number that they give otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLimits:
    """From which probabilities on a pair that the encoder has read gets its label."""

    support_from: float
    """P(supported) of `supported`."""
    partial_from: float
    """P(supported) of `partially_supported`."""
    against_from: float
    """P(contradicted) of `contradicted`."""


def choose_label(
    values: Mapping[str, float], score: float, against: float, share: float = 0.0
) -> VerdictLabel:
    """The label of a score; without any word of the claim in the source always `not_supported`.

    `values` are the features of `features.py`, `against` is the model's P(contradicted), `share`
    how much the pair looks like a claim about extracts: limits lie between those of whole pages and
    of extracts. Reasons that can be shown overrule a score. A number or a name that the source
    lacks, or the same words negated on one side only, leave a claim partially supported, unless the
    score is `SURE_FROM`. `contradicted` always needs such a reason: a number that the source gives
    otherwise, a negation of the same words, or an opposite, beside enough of the claim.
    """
    if not values["like_sentence"]:
        return "not_supported"
    is_negated = values["polarity_sentence"] >= 1.0
    if is_negated and values["cover_sentence"] >= MOST_OF_CLAIM:
        return "contradicted"
    if values["numbers_rival"] and values["like_window"] >= RIVAL_FROM:
        return "contradicted"
    likeness = (values["like_sentence"], against)
    if is_negated and _reaches(likeness, NEGATED_FROM):
        return "contradicted"
    if values["opposites"] and _reaches(likeness, OPPOSED_FROM):
        return "contradicted"
    if score >= _between(SUPPORT_FROM, share):
        lacking = values["numbers_missing"] or values["names_missing"] or is_negated
        return "partially_supported" if lacking and score < SURE_FROM else "supported"
    return "partially_supported" if score >= _between(PARTIAL_FROM, share) else "not_supported"


def choose_read_label(
    values: Mapping[str, float], score: float, denied: float, limits: LabelLimits
) -> VerdictLabel:
    """The label where the encoder has read the pair, by both probabilities.

    `score` is P(supported), `denied` P(contradicted). A number that
    the source gives otherwise contradicts beside enough of the claim; a number or a name that it
    lacks leaves a claim partially supported, unless the score is `SURE_FROM`.
    """
    if values["numbers_rival"] and values["like_window"] >= RIVAL_FROM and score < SURE_FROM:
        return "contradicted"
    if score >= limits.support_from:
        lacking = values["numbers_missing"] or values["names_missing"]
        return "partially_supported" if lacking and score < SURE_FROM else "supported"
    if denied >= limits.against_from:
        return "contradicted"
    return "partially_supported" if score >= limits.partial_from else "not_supported"


def _reaches(values: tuple[float, float], least: tuple[float, float]) -> bool:
    """Whether both numbers reach their limits."""
    return values[0] >= least[0] and values[1] >= least[1]


def _between(limits: tuple[float, float], share: float) -> float:
    """The limit for a pair that looks by some share like a claim about extracts."""
    return (1 - share) * limits[0] + share * limits[1]
