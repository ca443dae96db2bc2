"""Optimising a prompt in rounds: started here, run in the background, each edit with its gain."""

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.judging_progress import ask, render_judging_progress
from workbench.interfaces.web.judging_tasks import JudgingJob
from workbench.interfaces.web.prompts.parts import split_or_way
from workbench.interfaces.web.prompts.text import diff_html
from workbench.interfaces.web.query_params import select_in_url
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.presentation.prompt_optimization_text import (
    OUTCOMES,
    edges,
    rule_of_keeping,
    summary,
)
from workbench.records.evaluation import Split
from workbench.records.optimization import Optimisation, Round, SeriesReport
from workbench.records.options import CAP_USD
from workbench.services.database import Database
from workbench.services.labelled_judging import JudgeConfig, JudgingResult, why_no_prompt
from workbench.services.prompt_optimization import (
    ROUNDS,
    RoundProgress,
    check_parts,
    plan_series,
    run_series,
    series_report,
)
from workbench.services.prompts import list_usable_prompts, usable_prompt
from workbench.services.repositories import OptimizationRepository

JOB = "prompts-improve"


def render_optimize(store: Database) -> None:
    """Draw the form or the running series, and the rounds of the chosen one."""
    split = split_or_way(store)
    if split is None:
        return
    running = render_judging_progress(JOB)
    all_series = {series.id: series for series in OptimizationRepository(store).all()}
    with st.container(key="prompts-form-place"):
        if not running and not why_no_prompt():
            _form(store, split)
    if not all_series:
        st.caption("No optimisation runs yet. They never read the test set.")
        return
    names = {name: name for name in all_series}
    chosen = select_in_url("Optimisation run", "series", "prompts-series", names)
    report = series_report(store, all_series[chosen])
    st.caption(escape_markdown(rule_of_keeping(report.series)))
    with st.container(key="prompts-go-on-place"):
        if not (running or report.finished or why_no_prompt()) and st.button(
            "Resume", key="prompts-go-on"
        ):
            _run(store, report.series)
    _rounds(report)


def _form(store: Database, split: Split) -> None:
    versions = {version.title: version for version in list_usable_prompts(store)}
    with st.form("prompts-improving", border=False):
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            title = st.selectbox("Prompt", list(versions), key="prompts-improved")
            spec = st.text_input("Judge", key="prompts-improve-judge", placeholder="openai:MODEL")
            proposer = st.text_input(
                "Proposer", key="prompts-proposer", placeholder="anthropic:MODEL"
            )
            rounds = st.number_input("Rounds", 1, 20, ROUNDS, key="prompts-rounds", width=120)
            cap = st.number_input(
                "Cost cap, USD", 0.0, value=CAP_USD, key="prompts-improve-cap", width=150
            )
        if not st.form_submit_button("Start", key="prompts-improve-begin"):
            return
    problem = check_parts(store, split.id, rounds=int(rounds))
    try:
        if problem:
            raise UsageError(problem)
        who = JudgeConfig(specs=(spec.strip(),), prompt=usable_prompt(versions[title]))
        planned = plan_series(
            store, who, proposer, by=session.reviewer(), rounds=int(rounds), max_cost_usd=float(cap)
        )
        series = OptimizationRepository(store).add(planned)
    except UsageError as error:
        st.warning(escape_markdown(str(error)))
        return
    st.query_params["series"] = series.id
    _run(store, series)


def _run(store: Database, series: Optimisation) -> None:
    def work(job: JudgingJob) -> JudgingResult:
        def tell(progress: RoundProgress) -> None:
            job.tell(progress.round, progress.cost_usd)

        report = run_series(store, series, cancel=job.cancel, on_progress=tell)
        if not report.finished and report.ending:
            # paused, over the cost cap or unanswered: the series' own summary says it
            raise UsageError(report.ending.sentence)
        return JudgingResult(
            judged=len(report.rounds), unjudged=0, unread=0, cost_usd=report.cost_usd
        )

    ask(JOB, f"Rounds of {series.id}", series.rounds, work)


def _rounds(report: SeriesReport) -> None:
    st.html(f'<p class="wb-outcome" dir="auto">{escape_html(summary(report))}</p>')
    for round_ in report.rounds:
        st.html(round_html(round_))


def round_html(round_: Round) -> str:
    """A round as HTML: its outcome, its gain on dev with the interval, the reason, and its edit."""
    gain = edges(round_.dev)
    title = f"Round {round_.number}: {OUTCOMES[round_.state]}"
    return (
        f'<h2 class="wb-h2">{escape_html(title)}</h2>'
        + (f"<p>Gain on dev {escape_html(gain)}</p>" if gain else "")
        + f'<p dir="auto">{escape_html(round_.why)}</p>'
        + (
            f'<p dir="auto">Proposed: {escape_html(round_.proposal.reason)}</p>'
            if round_.proposal.reason
            else ""
        )
        + (diff_html(round_.diff) if round_.diff else "")
    )
