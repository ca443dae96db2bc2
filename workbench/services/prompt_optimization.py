"""Prompts improved in rounds from labelled items, for the command line and the page."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.calibration.improvement import ALPHA, min_groups
from workbench.calibration.results import OPEN_PARTS
from workbench.errors import UsageError
from workbench.experiments.judge_items import JudgingCost, judging_cost
from workbench.experiments.optimise import optimise
from workbench.experiments.optimizer_backend import MOST_ROUNDS, RoundProgress, spent
from workbench.experiments.proposers import Proposer, open_proposer, proposals_cost_usd
from workbench.judging.judge_factory import takes_prompt
from workbench.judging.prompts import PROMPTS, diff_prompts
from workbench.judging.provider import MOST_LOST
from workbench.records.optimization import (
    Optimisation,
    OptimisationStep,
    PromptDiff,
    Round,
    SeriesReport,
    StopReason,
)
from workbench.records.prompts import Prompt, checked_prompt, prompt_name, template_variables
from workbench.records.providers import MODEL_SPECS
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.spending import checked_cost_cap
from workbench.records.text import JsonDict
from workbench.services.calibration.measurement import ensure_split
from workbench.services.labelled_judging import JudgeConfig
from workbench.services.optimizer_store import StoreOptimizerBackend
from workbench.services.prompts import DEFAULT, prompt_repository
from workbench.services.spending import lasting_budget
from workbench.store.admin.spending import SpendingAccount
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.prompts.optimizations import OptimizationRepository
from workbench.store.store import Store

__all__ = ["RoundProgress"]

ROUNDS, SHOWN = 5, 12
MOST_SHOWN = 40
UNUSED_PROMPT_ID = "no such prompt"
"""A prompt by which no item was judged: what lacks its verdict is every item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesEstimate(JudgingCost):
    """What a series can cost at most, before its cap.

    `items` are the labelled items of train and dev.
    """

    rounds: int

    def to_dict(self) -> JsonDict:
        """The estimate as shown."""
        return {**JudgingCost.to_dict(self), "rounds": self.rounds}


def plan_series(
    store: Store,
    config: JudgeConfig,
    proposer: str,
    *,
    by: str,
    name: str | None = None,
    rounds: int = ROUNDS,
    alpha: float = ALPHA,
    shown: int = SHOWN,
    screen: bool = True,
    seed: int = 0,
    max_cost_usd: float | None = None,
) -> Optimisation:
    """A series as it would be begun, without an id: nothing of it is kept.

    Args:
        store: Where the labelled items are.
        config: The judge or panel, and the prompt to improve.
        proposer: SPEC of who proposes edits.
        by: Who begins it.
        name: Of the prompt under which gains are kept; that of the prompt itself without one, with
            `-improved` behind it where that came with the workbench.
        rounds: Proposals at most.
        alpha: The chance, over all rounds, that a candidate that is no better is kept.
        shown: Disagreements that the proposer sees at most.
        screen: Keep candidates that are worse on train away from dev.
        seed: Of which disagreements are shown.
        max_cost_usd: For everything in the series.

    Raises:
        UsageError: No judge takes a prompt, a model cannot be opened, a number is out of its
            range, or dev holds too few groups for any gain to be distinguished from chance.
    """
    if not any(takes_prompt(spec) for spec in config.specs):
        raise UsageError(
            f"{' + '.join(config.specs)} takes no prompt, so there is none to improve; use a "
            f"language model as the judge: {MODEL_SPECS}."
        )
    if not 1 <= rounds <= MOST_ROUNDS or not 1 <= shown <= MOST_SHOWN or not 0 < alpha < 1:
        raise UsageError(
            f"An optimisation run has 1 to {MOST_ROUNDS} rounds, shows 1 to {MOST_SHOWN} "
            f"disagreements, and has a chance of a false gain between 0 and 1."
        )
    checked_cost_cap(max_cost_usd)
    config.open()
    open_proposer(proposer)
    prompt = config.prompt or DEFAULT
    split = ensure_split(store, by)
    return Optimisation(
        id="",
        judge=config.name.specs,
        rule=config.rule,
        prompt=prompt.id,
        name=_name(name, prompt),
        proposer=proposer.strip(),
        split_id=split.id,
        rounds=rounds,
        alpha=alpha,
        shown=shown,
        screen=screen,
        seed=seed,
        max_cost_usd=max_cost_usd,
        created_by=normalize_reviewer_name(by),
        created_at=datetime.now(UTC),
    )


def check_parts(store: Store, split_id: str, *, rounds: int, alpha: float = ALPHA) -> str:
    """Why no gain on dev could be told from chance, in one sentence; empty where one could."""
    sizes = {size.part: size for size in Splits(store).sizes(split_id)}
    needed = min_groups(rounds, alpha)
    groups = sizes["dev"].groups if "dev" in sizes else 0
    if groups >= needed:
        return ""
    return (
        f"Dev holds {groups} independent groups of labelled items; with {rounds} rounds, no gain "
        f"can be told from chance with fewer than {needed}. Label items of other outputs, or allow "
        f"fewer rounds."
    )


