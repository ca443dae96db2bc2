"""How what is read becomes a score and a label, on rows whose answer is known."""

import json
import random
from dataclasses import asdict

import pytest

from workbench.judging.pair_reader import PairReading
from workbench.judging.reading_model import READ, ReadingModel, values_of
from workbench.judging.training.fit_reading import Row, fit_limits, fit_reading, fit_weights
from workbench.judging.training.statistics import macro_f1

FEATURES = {
    "numbers_rival": 0.0, "cover_window": 0.5, "numbers_missing": 0.0,
    "names_missing": 0.0, "noise": 0.0,
}  # fmt: skip


def row(number, label, read, against, noise=0.0):
    reading = PairReading(supported=read, contradicted=against, decisive=None)
    return Row(values_of({**FEATURES, "noise": noise}, reading), label, "wice", f"g{number}")


@pytest.fixture(scope="module")
def rows():
    """The encoder knows the label, and a third value does not."""
    generator = random.Random(1)
    drawn = []
    for number in range(300):
        label = ("supported", "not_supported", "contradicted")[number % 3]
        read = 2.0 if label == "supported" else -2.0
        against = 2.0 if label == "contradicted" else -2.0
        noise = [generator.gauss(0, 1) for _ in range(3)]
        drawn.append(row(number, label, read + noise[0], against + noise[1], noise[2]))
    return drawn


def test_the_part_that_knows_is_believed(rows):
    supported, contradicted = fit_weights(rows, (*READ, "noise"))
    assert supported.of["read"] > 3 * abs(supported.of["noise"])
    assert contradicted.of["read_against"] > 0.3


def test_figures_are_of_groups_that_the_weights_have_not_seen(rows):
    _, figures = fit_reading(rows, READ)
    assert figures["wice auroc, 95 % from"] < figures["wice auroc"] > 0.95
    assert figures["wice labels agree"] > 0.8
    # each row has a value of its own, by which weights that have seen it know its label
    names = [f"of {n}" for n in range(30)]
    known = [
        Row({**r.values, **dict.fromkeys(names, 0.0), names[n]: 1.0}, r.label, r.origin, r.group)
        for n, r in enumerate(rows[:30])
    ]
    _, figures = fit_reading(known, names)
    assert figures["wice auroc"] < 0.7


def test_limits_are_those_that_label_best():
    drawn = [
        row(n, label, 0, 0)
        for n, label in enumerate(["supported", "partially_supported", "not_supported"] * 20)
    ]
    limits = fit_limits(drawn, [(0.65, 0.0), (0.38, 0.0), (0.22, 0.0)] * 20)
    assert 0.22 < limits.partial_from <= 0.38 < limits.support_from <= 0.65


def test_a_model_comes_back_as_it_was_stored(rows):
    model, _ = fit_reading(rows, READ)
    stored = json.loads(json.dumps(asdict(model)))
    assert ReadingModel.from_dict(stored) == model


def test_macro_f1_counts_each_true_label_the_same():
    assert macro_f1(["a", "a", "a", "b"], ["a", "a", "a", "a"]) == pytest.approx(3 / 7)
