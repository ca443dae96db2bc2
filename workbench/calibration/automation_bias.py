"""How far the judge pulls people: their decisions before and after its verdict was shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.calibration.estimates import ClusterBootstrap, IntervalEstimate
from workbench.records.review import BlindDecision

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomationBias:
    """What seeing the judge did to blind decisions."""

    shown: int
    """Decisions after which the judge was shown and that stand in some form."""
    unshown: int
    """Blind decisions after which it was not; they are not counted below."""
    before: IntervalEstimate
    """The share that agreed with the judge before it was shown."""
    after: IntervalEstimate
    """The share that agrees with it now."""
    shift: IntervalEstimate
    """`after` less `before`: above 0, people were drawn to the judge."""
    taken_over: IntervalEstimate
    """Of those who disagreed at first, the share that took over the judge's label."""
    turned_away: IntervalEstimate
    """Of those who agreed at first, the share that left the judge's label."""


def automation_bias(
    decisions: Sequence[BlindDecision], *, rounds: int = 1000, seed: int = 0
) -> AutomationBias:
    """What seeing the judge did to people's decisions.

    A decision that changed after the judge was shown need not have changed because of it: a second
    look alone changes some. Compare `taken_over` with `turned_away`. Figures are None where nothing
    was shown. Intervals are bootstrap over groups, the decisions of one group together.
    """
    import numpy as np

    seen_decisions = [decision for decision in decisions if decision.after is not None]
    rows = np.array(
        [
            [
                decision.first == decision.judge,
                decision.after == decision.judge,
                decision.first != decision.judge and decision.after == decision.judge,
                decision.first == decision.judge and decision.after != decision.judge,
                1,
            ]
            for decision in seen_decisions
        ],
        dtype=np.float64,
    ).reshape(-1, 5)
    sums = ClusterBootstrap(
        [decision.group or decision.item for decision in seen_decisions],
        rows,
        rounds=rounds,
        seed=seed,
    )
    agreed = int(rows[:, 0].sum())

    def figure(
        statistic: "Callable[[Rows], Rows]", n: int, difference: bool = False
    ) -> IntervalEstimate:
        def defined(drawn: "Rows") -> "Rows":
            with np.errstate(invalid="ignore", divide="ignore"):
                return statistic(drawn)

        return sums.figure(defined, n=n, difference=difference)

    number = len(seen_decisions)
    return AutomationBias(
        shown=number,
        unshown=len(decisions) - number,
        before=figure(lambda drawn: drawn[:, 0] / drawn[:, 4], number),
        after=figure(lambda drawn: drawn[:, 1] / drawn[:, 4], number),
        shift=figure(lambda drawn: (drawn[:, 1] - drawn[:, 0]) / drawn[:, 4], number, True),
        taken_over=figure(lambda drawn: drawn[:, 2] / (drawn[:, 4] - drawn[:, 0]), number - agreed),
        turned_away=figure(lambda drawn: drawn[:, 3] / drawn[:, 0], agreed),
    )
