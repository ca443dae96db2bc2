"""The optional reader: its tokens can be checked by hand, and the judge works without it."""

import pytest

from workbench.judging.mixture import Linear, Mixture, logistic, logit
from workbench.judging.reader import load_reader, word_pieces

IDS = {
    word: i
    for i, word in enumerate(
        ["[UNK]", "[CLS]", "[SEP]", "un", "##believ", "##able", "cafe", "!", "桥", "1932", "_"]
    )
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Unbelievable!", [3, 4, 5, 7]),
        ("Café", [6]),
        ("桥1932", [8, 9]),
        ("xyz", [0]),
        ("a" * 200, [0]),
        ("", []),
        ("\u200b \x00", []),
    ],
)
def test_word_pieces(text, expected):
    assert word_pieces(text, IDS) == expected


def test_without_its_files_there_is_no_reader(tmp_path):
    assert load_reader(tmp_path) is None


def test_the_mixture_by_hand():
    model = Mixture(
        experts={
            "articles": Linear(1.0, {"a": 2.0}),
            "extracts": Linear(0.0, {}),
            "general": Linear(-1.0, {}),
        },
        gate=Linear(0.0, {}),  # half and half
        penalty=Linear(0.0, {"b": -3.0}),
        scales={"articles": (1.0, 0.0), "extracts": (0.5, 0.2)},
    )
    values = {"a": 1.0, "b": 0.5}
    # (1 + 2) / 2 + 0 / 2 - 0.5 * 1 = 1; with the penalty -0.5; slope 0.75, offset 0.1
    assert model.base(values) == pytest.approx(1.0)
    assert model.odds(values) == pytest.approx(-0.5)
    assert model.probability(values) == pytest.approx(logistic(0.75 * -0.5 + 0.1))
    assert Mixture.from_dict(model.to_dict()) == model


def test_logit_and_logistic_undo_each_other():
    assert logistic(logit(0.3)) == pytest.approx(0.3)
    assert logistic(1e9) <= 1
    assert logit(0.0) < -20
