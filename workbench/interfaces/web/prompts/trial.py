"""Running prompts on the labelled items: prompts, judges, parts and cost; in the background."""

from collections.abc import Sequence

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.judging_progress import ask, render_judging_progress
from workbench.interfaces.web.prompts import text as texts
from workbench.interfaces.web.prompts.parts import choose_parts, render_test_part, split_or_way
from workbench.interfaces.web.prompts.trial_text import (
    attempts_table,
    choice_text,
    judges_text,
    total_text,
)
from workbench.interfaces.web.query_params import several_from_address
from workbench.presentation.escape import escape_markdown
from workbench.records import CAP_USD, PANEL_RULES
from workbench.services.database import Database
from workbench.services.labelled_judging import (
    ExampleScope,
    JudgeConfig,
    list_judge_choices,
    why_no_prompt,
)
from workbench.services.prompt_trial import TrialEstimate, attempts, contenders, judge_sequentially
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
    no_prompt = why_no_prompt()
    if no_prompt:
        st.info(escape_markdown(no_prompt))
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
    within = ExampleScope(split_id=split.id, parts=parts)
    estimates = attempts(store, chosen, within)
    render_table(attempts_table(estimates), "prompts-attempts")
    st.caption(escape_markdown(total_text(estimates, parts)))
    todo = [estimate for estimate in estimates if estimate.askable]
    if todo:
        _start(store, todo, within, float(cap))


def _choice(store: Database) -> tuple[JudgeConfig, ...]:
    """The chosen prompts and judges; the prompts are in the URL."""
    versions = {version.title: version for version in list_usable_prompts(store)}
    requested = st.query_params.get("prompt", "")
    default = [requested if requested in versions else DEFAULT.title]
    write_url = several_from_address("try", "prompts-tried", list(versions), default)
    choices = list_judge_choices(store)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        titles = st.multiselect(
            "Prompts", list(versions), key="prompts-tried", on_change=write_url,
            help="Used by language models; other judges take no prompt.",
        )  # fmt: skip
        specs = st.multiselect(
            "Judges",
            list(choices),
            default=list(choices)[:1],
            format_func=lambda spec: choice_text(str(spec), choices.get(str(spec), "")),
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
    return contenders([versions[title] for title in titles], specs, together=together, rule=rule)


def _start(
    store: Database, todo: Sequence[TrialEstimate], within: ExampleScope, cap: float
) -> None:
    pressed = st.button("Run", key="prompts-ask", type="primary")
    if not pressed:
        return
    configs = [estimate.judge for estimate in todo]
    ask(
        JOB,
        judges_text(configs),
        sum(estimate.missing for estimate in todo),
        lambda job: judge_sequentially(
            store, configs, within, max_cost_usd=cap, cancel=job.cancel, on_progress=job.tell
        ),
    )
