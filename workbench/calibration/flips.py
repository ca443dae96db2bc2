"""The same items judged twice: what was put right, what was broken, what stayed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.calibration.classification_report import UNTESTED
from workbench.calibration.compare import Comparison, PredictionSet, compare
from workbench.calibration.drift import ERROR_RATE, AgreementChange, change
from workbench.records.reference_sets import Prediction
from workbench.records.text import JsonDict

FlipKind = Literal["broken", "fixed", "still_wrong", "still_right"]
FLIP_KINDS: tuple[FlipKind, ...] = get_args(FlipKind)
"""Right and wrong are against people's label, on supported or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """An item that was judged twice."""

    first: Prediction
    second: Prediction

    @property
    def item(self) -> str:
        """Its name in statistics."""
        return self.second.item

    @property
    def kind(self) -> FlipKind:
        """What changed."""
        if self.first.right:
            return "still_right" if self.second.right else "broken"
        return "fixed" if self.second.right else "still_wrong"

    @property
    def changed(self) -> bool:
        """Whether the label changed; it may have, and still be as right or as wrong."""
        return self.first.label != self.second.label

    def to_dict(self) -> JsonDict:
        """The flip as reports hold it."""
        run_id, _, citation_id = self.item.partition("/")
        return {
            "run_id": run_id,
            "citation_id": citation_id,
            "kind": self.kind,
            "human": self.second.human,
            "first": _prediction_dict(self.first),
            "second": _prediction_dict(self.second),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Two judgments of each of the same items."""

    comparison: Comparison
    """The second against the first."""
    change: AgreementChange | None
    """Of agreement with people, at 95 %; None without items."""
    items: tuple[Flip, ...]
    """All of them: broken, fixed, still wrong, still right; the surest second thoughts first."""

    @property
    def counts(self) -> dict[FlipKind, int]:
        """How many of each kind."""
        counted = Counter(flip.kind for flip in self.items)
        return {kind: counted[kind] for kind in FLIP_KINDS}

    @property
    def changed(self) -> tuple[Flip, ...]:
        """Those whose label is another one than before."""
        return tuple(flip for flip in self.items if flip.changed)

    def to_dict(self) -> JsonDict:
        """As reports hold it; items whose label did not change are counted, not listed."""
        return {
            **{str(kind): number for kind, number in self.counts.items()},
            "changed": len(self.changed),
            "comparison": self.comparison.to_dict(),
            "change": self.change.to_dict() if self.change else None,
            "flips": [flip.to_dict() for flip in self.changed],
        }


def flips(
    first: Sequence[Prediction], second: Sequence[Prediction], *, rounds: int = 1000
) -> Flips:
    """What the second time changed, over the items that were judged both times.

    An item whose human label is `unverifiable` or `cannot_tell` tests no judge and is left out, as
    is one to which the judge gave no verdict in either time. The human label is that of the second
    time, so that both are compared with the same one.
    """
    before = {prediction.item: prediction for prediction in first if not prediction.error}
    pairs = [
        Flip(first=before[prediction.item], second=prediction)
        for prediction in second
        if prediction.item in before and not prediction.error and prediction.human not in UNTESTED
    ]
    pairs.sort(
        key=lambda flip: (
            FLIP_KINDS.index(flip.kind),
            -abs(flip.second.score - flip.first.score),
            flip.item,
        )
    )
    return Flips(
        comparison=compare(
            _prediction_set([flip.first for flip in pairs]),
            _prediction_set([flip.second for flip in pairs]),
            [flip.second.human == "supported" for flip in pairs],
            [flip.second.group for flip in pairs],
            rounds=rounds,
        ),
        change=change([flip.first for flip in pairs], [flip.second for flip in pairs], ERROR_RATE),
        items=tuple(pairs),
    )


def _prediction_set(predictions: Sequence[Prediction]) -> PredictionSet:
    return PredictionSet(
        supported=[prediction.label == "supported" for prediction in predictions],
        scores=[prediction.score for prediction in predictions],
    )


def _prediction_dict(prediction: Prediction) -> JsonDict:
    return {"label": prediction.label, "score": prediction.score, "rationale": prediction.rationale}
