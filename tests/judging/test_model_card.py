"""The model card's tables say what training measured."""

import json

import pytest

from workbench.judging.training.train import CARD, filled_card, sets_table
from workbench.shipped import JUDGE_DATA

FIGURES = {
    "own_examples_de pairs": 41, "own_examples_de supported": 0.5, "own_examples_de auroc": 0.7,
    "own_examples_de auroc, 95 % from": 0.61, "own_examples_de auroc, 95 % to": 0.79,
    "own_examples_de calibration error": 0.0, "own_examples_de labels agree": 1.0,
    "own_examples_de labels macro F1": 0.5,
}  # fmt: skip


def test_the_cards_tables_are_those_of_the_weights():
    assert filled_card() == (JUDGE_DATA / CARD).read_text("utf-8"), (
        "run python -m workbench.judging.training.train --data DATA --only card"
    )


def test_a_set_has_its_language_its_size_and_its_interval():
    last = sets_table(FIGURES, {"own_examples_de auroc": 0.45}).splitlines()[-1]
    assert last == (
        "| own_examples_de | German | 41, 50% | .700 [.610, .790] | .450 | .000 | 1.000 | .500 |"
    )


def test_a_card_without_marks_is_told(tmp_path):
    (tmp_path / CARD).write_text("# Card")
    (tmp_path / "weights.json").write_text(
        json.dumps({"words": {"figures": FIGURES}, "reading": {"figures": FIGURES}})
    )
    with pytest.raises(ValueError, match="sets: begin"):
        filled_card(tmp_path)
