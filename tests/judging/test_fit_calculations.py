"""Weights of calculations: fitted to lines that name their operands, and shipped as they were fitted."""

import gzip
import json

import pytest

from workbench.judging.training.fit_calculations import (
    LINES,
    fit_matches,
    fit_steps,
    read_line,
    score,
)
from workbench.language.calculation_fit import fitted_weights


@pytest.fixture(scope="module")
def lines():
    with gzip.open(LINES, "rt", encoding="utf-8") as file:
        return [read_line(json.loads(row)) for row, _ in zip(file, range(40), strict=False)]


def test_the_named_operands_come_first_where_the_fit_has_seen_them(lines):
    score(lines, fit_steps(lines))
    firsts = [
        right[max(range(len(right)), key=lambda n: found.steps[n].score)]
        for line in lines if line.follows
        for found, right in zip(line.figures, line.right, strict=True) if any(right)
    ]  # fmt: skip
    assert len(firsts) > 10
    assert sum(firsts) > 0.8 * len(firsts)


def test_being_ahead_of_other_steps_speaks_for_a_match(lines):
    assert fit_matches(lines)["ahead of others"] > 0
    assert fitted_weights()["match"]["ahead of others"] > 0
