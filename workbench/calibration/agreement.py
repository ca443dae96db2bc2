"""How far people agree: raw agreement, Cohen's kappa, Krippendorff's alpha; with intervals.

1 is full agreement, 0 what chance alone would give, below 0 worse than that. All figures are made
of sums over items, so their intervals come from drawing whole groups of items (the output they
stand in) again, or from leaving them out.

Beside the nominal coefficients stand those over the support scale, for which calling a supported
claim partially supported is a smaller disagreement than calling it contradicted. `unverifiable` and
`cannot_tell` say nothing of the support; they have no place on the scale, are left out of these two
and counted.

Agreement between people on the fields of a queue, measured by the type of their answers.

One option: nominal, as labels. Several options: each option by itself, chosen or not. Scores: the
ordinal and the interval alpha. Texts have no measure here.

How far people agree on the evidence: overlap of the spans that they chose by hand.

Measured in characters, not corrected for chance: by chance two short spans in a long source hardly
ever meet.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from workbench.calibration.estimates import ClusterBootstrap, IntervalEstimate
from workbench.calibration.metrics import (
    ALPHA,
    KAPPA,
    ORDINAL_ALPHA,
    WEIGHTED_KAPPA,
    Coefficient,
    chance_corrected,
    interval_alpha,
)
from workbench.records.fields import AnswerRating, FieldKind, ReviewField
from workbench.records.notebook_display import NotebookDisplayMixin
from workbench.records.review import Rating
from workbench.records.text import Span
from workbench.records.verdict import SUPPORT_SCALE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAgreement:
    """How far people agree on one label against all others."""

    label: str
    ratings: int
    """How often it was given among items with two ratings or more."""
    specific: IntervalEstimate
    """The chance that a second rating gives this label where the first one did."""
    chance_corrected: IntervalEstimate
    """Kappa or alpha of "this label or another"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAgreement:
    """How far two people agree on the items that both rated."""

    first: str
    second: str
    raw: IntervalEstimate
    kappa: IntervalEstimate
    """Cohen's, nominal."""
    weighted_kappa: IntervalEstimate
    """Cohen's with linear weights over the support scale; its n are the items where both gave a
    label of the scale."""
    labels: tuple[LabelAgreement, ...]
    """Of each label that one of them gave, with kappa."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(NotebookDisplayMixin):
    """How far a group of people agree."""

    items: int
    """With two ratings or more."""
    ratings: int
    """Of these items."""
    raters: tuple[str, ...]
    raw: IntervalEstimate
    """The share of agreeing pairs of ratings in an item, averaged over items."""
    alpha: IntervalEstimate
    """Krippendorff's, nominal; items may lack ratings."""
    ordinal_alpha: IntervalEstimate
    """Krippendorff's, ordinal over the support scale; its n are the items that keep two ratings or
    more when those off the scale are left out."""
    off_scale: int
    """Ratings that have no place on the support scale: `unverifiable` and `cannot_tell`."""
    labels: tuple[LabelAgreement, ...]
    """Of each label in use, with alpha."""
    pairs: tuple[PairAgreement, ...]
    """Of each two people with an item in common, those with most items first."""


