"""Prompts improved in rounds from labelled items, for the command line and the page."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.calibration import ALPHA, min_groups
from workbench.calibration.results import OPEN_PARTS
from workbench.errors import UsageError
from workbench.experiments import (
    MOST_ROUNDS,
    JudgingCost,
    Proposer,
    RoundProgress,
    judging_cost,
    open_proposer,
    optimise,
    proposals_cost_usd,
    spent,
)
from workbench.judging import PROMPTS, diff_prompts, takes_prompt
from workbench.judging.provider import MOST_LOST
from workbench.records import (
    JsonDict,
    Optimisation,
    OptimisationStep,
    Prompt,
    checked_cost_cap,
    checked_prompt,
    normalize_reviewer_name,
    prompt_name,
    template_variables,
)
from workbench.records.optimization import PromptDiff, Round, SeriesReport, StopReason
from workbench.services.calibration.measurement import ensure_split
from workbench.services.labelled_judging import JudgeConfig
from workbench.services.optimizer_store import StoreOptimizerBackend
from workbench.services.prompts import DEFAULT, prompt_repository
from workbench.services.spending import lasting_budget
from workbench.store import (
    OfflineJudgmentRepository,
    OptimizationRepository,
    SpendingAccount,
    Splits,
    Store,
)

__all__ = [
    "MOST_SHOWN",
    "RoundProgress",
    "SeriesEstimate",
    "UNUSED_PROMPT_ID",
    "begin_series",
    "check_parts",
    "estimate_series",
    "get_series",
    "keep_series",
    "list_series",
    "plan_series",
    "run_series",
    "series_account",
    "series_report",
]

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


def begin_series(
    store: Store,
    who: JudgeConfig,
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
    """A new series, kept and without a step; nobody was asked yet.

    Takes what `plan_series` takes and raises what it raises.
    """
    planned = plan_series(
        store,
        who,
        proposer,
        by=by,
        name=name,
        rounds=rounds,
        alpha=alpha,
        shown=shown,
        screen=screen,
        seed=seed,
        max_cost_usd=max_cost_usd,
    )
    return keep_series(store, planned)


def keep_series(store: Store, planned: Optimisation) -> Optimisation:
    """A planned series as it is kept, with its id.

    Raises:
        StoreError: The database cannot be used.
    """
    return OptimizationRepository(store).add(planned)


def list_series(store: Store) -> list[Optimisation]:
    """Every series, newest first.

    Raises:
        StoreError: The database cannot be used.
    """
    return OptimizationRepository(store).all()


def get_series(store: Store, series_id: str) -> Optimisation:
    """A series by its id.

    Raises:
        StoreError: There is no such series, or the database cannot be used.
    """
    return OptimizationRepository(store).get(series_id)


def plan_series(
    store: Store,
    who: JudgeConfig,
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
        who: The judge or panel, and the prompt to improve.
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
        UsageError: No judge takes a prompt, somebody cannot be opened, a number is out of its
            range, or dev holds too few groups for any gain to be told from chance.
        StoreError: The database cannot be used.
    """
    if not any(takes_prompt(spec) for spec in who.specs):
        raise UsageError(
            f"{' + '.join(who.specs)} takes no prompt, so there is none to improve; name a "
            "language model like anthropic:MODEL or openai:MODEL as judge."
        )
    if not 1 <= rounds <= MOST_ROUNDS or not 1 <= shown <= MOST_SHOWN or not 0 < alpha < 1:
        raise UsageError(
            f"A series has 1 to {MOST_ROUNDS} rounds, shows 1 to {MOST_SHOWN} disagreements, and "
            "its chance of a wrong gain lies between 0 and 1."
        )
    checked_cost_cap(max_cost_usd)
    who.open()
    open_proposer(proposer)
    prompt = who.prompt or DEFAULT
    split = ensure_split(store, by)
    return Optimisation(
        id="",
        judge=who.specs,
        rule=who.rule,
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
    """Why no gain could be told from chance on dev, in one sentence; empty where one could.

    Raises:
        StoreError: The database cannot be used.
    """
    sizes = {one.part: one for one in Splits(store).sizes(split_id)}
    needed = min_groups(rounds, alpha)
    found = sizes["dev"].groups if "dev" in sizes else 0
    if found >= needed:
        return ""
    return (
        f"Dev holds {found} independent groups of labelled items; with {rounds} rounds no gain can "
        f"be told from chance on fewer than {needed}. Label items of other outputs, or allow fewer "
        "rounds."
    )


def estimate_series(store: Store, series: Optimisation) -> SeriesEstimate:
    """What a series can cost at most where every round comes to dev, its proposals included.

    Judging is reckoned by the prompt as it stands: a longer candidate costs more, and the cap of
    the series holds all the same.

    Raises:
        UsageError: A judge cannot be opened, or the database cannot be used.
    """
    desk = StoreOptimizerBackend(store, series)
    opinions = OfflineJudgmentRepository(store)
    who = desk.contender(desk.prompt(series.prompt))
    judges = who.open()
    every = opinions.unjudged(
        who.name.name, UNUSED_PROMPT_ID, split_id=series.split_id, parts=OPEN_PARTS
    )
    first = opinions.unjudged(
        who.name.name, who.name.prompt, split_id=series.split_id, parts=OPEN_PARTS
    )
    asked = len(first) + series.rounds * len(every)
    guess = judging_cost(opinions.questions(every), asked, judges)
    proposals = proposals_cost_usd(
        open_proposer(series.proposer), desk.prompt(series.prompt), series.shown, series.rounds
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
    """What came of a series that was begun, or gone on with; nothing is asked twice.

    Args:
        store: Where everything is kept as it comes.
        series: As it was begun.
        proposer: Another than its SPEC opens.
        max_cost_usd: For everything in the series, in place of the cap that it was begun with.
        cancel: Pauses it.
        on_progress: Told after each item.

    Raises:
        UsageError: Somebody cannot be opened, the prompt is no longer there, or the database cannot
            be used.
    """
    problem = check_parts(store, series.split_id, rounds=series.rounds, alpha=series.alpha)
    if problem:
        return series_report(store, series, StopReason(outcome="impossible", sentence=problem))
    desk = StoreOptimizerBackend(store, series)
    before = spent(desk.steps(), desk.cost_usd, series.prompt)
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
    """A series as it stands.

    Raises:
        StoreError: The database cannot be used, or the prompt is no longer there.
    """
    book, prompts = OptimizationRepository(store), prompt_repository(store)
    steps = book.steps(series.id)
    desk = StoreOptimizerBackend(store, series)
    kept_usd = spent(steps, desk.cost_usd, series.prompt)
    paid = SpendingAccount(store, series_account(series)).spending()
    kept = [one for one in steps if one.stage == "dev" and one.state == "kept"]
    rounds = []
    for number in sorted({one.round for one in steps if one.round}):
        of = {one.stage: one for one in steps if one.round == number}
        if "proposal" in of:
            rounds.append(
                Round(
                    number=number,
                    proposal=of["proposal"],
                    train=of.get("train"),
                    dev=of.get("dev"),
                    diff=_diff(prompts.get(of["proposal"].incumbent).prompt, of["proposal"]),
                    cost_usd=sum(one.cost_usd for one in steps if one.round == number),
                    seconds=sum(one.seconds for one in steps if one.round == number),
                )
            )
    return SeriesReport(
        series=series,
        begin=tuple(one for one in steps if one.round == 0),
        rounds=tuple(rounds),
        best=prompts.get(kept[-1].candidate if kept else series.prompt),
        kept=len(kept),
        cost_usd=max(kept_usd, paid.settled_usd),
        reserved_usd=paid.reserved_usd,
        unpriced_calls=paid.unpriced_calls,
        looks_before=book.looks_before(series),
        ending=ending,
    )


def series_account(series: Optimisation) -> str:
    """Under which everything that a series spends is kept."""
    return f"series:{series.id}"


def _name(asked: str | None, prompt: Prompt) -> str:
    shipped = {one.name for one in PROMPTS}
    if asked is None:
        return f"{prompt.name}-improved" if prompt.name in shipped else prompt.name
    name = prompt_name(asked)
    if name in shipped:
        raise UsageError(
            f"The prompt {name} came with the workbench and stays as it is; give yours another "
            "name."
        )
    return name


def _diff(incumbent: Prompt, proposal: OptimisationStep) -> PromptDiff | None:
    if not proposal.template:
        return None
    named = template_variables(proposal.template)
    values = {key: value for key, value in incumbent.values if key in named}
    name = proposal.candidate.partition("@")[0]
    return diff_prompts(
        incumbent, checked_prompt(name, proposal.version, proposal.template, values)
    )
