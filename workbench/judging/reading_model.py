"""One probability out of the readable features and what the encoder reads. Pure.

    P(supported)                    = logistic(supported . terms)
    P(contradicted | not supported) = logistic(contradicted . terms)

Each `.` is a weighted sum with a bias over `TERMS`: the log-odds of the features and of the encoder
and the share of the claim's words in the passages, and the products of these with three
circumstances: how much the pair looks like a claim about extracts (the gate of `mixture_model`), how
much of the passages the encoder could not read, and how much of the claim is in ideographs, where
the features know pairs of characters only. The weights were fitted on pairs that neither part had
seen (`training.fit_reading`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workbench.judging.encoder.reader import PairReading
from workbench.judging.labels import LabelLimits
from workbench.judging.mixture_model import Linear, Mixture, log_odds, logistic
from workbench.judging.tokenization import UNSPACED

BASE = ("features", "against", "overlap", "read", "read_against")
"""Log-odds of the features that a claim is supported and contradicted, the share of its words that
the passages hold, and log-odds of the encoder."""
CIRCUMSTANCES = ("extracts", "unread", "ideographs")
TERMS = (*BASE, *CIRCUMSTANCES, *(f"{a}*{b}" for a in BASE for b in CIRCUMSTANCES))


@dataclass(frozen=True, slots=True)
class FeatureOdds:
    """What the readable features say of a pair."""

    supported: float
    """Calibrated log-odds."""
    against: float
    """Log-odds that it is contradicted."""
    extracts: float
    """How much it looks like a claim about extracts, 0 to 1."""
    overlap: float
    """The share of the claim's words in the passages, weighed by rarity, 0 to 1."""

    @classmethod
    def of(
        cls, values: Mapping[str, float], mixture: Mixture, contradicted: Linear
    ) -> "FeatureOdds":
        """By a fitted model."""
        return cls(
            supported=log_odds(mixture.probability(values)),
            against=contradicted(values),
            extracts=mixture.share(values),
            overlap=values["cover_all"],
        )


def reading_terms(claim: str, features: FeatureOdds, reading: PairReading) -> dict[str, float]:
    """The terms of a pair by name."""
    base = (
        features.supported,
        features.against,
        features.overlap,
        reading.supported,
        reading.contradicted,
    )
    circumstances = (features.extracts, reading.unread, ideographs(claim))
    terms = dict(zip((*BASE, *CIRCUMSTANCES), (*base, *circumstances), strict=True))
    for name, value in zip(BASE, base, strict=True):
        for circumstance, share in zip(CIRCUMSTANCES, circumstances, strict=True):
            terms[f"{name}*{circumstance}"] = value * share
    return terms


def ideographs(claim: str) -> float:
    """The share of a claim's letters and digits that are ideographs, kana or hangul."""
    return len(UNSPACED.findall(claim)) / max(1, sum(map(str.isalnum, claim)))


@dataclass(frozen=True, slots=True)
class ReadingModel:
    """Weights for the terms, and the limits of the labels."""

    supported: Linear
    contradicted: Linear
    limits: LabelLimits

    def probability(self, terms: Mapping[str, float], shift: float = 0.0) -> float:
        """P(supported), 0 to 1; `shift` is added to the log-odds."""
        return logistic(self.supported(terms) + shift)

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
