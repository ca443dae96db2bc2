"""From the embedded judge's numbers to one of its labels. Pure."""

from collections.abc import Mapping

from workbench.records import VerdictLabel

SUPPORT_FROM = (0.38, 0.6)
"""Scores from here on are `supported`: of a whole page, of extracts. Pages support a third of the
claims that cite them, and the score counts that in; these limits do best at telling labels apart
(`data/judge/MODEL_CARD.md`)."""
PARTIAL_FROM = (0.15, 0.5)
"""Scores from here on are `partially_supported`."""
SURE_FROM = 0.85
"""A score from here on is `supported` although a number or name is missing."""
CONTRADICT_FROM = 0.5
"""P(contradicted) from which a conflict of words contradicts a claim."""
MOST_OF_CLAIM, MUCH_OF_CLAIM, HALF_OF_CLAIM = 0.75, 0.7, 0.5
"""Share of the claim that a sentence must hold to contradict it: by a negation alone; with the
model's consent by an opposite; by a number that it gives otherwise, or with the model's consent by
a negation."""
LOWEST = 0.24
"""The score of a contradicted claim at most."""


def choose_label(
    values: Mapping[str, float], score: float, against: float, share: float = 0.0
) -> VerdictLabel:
    """The label of a score; without any word of the claim in the source always `not_supported`.

    `values` are the features of `features.py`, `against` is the model's P(contradicted), `share`
    how much the pair looks like a claim about extracts: limits lie between those of whole pages and
    of extracts. Reasons that can be shown overrule a score. The words of a sentence that holds most
    of the claim, negated on one side only, contradict it. A number or a name that the source lacks
    leaves a claim partially supported, unless the score is `SURE_FROM`. `contradicted` always needs
    such a reason: an opposite, a negation of the same words, or a number that the source gives
    otherwise, in a sentence that holds much of the claim.
    """
    if not values["like_sentence"]:
        return "not_supported"
    turned = values["polarity_sentence"] >= 1.0
    if turned and values["cover_sentence"] >= MOST_OF_CLAIM:
        return "contradicted"
    held = values["like_sentence"]
    if values["numbers_rival"] and held >= HALF_OF_CLAIM:
        return "contradicted"
    opposed = values["opposites"] and held >= MUCH_OF_CLAIM
    if against >= CONTRADICT_FROM and (opposed or (turned and held >= HALF_OF_CLAIM)):
        return "contradicted"
    if score >= _between(SUPPORT_FROM, share):
        lacking = values["numbers_missing"] or values["names_missing"]
        return "partially_supported" if lacking and score < SURE_FROM else "supported"
    return "partially_supported" if score >= _between(PARTIAL_FROM, share) else "not_supported"


def confidence(label: VerdictLabel, score: float, against: float) -> float:
    """How likely the label is by the model's own probabilities."""
    if label == "supported":
        return score
    if label == "contradicted":
        return (1 - score) * max(against, 0.5)
    return (1 - score) * (1 - against)


def _between(limits: tuple[float, float], share: float) -> float:
    """The limit for a pair that looks by some share like a claim about extracts."""
    return (1 - share) * limits[0] + share * limits[1]
