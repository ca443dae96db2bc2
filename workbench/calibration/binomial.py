"""Exact binomial tails and intervals, and quantiles of the normal and the t distribution."""

from collections.abc import Callable
from functools import lru_cache
from math import exp, lgamma, log, log1p, sqrt
from statistics import NormalDist

EXACT_INTERVAL = "exact binomial (Clopper–Pearson)"
WILSON_INTERVAL = "Wilson score"


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), to about 1e-12.

    Continued fraction by Lentz's method (DLMF 8.17.22).
    """
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            value *= step
        if abs(step - 1) < 1e-14:
            break
    return front * value


@lru_cache(maxsize=65_536)
def binomial_cdf(k: int, n: int, p: float) -> float:
    """P(X <= k) of a binomial X with n trials of chance p each."""
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    return incomplete_beta(n - k, k + 1, 1 - p)


def exact_interval(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The two-sided interval of a share, k of n (Clopper and Pearson 1934); it never undercovers.

    Raises:
        ValueError: There are no trials, or k is not among 0 … n.
    """
    _checked(k, n)
    tail = (1 - confidence) / 2
    low = 0.0 if k == 0 else _root(lambda p: 1 - binomial_cdf(k - 1, n, p) - tail)
    high = 1.0 if k == n else _root(lambda p: tail - binomial_cdf(k, n, p))
    return low, high


def upper_bound(k: int, n: int, confidence: float = 0.95) -> float:
    """The one-sided exact upper bound of a share: above it, k or fewer of n is too unlikely."""
    _checked(k, n)
    return 1.0 if k == n else _root(lambda p: (1 - confidence) - binomial_cdf(k, n, p))


def lower_bound(k: float, n: float, confidence: float = 0.95) -> float:
    """The one-sided exact lower bound of a share: below it, k or more of n is too unlikely.

    Clopper and Pearson 1934 in its beta form, I_p(k, n - k + 1) = 1 - confidence. With n an
    effective number of items, which need not be whole, that is Korn and Graubard's (1998) bound.
    """
    _checked(k, n)
    return 0.0 if k == 0 else _root(lambda p: incomplete_beta(k, n - k + 1, p) - (1 - confidence))


def wilson_interval(
    k: float, n: float, confidence: float = 0.95, *, quantile: float | None = None
) -> tuple[float, float]:
    """The interval of a share, k of n (Wilson 1927); close to its confidence on average.

    Args:
        k: Hits; need not be whole.
        n: Trials; may be an effective number.
        confidence: Of the interval.
        quantile: Used in place of the normal one, such as that of a t distribution.

    Raises:
        ValueError: There are no trials, or k is not among 0 … n.
    """
    if n <= 0 or not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a share")
    z = normal_quantile((1 + confidence) / 2) if quantile is None else quantile
    share, z2 = k / n, z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    # at the ends rounding would leave a trace of the other side
    return (
        0.0 if k == 0 else max(0.0, middle - half),
        1.0 if k == n else min(1.0, middle + half),
    )


def normal_quantile(p: float) -> float:
    """The value that a standard normal variable stays below with chance p."""
    return NormalDist().inv_cdf(p)


@lru_cache(maxsize=1024)
def t_quantile(p: float, freedom: float) -> float:
    """The value that a t variable with that many degrees of freedom stays below with chance p.

    P(T <= t) = 1 - I_{v / (v + t^2)}(v / 2, 1 / 2) / 2 for t >= 0; beyond 200 degrees the expansion
    in 1 / v of Abramowitz and Stegun 26.7.5, which is right to 1e-9 there.
    """
    if p < 0.5:
        return -t_quantile(1 - p, freedom)
    if freedom > 200:
        z, v = normal_quantile(p), freedom
        return (
            z
            + (z**3 + z) / (4 * v)
            + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
        )
    low, high = 0.0, 1.0

    def below(t: float) -> float:
        return 1 - incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2

    while below(high) < p:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < p else (low, middle)
    return (low + high) / 2


def _root(increasing: Callable[[float], float]) -> float:
    """Where a function that rises with the chance crosses zero, to 1e-12."""
    low, high = 0.0, 1.0
    for _ in range(48):
        middle = (low + high) / 2
        low, high = (middle, high) if increasing(middle) < 0 else (low, middle)
    return (low + high) / 2


def _checked(k: float, n: float) -> None:
    if n <= 0 or not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a share")
