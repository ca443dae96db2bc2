"""Improve a prompt in rounds: propose an edit, judge by it, keep it only for a gain beyond chance.

Each round an edit is proposed from train items on which judge and people disagree. A candidate that
is not worse on train is judged on dev, and takes the prompt's place only where the gain in balanced
accuracy lies above 0 in an interval that is corrected for how often the series may look at dev. The
test part is never asked for. Every step is kept as it happens: a series that was stopped continues
where it was.
"""

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from workbench.errors import JudgeError, UsageError
from workbench.experiments.candidate_evaluation import (
    accept_candidate,
    compare_prompts,
    evaluate_prompt,
    too_few,
)
from workbench.experiments.proposers import Disagreement, Proposal, ProposalRequest, Proposer
from workbench.judging.budget import Budget
from workbench.judging.judge import run_sync
from workbench.records.optimization import (
    Optimisation,
    OptimisationStage,
    OptimisationStep,
    StepFigures,
    StopOutcome,
    StopReason,
)
from workbench.records.prompts import Prompt, checked_prompt, template_variables
from workbench.records.reference_sets import Prediction
from workbench.records.spending import PricedCall

LONGEST = 40
"""So many letters in a row, or a whole text from `SHORTEST` letters on, are no coincidence."""
SHORTEST = 20
DENSE = 14
"""The same for scripts that write a word with a letter or two."""
_GAP = re.compile(r"[\W_]+")


def leaks_training_text(proposed: str, before: str, texts: Iterable[str]) -> bool:
    """Whether what is proposed repeats a run of letters of any text that was not in `before`.

    Case, spaces and punctuation count for nothing.
    """
    new, old = _plain(proposed), _plain(before)
    for text in texts:
        plain_text = _plain(text)
        longest = (
            DENSE if sum(char > "\u2e80" for char in plain_text) * 2 > len(plain_text) else LONGEST
        )
        if len(plain_text) < longest:
            if (
                len(plain_text) >= min(SHORTEST, longest)
                and plain_text in new
                and plain_text not in old
            ):
                return True
            continue
        runs = {plain_text[at : at + longest] for at in range(len(plain_text) - longest + 1)}
        if any(
            new[at : at + longest] in runs and new[at : at + longest] not in old
            for at in range(len(new) - longest + 1)
        ):
            return True
    return False


def _plain(text: str) -> str:
    return _GAP.sub(" ", text.casefold()).strip()


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


def optimise(
    series: Optimisation,
    proposer: Proposer,
    desk: OptimizerBackend,
    *,
    budget: Budget | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[RoundProgress], None] | None = None,
) -> StopReason:
    """Why the series ended or paused; what it did is in the desk's steps.

    Args:
        series: What was asked for.
        proposer: Who proposes edits.
        desk: Where items are judged and steps kept.
        budget: The money of everything in the series, earlier calls of it included; the desk
            spends from the same one. No cap without it.
        cancel: Pauses it.
        on_progress: Called after each item.

    Raises:
        UsageError: A judge cannot be opened, or the prompt is no longer there.
    """
    return _OptimizationLoop(series, proposer, desk, budget or Budget(), cancel, on_progress).run()


class _Paused(Exception):
    """Nothing more can be done for now."""

    def __init__(self, outcome: StopOutcome, sentence: str) -> None:
        super().__init__(sentence)
        self.ending = StopReason(outcome=outcome, sentence=sentence)


