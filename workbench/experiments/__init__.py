"""Judges over labelled items: how well one does on pairs, and what one says of kept items."""

from workbench.experiments.desk import (
    MOST_ROUNDS,
    Answers,
    Desk,
    Ending,
    Outcome,
    PartName,
    RoundProgress,
    spent,
)
from workbench.experiments.evaluate import (
    AT_ONCE,
    FOLDS,
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
    asked_of,
    judge_items,
    judging_cost,
)
from workbench.experiments.optimise import optimise
from workbench.experiments.propose import (
    Brief,
    Disagreement,
    LlmProposer,
    Proposal,
    Proposer,
    ScriptedProposer,
    open_proposer,
    proposals_cost_usd,
)
from workbench.experiments.repeats import repeated

__all__ = [
    "AT_ONCE",
    "Answers",
    "Brief",
    "Desk",
    "Disagreement",
    "Ending",
    "Evaluation",
    "FOLDS",
    "Judging",
    "JudgingCost",
    "LabelledPair",
    "LlmProposer",
    "MOST_ROUNDS",
    "Outcome",
    "PartName",
    "Proposal",
    "Proposer",
    "RoundProgress",
    "Scored",
    "ScriptedProposer",
    "asked_of",
    "decide",
    "evaluate",
    "judge_items",
    "judging_cost",
    "open_proposer",
    "optimise",
    "proposals_cost_usd",
    "read_pairs",
    "repeated",
    "spent",
    "summarise",
]
