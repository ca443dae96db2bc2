"""From what is read of a pair, or without an encoder from what is seen of its words, to its label. Pure.

    P(supported)                    = logistic(supported . values)
    P(contradicted | not supported) = logistic(contradicted . values)

Each `.` is a weighted sum with a bias, over `READ` where the encoder has read the pair and over
`SEEN` where there is none. The weights and limits were fitted on pairs that the encoder had not seen
(`training.fit_reading`). Sums over both were tried and ranked claims worse (`MODEL_CARD.md`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workbench.judging.encoder.reader import PairReading
from workbench.judging.labels import LabelLimits
from workbench.judging.linear_model import Linear, logistic

READ = ("read", "read_against")
"""The encoder's log-odds that a claim is supported, and that it is contradicted."""
SEEN = (
    "cover_all",
    "cover_window",
    "cover_sentence",
    "names_missing",
    "numbers_rival",
    "opposites",
)
"""Features of `features.py`: how much of the claim the passages hold, and what speaks against it."""
SPEAKING_AGAINST = (
    "numbers_missing", "names_missing", "numbers_rival", "opposites", "negation_differs",
    "polarity_sentence",
)  # fmt: skip
"""Features that are all 0 where nothing that can be checked by hand speaks against a claim."""
PLAIN = 2.0
"""A claim with such log-odds is surely supported where nothing speaks against it."""
REPEATED, REPEATED_SCORE = 0.95, 0.95
"""A claim so much of which stands in one unbroken run of words, with nothing that speaks against it, is
supported: people agree with 62 of 65 of these on the development data."""
FAR, ABSENT = -2.0, 0.35
"""It is surely not supported where both log-odds are below and the passages hold less of it."""


@dataclass(frozen=True, slots=True)
class PairScore:
    """What the model makes of a claim and its passages."""

    values: Mapping[str, float]
    """What was weighed, and the features of `features.py`."""
    supported: float
    """P(supported), 0 to 1."""
    against: float
    """P(contradicted) of a claim that is not supported, 0 to 1."""

    @property
    def denied(self) -> float:
        """P(contradicted), 0 to 1."""
        return (1 - self.supported) * self.against

    def confidence(self, label: str) -> float:
        """How likely a label is by the model's own probabilities, 0 to 1."""
        if label == "supported":
            return self.supported
        if label == "contradicted":
            return (1 - self.supported) * max(self.against, 0.5)
        return (1 - self.supported) * (1 - self.against)

    def sure(self, label: str) -> bool:
        """Whether people agree with such a label four times in five on the development data."""
        values = self.values
        if "read" not in values:
            return False
        if label == "supported":
            return values["read"] >= PLAIN and not speaks_against(values)
        far = max(values["read"], values["read_against"]) < FAR
        return label == "not_supported" and far and values["cover_all"] < ABSENT


@dataclass(frozen=True, slots=True)
class ReadingModel:
    """Weights for the values, and the limits of the labels."""

    supported: Linear
    contradicted: Linear
    limits: LabelLimits

    def score(self, values: Mapping[str, float]) -> PairScore:
        """The probabilities of a pair."""
        supported, against = logistic(self.supported(values)), logistic(self.contradicted(values))
        return PairScore(values, supported, against)

    def to_dict(self) -> dict[str, object]:
        """As stored in `weights.json`."""
        return {
            "supported": self.supported.to_dict(),
            "contradicted": self.contradicted.to_dict(),
            "limits": asdict(self.limits),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "ReadingModel":
        """Back from `weights.json`."""
        return cls(
            Linear.from_dict(stored["supported"]),
            Linear.from_dict(stored["contradicted"]),
            LabelLimits(**stored["limits"]),
        )


def speaks_against(features: Mapping[str, float]) -> bool:
    """Whether anything that can be checked by hand speaks against a claim."""
    return any(features[name] for name in SPEAKING_AGAINST)


def is_repeated(features: Mapping[str, float]) -> bool:
    """Whether a sentence of the passages says a claim in its own words."""
    return features["run"] >= REPEATED and not speaks_against(features)


def values_of(features: Mapping[str, float], reading: PairReading | None) -> dict[str, float]:
    """What is weighed of a pair, by name."""
    if reading is None:
        return dict(features)
    return {**features, **dict(zip(READ, (reading.supported, reading.contradicted), strict=True))}
