"""What a model's outputs mean, whatever their order and names."""

import math

import pytest

from workbench.errors import UnknownJudge
from workbench.judging.nli.spec import read_labels

E25 = math.exp(2.5)


@pytest.mark.parametrize(
    ("names", "outputs", "support", "contradiction", "top"),
    [
        # e^2.5 / (e^2.5 + 2) = .859 for the first, 1 / (e^2.5 + 2) = .071 for each other
        (("entailment", "neutral", "contradiction"), (2.5, 0, 0), 0.859, 0.071, "support"),
        (("contradiction", "entailment", "neutral"), (0, 2.5, 0), 0.859, 0.071, "support"),
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), (2.5, 0, 0), 0.071, 0.859, "contradiction"),
        (("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"), (0, 0, 2.5), 0.071, 0.071, "neutral"),
        (("Supported", "Refuted", "nei"), (2.5, 0, 0), 0.859, 0.071, "support"),
        # two classes: e^2.5 / (e^2.5 + 1) = .924; the other one is never a contradiction
        (("entailment", "not_entailment"), (2.5, 0), 0.924, 0, "support"),
        (("unsupported", "supported"), (2.5, 0), 0.076, 0, "unsupported"),
        (("hallucinated", "consistent"), (0, 2.5), 0.924, 0, "support"),
        (("entailment", "contradiction"), (0, 2.5), 0.076, 0, "unsupported"),
        # a tie is not support
        (("unsupported", "supported"), (1, 1), 0.5, 0, "unsupported"),
        # one number: 1 / (1 + e^-2.5) = .924
        (("LABEL_0",), (2.5,), 0.924, 0, "support"),
        (("hallucination",), (2.5,), 0.076, 0, "unsupported"),
    ],
)
def test_classes_are_read_by_their_names(names, outputs, support, contradiction, top):
    probabilities = read_labels(names).read(outputs)
    assert probabilities.support == pytest.approx(support, abs=0.001)
    assert probabilities.contradiction == pytest.approx(contradiction, abs=0.001)
    assert probabilities.top == top


def test_probabilities_are_taken_as_they_are():
    probabilities = read_labels(("neutral", "entailment")).read((0.3, 0.7), are_probabilities=True)
    assert probabilities.support == 0.7


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ("LABEL_0", "LABEL_1", "LABEL_2"),
            "does not say what they mean: name them in their order",
        ),
        (("0", "1"), "does not say what they mean"),
        (("positive", "negative"), "class 'positive' is not known"),
        (("neutral", "contradiction"), "not one for support"),
        (("supported", "consistent", "neutral"), "not one for support"),
    ],
)
def test_classes_that_say_nothing_are_refused(names, message):
    with pytest.raises(UnknownJudge, match=message):
        read_labels(names)


def test_outputs_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="finite"):
        read_labels(("entailment", "neutral")).read((math.nan, 1.0))


def test_large_outputs_do_not_overflow():
    assert read_labels(("supported", "unsupported")).read((4000.0, -4000.0)).support == 1.0
    assert read_labels(("score",)).read((-4000.0,)).support == pytest.approx(0.0)
