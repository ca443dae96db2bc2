"""From what is read of a pair, or without an encoder from what is seen of its words, to its label.

    P(supported)                    = logistic(supported . values)
    P(contradicted | not supported) = logistic(contradicted . values)

Each `.` is a weighted sum with a bias, over `READ` where the encoder has read the pair and over
`SEEN` where there is none. The weights and limits were fitted on pairs that the encoder had not seen
(`training.fit_reading`). Sums over both were tried and ranked claims worse (`MODEL_CARD.md`).
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from workbench.errors import UnknownJudge
from workbench.judging.pair_reader import PairReading, reader_missing
from workbench.records.verdict import VerdictLabel
from workbench.shipped import JUDGE_DATA

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
SURE_FROM = 0.85
"""A score from here on is `supported` although a number or name is missing."""
RIVAL_FROM = 0.5
"""Share of the claim in three sentences that contradict it by a number that they give otherwise."""


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum of named values and a bias."""

    bias: float
    of: Mapping[str, float]

    def __call__(self, values: Mapping[str, float]) -> float:
        """The sum."""
        return self.bias + sum(weight * values[name] for name, weight in self.of.items())


def logistic(x: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, x))))


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
    if not values["cover_window"]:
        return "not_supported"
    if values["numbers_rival"] and values["cover_window"] >= RIVAL_FROM and score < SURE_FROM:
        return "contradicted"
    if score >= limits.support_from:
        lacking = values["numbers_missing"] or values["names_missing"]
        return "partially_supported" if lacking and score < SURE_FROM else "supported"
    if denied >= limits.against_from:
        return "contradicted"
    return "partially_supported" if score >= limits.partial_from else "not_supported"


@dataclass(frozen=True, slots=True)
class PairScore:
    """What the model makes of a claim and its passages."""

    values: Mapping[str, float]
    """What is seen of it (`features.py`), and where the encoder ran, what it reads (`READ`)."""
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
        """The probabilities of a pair, by what is seen and read of it."""
        supported, against = logistic(self.supported(values)), logistic(self.contradicted(values))
        return PairScore(values, supported, against)

    def label(self, score: PairScore) -> VerdictLabel:
        """The label of a score."""
        return choose_label(score.values, score.supported, score.denied, self.limits)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "ReadingModel":
        """Back from `weights.json`."""
        return cls(
            Linear(**stored["supported"]),
            Linear(**stored["contradicted"]),
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


@lru_cache(maxsize=4)
def _stored(folder: Path) -> Mapping[str, Any]:
    stored: Mapping[str, Any] = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
    return stored


def load_model(part: Literal["reading", "words"], folder: Path = JUDGE_DATA) -> ReadingModel:
    """The model in a folder for what the encoder reads, or for what is seen where there is none.

    Raises:
        UnknownJudge: its files are missing or damaged.
    """
    try:
        return ReadingModel.from_dict(_stored(folder)[part])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnknownJudge(
            f"The embedded judge's files in {str(folder)!r} cannot be read: restore `data/judge` "
            f"from the repository."
        ) from error


PAGES, EXTRACTS = "wice", "expertqa"


def embedded_limits(folder: Path = JUDGE_DATA) -> str:
    """Say what the embedded judge is for and how often it is right; empty where that cannot be read.

    Those of answers are measured end to end by `tests/bench/bench_judge.py --record`; the others are
    of claims held out in training, with the encoder where that runs, else by words alone.
    """
    try:
        stored = _stored(folder)
        figures = stored["words" if reader_missing(folder) else "reading"]["figures"]
        areas = [_percent(figures[f"{origin} auroc"]) for origin in (PAGES, EXTRACTS)]
        answers = stored["answers"]
        right, missed = (_percent(answers[name]) for name in ("right", "missed_contradictions"))
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return (
        "It sorts what to look at first. "
        f"On {answers['citations']:,} citations of made-up answers {right} of its labels were right, "
        f"and it called {missed} of the contradictions supported. On people's labels it scores a "
        f"supported claim above another one in {areas[0]} of pairs on whole pages and {areas[1]} on "
        "extracts. Read the quotes before you trust a label."
    )


def embedded_accuracy(folder: Path = JUDGE_DATA) -> str:
    """Say how many of its labels were right, in one sentence; empty where that cannot be read."""
    try:
        answers = _stored(folder)["answers"]
        right, citations = _percent(answers["right"]), answers["citations"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return f"It was right on {right} of {citations:,} made-up citations."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
