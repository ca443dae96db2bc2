"""Agreement between people on the fields of a queue, measured by the type of their answers.

One option: nominal, as labels. Several options: each option by itself, chosen or not. Scores: the
ordinal and the interval alpha. Texts have no measure here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.calibration.agreement import agreement, scale_agreement
from workbench.calibration.estimates import IntervalEstimate
from workbench.records.fields import AnswerRating, FieldKind, ReviewField
from workbench.records.review import Rating

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
