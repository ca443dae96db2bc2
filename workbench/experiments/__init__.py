"""Judges over labelled items: how well one does on pairs, and what one says of kept items."""

from workbench.experiments.evaluate import (
    AT_ONCE,
    FOLDS,
    EvaluatedPair,
    Evaluation,
    LabelledPair,
    decide,
    evaluate,
    read_pairs,
    summarise,
)
from workbench.experiments.judge_items import (
    JudgingCost,
    JudgingResult,
    asked_of,
    judge_items,
    judging_cost,
)
from workbench.experiments.leakage_check import leaks_training_text
from workbench.experiments.optimise import optimise
from workbench.experiments.optimizer_backend import (
    MOST_ROUNDS,
    Answers,
    OptimizerBackend,
    PartName,
    RoundProgress,
    spent,
)
from workbench.experiments.proposers import (
    Disagreement,
    LlmProposer,
    Proposal,
    ProposalRequest,
    Proposer,
    ScriptedProposer,
    open_proposer,
    proposals_cost_usd,
)

__all__ = [
    "AT_ONCE",
    "Answers",
    "Disagreement",
    "EvaluatedPair",
    "Evaluation",
    "FOLDS",
    "JudgingCost",
    "JudgingResult",
    "LabelledPair",
    "LlmProposer",
    "MOST_ROUNDS",
    "OptimizerBackend",
    "PartName",
    "Proposal",
    "ProposalRequest",
    "Proposer",
    "RoundProgress",
    "ScriptedProposer",
    "asked_of",
    "decide",
    "evaluate",
    "judge_items",
    "judging_cost",
    "leaks_training_text",
    "open_proposer",
    "optimise",
    "proposals_cost_usd",
    "read_pairs",
    "spent",
    "summarise",
]
