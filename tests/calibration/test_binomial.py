"""Exact tails and intervals against values from published tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.calibration.estimates import (
    binomial_cdf,
    exact_interval,
    lower_bound,
    t_quantile,
    wilson_interval,
)


def test_a_tail_is_the_sum_of_its_terms():
    # three heads or fewer in ten throws: (1 + 10 + 45 + 120) / 1024
    assert binomial_cdf(3, 10, 0.5) == pytest.approx(176 / 1024)
    assert binomial_cdf(-1, 10, 0.5) == 0
    assert binomial_cdf(10, 10, 0.5) == 1


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.30850),  # 1 - 0.025 ** (1 / 10)
        (8, 10, 0.44390, 0.97479),
        (10, 10, 0.69150, 1.0),
        (5, 100, 0.01643, 0.11283),
    ],
)
def test_the_exact_interval(k, n, low, high):
    assert exact_interval(k, n) == pytest.approx((low, high), abs=1e-5)


def test_the_rule_of_three():
    # none of 59 wrong: with 95 % confidence fewer than 5 % are
    assert 1 - lower_bound(59, 59) < 0.05 < 1 - lower_bound(58, 58)


def test_the_wilson_interval():
    assert wilson_interval(8, 10) == pytest.approx((0.49016, 0.94332), abs=1e-5)
    assert wilson_interval(0, 10)[0] == 0
    assert wilson_interval(10, 10)[1] == 1


@pytest.mark.parametrize(
    ("p", "freedom", "value"),
    [(0.975, 1, 12.70620), (0.975, 10, 2.22814), (0.95, 30, 1.69726), (0.975, 1000, 1.96234)],
)
def test_quantiles_of_t(p, freedom, value):
    assert t_quantile(p, freedom) == pytest.approx(value, abs=1e-5)
    assert t_quantile(1 - p, freedom) == pytest.approx(-value, abs=1e-5)


def test_the_expansion_of_t_meets_the_exact_form():
    assert t_quantile(0.9975, 200.0001) == pytest.approx(t_quantile(0.9975, 200), abs=1e-6)


@given(st.integers(1, 300), st.data())
def test_an_exact_interval_holds_its_share_and_its_tails(n, data):
    k = data.draw(st.integers(0, n))
    low, high = exact_interval(k, n)
    assert 0 <= low <= k / n <= high <= 1
    if k:
        assert 1 - binomial_cdf(k - 1, n, low) == pytest.approx(0.025, abs=1e-6)
    if k < n:
        assert binomial_cdf(k, n, high) == pytest.approx(0.025, abs=1e-6)


@pytest.mark.parametrize(("k", "n"), [(1, 0), (-1, 5), (6, 5)])
def test_what_is_no_share_is_refused(k, n):
    with pytest.raises(ValueError, match="not a share"):
        exact_interval(k, n)
