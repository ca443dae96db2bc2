"""Running prompts on the labelled items: prompts, judges, parts and cost; in the background."""

from collections.abc import Sequence

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.judging_progress import ask, at_most, render_judging_progress
from workbench.interfaces.web.prompts import text as texts
from workbench.interfaces.web.prompts.parts import choose_parts, render_test_part, split_or_way
from workbench.interfaces.web.prompts.text import title_of
from workbench.interfaces.web.query_params import several_from_address
from workbench.presentation.calibration.text import parts_text
from workbench.presentation.escape import escape_markdown
from workbench.presentation.tables import Cell, Column, Table, Value
from workbench.records.format import count_of, duration, usd, word_for
from workbench.records.options import CAP_USD, PANEL_RULES
from workbench.services import labelled_judging
from workbench.services.database import Database
from workbench.services.prompts import DEFAULT, list_usable_prompts

JOB = "prompts-try"


def render_trial(store: Database) -> None:
    """Draw the selection, its estimate, and the progress while it runs."""
    split = split_or_way(store)
    if split is None:
        return
    if render_judging_progress(JOB):
        st.caption("Continues if you leave this page; each result is saved as it arrives.")
        return
    if labelled_judging.why_no_prompt():
        return
    try:
        chosen = _choice(store)
    except UsageError as error:
        st.warning(escape_markdown(str(error)))
        return
    purpose = f"asking {judges_text(chosen)}" if chosen else ""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        parts = choose_parts(split, purpose, "prompts-try")
        cap = st.number_input(
            "Cost cap, USD",
            0.0,
            value=CAP_USD,
            key="prompts-cap",
            width=180,
            help="For all of them together. Judging stops before a call that could exceed it.",
        )
        render_test_part(store, split, parts, purpose, "prompts-try")
    if not chosen:
        st.caption(texts.CHOOSE_A_JUDGE)
        return
    within = labelled_judging.ExampleScope(split_id=split.id, parts=parts)
    estimates = labelled_judging.attempts(store, chosen, within)
    render_table(attempts_table(estimates), "prompts-attempts")
    st.caption(escape_markdown(total_text(estimates, parts)))
    todo = [estimate for estimate in estimates if estimate.askable]
    if todo:
        _start(store, todo, within, float(cap))


def _choice(store: Database) -> tuple[labelled_judging.JudgeConfig, ...]:
    """The chosen prompts and judges; the prompts are in the URL."""
    versions = {version.title: version for version in list_usable_prompts(store)}
    requested = st.query_params.get("prompt", "")
    default = [requested if requested in versions else DEFAULT.title]
    write_url = several_from_address("try", "prompts-tried", list(versions), default)
    choices = labelled_judging.list_judge_choices(store)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        titles = st.multiselect(
            "Prompts", list(versions), key="prompts-tried", on_change=write_url,
            help="Used by language models; other judges take no prompt.",
        )  # fmt: skip
        specs = st.multiselect(
            "Judges",
            list(choices),
            default=list(choices)[:1],
            format_func=lambda spec: (
                f"{spec} – cannot be used: {choices[spec]}" if choices.get(spec) else spec
            ),
            key="prompts-judges",
            accept_new_options=True,
            persist_state="session",
            help=texts.JUDGES_HELP,
        )
    together, rule = False, PANEL_RULES[0]
    # drawn for one judge as well, so that nothing below it moves when a second one is added
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        if len(specs) > 1:
            together = st.toggle(
                "As one panel",
                key="prompts-panel",
                help="Their combined verdict is stored as one judge.",
            )
            if together:
                rule = st.selectbox(
                    "Rule", PANEL_RULES, key="prompts-rule", label_visibility="collapsed"
                )
    return labelled_judging.contenders(
        [versions[title] for title in titles], specs, together=together, rule=rule
    )


def _start(
    store: Database,
    todo: Sequence[labelled_judging.TrialEstimate],
    within: labelled_judging.ExampleScope,
    cap: float,
) -> None:
    pressed = st.button("Run", key="prompts-ask", type="primary")
    if not pressed:
        return
    configs = [estimate.judge for estimate in todo]
    ask(
        JOB,
        judges_text(configs),
        sum(estimate.missing for estimate in todo),
        lambda job: labelled_judging.judge_sequentially(
            store, configs, within, max_cost_usd=cap, cancel=job.cancel, on_progress=job.tell
        ),
    )


def judge_text(who: labelled_judging.JudgeConfig) -> str:
    """A contender with its prompt: `openai:m with mine@2`."""
    title = title_of(who.name.prompt)
    return who.name.name + (f" with {title}" if title else "")


def judges_text(judges: Sequence[labelled_judging.JudgeConfig]) -> str:
    """Judges in a line, the first three by name."""
    names = ", ".join(judge_text(judge) for judge in judges[:3])
    return names + (f" and {len(judges) - 3} more" if len(judges) > 3 else "")


def attempts_table(estimates: Sequence[labelled_judging.TrialEstimate]) -> Table:
    """The estimate of each contender."""
    return Table.of(
        accessible_label="Judges, numbers of remaining examples, and maximum cost",
        columns=(
            "Judge",
            Column(word="Prompt", width="11rem"),
            Column(word="Remaining", numeric=True, width="8rem"),
            Column(word="Expected cost", numeric=True, width="7rem", spare=True),
            Column(word="Maximum cost", numeric=True, width="7rem"),
            Column(word="Est. time", numeric=True, width="7rem"),
        ),
        rows=(_row(estimate) for estimate in estimates),
    )


def _row(estimate: labelled_judging.TrialEstimate) -> tuple[Value, ...]:
    cost_estimate = estimate.guess
    cost = usual_cost = time = "–"
    if cost_estimate is not None and estimate.missing:
        cost = "unknown" if cost_estimate.cost_usd is None else usd(cost_estimate.cost_usd)
        usual_cost = "unknown" if cost_estimate.usual_usd is None else usd(cost_estimate.usual_usd)
        time = duration(cost_estimate.seconds)
    return (
        Cell(text=estimate.judge.name.name, more=estimate.fault),
        title_of(estimate.judge.name.prompt) or "takes no prompt",
        f"{estimate.missing:,}" if estimate.missing else "none",
        usual_cost,
        cost,
        time,
    )


def total_text(estimates: Sequence[labelled_judging.TrialEstimate], parts: Sequence[str]) -> str:
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
        else at_most(sum(known_costs))
    )
    seconds = sum(estimate.guess.seconds for estimate in todo if estimate.guess)
    number = sum(estimate.missing for estimate in todo)
    return (
        f"{count_of(number, 'question')} on labelled examples of "
        f"{parts_text(parts)}, {cost}, about {duration(seconds)}. Stored results are "
        "not run again, so an interrupted run resumes where it stopped."
    )
