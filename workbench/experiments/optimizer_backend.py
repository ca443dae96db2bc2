"""What a series that improves a prompt needs from where items are kept, and how it ends."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from workbench.experiments.proposers import Disagreement
from workbench.records.optimization import OptimisationStage, OptimisationStep
from workbench.records.prompts import Prompt
from workbench.records.reference_sets import Prediction

PartName = Literal["train", "dev"]
MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundProgress:
    """How far a series is."""

    round: int
    rounds: int
    stage: OptimisationStage
    done: int
    """Items that were judged in this stage just now."""
    cost_usd: float
    """Of the series so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """A judge's answers on a part by one prompt."""

    predictions: tuple[Prediction, ...]
    unjudged: int
    """Items that are still to be asked about."""
    stop_reason: str = ""
    """Why, in a sentence; empty where none are, or it was stopped."""


class OptimizerBackend(Protocol):
    """What a series needs from where the items are kept; it knows of train and dev alone."""

    def answers(
        self,
        prompt: Prompt,
        part: PartName,
        *,
        on_progress: Callable[[int, float], None],
    ) -> Answers:
        """What the judge says by a prompt, asked now where it was not before; kept as it comes."""

    def cost_usd(self, prompt_id: str) -> float:
        """What judging by a prompt cost since the series began."""

    def disagreements(
        self, predictions: Sequence[Prediction], round: int
    ) -> Sequence[Disagreement]:
        """Some of the train items on which judge and people disagree, as a proposer sees them."""

    def next_version(self) -> int:
        """The number that the next version under the series' name gets."""

    def keep(self, candidate: Prompt, incumbent: Prompt, reason: str) -> Prompt:
        """The candidate as it is kept: a new version."""

    def steps(self) -> Sequence[OptimisationStep]:
        """What happened so far."""

    def record(self, step: OptimisationStep) -> None:
        """Keep a step."""

    def prompt(self, prompt_id: str) -> Prompt:
        """A kept prompt."""


def spent(steps: Sequence[OptimisationStep], judged: Callable[[str], float], first: str) -> float:
    """What a series cost so far, in USD: its proposals, and judging by each prompt in it."""
    prompts = {first, *(step.candidate for step in steps if step.candidate)}
    return sum(step.cost_usd for step in steps if step.stage == "proposal") + sum(
        judged(prompt) for prompt in prompts
    )
