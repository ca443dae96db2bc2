"""The `local` judge: reasons that can be shown, weighed by a small model trained on labels.

It needs no key and no network. Its lexical part sees which of the claim's words, names and numbers
the source holds, and says so; a small cross-encoder (`reader.py`), where it is installed, reads
claim and evidence together. The score is a calibrated probability; what it was trained on, and how
far it can be trusted, stands in `data/judge/MODEL_CARD.md`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from time import perf_counter

from workbench.errors import JudgeError, UnknownJudge
from workbench.judging.features import Reading, read
from workbench.judging.mixture import Linear, Mixture, logistic, logit
from workbench.judging.passages import load_chooser, select_passages
from workbench.judging.reader import EVIDENCE_CHARS, Reader, load_reader
from workbench.judging.vectors import load_vectors
from workbench.records import Evidence, Judgment, Passage, Span, VerdictLabel

DATA = Path(__file__).resolve().parents[2] / "data" / "judge"
SUPPORT_FROM = 0.5
"""A score from here on is `supported`."""
PARTIAL_FROM = 0.25
"""A score from here to `SUPPORT_FROM` is `partially_supported`."""
CONTRADICT_FROM = 0.5
"""P(contradicted) of an unsupported claim from which it is called so."""
SURE_FROM = 0.85
"""A score from here on is `supported` although a number or name is missing."""
MOST_OF_CLAIM = 0.75
"""Share of the claim that a sentence must hold to contradict it by a negation alone."""
UNSURE = (0.4, 0.6)
"""Scores in here say little either way: the rationale says that a person should look."""


@dataclass(frozen=True, slots=True)
class Model:
    """What training leaves behind."""

    version: str
    mixture: Mixture
    contradicted: Linear


class LocalJudge:
    """Judges with the shipped weights; stateless and safe to share between threads."""

    spec = "local"

    def __init__(self, folder: Path = DATA) -> None:
        self._reader = load_reader(folder)
        self._model = load_model(folder, self._reader is not None)

    async def ajudge(self, claim: str, passages: Sequence[Passage]) -> Judgment:
        """The judgment; raises `JudgeError` when there is no text to judge by."""
        return self.judge(claim, passages)

    def judge(self, claim: str, passages: Sequence[Passage]) -> Judgment:
        """The judgment; raises `JudgeError` when there is no text to judge by."""
        begun = perf_counter()
        if not any(passage.text.strip() for passage in passages):
            raise JudgeError(
                "not_evidence", "The source holds no text to judge the claim by: read it yourself."
            )
        reading, values = look(claim, passages, self._reader)
        score = self._model.mixture.probability(values)
        against = logistic(self._model.contradicted(values))
        label = choose_label(reading, score, against)
        if label == "contradicted":
            score = min(score, PARTIAL_FROM - 0.01)
        return Judgment(
            label=label,
            confidence=round(_confidence(label, score, against), 4),
            score=round(score, 4),
            rationale=explain(claim, reading, label, score),
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


def look(
    claim: str, passages: Sequence[Passage], reader: Reader | None
) -> tuple[Reading, dict[str, float]]:
    """What is seen of a claim and its passages, and all the numbers that the model weighs."""
    reading = read(claim, passages, load_chooser().rarity, load_vectors())
    values = dict(reading.values)
    if reader is not None:
        text = "\n".join(passage.text for passage in passages)
        short = select_passages(claim, text, EVIDENCE_CHARS)
        ((supported, _, contradicted),) = reader.read(claim, [" ".join(p.text for p in short)])
        values["read_supported"] = max(-5.0, min(5.0, logit(supported)))
        values["read_contradicted"] = max(-5.0, min(5.0, logit(contradicted)))
    return reading, values


def choose_label(reading: Reading, score: float, against: float) -> VerdictLabel:
    """The label of a score; without any word of the claim in the source always `not_supported`.

    Reasons that can be shown overrule a score. The words of a sentence that holds most of the
    claim, negated on one side only, contradict it. A number or a name that the source lacks leaves
    a claim partially supported, unless the score is `SURE_FROM`. `contradicted` always needs such
    a reason: an opposite, a negation of the same words, or a number that the source gives
    otherwise.
    """
    if not reading.best:
        return "not_supported"
    turned = reading.values["polarity_sentence"] >= 1.0
    if turned and reading.values["cover_sentence"] >= MOST_OF_CLAIM:
        return "contradicted"
    lacking = turned or reading.missing_numbers or reading.missing_names
    if score >= SURE_FROM or (score >= SUPPORT_FROM and not lacking):
        return "supported"
    if score >= SUPPORT_FROM:
        return "partially_supported"
    conflict = reading.opposites or reading.values["polarity_sentence"] or reading.missing_numbers
    if conflict and against >= CONTRADICT_FROM and score < PARTIAL_FROM:
        return "contradicted"
    return "partially_supported" if score >= PARTIAL_FROM else "not_supported"


def _confidence(label: VerdictLabel, score: float, against: float) -> float:
    """How likely the label is by the model's own probabilities."""
    if label == "supported":
        return score
    if label == "contradicted":
        return max((1 - score) * against, 0.5 * (1 - score))
    return (1 - score) * (1 - against)


def explain(claim: str, reading: Reading, label: VerdictLabel, score: float) -> str:
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
    if reading.values["polarity_sentence"]:
        parts.append("The same words are negated on one side only.")
    elif reading.negation_differs:
        parts.append("Only one of claim and evidence is negated.")
    if reading.uncovered and label != "contradicted":
        words = "; ".join(f"“{span.of(claim)}”" for span in _longest(reading.uncovered))
        parts.append(f"Not covered: {words}.")
    if UNSURE[0] <= score < UNSURE[1]:
        parts.append("The judge cannot tell: please look yourself.")
    return " ".join(parts)


def _longest(spans: Sequence[Span]) -> list[Span]:
    """The four longest spans, in their order."""
    return sorted(sorted(spans, key=lambda s: s.start - s.end)[:4])


@lru_cache(maxsize=4)
def load_model(folder: Path = DATA, fused: bool = False) -> Model:
    """The model in a folder, with or without the reader's part.

    Raises:
        UnknownJudge: its files are missing or damaged.
    """
    try:
        stored = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
        part: Mapping[str, Mapping[str, object]] = stored["fused" if fused else "lexical"]
        return Model(
            version=str(stored["version"]),
            mixture=Mixture.from_dict(part),
            contradicted=Linear.from_dict(part["contradicted"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnknownJudge(
            f"The embedded judge's files in {str(folder)!r} cannot be read: "
            "put back `data/judge` from the repository."
        ) from error
