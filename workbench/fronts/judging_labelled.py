"""Ask a judge about the labelled items that it has not looked at, and keep what it says."""

import threading
from collections.abc import Callable

from workbench.experiments import Judging, JudgingCost, judge_items, judging_cost
from workbench.judging import Judge, open_judge
from workbench.store import JudgeName, Opinions, Store


def judge_name(spec: str) -> JudgeName:
    """The judge of a SPEC with the prompt it asks by now.

    Raises:
        UsageError: The judge cannot be opened.
    """
    return _name(open_judge(spec))


def missing(store: Store, judge: JudgeName) -> int:
    """How many labelled items a judge was not asked about; for a panel none can be asked.

    Raises:
        StoreError: The database cannot be used.
    """
    if len(judge.specs) != 1:
        return 0
    return len(Opinions(store).lacking(judge.specs[0], judge.prompt))


def estimate_missing(store: Store, spec: str) -> JudgingCost:
    """What asking about them can cost at most.

    Raises:
        UsageError: The judge cannot be opened, or the database cannot be used.
    """
    judge = open_judge(spec)
    name = _name(judge)
    opinions = Opinions(store)
    keys = opinions.lacking(spec, name.prompt)
    return judging_cost(opinions.questions(keys), len(keys), judge)


def judge_missing(
    store: Store,
    spec: str,
    *,
    max_cost_usd: float | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[int, float], None] | None = None,
) -> Judging:
    """What became of the labelled items that a judge had not looked at.

    Answers are kept as they come; a later call goes on with what is left. An item that had no
    verdict in its run gets its first one.

    Raises:
        UsageError: The judge cannot be opened, or the database cannot be used.
    """
    judge = open_judge(spec)
    name = _name(judge)
    opinions = Opinions(store)

    return judge_items(
        opinions.questions(opinions.lacking(spec, name.prompt)),
        judge,
        opinions.add,
        max_cost_usd=max_cost_usd,
        recall=store.get_judgment,
        remember=store.add_judgment,
        cancel=cancel,
        on_progress=on_progress,
    )


def _name(judge: Judge) -> JudgeName:
    prompt = getattr(getattr(judge, "prompt", None), "id", None)
    return JudgeName(specs=(judge.spec,), prompt=str(prompt or ""))
