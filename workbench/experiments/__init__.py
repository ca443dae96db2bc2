"""Judges over labelled items: how well one does on pairs, and what one says of kept items."""

from workbench.experiments.evaluate import (
    AT_ONCE,
    FOLDS,
    ROUNDS,
    Evaluation,
    LabelledPair,
    Scored,
    decide,
    evaluate,
    read_pairs,
    summarise,
)
from workbench.experiments.judge_items import (
    Judging,
    JudgingCost,
    judge_items,
    judging_cost,
)

__all__ = [
    "AT_ONCE",
    "Evaluation",
    "FOLDS",
    "Judging",
    "JudgingCost",
    "LabelledPair",
    "ROUNDS",
    "Scored",
    "decide",
    "evaluate",
    "judge_items",
    "judging_cost",
    "read_pairs",
    "summarise",
]
