"""The embedded judge's arithmetic, by hand."""

import pytest

from workbench.judging.mixture_model import Linear, Mixture, logistic, term


def test_the_mixture_by_hand():
    model = Mixture(
        experts={
            "articles": Linear(1.0, {"a": 2.0}),
            "extracts": Linear(0.0, {}),
            "general": Linear(-1.0, {}),
        },
        gate=Linear(0.0, {}),  # half and half
        order=Linear(0.0, {"b": -3.0}),
        scales={"articles": (1.0, 0.0), "extracts": (0.5, 0.2)},
    )
    values = {"a": 1.0, "b": 0.5}
    assert model.share(values) == 0.5
    # (1 + 2) / 2 + 0 / 2 - 0.5 * 1 - 3 * 0.5 = -0.5; slope 0.75, offset 0.1
    assert model.odds(values) == pytest.approx(-0.5)
    assert model.probability(values) == pytest.approx(logistic(0.75 * -0.5 + 0.1))
    assert Mixture.from_dict(model.to_dict()) == model


@pytest.mark.parametrize(
    ("name", "expected"), [("a", 0.7), ("a>0.5", 0.2), ("a>0.9", 0.0), ("b>0.0", 0.4)]
)
def test_a_weight_may_change_along_a_feature(name, expected):
    assert term({"a": 0.7, "b": 0.4}, name) == pytest.approx(expected)


def test_a_bent_sum_by_hand():
    bent = Linear(1.0, {"a": 2.0, "a>0.5": -2.0})  # rises to 2 at 0.5, then stays
    assert [bent({"a": x}) for x in (0.0, 0.5, 1.0)] == pytest.approx([1.0, 2.0, 2.0])


def test_logistic_does_not_overflow():
    assert 0.999 < logistic(1e9) <= 1
    assert 0 <= logistic(-1e9) < 0.001
