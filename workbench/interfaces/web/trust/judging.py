"""Asking a judge about labelled items that it has not judged: the price, and the button."""

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import judging_tasks
from workbench.interfaces.web.folds import fold
from workbench.interfaces.web.judging_progress import ask, at_most
from workbench.presentation.escape import escape_markdown
from workbench.records.evaluation import JudgeKey
from workbench.records.format import count_of
from workbench.records.options import CAP_USD
from workbench.services.database import Database
from workbench.services.labelled_judging import contender_of, estimate_missing, judge_missing


def task_name(judge: JudgeKey) -> str:
    """The name under which its task runs."""
    return f"calibrate-{judge.description}"


def offer_judging(database: Database, judge: JudgeKey, number: int, words: str) -> None:
    """Draw how many labelled items a judge has not judged; opened, the button to judge them.

    Nothing is drawn where there are none, or while it judges.
    """
    spec = judge.description
    with st.container(key=f"calibrate-missing-place-{spec}"):
        task = judging_tasks.find(database.path, task_name(judge))
        if not number or (task and not task.ended.is_set()):
            return
        label = f":material/hourglass_empty: {count_of(number, 'labelled item')} {words}"
        fold(label, f"calibrate-missing-{spec}", lambda: render_judging(database, judge, number))


def render_judging(
    database: Database,
    judge: JudgeKey,
    number: int,
    *,
    label: str = "Run the judge",
    main: bool = False,
) -> None:
    """Draw what it costs to judge labelled items, its cap, and the button that starts it."""
    spec = judge.description
    try:
        contender = contender_of(database, judge)
        estimate = estimate_missing(database, contender)
    except UsageError as error:
        st.caption(escape_markdown(str(error)))
        return
    cap = CAP_USD
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            label, key=f"calibrate-ask-{spec}", type="primary" if main else "secondary"
        )
        st.caption(
            f"Takes about {max(1, round(estimate.seconds)):,} s, {at_most(estimate.cost_usd)}. "
            "Continues in the background; each result is saved as it arrives.",
            width="content",
        )
        if estimate.cost_usd != 0:
            cap = st.number_input(
                "Cost cap, USD", 0.0, value=CAP_USD, key=f"calibrate-cap-{spec}", width=160
            )
    if pressed:
        ask(
            task_name(judge),
            f"{spec} on labelled items",
            number,
            lambda job: judge_missing(
                database,
                contender,
                max_cost_usd=float(cap),
                cancel=job.cancel,
                on_progress=job.tell,
            ),
        )
