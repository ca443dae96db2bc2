"""Ask a judge or a panel about the labelled items that it has not looked at, and keep the answers.

What is kept for a judge and a prompt is not asked again: a run that was stopped or killed continues
with what is left.
"""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.errors import UsageError
from workbench.experiments.evaluate import Evaluation, evaluate
from workbench.experiments.judge_items import JudgingCost, JudgingResult, judge_items, judging_cost
from workbench.judging.budget import Budget
from workbench.judging.judge import Judge
from workbench.judging.judge_factory import (
    judge_availability,
    name_in_runs,
    open_judges,
    takes_prompt,
)
from workbench.records.evaluation import JudgeKey
from workbench.records.options import PANEL_RULES, PanelRule
from workbench.records.prompts import Prompt, PromptVersion
from workbench.services.prompts import DEFAULT, prompt_for_judge, usable_prompt
from workbench.services.spending import attempt_budget
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.store import Store

__all__ = ["Evaluation", "JudgingResult", "evaluate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeConfig:
    """Who is asked: a judge or a panel, and the prompt of its language models."""

    specs: tuple[str, ...]
    """One SPEC, or those of a panel."""
    prompt: Prompt | None = None
    """None for the usual one, and for judges without one."""
    rule: str = "majority"
    """How a panel decides."""

    @property
    def name(self) -> JudgeKey:
        """Under which its verdicts are kept.

        Raises:
            UnknownJudge: A judge is a model of the user's own that is not there.
        """
        uses_prompt = any(takes_prompt(spec) for spec in self.specs)
        return JudgeKey(
            specs=tuple(map(name_in_runs, self.specs)),
            prompt=(self.prompt or DEFAULT).id if uses_prompt else "",
            rule=self.rule if len(self.specs) > 1 else "majority",
        )

    def open(self) -> list[Judge]:
        """Its judges, ready to be asked.

        Raises:
            UsageError: One cannot be opened, none takes the prompt, or there is no such rule.
        """
        panel_rule(self.rule)
        return open_judges(self.specs, self.prompt)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleScope:
    """Which labelled items are asked about: those in some parts of a split."""

    split_id: str
    parts: tuple[str, ...]


def list_judges(store: Store) -> list[JudgeKey]:
    """Every judge, prompt or panel that labelled examples have verdicts of."""
    return [judge for judge, _ in EvaluationRepository(store).judges()]


def list_judge_specs(store: Store, *, panels: bool = True) -> list[str]:
    """The SPECs of the judges that were asked before, and of the embedded one where it is here.

    Those of panels are left out with `panels=False`.
    """
    judged_specs = [
        spec
        for judge in list_judges(store)
        if panels or len(judge.specs) == 1
        for spec in judge.specs
    ]
    embedded_specs = [
        judge.spec for judge in judge_availability() if judge.available and judge.spec == "local"
    ]
    return list(dict.fromkeys([*judged_specs, *embedded_specs]))


def list_judge_choices(store: Store) -> dict[str, str]:
    """The judges to choose from by SPEC, each with the reason why it cannot be used, else "".

    Those that can be used come first. A provider that cannot is there as `openai:MODEL`.
    """
    unavailable = {
        judge.spec: judge.reason for judge in judge_availability() if not judge.available
    }
    reasons = {
        spec: unavailable.get(spec) or unavailable.get(f"{spec.partition(':')[0]}:MODEL", "")
        for spec in list_judge_specs(store)
    }
    choices = {spec: reason for spec, reason in reasons.items() if not reason}
    return {**choices, **reasons, **unavailable}


def why_no_prompt() -> str:
    """Why no prompt can be tried here, and what to do; empty where a language model can be used."""
    models = [judge for judge in judge_availability() if takes_prompt(judge.spec)]
    if any(judge.available for judge in models):
        return ""
    reasons = " ".join(f"{judge.spec}: {judge.reason}" for judge in models)
    return (
        "No prompt can be tried here: only language models take one, and none can be used. "
        f"{reasons}"
    )


def contender_of(store: Store, judge: JudgeKey) -> JudgeConfig:
    """Who has the verdicts that are kept under a name.

    Raises:
        UsageError: Its prompt is no longer there.
    """
    prompt = prompt_for_judge(store.path, judge.prompt)
    usual = prompt is None or prompt.id == DEFAULT.id
    return JudgeConfig(specs=judge.specs, prompt=None if usual else prompt, rule=judge.rule)


def count_unjudged(store: Store, judge: JudgeKey, within: ExampleScope | None = None) -> int:
    """How many labelled items a judge was not asked about."""
    return len(_unjudged_keys(store, judge, within))


def estimate_missing(
    store: Store, config_or_spec: JudgeConfig | str, *, within: ExampleScope | None = None
) -> JudgingCost:
    """What asking a contender, or a judge by its SPEC, about them can cost at most.

    Raises:
        UsageError: A judge cannot be opened, or the database cannot be used.
    """
    contender = _contender(config_or_spec)
    keys = _unjudged_keys(store, contender.name, within)
    return judging_cost(
        OfflineJudgmentRepository(store).questions(keys), len(keys), contender.open()
    )


def judge_missing(
    store: Store,
    config_or_spec: JudgeConfig | str,
    *,
    within: ExampleScope | None = None,
    max_cost_usd: float | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    budget: Budget | None = None,
) -> JudgingResult:
    """The result of judging the labelled items that a judge had not judged.

    Answers are kept as they come; a later call continues with the rest. An item that had no
    verdict in its run gets its first one.

    Args:
        store: Where the items are, and the answers go.
        config_or_spec: A contender, or a judge by its SPEC.
        within: Only these items with a gold label; without, all that people labelled.
        max_cost_usd: A cap that holds under concurrency; what an attempt at the same items had
            spent when it was cut off counts.
        cancel: Ends it early.
        on_progress: Called with how many items are done and what they cost so far, in USD.
        budget: Used in place of a cap of its own.

    Raises:
        UsageError: A judge cannot be opened, or the database cannot be used.
    """
    contender = _contender(config_or_spec)
    if budget is None:
        with attempt_budget(
            store, judging_purpose([contender], within), max_cost_usd
        ) as own_budget:
            return judge_missing(
                store,
                contender,
                within=within,
                cancel=cancel,
                on_progress=on_progress,
                budget=own_budget,
            )
    judges = contender.open()
    opinions = OfflineJudgmentRepository(store)
    return judge_items(
        opinions.questions(_unjudged_keys(store, contender.name, within)),
        judges,
        opinions.add,
        name=contender.name.name,
        rule=panel_rule(contender.rule),
        budget=budget,
        recall=store.get_judgment,
        remember=store.add_judgment,
        cancel=cancel,
        on_progress=on_progress,
    )


def judging_purpose(contenders: Sequence[JudgeConfig], within: ExampleScope | None) -> str:
    """What an account of asking contenders about labelled items is opened for."""
    names = sorted(
        {f"{contender.name.description} ({contender.name.rule})" for contender in contenders}
    )
    where = f" in {within.split_id}: {', '.join(within.parts)}" if within else ""
    return f"judging labelled items{where} by {'; '.join(names)}"


def panel_rule(rule: str) -> PanelRule:
    """The rule of that name.

    Raises:
        UsageError: There is none.
    """
    for name in PANEL_RULES:
        if rule == name:
            return name
    raise UsageError(f"There is no panel rule {rule!r}; use one of {', '.join(PANEL_RULES)}.")


def _contender(config_or_spec: JudgeConfig | str) -> JudgeConfig:
    return (
        JudgeConfig(specs=(config_or_spec,)) if isinstance(config_or_spec, str) else config_or_spec
    )


def _unjudged_keys(
    store: Store, judge: JudgeKey, within: ExampleScope | None
) -> list[tuple[str, str]]:
    return OfflineJudgmentRepository(store).unjudged(
        judge.name,
        judge.prompt,
        split_id=within.split_id if within else None,
        parts=within.parts if within else (),
        # a calibration holds the judge against each reviewer too, other measurements do not
        disputed=within is None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialEstimate:
    """A contender, and what asking it about some labelled items takes."""

    judge: JudgeConfig
    missing: int
    """Items that it was not asked about yet."""
    guess: JudgingCost | None
    """None where it cannot be asked."""
    fault: str = ""
    """Why it cannot be asked, and what to do; empty where it can."""

    @property
    def askable(self) -> bool:
        """Whether there is something to ask, and a judge to ask."""
        return self.missing > 0 and self.guess is not None


def contenders(
    versions: Sequence[PromptVersion],
    specs: Sequence[str],
    *,
    together: bool = False,
    rule: str = "majority",
) -> tuple[JudgeConfig, ...]:
    """Every judge with every prompt; judges that take no prompt once.

    With `together` the judges are one panel, asked once with each prompt.

    Raises:
        UsageError: A version can ask nothing.
    """
    names = [spec.strip() for spec in dict.fromkeys(specs) if spec.strip()]
    groups = [tuple(names)] if together and len(names) > 1 else [(spec,) for spec in names]
    configs = []
    for group in groups:
        if not any(takes_prompt(spec) for spec in group):
            configs.append(JudgeConfig(specs=group, rule=rule))
            continue
        configs += [
            JudgeConfig(specs=group, prompt=usable_prompt(version), rule=rule)
            for version in versions
        ]
    return tuple(configs)


def attempts(
    store: Store, contenders: Sequence[JudgeConfig], within: ExampleScope
) -> tuple[TrialEstimate, ...]:
    """What asking each contender about the items of some parts that it lacks can cost at most."""
    return tuple(_attempt(store, config, within) for config in contenders)


def _attempt(store: Store, config: JudgeConfig, within: ExampleScope) -> TrialEstimate:
    number = count_unjudged(store, config.name, within)
    try:
        guess = estimate_missing(store, config, within=within)
    except UsageError as error:
        return TrialEstimate(judge=config, missing=number, guess=None, fault=str(error))
    return TrialEstimate(judge=config, missing=number, guess=guess)


def judge_sequentially(
    store: Store,
    contenders: Sequence[JudgeConfig],
    within: ExampleScope,
    *,
    max_cost_usd: float | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[int, float], None] | None = None,
) -> JudgingResult:
    """The result of asking each contender about what it lacks; the cap holds for all together.

    Answers are kept as they come; a later call continues with the rest.

    Raises:
        UsageError: A judge cannot be opened, or the database cannot be used.
    """
    results: list[JudgingResult] = []
    with attempt_budget(store, judging_purpose(contenders, within), max_cost_usd) as budget:
        for config in contenders:
            before, spent = (
                sum(result.judged for result in results),
                sum(result.cost_usd for result in results),
            )

            def tell(judged: int, cost: float, before: int = before, spent: float = spent) -> None:
                if on_progress:
                    on_progress(before + judged, spent + cost)

            results.append(
                judge_missing(
                    store, config, within=within, cancel=cancel, on_progress=tell, budget=budget
                )
            )
    return total_of(results)


def total_of(results: Sequence[JudgingResult]) -> JudgingResult:
    """One result out of several under one budget, in their order."""
    errors: Counter[str] = Counter()
    for result in results:
        errors.update(result.errors)
    return JudgingResult(
        judged=sum(result.judged for result in results),
        unjudged=sum(result.unjudged for result in results),
        unread=sum(result.unread for result in results),
        cost_usd=sum(result.cost_usd for result in results),
        errors=dict(errors),
        stop_reason=next((result.stop_reason for result in results if result.stop_reason), ""),
        earlier_usd=results[0].earlier_usd if results else 0.0,
        reserved_usd=results[-1].reserved_usd if results else 0.0,
        unpriced_calls=sum(result.unpriced_calls for result in results),
    )
