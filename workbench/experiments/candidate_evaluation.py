"""Two prompts weighed on the same labelled items, and whether the second one is worth keeping."""

from collections.abc import Iterable, Sequence

from workbench.calibration import (
    UNTESTED,
    ImprovementTest,
    IntervalEstimate,
    balanced_figure,
    better,
    min_groups,
)
from workbench.records import (
    NO_REPLY,
    MetricInterval,
    Optimisation,
    Prediction,
    StepFigures,
    judge_outcome,
)

LEFT_OUT_AT_MOST = 0.05
"""Of the dev items may be without an answer by either prompt; with more nothing is kept."""


def evaluate_prompt(said: Sequence[Prediction]) -> StepFigures:
    """The figures of one prompt on a part."""
    tested = _tested(said)
    usable = [one for one in tested if _counts(one)]
    truth, groups = _truth(usable), [one.group for one in usable]
    return StepFigures(
        n=len(usable),
        groups=len(set(groups)),
        left_out=len(tested) - len(usable),
        no_verdict=_without(usable),
        failed=sum(map(_failed, usable)),
        incumbent=_ranged(balanced_figure(_called(usable), truth, groups)),
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
    before = {one.item: one for one in _tested(first)}
    after = {one.item: one for one in _tested(second)}
    both = [
        (before[item], one)
        for item, one in after.items()
        if item in before and _counts(one) and _counts(before[item])
    ]
    one, other = [pair[0] for pair in both], [pair[1] for pair in both]
    truth, groups = _truth(other), [item.group for item in other]
    found = better(
        _called(one, truth), _called(other, truth), truth, groups, looks=looks, alpha=alpha
    )
    figures = StepFigures(
        n=len(both),
        groups=len(set(groups)),
        left_out=len(before.keys() | after.keys()) - len(both),
        no_verdict=_without(other),
        failed=sum(_failed(first) or _failed(second) for first, second in both),
        incumbent=_ranged(found.first),
        candidate=_ranged(found.second),
        difference=_ranged(found.difference),
        corrected=_ranged(found.corrected),
        confidence=found.confidence,
        swap_p=found.swap_p,
        put_right=found.comparison.only_second,
        broken=found.comparison.only_first,
    )
    return figures, found


def too_few(figures: StepFigures, series: Optimisation) -> str:
    """Why dev cannot tell whether any candidate is better, in one sentence; empty where it can."""
    if figures.incumbent.value is None:
        return (
            f"The {figures.n:,} dev items with an answer lack some that people call supported, or "
            "some that they do not; label more, and nothing is kept until then."
        )
    needed = min_groups(series.rounds, series.alpha)
    if figures.groups < needed:
        return (
            f"The {figures.n:,} dev items stand in {figures.groups} groups that are independent; "
            f"with {series.rounds} rounds no gain can be told from chance on fewer than {needed}. "
            "Label items of other outputs, or allow fewer rounds."
        )
    return _missing(figures)


def accept_candidate(
    figures: StepFigures, found: ImprovementTest, series: Optimisation
) -> tuple[bool, str]:
    """Whether a candidate is kept, and why or why not, in one sentence."""
    problem = too_few(figures, series)
    if problem:
        return False, f"Not kept: {problem}"
    share = f"{100 * found.confidence:.4g} % interval"
    gain = f"{figures.difference.value or 0:+.3f}".replace("-", "\u2212")
    edges = f"{_edge(figures.corrected.low)} to {_edge(figures.corrected.high)}"
    if found.holds:
        return True, f"Kept: the gain of {gain} lies above 0 in its {share} ({edges})."
    if found.corrected.low is None:
        return False, f"Not kept: there is no interval for the difference of {gain}."
    if found.corrected.low > 0:
        return False, (
            f"Not kept: the gain of {gain} rests on too few groups; by the swap test it is chance "
            f"with p = {found.swap_p:.4f}, and {found.tail:.4f} is allowed."
        )
    return False, f"Not kept: the difference of {gain} may be chance, its {share} is {edges}."


def _missing(figures: StepFigures) -> str:
    whole = figures.n + figures.left_out
    without = figures.left_out + figures.failed
    if without <= LEFT_OUT_AT_MOST * whole:
        return ""
    return (
        f"{without:,} of {whole:,} dev items have no answer, since the provider failed or "
        f"was not asked; at most {LEFT_OUT_AT_MOST:.0%} may be missing."
    )


def _tested(said: Iterable[Prediction]) -> list[Prediction]:
    return [
        one for one in said if one.human not in UNTESTED and judge_outcome(one.error) != "no_source"
    ]


def _counts(one: Prediction) -> bool:
    """Whether the judge was asked; without a verdict the item counts as wrong."""
    return judge_outcome(one.error) != "not_asked"


def _failed(one: Prediction) -> bool:
    """Whether no reply came, which may be an outage of the provider."""
    return one.error in NO_REPLY


def _without(said: Iterable[Prediction]) -> int:
    return sum(one.error is not None for one in said)


def _truth(said: Iterable[Prediction]) -> list[bool]:
    return [one.human == "supported" for one in said]


def _called(said: Sequence[Prediction], truth: Sequence[bool] | None = None) -> list[bool]:
    """What is called supported; the contrary of the truth where there is no verdict."""
    return [
        not right if one.error else one.label == "supported"
        for one, right in zip(said, truth or _truth(said), strict=True)
    ]


def _ranged(figure: IntervalEstimate) -> MetricInterval:
    return MetricInterval(value=figure.value, low=figure.low, high=figure.high)


def _edge(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}".replace("-", "\u2212")
