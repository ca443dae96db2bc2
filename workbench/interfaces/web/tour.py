"""The tour: a bar above the real pages that explains each of them and leads to the next."""

from dataclasses import dataclass

import streamlit as st

from workbench.interfaces.web import session
from workbench.presentation.tables import Link, PageName
from workbench.records.text import text_sha256
from workbench.services.demo import list_demos
from workbench.services.runs import list_runs

_LATEST = 200
_AT, _RUN = "tour-at", "tour-run"
"""Session: the stop that is shown, and the run that Review opens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """A page of the tour."""

    page: PageName
    name: str
    text: str


STOPS = (
    Stop(
        page="review",
        name="Review",
        text="Every citation is marked in the text. The card shows the judge's verdict next to the "
        "quote it is based on. Press A to agree, 1 to 5 for another label, J and K to move.",
    ),
    Stop(
        page="queues",
        name="Queues",
        text="A queue gives citations to one or more reviewers, one at a time, blind if you want. "
        "An adjudicator settles disagreements.",
    ),
    Stop(
        page="trust",
        name="Trust",
        text="How far the judge can be trusted, measured on your labels, and what to do next. Below: "
        "its figures, how far reviewers agree, and whether the judge changed.",
    ),
    Stop(
        page="home",
        name="Open work",
        text="The state of the work: what is checked, reviewed and left. Data sets and sources are "
        "under Data, policies under Trust; Ctrl+K finds everything.",
    ),
)


def render_tour() -> None:
    """Draw the bar of the stop that is shown; nothing outside a tour."""
    at = st.session_state.get(_AT)
    if at is None:
        return
    stop = STOPS[at]
    following = STOPS[at + 1].name if at + 1 < len(STOPS) else None
    with st.container(key="tour", border=True):
        words, acts = st.columns([70, 30], gap="medium", vertical_alignment="center")
    with words:
        st.markdown(f"**{stop.name}** ({at + 1} of {len(STOPS)}). {stop.text}")
    with acts, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        if following:
            st.button(
                f"Next: {following}", key="tour-next", type="primary", on_click=_go, args=(at + 1,)
            )
        else:
            st.button("Check a text of your own", key="tour-next", type="primary", on_click=_finish)
        st.button("End the tour", key="tour-end", type="tertiary", on_click=_end)


def start_tour() -> None:
    """Begin the tour; its first page opens on the next rerun."""
    st.session_state[_RUN] = _run_to_show()
    _go(0)


def _run_to_show() -> str | None:
    """A demo's run, if there is one; else the newest run."""
    runs = list_runs(session.database(), limit=_LATEST)
    demos = {text_sha256(demo.text) for demo in list_demos()}
    of_demos = [run for run in runs if run.output_sha256 in demos]
    return (of_demos or runs)[-1].id if runs else None


def _go(at: int) -> None:
    st.session_state[_AT] = at
    run, stop = st.session_state.get(_RUN), STOPS[at]
    query = {"run": run} if stop.page == "review" and run else {}
    session.navigate(Link(page=stop.page, query=query))


def _end() -> None:
    for name in (_AT, _RUN):
        st.session_state.pop(name, None)


def _finish() -> None:
    _end()
    session.leave_run()
    session.navigate(Link(page="review"))
