"""Prompts tried on labelled items: who is asked, what that takes, and asking them one by one."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.errors import UsageError
from workbench.experiments.judge_items import JudgingCost, JudgingResult
from workbench.judging.judge_factory import takes_prompt
from workbench.records.prompts import PromptVersion
from workbench.services.labelled_judging import (
    ExampleScope,
    JudgeConfig,
    count_unjudged,
    estimate_missing,
    judge_missing,
    judging_purpose,
)
from workbench.services.prompts import usable_prompt
from workbench.services.spending import attempt_budget
from workbench.store.store import Store


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
