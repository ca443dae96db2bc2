"""Checks of references against people: does the score tell fabricated works, and who is accused.

Positive means "fabricated": people decided that the work does not exist. The score is 1 - P(exists).
Entries on which people could not tell are no test of a check.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.calibration.agreement import Agreement
from workbench.calibration.classification_report import (
    ReliabilityBin,
    reliability,
    two_class_figures,
)
from workbench.calibration.estimates import (
    EXACT_INTERVAL,
    IntervalEstimate,
    exact_interval,
    group_indices,
    share_of,
)
from workbench.calibration.risk_control import RiskGuarantee
from workbench.calibration.thresholds import OperatingPoint, sweep_thresholds
from workbench.records.bibliography import FAILED_REFERENCE_STATUSES
from workbench.records.reference_labels import LabelledReference, ReferenceDecision, agreed_decision

REFERENCE_FIGURES = (
    "auroc", "average_precision", "accuracy", "balanced_accuracy", "precision", "recall", "f1",
    "mcc", "ece", "ece_debiased", "brier",
)  # fmt: skip
"""Those of decisions are of the status: `other_work` and `not_found` call a work fabricated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceFigures:
    """How the checks of references did against people."""

    n: int
    """Entries that people called fabricated or real and that have a score."""
    positives: int
    """Of them, those that people called fabricated."""
    groups: int
    """Outputs that they stand in."""
    no_gold_label: int
    """Entries on which people disagree."""
    untested: int
    """Entries on which people could not tell."""
    unscored: int
    """Entries that were not looked up: they have no score."""
    figures: tuple[tuple[str, IntervalEstimate], ...]
    """By the names of `REFERENCE_FIGURES`."""
    agreement: IntervalEstimate
    """The share of entries on which people decided what the check says."""
    false_accusations: IntervalEstimate
    """Of the works that people called real, those that the check called `other_work` or
    `not_found`; a wrong identifier that people confirmed is none."""
    caught: IntervalEstimate
    """Of the fabricated ones, those that the check called `other_work` or `not_found`."""
    confusion: tuple[tuple[str, str, int], ...]
    """Decision, status, number of entries; the pairs that occur."""
    reliability: tuple[ReliabilityBin, ...]
    cuts: tuple[OperatingPoint, ...]
    """Every threshold on 1 - P(exists), strictest first."""
    labels_sha256: str
    """Of which entries were decided how."""

    def figure(self, name: str) -> IntervalEstimate:
        """One figure by name."""
        return dict(self.figures)[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceCalibration:
    """How far the checks of references can be trusted, and from which score they accuse."""

    table: ReferenceFigures
    aim: str
    """What the threshold was chosen for, in words."""
    chosen: OperatingPoint | None
    guarantee: RiskGuarantee
    people: Agreement | None = None
    """How far people agree on the entries that two of them labelled; None without such."""
    reviewers: int = 0

    @property
    def threshold(self) -> float | None:
        """At or above it, 1 - P(exists) calls a work fabricated; None where none serves the aim."""
        return self.chosen.threshold if self.chosen else None


def reference_figures(
    labelled: Sequence[LabelledReference],
    *,
    wrong_accept: float = 1.0,
    wrong_reject: float = 1.0,
    rounds: int = 1000,
    seed: int = 0,
) -> ReferenceFigures:
    """How the checks of labelled entries did; figures that are not defined have no value.

    Intervals of the two rates of `false_accusations` and `caught` are exact (Clopper and Pearson
    1934) and take entries as independent; the others allow for entries of one output.
    """
    decided = [(row, row.gold.decision) for row in labelled if row.gold]
    tested = [(row, decision) for row, decision in decided if decision != "cannot_tell"]
    checked = [(row, decision) for row, decision in tested if row.check.status != "not_checked"]
    scored = [
        (row, decision, 1 - row.check.score)
        for row, decision in checked
        if row.check.score is not None
    ]
    scores = [min(1.0, max(0.0, score)) for _, _, score in scored]
    positive = [decision == "fabricated" for _, decision, _ in scored]
    groups = [row.output_sha256 for row, _, _ in scored]
    accused = [row.check.status in FAILED_REFERENCE_STATUSES for row, _, _ in scored]
    figures = two_class_figures(accused, positive, scores, groups, rounds=rounds, seed=seed)
    at = group_indices(groups)
    return ReferenceFigures(
        n=len(scored),
        positives=sum(positive),
        groups=len(set(groups)),
        no_gold_label=sum(bool(row.labels) and row.gold is None for row in labelled),
        untested=len(decided) - len(tested),
        unscored=len(tested) - len(scored),
        figures=tuple((name, _in_words(figures[name])) for name in REFERENCE_FIGURES),
        agreement=_agreement(checked),
        false_accusations=_exact(
            [_is_accused_wrongly(row, said) for row, said in checked if said != "fabricated"]
        ),
        caught=_exact(
            [
                row.check.status in FAILED_REFERENCE_STATUSES
                for row, said in checked
                if said == "fabricated"
            ]
        ),
        confusion=tuple(
            (decision, status, number)
            for (decision, status), number in sorted(
                Counter((said, row.check.status) for row, said in decided).items()
            )
        ),
        reliability=reliability(scores, positive, at) if scored else (),
        cuts=tuple(
            sweep_thresholds(
                scores, positive, groups, wrong_accept=wrong_accept, wrong_reject=wrong_reject
            )
        ),
        labels_sha256=_labels_sha256(decided),
    )


def _is_accused_wrongly(row: LabelledReference, decision: ReferenceDecision) -> bool:
    status = row.check.status
    return status in FAILED_REFERENCE_STATUSES and agreed_decision(row.check) != decision


def _agreement(checked: Sequence[tuple[LabelledReference, ReferenceDecision]]) -> IntervalEstimate:
    share = share_of(
        [agreed_decision(row.check) == decision for row, decision in checked],
        [row.output_sha256 for row, _ in checked],
    )
    return share.figure if share else IntervalEstimate(value=None, n=0, groups=0)


def _exact(hits: Sequence[bool]) -> IntervalEstimate:
    if not hits:
        return IntervalEstimate(value=None, n=0, groups=0, method=EXACT_INTERVAL)
    low, high = exact_interval(sum(hits), len(hits))
    return IntervalEstimate(
        value=sum(hits) / len(hits),
        low=low,
        high=high,
        n=len(hits),
        groups=len(hits),
        method=EXACT_INTERVAL,
    )


def _in_words(figure: IntervalEstimate) -> IntervalEstimate:
    """A figure whose classes are named as they are here."""
    missing = figure.missing.replace("an unsupported item", "a real work")
    return replace(figure, missing=missing.replace("a supported item", "a fabricated one"))


def _labels_sha256(decided: Sequence[tuple[LabelledReference, ReferenceDecision]]) -> str:
    """The SHA-256, in hexadecimal, of ASCII-escaped JSON of the sorted pairs of entry and decision."""
    pairs = sorted((f"{row.run_id}/{row.position}", decision) for row, decision in decided)
    return hashlib.sha256(json.dumps(pairs).encode("ascii")).hexdigest()
