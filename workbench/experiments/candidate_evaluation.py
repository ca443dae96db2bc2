"""Two prompts weighed on the same labelled items, and whether the second one is worth keeping."""

from collections.abc import Iterable, Sequence

from workbench.calibration.classification_report import UNTESTED
from workbench.calibration.compare import ImprovementTest, balanced_figure, better, min_groups
from workbench.calibration.estimates import IntervalEstimate
from workbench.records.optimization import MetricInterval, Optimisation, StepFigures
from workbench.records.reference_sets import Prediction
from workbench.records.verdict import NO_REPLY, judge_outcome

LEFT_OUT_AT_MOST = 0.05
"""Of the dev items may be without an answer by either prompt; with more nothing is kept."""


def evaluate_prompt(predictions: Sequence[Prediction]) -> StepFigures:
    """The figures of one prompt on a part."""
    tested = _tested(predictions)
    usable = [prediction for prediction in tested if _counts(prediction)]
    truth, groups = _truth(usable), [prediction.group for prediction in usable]
    return StepFigures(
        n=len(usable),
        groups=len(set(groups)),
        left_out=len(tested) - len(usable),
        no_verdict=_count_without_verdict(usable),
        failed=sum(map(_failed, usable)),
        incumbent=_ranged(balanced_figure(_called_supported(usable), truth, groups)),
    )


def compare_prompts(
    first: Sequence[Prediction],
    second: Sequence[Prediction],
    *,
    looks: int = 1,
    alpha: float = 0.05,
) -> tuple[StepFigures, ImprovementTest]:
    """The second prompt against the first, on the items that it was asked about by both.

    No verdict counts as wrong for whoever gave none: a prompt must not gain by leaving hard items
    out. People's label is that of the second time.
    """
    first_by_item = {prediction.item: prediction for prediction in _tested(first)}
    second_by_item = {prediction.item: prediction for prediction in _tested(second)}
    pairs = [
        (first_by_item[item], prediction)
        for item, prediction in second_by_item.items()
        if item in first_by_item and _counts(prediction) and _counts(first_by_item[item])
    ]
    firsts, seconds = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    truth, groups = _truth(seconds), [item.group for item in seconds]
    improvement = better(
        _called_supported(firsts, truth),
        _called_supported(seconds, truth),
        truth,
        groups,
        looks=looks,
        alpha=alpha,
    )
    figures = StepFigures(
        n=len(pairs),
        groups=len(set(groups)),
        left_out=len(first_by_item.keys() | second_by_item.keys()) - len(pairs),
        no_verdict=_count_without_verdict(seconds),
        failed=sum(_failed(first) or _failed(second) for first, second in pairs),
        incumbent=_ranged(improvement.first),
        candidate=_ranged(improvement.second),
        difference=_ranged(improvement.difference),
        corrected=_ranged(improvement.corrected),
        confidence=improvement.confidence,
        swap_p=improvement.swap_p,
        put_right=improvement.comparison.only_second,
        broken=improvement.comparison.only_first,
    )
    return figures, improvement


def too_few(figures: StepFigures, series: Optimisation) -> str:
    """Why dev cannot tell whether any candidate is better, in one sentence; empty where it can."""
    if figures.incumbent.value is None:
        return (
            f"The {figures.n:,} dev items with an answer lack some that people labelled supported, "
            f"or some that they did not; label more. Until then, nothing is kept."
        )
    needed = min_groups(series.rounds, series.alpha)
    if figures.groups < needed:
        return (
            f"The {figures.n:,} dev items are in {figures.groups} independent groups; with "
            f"{series.rounds} rounds no gain can be told from chance on fewer than {needed}. "
            "Label items of other outputs, or allow fewer rounds."
        )
    return _missing(figures)


def accept_candidate(
    figures: StepFigures, improvement: ImprovementTest, series: Optimisation
) -> tuple[bool, str]:
    """Whether a candidate is kept, and why or why not, in one sentence."""
    problem = too_few(figures, series)
    if problem:
        return False, f"Not kept: {problem}"
    share = f"{100 * improvement.confidence:.4g} % interval"
    gain = f"{figures.difference.value or 0:+.3f}".replace("-", "\u2212")
    edges = f"{_edge(figures.corrected.low)} to {_edge(figures.corrected.high)}"
    if improvement.holds:
        return True, f"Kept: the gain of {gain} is above 0 in its {share} ({edges})."
    if improvement.corrected.low is None:
        return False, f"Not kept: there is no interval for the difference of {gain}."
    if improvement.corrected.low > 0:
        return False, (
            f"Not kept: the gain of {gain} is based on too few groups; the swap test gives p = "
            f"{improvement.swap_p:.4f}; the limit is {improvement.tail:.4f} is allowed."
        )
    return False, f"Not kept: the difference of {gain} may be chance, its {share} is {edges}."


def _missing(figures: StepFigures) -> str:
    total = figures.n + figures.left_out
    without = figures.left_out + figures.failed
    if without <= LEFT_OUT_AT_MOST * total:
        return ""
    return (
        f"{without:,} of {total:,} dev items have no answer, because the provider failed or was "
        f"not called; at most {LEFT_OUT_AT_MOST:.0%} may be missing."
    )


def _tested(predictions: Iterable[Prediction]) -> list[Prediction]:
    return [
        prediction
        for prediction in predictions
        if prediction.human not in UNTESTED and judge_outcome(prediction.error) != "no_source"
    ]


def _counts(prediction: Prediction) -> bool:
    """Whether the judge was asked; without a verdict the item counts as wrong."""
    return judge_outcome(prediction.error) != "not_asked"


def _failed(prediction: Prediction) -> bool:
    """Whether no reply came, which may be an outage of the provider."""
    return prediction.error in NO_REPLY


def _count_without_verdict(predictions: Iterable[Prediction]) -> int:
    return sum(prediction.error is not None for prediction in predictions)


def _truth(predictions: Iterable[Prediction]) -> list[bool]:
    return [prediction.human == "supported" for prediction in predictions]


def _called_supported(
    predictions: Sequence[Prediction], truth: Sequence[bool] | None = None
) -> list[bool]:
    """What is called supported; the contrary of the truth where there is no verdict."""
    return [
        not right if prediction.error else prediction.label == "supported"
        for prediction, right in zip(predictions, truth or _truth(predictions), strict=True)
    ]


def _ranged(figure: IntervalEstimate) -> MetricInterval:
    return MetricInterval(value=figure.value, low=figure.low, high=figure.high)


def _edge(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}".replace("-", "\u2212")
