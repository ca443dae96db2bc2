"""The embedded judge's model: from what is seen and read of a pair to its score and label."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.errors import UnknownJudge
from workbench.judging.encoder.reader import PairReading
from workbench.judging.labels import LabelLimits, choose_label, choose_read_label
from workbench.judging.mixture_model import Linear, Mixture, logistic
from workbench.judging.reading_model import FeatureOdds, ReadingModel, reading_terms
from workbench.records import VerdictLabel
from workbench.shipped import JUDGE_DATA


@dataclass(frozen=True, slots=True)
class PairScore:
    """What the model makes of a claim and its passages."""

    values: Mapping[str, float]
    """The features of `features.py`."""
    odds: float
    """Calibrated log-odds that the claim is supported, by itself."""
    against: float
    """P(contradicted) of a claim that is not supported, 0 to 1."""
    extracts: float
    """How much the pair looks like a claim about extracts, 0 to 1."""
    limits: LabelLimits | None
    """Of the labels where the encoder has read the pair; None where the features decide alone."""

    @property
    def supported(self) -> float:
        """P(supported), 0 to 1."""
        return logistic(self.odds)

    @property
    def denied(self) -> float:
        """P(contradicted), 0 to 1."""
        return (1 - self.supported) * self.against

    def confidence(self, label: VerdictLabel) -> float:
        """How likely a label is by the model's own probabilities, 0 to 1."""
        if label == "supported":
            return self.supported
        if label == "contradicted":
            return (1 - self.supported) * max(self.against, 0.5)
        return (1 - self.supported) * (1 - self.against)

    @property
    def label(self) -> VerdictLabel:
        """The label by both probabilities and the reasons that can be shown."""
        if self.limits is None:
            return choose_label(self.values, self.supported, self.against, self.extracts)
        return choose_read_label(self.values, self.supported, self.denied, self.limits)


@dataclass(frozen=True, slots=True)
class Model:
    """What training produces."""

    version: str
    mixture: Mixture
    contradicted: Linear
    reading: ReadingModel | None
    """How the features and the encoder make one score; None in files from before the encoder."""
    sure_from: Mapping[str, float] | None
    """For each label the confidence from which people agreed with it four times in five on the
    development data; a label that is not here is never sure. None where nobody measured it: then
    every verdict counts as sure."""

    def sure(self, label: VerdictLabel, confidence: float) -> bool:
        """Whether people agree with such a label four times in five."""
        if self.sure_from is None:
            return True
        return confidence >= self.sure_from.get(label, float("inf"))

    def score(self, values: Mapping[str, float], reading: PairReading | None) -> PairScore:
        """The score of a pair by its features and what the encoder reads, or by features alone."""
        features = FeatureOdds.of(values, self.mixture, self.contradicted)
        if reading is None or self.reading is None:
            against = logistic(features.against)
            return PairScore(values, features.supported, against, features.extracts, None)
        terms = reading_terms(features, reading)
        return PairScore(
            values, self.reading.supported(terms), self.reading.against(terms),
            features.extracts, self.reading.limits,
        )  # fmt: skip


@lru_cache(maxsize=4)
def load_model(folder: Path = JUDGE_DATA) -> Model:
    """The model in a folder.

    Raises:
        UnknownJudge: its files are missing or damaged.
    """
    try:
        stored = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
        part: Mapping[str, Mapping[str, object]] = stored["lexical"]
        return Model(
            version=str(stored["version"]),
            mixture=Mixture.from_dict(part),
            contradicted=Linear.from_dict(part["contradicted"]),
            reading=ReadingModel.from_dict(stored["reading"]) if "reading" in stored else None,
            sure_from=_sure_from(stored.get("sure")),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnknownJudge(
            f"The embedded judge's files in {str(folder)!r} cannot be read: restore `data/judge` "
            f"from the repository."
        ) from error


def _sure_from(stored: Mapping[str, Any] | None) -> Mapping[str, float] | None:
    if stored is None:
        return None
    return {str(label): float(confidence) for label, confidence in stored["from"].items()}
