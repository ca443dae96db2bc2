"""The `local` judge: reasons that can be shown, weighed by a small model trained on labels.

It needs no key and no network. It does not understand language: it sees which of the claim's words,
names and numbers its source holds, and says so. Its score is calibrated on public labelled pairs;
what it was trained on, and how far it can be trusted, stands in `data/judge/MODEL_CARD.md`.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter

from workbench.errors import JudgeError, UnknownJudge
from workbench.judging.features import Reading, read
from workbench.judging.words import Rarity
from workbench.records import Evidence, Judgment, Passage, VerdictLabel

DATA = Path(__file__).resolve().parents[2] / "data" / "judge"


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic regression over standardised features."""

    bias: float
    of: Mapping[str, tuple[float, float, float]]
    """For each feature its mean, its spread and its weight."""

    def probability(self, values: Mapping[str, float]) -> float:
        """The logistic function of the weighted features."""
        total = self.bias
        for name, (mean, spread, weight) in self.of.items():
            total += weight * (values[name] - mean) / spread
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


@dataclass(frozen=True, slots=True)
class Model:
    """What training leaves behind."""

    version: str
    rarity: Rarity
    supported: Weights
    contradicted: Weights
    """P(contradicted), given that the claim is not supported."""
    support_from: float
    """A score from here on is `supported`."""
    partial_from: float
    """A score from here to `support_from` is `partially_supported`."""
    contradict_from: float
    """P(contradicted | not supported) from here on is `contradicted`."""


class LocalJudge:
    """Judges with the shipped weights; stateless and safe to share between threads."""

    spec = "local"

    def __init__(self, folder: Path = DATA) -> None:
        self._model = load_model(folder)

    async def ajudge(self, claim: str, passages: Sequence[Passage]) -> Judgment:
        """The judgment; never raises for a readable source, costs nothing."""
        return self.judge(claim, passages)

    def judge(self, claim: str, passages: Sequence[Passage]) -> Judgment:
        """The judgment; raises `JudgeError` when there is no text to judge by."""
        begun = perf_counter()
        if not any(passage.text.strip() for passage in passages):
            raise JudgeError(
                "not_evidence", "The source holds no text to judge the claim by: read it yourself."
            )
        reading = read(claim, passages, self._model.rarity)
        score = self._model.supported.probability(reading.values)
        against = self._model.contradicted.probability(reading.values)
        label = self._label(score, against)
        return Judgment(
            label=label,
            confidence=round(_confidence(label, score, against), 4),
            score=round(score, 4),
            rationale=explain(claim, reading, label),
            evidence=tuple(Evidence(quote=s.text, span=s.span) for s in reading.best),
            judge=self.spec,
            latency_ms=round((perf_counter() - begun) * 1000),
            uncovered=reading.uncovered,
        )

    def worst_cost_usd(self, claim: str, passages: Sequence[Passage]) -> float | None:
        """Nothing."""
        return 0.0

    async def aclose(self) -> None:
        """Nothing to give back."""

    def _label(self, score: float, against: float) -> VerdictLabel:
        if score >= self._model.support_from:
            return "supported"
        if against >= self._model.contradict_from:
            return "contradicted"
        return "partially_supported" if score >= self._model.partial_from else "not_supported"


def _confidence(label: VerdictLabel, score: float, against: float) -> float:
    """How likely the label is by the model's own probabilities."""
    if label == "supported":
        return score
    if label == "contradicted":
        return (1 - score) * against
    return (1 - score) * (1 - against)


def explain(claim: str, reading: Reading, label: VerdictLabel) -> str:
    """The reasons in words: what of the claim the source holds, and what it does not."""
    share = round(100 * reading.values["cover_all"])
    parts = [f"The passages hold {share} % of the claim's words, weighed by how rare they are."]
    if reading.missing_numbers:
        numbers = ", ".join(claim[q.start : q.end] for q in reading.missing_numbers[:4])
        parts.append(f"Missing numbers: {numbers}.")
    if reading.missing_names:
        names = ", ".join(dict.fromkeys(claim[w.start : w.end] for w in reading.missing_names[:4]))
        parts.append(f"Missing names: {names}.")
    if reading.opposites:
        pairs = "; ".join(f"“{a}” against “{b}”" for a, b in reading.opposites[:2])
        parts.append(f"Opposite words in claim and evidence: {pairs}.")
    if reading.negation_differs:
        parts.append("Only one of claim and evidence is negated.")
    if reading.uncovered and label != "contradicted":
        words = "; ".join(f"“{span.of(claim)}”" for span in reading.uncovered[:4])
        parts.append(f"Not covered: {words}.")
    return " ".join(parts)


@lru_cache(maxsize=4)
def load_model(folder: Path) -> Model:
    """The model in a folder; raises `UnknownJudge` when its files are missing or damaged."""
    try:
        weights = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
        table = json.loads((folder / "frequencies.json").read_text(encoding="utf-8"))
        return Model(
            version=weights["version"],
            rarity=Rarity(table["documents"], table["stems"]),
            supported=_weights(weights["supported"]),
            contradicted=_weights(weights["contradicted"]),
            support_from=weights["support_from"],
            partial_from=weights["partial_from"],
            contradict_from=weights["contradict_from"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnknownJudge(
            f"The embedded judge's files in {str(folder)!r} cannot be read: "
            "put back `data/judge` from the repository."
        ) from error


def _weights(stored: Mapping[str, object]) -> Weights:
    """A stored regression."""
    of = stored["features"]
    bias = stored["bias"]
    if not isinstance(of, dict) or not isinstance(bias, int | float):
        raise TypeError("features and bias")
    return Weights(float(bias), {name: (v[0], v[1], v[2]) for name, v in of.items()})
