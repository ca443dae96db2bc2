"""Intervals cover the true value as often as they promise, in the cells where that is hardest.

The cheap version of `tests/bench/bench_coverage.py`: fewer samples, so that a bound three binomial
standard errors below 93 % is required. Before, average precision covered .56 to .86 in these
cells, AUROC .65 to .88 and tuned PPI .83 to .86.
"""

import pytest

from tests.bench.bench_coverage import Cell, measure, too_low

REPLICATES = 120


@pytest.mark.parametrize(
    "cell",
    [
        Cell(n=50, share=0.5, correlation=0.3, area=0.96),
        Cell(n=50, share=0.95, correlation=0.3, area=0.85),
        Cell(n=200, share=0.9, correlation=0.3, area=0.96),
    ],
    ids=lambda cell: f"{cell.n} items, {cell.share:.0%} supported, AUROC {cell.area}",
)
def test_intervals_hold_the_true_value_in_lopsided_clustered_samples(cell):
    tallies = measure(cell, REPLICATES, seed=90125)
    failing = {
        name: round(tally.covered / tally.shown, 3)
        for name, tally in tallies.items()
        if too_low(tally, REPLICATES)
    }
    assert not failing
    # not by being so wide that they say nothing
    if cell.n == 200:
        assert tallies["auroc"].width / tallies["auroc"].shown < 0.2
        assert tallies["average precision"].width / tallies["average precision"].shown < 0.05
        assert all(tally.shown == REPLICATES for tally in tallies.values())