class _OptimizationLoop:
    def __init__(
        self,
        series: Optimisation,
        proposer: Proposer,
        desk: OptimizerBackend,
        budget: Budget,
        cancel: threading.Event | None,
        on_progress: Callable[[RoundProgress], None] | None,
    ) -> None:
        self.series, self.proposer, self.desk, self.budget = series, proposer, desk, budget
        self.cancel = cancel or threading.Event()
        self.on_progress = on_progress
        self.steps = list(desk.steps())
        self.incumbent = desk.prompt(series.prompt)

    def run(self) -> StopReason:
        try:
            self._begin()
            for number in range(1, self.series.rounds + 1):
                ending = self._round(number)
                if ending:
                    return ending
        except _Paused as paused:
            return paused.ending
        return StopReason(outcome="done", sentence=f"All {self.series.rounds} rounds were run.")

    # -- stages -----------------------------------------------------------------------------

    def _begin(self) -> None:
        parts: tuple[PartName, ...] = ("train", "dev")
        for part in parts:
            if self._step(0, part) is None:
                predictions = self._judge_part(0, part, self.incumbent)
                measured = evaluate_prompt(predictions)
                self._record(0, part, "measured", self.incumbent, figures=measured)
        dev = self._step(0, "dev")
        figures = dev.figures if dev else None
        problem = too_few(figures, self.series) if figures else None
        if problem:
            raise _Paused("impossible", problem)

    def _round(self, number: int) -> StopReason | None:
        proposed = self._step(number, "proposal")
        if proposed is None or proposed.state == "failed":
            proposed = self._propose(number)
        if proposed.state == "exhausted":
            return StopReason(outcome="done", sentence=proposed.why)
        if proposed.state == "failed":
            return StopReason(outcome="failed", sentence=proposed.why)
        if proposed.state != "proposed":
            return None
        candidate = _with_values(
            self.series.name, proposed.version, proposed.template, self.incumbent
        )
        if self.series.screen and not self._screened(number, candidate):
            return None
        self._on_dev(number, candidate, proposed.reason)
        return None

    def _propose(self, number: int) -> OptimisationStep:
        predictions = self._judge_part(number, "proposal", self.incumbent, part="train")
        disagreements = tuple(self.desk.disagreements(predictions, number))
        if not disagreements:
            raise _Paused(
                "done",
                "The judge and people disagree on no item of the train part: there is nothing to "
                "learn an edit from.",
            )
        tried = [step.reason for step in self._tried() if step.reason]
        brief = ProposalRequest(
            round=number, prompt=self.incumbent, disagreements=disagreements, tried=tuple(tried)
        )
        proposal = self._paid_proposal(brief)
        version = self.desk.next_version()
        candidate, problem = self._draft(proposal, version, disagreements)
        state = "refused" if proposal.state == "proposed" and problem else proposal.state
        step = OptimisationStep(
            round=number,
            stage="proposal",
            state=state,
            incumbent=self.incumbent.id,
            candidate=candidate.id if candidate else "",
            version=version if candidate else 0,
            template=candidate.template if candidate else "",
            reason=proposal.reason if candidate else "",
            why=problem or proposal.problem,
            items=tuple(disagreement.item for disagreement in disagreements),
            cost_usd=proposal.cost_usd,
            seconds=proposal.seconds,
        )
        self._add(step)
        return step

    def _draft(
        self, proposal: Proposal, version: int, disagreements: Iterable[Disagreement]
    ) -> tuple[Prompt | None, str]:
        """The candidate of a proposal, or why it cannot be one."""
        if proposal.state != "proposed":
            return None, ""
        try:
            candidate = _with_values(self.series.name, version, proposal.template, self.incumbent)
        except UsageError as error:
            return None, f"Refused: {error}"
        if candidate.template == self.incumbent.template:
            return None, "Refused: the proposal changes nothing."
        earlier = [step.round for step in self._tried() if step.template == candidate.template]
        if earlier:
            return None, f"Refused: the same template was proposed in round {earlier[0]}."
        texts = [text for disagreement in disagreements for text in disagreement.texts]
        if leaks_training_text(
            f"{proposal.template}\n{proposal.reason}", self.incumbent.template, texts
        ):
            return None, (
                "Refused: the proposal repeats words of the items that it was made from; a prompt "
                "must state rules, not repeat texts of outputs and sources."
            )
        return candidate, ""

    def _screened(self, number: int, candidate: Prompt) -> bool:
        """Whether a candidate is not worse than the incumbent on train."""
        step = self._step(number, "train")
        if step is None:
            second = self._judge_part(number, "train", candidate)
            figures, _ = compare_prompts(self._judge_part(number, "train", self.incumbent), second)
            value = figures.difference.value
            worse = value is None or value < 0
            why = (
                "It is worse than the prompt it was made from on train, so dev is not looked at."
                if worse
                else "It is not worse on train."
            )
            state: Literal["worse", "passed"] = "worse" if worse else "passed"
            step = self._record(number, "train", state, candidate, why=why, figures=figures)
        return step.state == "passed"

    def _on_dev(self, number: int, candidate: Prompt, reason: str) -> None:
        step = self._step(number, "dev")
        if step is None:
            second = self._judge_part(number, "dev", candidate)
            first = self._judge_part(number, "dev", self.incumbent)
            figures, improvement = compare_prompts(
                first, second, looks=self.series.rounds, alpha=self.series.alpha
            )
            holds, why = accept_candidate(figures, improvement, self.series)
            cost = self._unrecorded(candidate)
            chosen = self.desk.keep(candidate, self.incumbent, reason) if holds else candidate
            state: Literal["kept", "not_kept"] = "kept" if holds else "not_kept"
            step = self._record(
                number, "dev", state, chosen, why=why, figures=figures, cost_usd=cost
            )
        if step.state == "kept":
            self.incumbent = self.desk.prompt(step.candidate)

    # -- what stages share ------------------------------------------------------------------

    def _judge_part(
        self,
        number: int,
        stage: OptimisationStage,
        prompt: Prompt,
        part: PartName | None = None,
    ) -> tuple[Prediction, ...]:
        """What the judge says by a prompt; pauses where items are left."""
        where: PartName = part or ("train" if stage == "train" else "dev")
        spent = self.budget.spent_usd

        def report_progress(done: int, cost: float) -> None:
            if self.on_progress:
                self.on_progress(
                    RoundProgress(
                        round=number,
                        rounds=self.series.rounds,
                        stage=stage,
                        done=done,
                        cost_usd=spent + cost,
                    )
                )

        if self.cancel.is_set():
            raise _Paused("stopped", "It was stopped and can be resumed.")
        answers = self.desk.answers(prompt, where, on_progress=report_progress)
        if answers.unjudged and self.cancel.is_set():
            raise _Paused("stopped", "It was stopped and can be resumed.")
        if answers.unjudged:
            raise _Paused(
                "cost_cap",
                f"{answers.unjudged:,} items of {where} were not judged by {prompt.title}: "
                f"{answers.stop_reason or 'the judge was not run.'} Partial results are not "
                f"used.",
            )
        return answers.predictions

    def _paid_proposal(self, brief: ProposalRequest) -> Proposal:
        """A proposal whose worst case was reserved before; pauses where the cap leaves too little.

        A process that is killed while it waits leaves the reservation behind.
        """
        worst = self.proposer.worst_cost_usd(brief)
        call = PricedCall(judge=self.proposer.spec, worst_usd=worst)
        try:
            reservation = run_sync(self.budget.reserve(call))
        except JudgeError as error:
            why = error.message.removeprefix("Not judged: ")
            raise _Paused("cost_cap", f"No proposal was requested: {why}") from None
        proposal = self.proposer.propose(brief)
        self.budget.settle(reservation, None if worst is None else proposal.cost_usd)
        return proposal

    def _tried(self) -> list[OptimisationStep]:
        return [step for step in self.steps if step.stage == "proposal" and step.template]

    def _step(self, number: int, stage: str) -> OptimisationStep | None:
        steps = [step for step in self.steps if (step.round, step.stage) == (number, stage)]
        return steps[-1] if steps else None

    def _unrecorded(self, prompt: Prompt) -> float:
        """What judging by a prompt cost that no step tells of yet."""
        recorded = sum(
            step.cost_usd
            for step in self.steps
            if step.stage != "proposal" and prompt.id == (step.candidate or step.incumbent)
        )
        return max(0.0, self.desk.cost_usd(prompt.id) - recorded)

    def _record(
        self,
        number: int,
        stage: OptimisationStage,
        state: Literal["measured", "passed", "worse", "kept", "not_kept"],
        prompt: Prompt,
        *,
        why: str = "",
        figures: StepFigures,
        cost_usd: float | None = None,
    ) -> OptimisationStep:
        step = OptimisationStep(
            round=number,
            stage=stage,
            state=state,
            incumbent=self.incumbent.id,
            candidate=prompt.id if number else "",
            version=prompt.version if number else 0,
            why=why,
            figures=figures,
            cost_usd=self._unrecorded(prompt) if cost_usd is None else cost_usd,
        )
        self._add(step)
        return step

    def _add(self, step: OptimisationStep) -> None:
        self.desk.record(step)
        self.steps.append(step)


def _with_values(name: str, version: int, template: str, above: Prompt) -> Prompt:
    """The prompt of an edited template, with the values of the one that it was made from."""
    variables = template_variables(template)
    return checked_prompt(
        name, version, template, {key: value for key, value in above.values if key in variables}
    )
