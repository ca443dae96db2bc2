"""How features and encoder are made one score, on rows whose answer is known."""

import random

import pytest

from workbench.judging.encoder.reader import PairReading
from workbench.judging.labels import LabelLimits, choose_read_label
from workbench.judging.mixture_model import logistic
from workbench.judging.reading_model import (
    SPEAKING_AGAINST,
    TERMS,
    FeatureOdds,
    ReadingModel,
    backed_share,
    reading_terms,
)
from workbench.judging.training.cross_validation import macro_f1
from workbench.judging.training.fit_reading import (
    ReadingRow,
    fit_limits,
    fit_reading,
    fit_weights,
    out_of_fold,
)

VALUES = {
    "numbers_rival": 0.0, "like_window": 0.0, "numbers_missing": 0.0, "names_missing": 0.0,
}  # fmt: skip


def row(number, label, read, against, features=0.0, origin="wice", kind=None, true=None):
    terms = reading_terms(
        FeatureOdds(supported=features, against=0.0, extracts=0.2, backed=0.0),
        PairReading(supported=read, contradicted=against, decisive=None),
    )
    return ReadingRow(
        tuple(terms[name] for name in TERMS), VALUES, label, origin, f"g{number}", kind, true
    )


@pytest.fixture(scope="module")
def rows():
    """The encoder knows the label and the features do not; made pairs follow their true claim."""
    generator = random.Random(1)
    drawn = []
    for number in range(300):
        label = ("supported", "not_supported", "contradicted")[number % 3]
        read = 2.0 if label == "supported" else -2.0
        against = 2.0 if label == "contradicted" else -2.0
        noise = [generator.gauss(0, 1) for _ in range(3)]
        drawn.append(row(number, label, read + noise[0], against + noise[1], noise[2]))
        if label == "supported":
            true, false = len(drawn) - 1, read - 3 + noise[1]
            drawn.append(row(number, "contradicted", false, against + 3, kind="number", true=true))
    return drawn


def test_the_part_that_knows_is_believed(rows):
    supported, contradicted = fit_weights(rows)
    assert supported.of["read"] > 3 * abs(supported.of["features"])
    assert contradicted.of["read_against"] > 0.3


def test_no_row_is_scored_by_weights_that_saw_its_group(rows):
    whole = fit_weights(rows)[0]
    unseen = out_of_fold(rows)
    seen = [logistic(whole(dict(zip(TERMS, row.terms, strict=True)))) for row in rows]
    assert all(a != pytest.approx(b, abs=1e-9) for (a, _), b in zip(unseen, seen, strict=True))


def test_figures_are_told_by_set_and_kind(rows):
    _, figures = fit_reading(rows)
    assert figures["wice auroc"] > 0.95
    assert figures["wice auroc, 95 % from"] < figures["wice auroc"]
    assert figures["wice number"] > 0.95
    assert figures["wice labels agree"] > 0.8


@pytest.mark.parametrize(
    ("changed", "backed"),
    [
        ({}, 0.75),
        ({"cover_all": 0.6}, 0.0),
        ({"cover_all": 1.0}, 1.0),
        ({"numbers_missing": 1.0}, 0.0),
        ({"names_missing": 2.0}, 0.0),
        ({"numbers_rival": 1.0}, 0.0),
        ({"opposites": 1.0}, 0.0),
        ({"negation_differs": 1.0}, 0.0),
        ({"polarity_sentence": 1.0}, 0.0),
    ],
)
def test_a_claim_is_backed_as_far_as_it_is_there_and_nothing_speaks_against_it(changed, backed):
    # (0.9 - 0.6) / 0.4 = 0.75
    values = {**dict.fromkeys(SPEAKING_AGAINST, 0.0), "cover_all": 0.9, **changed}
    assert backed_share(values) == pytest.approx(backed)


def test_limits_that_find_support_in_foreign_sources_are_left_out():
    labelled = [row(n, label, 0, 0) for n, label in enumerate(["supported", "not_supported"] * 30)]
    foreign = [row(n, "not_supported", 0, 0, kind="foreign", true=0) for n in range(60, 70)]
    best = [(0.4, 0.0), (0.2, 0.0)] * 30
    assert fit_limits(labelled, best).support_from <= 0.4
    # the foreign sources score as the supported claims do
    assert fit_limits([*labelled, *foreign], [*best, *[(0.4, 0.0)] * 10]).partial_from > 0.4


def test_limits_are_those_that_label_best():
    rows = [row(n, label, 0, 0) for n, label in enumerate(["supported", "not_supported"] * 30)]
    limits = fit_limits(rows, [(0.65, 0.0), (0.35, 0.0)] * 30)
    assert 0.35 < limits.partial_from <= limits.support_from <= 0.65


@pytest.mark.parametrize(
    ("score", "against", "label"),
    [(0.7, 0.1, "supported"), (0.4, 0.1, "partially_supported"), (0.1, 0.1, "not_supported"),
     (0.1, 0.8, "contradicted"), (0.9, 0.8, "supported")],
)  # fmt: skip
def test_a_label_follows_its_limits(score, against, label):
    limits = LabelLimits(support_from=0.6, partial_from=0.3, against_from=0.7)
    assert choose_read_label(VALUES, score, (1 - score) * against, limits) == label


@pytest.mark.parametrize("name", ["numbers_missing", "names_missing"])
def test_what_the_source_lacks_leaves_a_claim_partially_supported(name):
    limits = LabelLimits(support_from=0.6, partial_from=0.3, against_from=0.7)
    values = {**VALUES, name: 1.0}
    assert choose_read_label(values, 0.7, 0.1, limits) == "partially_supported"
    assert choose_read_label(values, 0.9, 0.1, limits) == "supported"


def test_a_model_comes_back_as_it_was_stored(rows):
    model, _ = fit_reading(rows)
    stored = model.to_dict()
    assert ReadingModel.from_dict(stored).to_dict() == stored


def test_macro_f1_counts_each_true_label_the_same():
    assert macro_f1(["a", "a", "a", "b"], ["a", "a", "a", "a"]) == pytest.approx(3 / 7)
