"""How probable it is that an entry describes a work that exists.

A logistic regression over how the best record compares. Its weights come from
`python tests/bench/bench_references.py DATA --fit`; what they are worth is in
`data/references/MODEL_CARD.md`.
"""

import math
from collections.abc import Sequence

from workbench.records.bibliography import FieldComparison

_BIAS = -0.779
_WEIGHTS: dict[str, float] = {
    "similarity": 1.774,
    "shared_authors": 1.16,
    "title agrees": 2.514,
    "title differs": -1.922,
    "authors agrees": 1.029,
    "authors differs": -0.438,
}
"""Venue, year and identifiers are left out: how often an existing work is described with a wrong
one says more about the data than about the work."""


def existence_score(
    fields: Sequence[FieldComparison], similarity: float, shared_authors: float
) -> float:
    """The probability, from 0 to 1, that the work exists, given the nearest record.

    Args:
        fields: The comparison with the nearest record; none where no record is near.
        similarity: That of the titles, from 0 to 1.
        shared_authors: Share of the entry's authors whom the record names.
    """
    features = existence_features(fields, similarity, shared_authors)
    total = _BIAS + sum(_WEIGHTS[name] * value for name, value in features.items())
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), 4)


def existence_features(
    fields: Sequence[FieldComparison], similarity: float, shared_authors: float
) -> dict[str, float]:
    """The values that the regression reads, by name."""
    features = dict.fromkeys(_WEIGHTS, 0.0)
    features["similarity"] = similarity
    features["shared_authors"] = shared_authors
    for comparison in fields:
        if comparison.agrees is not None:
            feature = f"{comparison.field} {'agrees' if comparison.agrees else 'differs'}"
            if feature in features:
                features[feature] = 1.0
    return features
