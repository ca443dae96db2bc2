"""How often 95 % intervals hold the true value, and how wide they are, cell by cell.

Run: python tests/bench/bench_coverage.py [--replicates 1000] [--seed 20261] [--small]

A cell is a number of items, a share of positives, an intra-class correlation (documents of five
items; each item its own document at 0) and a judge's true AUROC. Labels and scores are drawn from
normal variables that items of a document share in part; positives score higher. Every figure comes
from the functions that the product shows. An interval that is withheld is counted apart. Ends with
1 when coverage in a cell where intervals are shown in a tenth of the samples or more lies below
93 % by more than chance explains (three binomial standard errors).
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import NormalDist

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from workbench.calibration.classification_report import _kappa, _mcc
from workbench.calibration.estimates import ClusterBootstrap, IntervalEstimate, share_of
from workbench.calibration.metrics import (
    KAPPA,
    auroc_figure,
    average_precision_figure,
    chance_corrected,
)
from workbench.calibration.prevalence import estimate_prevalence
from workbench.calibration.two_classes import balanced_accuracy_figure, f1_figure

NORMAL = NormalDist()
EACH = 5
UNLABELLED = 1500
TARGET = 0.93
SHOWN = 0.1
SIZES, SHARES, CORRELATIONS, AREAS = (
    (50, 100, 200, 500),
    (0.5, 0.7, 0.9, 0.95),
    (0.0, 0.3),
    (0.7, 0.85, 0.96),
)
SMALL = ((50, 200), (0.5, 0.9, 0.95), (0.3,), (0.85, 0.96))


@dataclass(frozen=True)
class Cell:
    n: int
    share: float
    correlation: float
    area: float

    @property
    def shift(self) -> float:
        """How much higher positives score, in standard deviations."""
        return sqrt(2) * NORMAL.inv_cdf(self.area)

    @property
    def right(self) -> float:
        """The sensitivity, and the specificity, of deciding half way between the classes."""
        return NORMAL.cdf(self.shift / 2)


@dataclass
class Sample:
    scores: np.ndarray
    positive: np.ndarray
    groups: np.ndarray
    decided: np.ndarray
    second: np.ndarray
    """What another judge of the same quality decides, on its own errors."""


def clustered(world: np.random.Generator, n: int, correlation: float) -> np.ndarray:
    if not correlation:
        return world.normal(size=n)
    shared = np.repeat(world.normal(size=-(-n // EACH)), EACH)[:n]
    return sqrt(correlation) * shared + sqrt(1 - correlation) * world.normal(size=n)


def draw(world: np.random.Generator, cell: Cell, n: int) -> Sample:
    positive = clustered(world, n, cell.correlation) < NORMAL.inv_cdf(cell.share)
    scores = clustered(world, n, cell.correlation) + cell.shift * positive
    groups = np.arange(n) // EACH if cell.correlation else np.arange(n)
    other = clustered(world, n, cell.correlation) + cell.shift * positive
    return Sample(scores, positive, groups, scores >= cell.shift / 2, other >= cell.shift / 2)


def true_values(cell: Cell) -> dict[str, float]:
    """What the figures would be on all items there could ever be."""
    p, right = cell.share, cell.right
    cuts = np.linspace(-8, 8 + cell.shift, 20_001)
    true_positive_rates = np.array([1 - NORMAL.cdf(cut - cell.shift) for cut in cuts])
    false = np.array([1 - NORMAL.cdf(cut) for cut in cuts])
    precision = (
        p * true_positive_rates / np.maximum(p * true_positive_rates + (1 - p) * false, 1e-300)
    )
    positive_rate = p * right + (1 - p) * (1 - right)
    observed, by_chance = right, p * positive_rate + (1 - p) * (1 - positive_rate)
    # two judges that err apart: both right or both wrong is the same label
    people_agree = right**2 + (1 - right) ** 2
    people_by_chance = positive_rate**2 + (1 - positive_rate) ** 2
    covariance = p * right - p * positive_rate
    return {
        "auroc": cell.area,
        "average precision": float(
            -np.sum((precision[1:] + precision[:-1]) / 2 * np.diff(true_positive_rates))
        ),
        "balanced accuracy": right,
        "f1": 2 * p * right / (positive_rate + p),
        "accuracy": right,
        "kappa": (observed - by_chance) / (1 - by_chance),
        "mcc": covariance / sqrt(p * (1 - p) * positive_rate * (1 - positive_rate)),
        "kappa of two people": (people_agree - people_by_chance) / (1 - people_by_chance),
        "rate, labels alone": p,
        "rate, PPI": p,
        "rate, tuned PPI": p,
    }


def figures(world: np.random.Generator, cell: Cell) -> Iterator[tuple[str, IntervalEstimate]]:
    sample = draw(world, cell, cell.n + UNLABELLED)
    n = cell.n
    s, y, g, d = (
        part[:n] for part in (sample.scores, sample.positive, sample.groups, sample.decided)
    )
    yield "auroc", auroc_figure(s, y, g)
    yield "average precision", average_precision_figure(s, y, g)
    yield "balanced accuracy", balanced_accuracy_figure(d, y, g)
    yield "f1", f1_figure(d, y, g)
    people, judge = y.astype(np.int64), d.astype(np.int64)
    yield "kappa", _kappa(people, judge, g)
    yield "mcc", _mcc(d, y, g)
    pairs = np.eye(4)[2 * judge + sample.second[:n]]
    yield (
        "kappa of two people",
        chance_corrected(ClusterBootstrap(g, pairs), KAPPA, lambda rows: rows.reshape(-1, 2, 2)),
    )
    right = share_of(d == y, g)
    assert right is not None
    yield "accuracy", right.figure
    estimate = estimate_prevalence(
        judged=d.astype(float),
        truth=y,
        groups=g,
        unlabelled=sample.decided[n:].astype(float),
        unlabelled_groups=sample.groups[n:] - sample.groups[n],
    )
    alone = share_of(y, g)
    assert alone is not None
    yield "rate, labels alone", alone.figure
    yield "rate, PPI", estimate.ppi
    yield "rate, tuned PPI", estimate.tuned


@dataclass
class Tally:
    covered: int = 0
    shown: int = 0
    above: int = 0
    """Intervals that lie above the true value whole."""
    width: float = 0.0

    def add(self, figure: IntervalEstimate, truth: float) -> None:
        if figure.low is None or figure.high is None:
            return
        self.shown += 1
        self.covered += figure.low <= truth <= figure.high
        self.above += figure.low > truth
        self.width += figure.high - figure.low


def measure(cell: Cell, replicates: int, seed: int) -> dict[str, Tally]:
    """The tally of each figure over that many samples of a cell."""
    world = np.random.default_rng([seed, cell.n, round(cell.share * 100), round(cell.area * 100)])
    truths = true_values(cell)
    tallies: dict[str, Tally] = {name: Tally() for name in truths}
    for _ in range(replicates):
        for name, figure in figures(world, cell):
            tallies[name].add(figure, truths[name])
    return tallies


def too_low(tally: Tally, replicates: int) -> bool:
    """Whether coverage lies below the target by more than chance explains."""
    if tally.shown < SHOWN * replicates:
        return False
    noise = 3 * sqrt(TARGET * (1 - TARGET) / tally.shown)
    return tally.covered / tally.shown < TARGET - noise


def cells(small: bool) -> Iterator[Cell]:
    sizes, shares, correlations, areas = SMALL if small else (SIZES, SHARES, CORRELATIONS, AREAS)
    for correlation in correlations:
        for area in areas:
            for share in shares:
                for n in sizes:
                    yield Cell(n, share, correlation, area)


def main(write_line: Callable[[str], None] = print) -> int:
    """Print a line a figure and cell; 1 where coverage is too low."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261)
    parser.add_argument("--small", action="store_true", help="the twelve hardest cells")
    options = parser.parse_args()
    failed = 0
    write_line(
        "correlation  AUROC  positive    n  figure               coverage  above  width  shown"
    )
    for cell in cells(*options.small):
        for name, tally in measure(cell, options.replicates, options.seed).items():
            if not tally.shown:
                continue
            bad = too_low(tally, options.replicates)
            failed += bad
            write_line(
                f"{cell.correlation:>11}  {cell.area:>5}  {cell.share:>8}  {cell.n:>3}  {name:<20} "
                f"{tally.covered / tally.shown:>8.3f}  {tally.above / tally.shown:>5.3f}  "
                f"{tally.width / tally.shown:.3f}  {tally.shown / options.replicates:>5.2f}"
                + ("  too low" if bad else "")
            )
    write_line(f"{failed} too low")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
