"""Prompts improved in rounds from labelled items, out of a database."""

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from workbench.calibration.classification_report import UNTESTED
from workbench.calibration.compare import ALPHA, min_groups
from workbench.calibration.results import OPEN_PARTS
from workbench.errors import UsageError
from workbench.experiments.judge_items import JudgingCost, asked_of, judge_items, judging_cost
from workbench.experiments.optimise import (
    MOST_ROUNDS,
    Answers,
    PartName,
    RoundProgress,
    optimise,
    spent,
)
from workbench.experiments.proposers import (
    Disagreement,
    Proposer,
    open_proposer,
    proposals_cost_usd,
)
from workbench.judging.budget import Budget
from workbench.judging.judge_factory import takes_prompt
from workbench.judging.passages import select_passages
from workbench.judging.prompts import PROMPTS, diff_prompts
from workbench.judging.provider import MOST_LOST
from workbench.records.evaluation import JudgeKey, JudgingRequest, OfflineJudgment
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
from workbench.records.reference_sets import Prediction
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.spending import checked_cost_cap
from workbench.records.text import JsonDict
from workbench.records.verdict import NO_REPLY, CitationResult, judge_outcome
from workbench.services.calibration.measurement import ensure_split
from workbench.services.labelled_judging import JudgeConfig, panel_rule
from workbench.services.prompts import DEFAULT, item_key, prompt_repository, usable_prompt
from workbench.services.spending import lasting_budget
from workbench.store.admin.spending import SpendingAccount
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.predictions import PredictionRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.prompts import OptimizationRepository
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


PASSAGES_CHARS = 1_400
"""Of a source that a proposer sees for one item."""


class StoreOptimizerBackend:
    """The items, prompts and steps of a series, out of a store; it reads train and dev alone."""

    def __init__(
        self,
        store: Store,
        series: Optimisation,
        cancel: threading.Event | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._store, self._series, self._cancel = store, series, cancel
        self._budget = budget
        self._opinions, self._book = OfflineJudgmentRepository(store), OptimizationRepository(store)

    def contender(self, prompt: Prompt) -> JudgeConfig:
        """The judge of the series with a prompt."""
        return JudgeConfig(specs=self._series.judge, prompt=prompt, rule=self._series.rule)

    def answers(
        self, prompt: Prompt, part: PartName, *, on_progress: Callable[[int, float], None]
    ) -> Answers:
        """What the judge says by a prompt on a part; raises UsageError where none can be opened."""
        config = self.contender(prompt)
        lacking = self._opinions.unjudged(
            config.name.name, config.name.prompt, split_id=self._series.split_id, parts=(part,)
        )
        left, why = 0, ""
        if lacking:
            judging = judge_items(
                self._opinions.questions(lacking),
                config.open(),
                self._keep,
                name=config.name.name,
                rule=panel_rule(config.rule),
                recall=self._store.get_judgment,
                remember=self._store.add_judgment,
                cancel=self._cancel,
                on_progress=on_progress,
                budget=self._budget,
            )
            left, why = judging.unjudged, judging.stop_reason
        predictions = PredictionRepository(self._store).of_judge(
            config.name, self._series.split_id, (part,)
        )
        return Answers(predictions=tuple(predictions), unjudged=left, stop_reason=why)

    def _keep(
        self, opinions: Sequence[OfflineJudgment], first: Sequence[tuple[str, CitationResult]]
    ) -> None:
        """Store the answers; a candidate's answers are never an item's first verdict."""
        self._opinions.add(opinions)

    def cost_usd(self, prompt_id: str) -> float:
        """What judging by a prompt cost since the series began."""
        default_key = self.contender(DEFAULT).name
        judge_key = JudgeKey(specs=default_key.specs, prompt=prompt_id, rule=default_key.rule)
        return self._book.judged_cost(self._series, judge_key)

    def disagreements(
        self, predictions: Sequence[Prediction], round: int
    ) -> Sequence[Disagreement]:
        """Train items to learn from: other ones each round, wrong accepts and rejects in turn."""
        wrong = [
            prediction
            for prediction in predictions
            if prediction.human not in UNTESTED
            and judge_outcome(prediction.error) in ("verdict", "no_verdict")
            # a call that failed has nothing to learn from
            and prediction.error not in NO_REPLY
            and (prediction.error or not prediction.right)
        ]
        wrong.sort(key=lambda prediction: self._place(prediction.item, round))
        accepted = [prediction for prediction in wrong if prediction.human != "supported"]
        rejected = [prediction for prediction in wrong if prediction.human == "supported"]
        longest = max(len(accepted), len(rejected))
        turns = [
            side[at] for at in range(longest) for side in (accepted, rejected) if at < len(side)
        ]
        chosen = {
            item_key(prediction.item): prediction for prediction in turns[: self._series.shown]
        }
        reasons = self._book.reasons(list(chosen))
        disagreements = []
        for item in self._opinions.questions(list(chosen)):
            key = (item.run_id, item.result.citation.id)
            disagreements.append(_disagreement(item, chosen[key], reasons.get(key, ())))
        return disagreements

    def _place(self, item: str, round: int) -> str:
        text = f"{self._series.seed}/{round}/{item}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def next_version(self) -> int:
        """The number that the next version under the series' name gets."""
        prompts = [version.prompt for version in prompt_repository(self._store).all()]
        return (
            max(
                (prompt.version for prompt in prompts if prompt.name == self._series.name),
                default=0,
            )
            + 1
        )

    def keep(self, candidate: Prompt, incumbent: Prompt, reason: str) -> Prompt:
        """The candidate as a new version; the one there is, where it was kept before."""
        prompts = prompt_repository(self._store)
        above = prompts.get(incumbent.id)
        return prompts.add(
            self._series.name,
            candidate.template,
            author=self._series.created_by,
            note=reason or f"By {self._series.proposer} in {self._series.id}.",
            parent=above.id,
            values=dict(candidate.values),
            origin="optimised",
            items=[item_key(item) for item in above.items] if candidate.values else (),
        ).prompt

    def steps(self) -> Sequence[OptimisationStep]:
        """What happened so far."""
        return self._book.steps(self._series.id)

    def record(self, step: OptimisationStep) -> None:
        """Keep a step."""
        self._book.record(self._series.id, step)

    def prompt(self, prompt_id: str) -> Prompt:
        """A kept prompt; raises UsageError where it can ask nothing any more."""
        return usable_prompt(prompt_repository(self._store).get(prompt_id))


def _disagreement(
    item: JudgingRequest, prediction: Prediction, reasons: tuple[str, ...]
) -> Disagreement:
    claim, context = asked_of(item)
    text = item.source.text if item.source else ""
    passages = select_passages(
        claim, text, PASSAGES_CHARS, title=context.source.title, context=context
    )
    return Disagreement(
        item=prediction.item,
        claim=" ".join(claim.split()),
        passages=tuple(passage.text for passage in passages),
        human=prediction.human,
        judge="no usable verdict" if prediction.error else prediction.label,
        rationale=prediction.rationale,
        reasons=reasons,
        context=context,
    )
