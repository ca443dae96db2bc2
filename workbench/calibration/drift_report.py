"""A reference set and what each judge said of it over time: the record that reports show; pure."""

from dataclasses import dataclass

from workbench.calibration.drift import InterimAnalysis
from workbench.records.evaluation import JudgeKey
from workbench.records.reference_sets import (
    ReferenceEvaluation,
    ReferenceExampleStatus,
    ReferenceSet,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeHistory:
    """One judge with one prompt, asked about an anchor set again and again."""

    judge: JudgeKey
    evaluations: tuple[ReferenceEvaluation, ...]
    """Oldest first; those without an answer are left out."""
    interim_analyses: tuple[InterimAnalysis, ...]
    """One for each."""

    @property
    def last(self) -> InterimAnalysis:
        """The newest look."""
        return self.interim_analyses[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReport:
    """An anchor set, its state today, and the series of each judge."""

    anchors: ReferenceSet
    states: tuple[ReferenceExampleStatus, ...]
    series: tuple[JudgeHistory, ...]
    """Most askings first."""
    tolerance: float

    @property
    def drifted(self) -> bool:
        """Whether the newest look of any series reports drift."""
        return any(series.last.verdict == "drift" for series in self.series)

    @property
    def erased(self) -> int:
        """Items that are gone with their outputs."""
        return self.anchors.size - len(self.states)

    @property
    def relabelled(self) -> tuple[ReferenceExampleStatus, ...]:
        """Items whose label today is another one than the frozen one, which still counts."""
        return tuple(state for state in self.states if state.label != state.anchor.gold)

    @property
    def moved(self) -> int:
        """Items with a corrected claim or another source text today; judges still get the frozen version."""
        return sum(state.moved for state in self.states)

    @property
    def unreadable(self) -> int:
        """Items whose frozen text is gone: they cannot be judged."""
        return sum(not state.readable for state in self.states)

    @property
    def locked(self) -> int:
        """Items that stand in the locked test set of the current split."""
        return sum(state.part == "test" for state in self.states)