def agreement(ratings: Sequence[Rating], *, rounds: int = 1000, seed: int = 0) -> Agreement:
    """How far the people agree who gave these ratings.

    Items with one rating are left out. A second rating of an item by the same person takes the
    place of the first. Figures are None where they are not defined: without items, and those that
    correct for chance also where only one label is in use. Intervals of shares are
    bootstrap over groups, of what is corrected for chance as `chance_corrected` gives them; where
    nobody differs, exact.

    Formulas: Krippendorff 2004, ch. 11 (coincidence matrix); Cohen 1960 and 1968; specific
    agreement: Cicchetti and Feinstein 1990.
    """
    units, groups = _units(ratings)
    labels = sorted({label for unit in units.values() for label in unit.values()})
    coincidences, shares = _coincidences(units, labels)
    owners = [groups[item] for item in units]
    tables = _Tables(
        sums=ClusterBootstrap(owners, coincidences, rounds=rounds, seed=seed),
        size=len(labels),
        coefficient=ALPHA,
    )
    scaled = _on_scale(units)
    ordered, _ = _coincidences(scaled, SUPPORT_SCALE)
    number = sum(len(unit) for unit in units.values())
    placed = sum(label in SUPPORT_SCALE for unit in units.values() for label in unit.values())
    return Agreement(
        items=len(units),
        ratings=number,
        raters=tuple(sorted({rater for unit in units.values() for rater in unit})),
        raw=ClusterBootstrap(owners, shares, rounds=rounds, seed=seed).figure(
            _mean, surest=1.0, spread=1.0
        ),
        alpha=tables.corrected(),
        ordinal_alpha=_Tables(
            sums=ClusterBootstrap([groups[item] for item in scaled], ordered),
            size=len(SUPPORT_SCALE),
            coefficient=ORDINAL_ALPHA,
        ).corrected(),
        off_scale=number - placed,
        labels=tables.labels(labels),
        pairs=_pairs(units, groups, rounds, seed),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleAgreement:
    """How far people agree who gave whole numbers."""

    raw: IntervalEstimate
    """The share of equal pairs of numbers in an item, averaged over items."""
    ordinal_alpha: IntervalEstimate
    """Krippendorff's, by the order of the numbers."""
    interval_alpha: IntervalEstimate
    """Krippendorff's, by their distance."""


def scale_agreement(
    ratings: Sequence[Rating], *, rounds: int = 1000, seed: int = 0
) -> ScaleAgreement:
    """How far people agree whose labels are whole numbers, as `agreement` computes it."""
    units, groups = _units(ratings)
    # numbers that nobody gave change neither metric
    values = sorted({int(label) for unit in units.values() for label in unit.values()})
    coincidences, shares = _coincidences(units, [str(value) for value in values])
    owners = [groups[item] for item in units]
    sums = ClusterBootstrap(owners, coincidences, rounds=rounds, seed=seed)
    ordered, spaced = (
        _Tables(sums=sums, size=len(values), coefficient=coefficient).corrected()
        for coefficient in (ORDINAL_ALPHA, interval_alpha(values))
    )
    raw = ClusterBootstrap(owners, shares, rounds=rounds, seed=seed).figure(
        _mean, surest=1.0, spread=1.0
    )
    return ScaleAgreement(raw=raw, ordinal_alpha=ordered, interval_alpha=spaced)


Units = dict[str, dict[str, str]]
"""For each item with two ratings or more, the label that each rater gave."""


def _units(ratings: Sequence[Rating]) -> tuple[Units, dict[str, str]]:
    units: Units = {}
    groups: dict[str, str] = {}
    for rating in ratings:
        units.setdefault(rating.item, {})[rating.rater] = rating.label
        groups[rating.item] = rating.group or rating.item
    return {item: unit for item, unit in units.items() if len(unit) > 1}, groups


def _on_scale(units: Units) -> Units:
    """The ratings that have a place on the support scale, of items that keep two or more."""
    placed: Units = {
        item: {rater: str(label) for rater, label in unit.items() if label in SUPPORT_SCALE}
        for item, unit in units.items()
    }
    return {item: unit for item, unit in placed.items() if len(unit) > 1}


def _coincidences(units: Units, labels: Sequence[str]) -> "tuple[Rows, Rows]":
    """For each item its coincidence matrix as a row; and its share of agreeing pairs beside a 1.

    A pair of ratings (a, b) of an item with m ratings counts 1 / (m - 1) at (a, b) and at (b, a),
    so that an item counts as often as it was rated.
    """
    import numpy as np

    place = {label: number for number, label in enumerate(labels)}
    matrices = np.zeros((len(units), len(labels) ** 2))
    shares = np.ones((len(units), 2))
    for row, unit in enumerate(units.values()):
        counts = np.bincount([place[label] for label in unit.values()], minlength=len(labels))
        number = counts.sum()
        pairs = np.outer(counts, counts) - np.diag(counts)
        matrices[row] = pairs.ravel() / (number - 1)
        shares[row, 0] = np.trace(pairs) / (number * (number - 1))
    return matrices, shares


def _mean(rows: "Rows") -> "Rows":
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        mean: Rows = rows[:, 0] / rows[:, 1]
    return mean


def _square(rows: "Rows", size: int, place: int | None = None) -> "Rows":
    """Square matrices, one a row; or the two by two of one label against all others."""
    import numpy as np

    matrices = rows.reshape(-1, size, size)
    if place is None:
        return matrices
    agreed = matrices[:, place, place]
    across, down = matrices[:, place].sum(axis=1), matrices[:, :, place].sum(axis=1)
    rest = matrices.sum(axis=(1, 2)) - across - down + agreed
    folded: Rows = np.stack([agreed, across - agreed, down - agreed, rest], axis=1).reshape(
        -1, 2, 2
    )
    return folded


def _observed(matrices: "Rows") -> "Rows":
    """The share of the diagonal."""
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        share: Rows = np.trace(matrices, axis1=1, axis2=2) / matrices.sum(axis=(1, 2))
    return share


def _specific(matrices: "Rows") -> "Rows":
    """Twice what both gave over all that either gave, of tables of one label against the rest."""
    import numpy as np

    agreed = matrices[:, 0, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        share: Rows = 2 * agreed / (2 * agreed + matrices[:, 0, 1] + matrices[:, 1, 0])
    return share


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tables:
    """Sums of square tables, and the coefficient that corrects them for chance."""

    sums: ClusterBootstrap
    size: int
    coefficient: Coefficient

    def corrected(self, place: int | None = None) -> IntervalEstimate:
        """The coefficient of all labels, or of one against all others."""
        return chance_corrected(
            self.sums, self.coefficient, lambda rows: _square(rows, self.size, place)
        )

    def labels(self, names: Sequence[str]) -> tuple[LabelAgreement, ...]:
        """Each label against all others."""

        def label_agreement(label: str, place: int) -> LabelAgreement:
            folded = _square(self.sums.total, self.size, place)[0]
            return LabelAgreement(
                label=label,
                ratings=round(float(folded[0].sum() + folded[:, 0].sum()) * self._doubled),
                specific=self.sums.figure(
                    lambda rows: _specific(_square(rows, self.size, place)), surest=1.0, spread=1.0
                ),
                chance_corrected=self.corrected(place),
            )

        return tuple(label_agreement(label, place) for place, label in enumerate(names))

    @property
    def _doubled(self) -> float:
        # a coincidence matrix is symmetric: each rating is in its row and in its column
        return 0.5 if self.coefficient is ALPHA else 1.0


def _pairs(
    units: Units, groups: dict[str, str], rounds: int, seed: int
) -> tuple[PairAgreement, ...]:
    shared: dict[tuple[str, str], list[str]] = {}
    for item, unit in units.items():
        for first, second in combinations(sorted(unit), 2):
            shared.setdefault((first, second), []).append(item)
    pairs = []
    for (first, second), items in sorted(
        shared.items(), key=lambda entry: (-len(entry[1]), entry[0])
    ):
        answers = [(units[item][first], units[item][second]) for item in items]
        pairs.append(_pair(first, second, answers, [groups[i] for i in items], rounds, seed))
    return tuple(pairs)


def _pair(
    first: str,
    second: str,
    answers: Sequence[tuple[str, str]],
    groups: Sequence[str],
    rounds: int,
    seed: int,
) -> PairAgreement:
    labels = sorted({label for answer in answers for label in answer})
    size = len(labels)
    tables = _Tables(
        sums=ClusterBootstrap(groups, _crossed(answers, labels), rounds=rounds, seed=seed),
        size=size,
        coefficient=KAPPA,
    )
    placed = [
        place
        for place, answer in enumerate(answers)
        if all(label in SUPPORT_SCALE for label in answer)
    ]
    ordered = _Tables(
        sums=ClusterBootstrap(
            [groups[place] for place in placed],
            _crossed([answers[place] for place in placed], SUPPORT_SCALE),
        ),
        size=len(SUPPORT_SCALE),
        coefficient=WEIGHTED_KAPPA,
    )
    return PairAgreement(
        first=first,
        second=second,
        raw=tables.sums.figure(
            lambda drawn: _observed(_square(drawn, size)), surest=1.0, spread=1.0
        ),
        kappa=tables.corrected(),
        weighted_kappa=ordered.corrected(),
        labels=tables.labels(labels),
    )


def _crossed(answers: Sequence[tuple[str, str]], labels: Sequence[str]) -> "Rows":
    """For each item its table with a 1 where both labels meet, as a row."""
    import numpy as np

    place = {label: number for number, label in enumerate(labels)}
    rows = np.zeros((len(answers), len(labels) ** 2))
    for row, (first, second) in enumerate(answers):
        rows[row, place[first] * len(labels) + place[second]] = 1
    return rows


CHOSEN, NOT_CHOSEN = "chosen", "not chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldMeasure:
    """How far people agree on a field, or on one of its options."""

    option: str = ""
    """Empty for the field as a whole."""
    given: int
    """Answers on items with two or more answers; for an option, those that chose it."""
    raw: IntervalEstimate
    """The share of equal pairs of answers in an item, averaged over items."""
    alpha: IntervalEstimate | None = None
    """Krippendorff's, nominal; None for scores."""
    ordinal_alpha: IntervalEstimate | None = None
    """Krippendorff's, by the order of scores; None for other kinds."""
    interval_alpha: IntervalEstimate | None = None
    """Krippendorff's, by the distance of scores; None for other kinds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldAgreement:
    """How far people agree on one field of one queue."""

    queue_id: str
    name: str
    question: str
    kind: FieldKind
    items: int
    """With two answers or more."""
    raters: int
    """Who answered on these."""
    measures: tuple[FieldMeasure, ...]
    """One, or one per option; none for texts and if no item has two answers."""


def field_agreement(
    field: ReviewField, queue_id: str, ratings: Sequence[AnswerRating]
) -> FieldAgreement:
    """How far people agree on a field; a second answer of a person replaces their first.

    Figures and intervals are those of `agreement`: shares by a bootstrap over groups, alphas by a
    moderated jackknife; None if there is nothing to compare.
    """
    by_item: dict[str, dict[str, AnswerRating]] = {}
    for rating in ratings:
        by_item.setdefault(rating.item, {})[rating.rater] = rating
    several = [answer for unit in by_item.values() if len(unit) > 1 for answer in unit.values()]
    measured = FieldAgreement(
        queue_id=queue_id,
        name=field.name,
        question=field.question,
        kind=field.kind,
        items=len({rating.item for rating in several}),
        raters=len({rating.rater for rating in several}),
        measures=(),
    )
    if not several or field.kind == "text":
        return measured
    if field.kind == "choices":
        return replace(measured, measures=tuple(_option(several, text) for text in field.options))
    if field.kind == "score":
        return replace(measured, measures=(_scores(several),))
    people = agreement([_rating(answer, str(answer.value)) for answer in several])
    return replace(
        measured,
        measures=(FieldMeasure(given=people.ratings, raw=people.raw, alpha=people.alpha),),
    )


def _option(ratings: Sequence[AnswerRating], option: str) -> FieldMeasure:
    def chosen(rating: AnswerRating) -> bool:
        return isinstance(rating.value, tuple) and option in rating.value

    people = agreement([_rating(one, CHOSEN if chosen(one) else NOT_CHOSEN) for one in ratings])
    return FieldMeasure(
        option=option, given=sum(map(chosen, ratings)), raw=people.raw, alpha=people.alpha
    )


def _scores(ratings: Sequence[AnswerRating]) -> FieldMeasure:
    scale = scale_agreement([_rating(rating, str(rating.value)) for rating in ratings])
    return FieldMeasure(
        given=len(ratings),
        raw=scale.raw,
        ordinal_alpha=scale.ordinal_alpha,
        interval_alpha=scale.interval_alpha,
    )


def _rating(answer: AnswerRating, label: str) -> Rating:
    return Rating(item=answer.item, rater=answer.rater, label=label, group=answer.group)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceAgreement:
    """How far the spans of different people cover the same characters of the same text."""

    items: int
    """Where two people or more chose evidence in the same text."""
    one_sided: int
    """Where people gave the same label, and only some of them chose evidence."""
    f1: IntervalEstimate
    """Twice the shared characters over all chosen by either; averaged over pairs, then items."""
    jaccard: IntervalEstimate
    """The shared characters over those chosen by either, each counted once."""
    touching: IntervalEstimate
    """The share of pairs whose spans have a character in common."""


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same characters in spans that neither touch nor overlap, in order; empty ones gone."""
    merged_spans: list[Span] = []
    for span in sorted(span for span in spans if span.start < span.end):
        if merged_spans and span.start <= merged_spans[-1].end:
            merged_spans[-1] = Span(merged_spans[-1].start, max(merged_spans[-1].end, span.end))
        else:
            merged_spans.append(span)
    return tuple(merged_spans)


def covered(spans: Iterable[Span]) -> int:
    """How many characters the spans cover, each counted once."""
    return sum(span.end - span.start for span in merged(spans))


def shared(first: Sequence[Span], second: Sequence[Span]) -> int:
    """How many characters both sets of spans cover."""
    return covered(first) + covered(second) - covered([*first, *second])


def span_f1(first: Sequence[Span], second: Sequence[Span]) -> float | None:
    """Twice the shared characters over the sum of both; None where both are empty."""
    chosen = covered(first) + covered(second)
    return 2 * shared(first, second) / chosen if chosen else None


def span_jaccard(first: Sequence[Span], second: Sequence[Span]) -> float | None:
    """The shared characters over those of either; None where both are empty."""
    either = covered([*first, *second])
    return shared(first, second) / either if either else None


def evidence_agreement(
    ratings: Sequence[Rating], *, rounds: int = 1000, seed: int = 0
) -> EvidenceAgreement:
    """How far people chose the same evidence; only choices in the same text are compared.

    Figures are None without such items. Intervals are bootstrap over groups.
    """
    import numpy as np

    items: dict[str, dict[str, Rating]] = {}
    for rating in ratings:
        items.setdefault(rating.item, {})[rating.rater] = rating
    groups: list[str] = []
    rows: list[list[float]] = []
    one_sided = 0
    for item, unit in items.items():
        pairs = list(combinations(unit.values(), 2))
        one_sided += any(
            first.label == second.label and bool(first.evidence) != bool(second.evidence)
            for first, second in pairs
        )
        values = [
            (
                span_f1(first.evidence, second.evidence) or 0.0,
                span_jaccard(first.evidence, second.evidence) or 0.0,
                float(shared(first.evidence, second.evidence) > 0),
            )
            for first, second in pairs
            if first.evidence and second.evidence and first.text == second.text
        ]
        if values:
            rows.append([*(sum(column) / len(values) for column in zip(*values, strict=True)), 1.0])
            groups.append(next(iter(unit.values())).group or item)
    sums = ClusterBootstrap(groups, np.asarray(rows).reshape(-1, 4), rounds=rounds, seed=seed)

    def mean(column: int) -> IntervalEstimate:
        return sums.figure(lambda drawn: drawn[:, column] / drawn[:, 3], surest=1.0, spread=1.0)

    return EvidenceAgreement(
        items=len(rows), one_sided=one_sided, f1=mean(0), jaccard=mean(1), touching=mean(2)
    )
