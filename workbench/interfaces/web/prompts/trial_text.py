"""Trying prompts in words and tables: contenders, remaining items, maximum cost; pure."""

from collections.abc import Mapping, Sequence

from workbench.interfaces.web.links import Column, LinkCell, Table, heads
from workbench.interfaces.web.prompts.text import title_of
from workbench.presentation.calibration.text import parts_text
from workbench.records.format import count_of, duration, usd, word_for
from workbench.services.labelled_judging import JudgeConfig
from workbench.services.prompt_trial import TrialEstimate


def judge_text(who: JudgeConfig) -> str:
    """A contender with its prompt: `openai:m with mine@2`."""
    title = title_of(who.name.prompt)
    return who.name.name + (f" with {title}" if title else "")


def choice_text(spec: str, reason: str) -> str:
    """A judge in the picker; with why it cannot be used, if it cannot."""
    return f"{spec} – cannot be used: {reason}" if reason else spec


def unavailable_text(choices: Mapping[str, str]) -> str:
    """The language models that cannot be used, in a line; empty if all can."""
    reasons = [
        f"{spec}: {reason}" for spec, reason in choices.items() if reason and ":MODEL" in spec
    ]
    return f"Cannot be used here: {' '.join(reasons)}" if reasons else ""


def judges_text(contenders: Sequence[JudgeConfig]) -> str:
    """Contenders in a line, the first three by name."""
    names = ", ".join(judge_text(contender) for contender in contenders[:3])
    return names + (f" and {len(contenders) - 3} more" if len(contenders) > 3 else "")


def attempts_table(estimates: Sequence[TrialEstimate]) -> Table:
    """The estimate of each contender."""
    return Table(
        accessible_label="Judges, numbers of remaining examples, and maximum cost",
        columns=heads(
            "Judge",
            Column(word="Prompt", width="11rem"),
            Column(word="Remaining", numeric=True, width="8rem"),
            Column(word="Expected cost", numeric=True, width="7rem", spare=True),
            Column(word="Maximum cost", numeric=True, width="7rem"),
            Column(word="Est. time", numeric=True, width="7rem"),
        ),
        rows=tuple(_row(estimate) for estimate in estimates),
    )


def _row(estimate: TrialEstimate) -> tuple[LinkCell, ...]:
    cost_estimate = estimate.guess
    cost = usual_cost = time = "–"
    if cost_estimate is not None and estimate.missing:
        cost = "unknown" if cost_estimate.cost_usd is None else usd(cost_estimate.cost_usd)
        usual_cost = "unknown" if cost_estimate.usual_usd is None else usd(cost_estimate.usual_usd)
        time = duration(cost_estimate.seconds)
    return (
        LinkCell(text=estimate.judge.name.name, more=estimate.fault),
        LinkCell(text=title_of(estimate.judge.name.prompt) or "takes no prompt"),
        LinkCell(text=f"{estimate.missing:,}" if estimate.missing else "none"),
        LinkCell(text=usual_cost),
        LinkCell(text=cost),
        LinkCell(text=time),
    )


def total_text(estimates: Sequence[TrialEstimate], parts: Sequence[str]) -> str:
    """The total of all estimates, in a sentence."""
    todo = [estimate for estimate in estimates if estimate.askable]
    if not todo:
        unusable = [estimate.judge for estimate in estimates if estimate.missing]
        if unusable:
            return f"{judges_text(unusable)} cannot be used here; the table says why."
        have = word_for(len(estimates), "has", "have")
        return (
            f"{judges_text([estimate.judge for estimate in estimates])} {have} judged all labelled "
            f"examples of {parts_text(parts)}; Compare shows the figures."
        )
    costs = [estimate.guess.cost_usd for estimate in todo if estimate.guess]
    known_costs = [cost for cost in costs if cost is not None]
    cost = (
        "at an unknown price, so it is not run under a cost cap"
        if len(known_costs) < len(costs)
        else f"at most {usd(sum(known_costs))}"
        if sum(known_costs)
        else "at no cost"
    )
    seconds = sum(estimate.guess.seconds for estimate in todo if estimate.guess)
    number = sum(estimate.missing for estimate in todo)
    return (
        f"{count_of(number, 'question')} on labelled examples of "
        f"{parts_text(parts)}, {cost}, about {duration(seconds)}. Stored results are "
        "not run again, so an interrupted run resumes where it stopped."
    )
