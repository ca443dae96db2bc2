"""Prompts tried on labelled items: who is asked, what that takes, and asking them one by one."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.errors import UsageError
from workbench.experiments import JudgingCost, JudgingResult
from workbench.judging import takes_prompt
from workbench.records import PromptVersion
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
from workbench.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialEstimate:
    """A contender, and what asking it about some labelled items takes."""

    who: JudgeConfig
    missing: int
    """Items that it was not asked about yet."""
    guess: JudgingCost | None
    """None where it cannot be asked."""
    fault: str = ""
    """Why it cannot be asked, and what to do; empty where it can."""

    @property
    def askable(self) -> bool:
        """Whether there is something to ask, and somebody to ask."""
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
    named = [one.strip() for one in dict.fromkeys(specs) if one.strip()]
    groups = [tuple(named)] if together and len(named) > 1 else [(one,) for one in named]
    found = []
    for group in groups:
        if not any(takes_prompt(spec) for spec in group):
            found.append(JudgeConfig(specs=group, rule=rule))
            continue
        found += [
            JudgeConfig(specs=group, prompt=usable_prompt(one), rule=rule) for one in versions
        ]
    return tuple(found)


def attempts(
    store: Store, asked: Sequence[JudgeConfig], within: ExampleScope
) -> tuple[TrialEstimate, ...]:
    """What asking each contender about the items of some parts that it lacks can cost at most.

    Raises:
        StoreError: The database cannot be used.
    """
    return tuple(_attempt(store, who, within) for who in asked)


def _attempt(store: Store, who: JudgeConfig, within: ExampleScope) -> TrialEstimate:
    number = count_unjudged(store, who.name, within)
    try:
        guess = estimate_missing(store, who, within=within)
    except UsageError as error:
        return TrialEstimate(who=who, missing=number, guess=None, fault=str(error))
    return TrialEstimate(who=who, missing=number, guess=guess)


def judge_sequentially(
    store: Store,
    asked: Sequence[JudgeConfig],
    within: ExampleScope,
    *,
    max_cost_usd: float | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[int, float], None] | None = None,
) -> JudgingResult:
    """What became of asking each contender about what it lacks; the cap holds for all together.

    Answers are kept as they come; a later call goes on with what is left.

    Raises:
        UsageError: A judge cannot be opened, or the database cannot be used.
    """
    done: list[JudgingResult] = []
    with attempt_budget(store, judging_purpose(asked, within), max_cost_usd) as budget:
        for who in asked:
            before, spent = sum(one.asked for one in done), sum(one.cost_usd for one in done)

            def tell(asked: int, cost: float, before: int = before, spent: float = spent) -> None:
                if on_progress:
                    on_progress(before + asked, spent + cost)

            done.append(
                judge_missing(
                    store, who, within=within, cancel=cancel, on_progress=tell, budget=budget
                )
            )
    errors: Counter[str] = Counter()
    for one in done:
        errors.update(one.errors)
    return JudgingResult(
        asked=sum(one.asked for one in done),
        left=sum(one.left for one in done),
        unread=sum(one.unread for one in done),
        cost_usd=sum(one.cost_usd for one in done),
        errors=dict(errors),
        why_left=next((one.why_left for one in done if one.why_left), ""),
        earlier_usd=done[0].earlier_usd if done else 0.0,
        reserved_usd=done[-1].reserved_usd if done else 0.0,
        unpriced_calls=sum(one.unpriced_calls for one in done),
    )