def estimate_series(store: Store, series: Optimisation) -> SeriesEstimate:
    """What a series can cost at most where every round comes to dev, its proposals included.

    Judging is estimated by the current prompt: a longer candidate costs more, and the cap of
    the series holds all the same.

    Raises:
        UsageError: A judge cannot be opened, or the database cannot be used.
    """
    backend = StoreOptimizerBackend(store, series)
    opinions = OfflineJudgmentRepository(store)
    config = backend.contender(backend.prompt(series.prompt))
    judges = config.open()
    every = opinions.unjudged(
        config.name.name, UNUSED_PROMPT_ID, split_id=series.split_id, parts=OPEN_PARTS
    )
    first = opinions.unjudged(
        config.name.name, config.name.prompt, split_id=series.split_id, parts=OPEN_PARTS
    )
    judgments = len(first) + series.rounds * len(every)
    guess = judging_cost(opinions.questions(every), judgments, judges)
    proposals = proposals_cost_usd(
        open_proposer(series.proposer), backend.prompt(series.prompt), series.shown, series.rounds
    )
    return SeriesEstimate(
        items=len(every),
        rounds=series.rounds,
        cost_usd=_sum(guess.cost_usd, proposals),
        usual_usd=_sum(guess.usual_usd, None if proposals is None else proposals / (1 + MOST_LOST)),
        seconds=guess.seconds,
    )


def _sum(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first + second


def run_series(
    store: Store,
    series: Optimisation,
    *,
    proposer: Proposer | None = None,
    max_cost_usd: float | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[RoundProgress], None] | None = None,
) -> SeriesReport:
    """The result of starting or resuming a series; nothing is asked twice.

    Args:
        store: Where everything is kept as it comes.
        series: As it was begun.
        proposer: Another than its SPEC opens.
        max_cost_usd: For everything in the series, in place of the cap that it was begun with.
        cancel: Pauses it.
        on_progress: Called after each item.

    Raises:
        UsageError: A model cannot be opened, the prompt is no longer there, or the database cannot
            be used.
    """
    problem = check_parts(store, series.split_id, rounds=series.rounds, alpha=series.alpha)
    if problem:
        return series_report(store, series, StopReason(outcome="impossible", sentence=problem))
    backend = StoreOptimizerBackend(store, series)
    before = spent(backend.steps(), backend.cost_usd, series.prompt)
    cap = series.max_cost_usd if max_cost_usd is None else max_cost_usd
    budget = lasting_budget(store, series_account(series), cap, before)
    ending = optimise(
        series,
        proposer or open_proposer(series.proposer),
        StoreOptimizerBackend(store, series, cancel, budget),
        budget=budget,
        cancel=cancel,
        on_progress=on_progress,
    )
    return series_report(store, series, ending)


def series_report(
    store: Store, series: Optimisation, ending: StopReason | None = None
) -> SeriesReport:
    """The current state of a series.

    Raises:
        StoreError: The prompt is no longer there.
    """
    repository, prompts = OptimizationRepository(store), prompt_repository(store)
    steps = repository.steps(series.id)
    backend = StoreOptimizerBackend(store, series)
    kept_usd = spent(steps, backend.cost_usd, series.prompt)
    paid = SpendingAccount(store, series_account(series)).spending()
    kept_steps = [step for step in steps if step.stage == "dev" and step.state == "kept"]
    rounds = []
    for number in sorted({step.round for step in steps if step.round}):
        of = {step.stage: step for step in steps if step.round == number}
        if "proposal" in of:
            rounds.append(
                Round(
                    number=number,
                    proposal=of["proposal"],
                    train=of.get("train"),
                    dev=of.get("dev"),
                    diff=_diff(prompts.get(of["proposal"].incumbent).prompt, of["proposal"]),
                    cost_usd=sum(step.cost_usd for step in steps if step.round == number),
                    seconds=sum(step.seconds for step in steps if step.round == number),
                )
            )
    return SeriesReport(
        series=series,
        begin=tuple(step for step in steps if step.round == 0),
        rounds=tuple(rounds),
        best=prompts.get(kept_steps[-1].candidate if kept_steps else series.prompt),
        kept=len(kept_steps),
        cost_usd=max(kept_usd, paid.settled_usd),
        reserved_usd=paid.reserved_usd,
        unpriced_calls=paid.unpriced_calls,
        looks_before=repository.looks_before(series),
        ending=ending,
    )


def series_account(series: Optimisation) -> str:
    """Under which everything that a series spends is kept."""
    return f"series:{series.id}"


def _name(requested: str | None, prompt: Prompt) -> str:
    shipped = {shipped_prompt.name for shipped_prompt in PROMPTS}
    if requested is None:
        return f"{prompt.name}-improved" if prompt.name in shipped else prompt.name
    name = prompt_name(requested)
    if name in shipped:
        raise UsageError(
            f"The prompt {name} is built in and cannot be changed; choose another name."
        )
    return name


def _diff(incumbent: Prompt, proposal: OptimisationStep) -> PromptDiff | None:
    if not proposal.template:
        return None
    variables = template_variables(proposal.template)
    values = {key: value for key, value in incumbent.values if key in variables}
    name = proposal.candidate.partition("@")[0]
    return diff_prompts(
        incumbent, checked_prompt(name, proposal.version, proposal.template, values)
    )
