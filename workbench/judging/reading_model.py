"""One probability out of the readable features and what the encoder reads. Pure.

    P(supported)                    = logistic(supported . terms)
    P(contradicted | not supported) = logistic(contradicted . terms)

Each `.` is a weighted sum with a bias over some of `TERMS`. The weights were fitted on pairs that
neither part had seen (`training.fit_reading`). Terms for circumstances (extracts, a source too long
to be read whole, ideographs) were tried and ranked claims worse than these (`MODEL_CARD.md`).

The encoder reads numbers badly, and the features' log-odds know little of a claim whose every word,
number and name stands in the passages: `backed` says so of a claim that nothing speaks against.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workbench.judging.encoder.reader import PairReading
from workbench.judging.labels import LabelLimits
from workbench.judging.mixture_model import Linear, Mixture, log_odds, logistic

TERMS = ("features", "read", "backed", "against", "read_against")
"""Log-odds that a claim is supported, of the features and of the encoder; how much of it is backed;
log-odds that it is contradicted."""
SUPPORTING = TERMS[:3]
"""What P(supported) is made of."""
BACKED_FROM = 0.6
"""A claim of which less is in the passages is not backed."""
SPEAKING_AGAINST = (
    "numbers_missing", "names_missing", "numbers_rival", "opposites", "negation_differs",
    "polarity_sentence",
)  # fmt: skip
"""Features that must all be 0 for a claim to be backed."""


@dataclass(frozen=True, slots=True)
class FeatureOdds:
    """What the readable features say of a pair."""

    supported: float
    """Calibrated log-odds."""
    against: float
    """Log-odds that it is contradicted."""
    extracts: float
    """How much it looks like a claim about extracts, 0 to 1."""
    backed: float
    """See `backed_share`."""

    @classmethod
    def of(
        cls, values: Mapping[str, float], mixture: Mixture, contradicted: Linear
    ) -> "FeatureOdds":
        """By a fitted model."""
        return cls(
            supported=log_odds(mixture.probability(values)),
            against=contradicted(values),
            extracts=mixture.share(values),
            backed=backed_share(values),
        )


def backed_share(values: Mapping[str, float]) -> float:
    """How much of the claim the passages hold beyond `BACKED_FROM`, 0 to 1.

    0 where a number or a name is missing, or where negations, opposite words or another number
    speak against it.
    """
    if any(values[name] for name in SPEAKING_AGAINST):
        return 0.0
    return max(0.0, (values["cover_all"] - BACKED_FROM) / (1 - BACKED_FROM))


def reading_terms(features: FeatureOdds, reading: PairReading) -> dict[str, float]:
    """The terms of a pair by name."""
    values = (
        features.supported, reading.supported, features.backed, features.against,
        reading.contradicted,
    )  # fmt: skip
    return dict(zip(TERMS, values, strict=True))


@dataclass(frozen=True, slots=True)
class ReadingModel:
    """Weights for the terms, and the limits of the labels."""

    supported: Linear
    contradicted: Linear
    limits: LabelLimits

    def against(self, terms: Mapping[str, float]) -> float:
        """P(contradicted) of a claim that is not supported, 0 to 1.

        Among as many that are contradicted as that the source just does not state.
        """
        return logistic(self.contradicted(terms))

    def to_dict(self) -> dict[str, object]:
        """As stored in `weights.json`."""
        return {
            "supported": self.supported.to_dict(),
            "contradicted": self.contradicted.to_dict(),
            "limits": asdict(self.limits),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Mapping[str, Any]]) -> "ReadingModel":
        """Back from `weights.json`."""
        return cls(
            Linear.from_dict(stored["supported"]),
            Linear.from_dict(stored["contradicted"]),
            LabelLimits(**stored["limits"]),
        )
