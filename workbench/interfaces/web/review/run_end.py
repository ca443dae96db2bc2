"""The end of a run's review: the judge beside the people, and what to do next."""

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.downloads import render_downloads
from workbench.presentation.escape import escape_markdown, marker_text
from workbench.presentation.run_totals import decisions, outcome_text
from workbench.presentation.run_view import ReviewState, headline
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.presentation.verdicts import MARKS, STYLES
from workbench.services.runs import list_runs

OPEN = "end_open"
"""Session: the run whose summary is open."""
_CLOSED = "end_closed"


def render_end(review: ReviewState) -> None:
    """Draw the button to the summary of a run whose citations are all labelled."""
    if review.order() and not review.left_after(""):
        st.button("Summary", key="end", on_click=session.open_dialog, args=(OPEN, review.run.id))


def render_summary(review: ReviewState) -> None:
    """Draw the summary while it is open."""
    if st.session_state.pop(_CLOSED, False):
        # a window goes with a rerun of the whole page only
        st.rerun()
    if st.session_state.get(OPEN) == review.run.id:
        st.dialog("Summary", width="medium", on_dismiss=session.close_dialogs)(_draw)(review)


def close_summary() -> None:
    """Close the summary if it is open: its run goes on."""
    if st.session_state.pop(OPEN, None):
        st.session_state[_CLOSED] = True


def end_tables(review: ReviewState) -> list[Table]:
    """How people decided on each verdict of the judge, and which they changed; none without a change."""
    pairs = {name: pair for name, pair in decisions(review).items() if all(pair)}
    changed = [name for name in review.results if len({*pairs.get(name, ())}) > 1]
    if not changed:
        return []
    given = [*pairs.values()]
    judge, people = ([mark for mark in MARKS if mark in side] for side in zip(*given, strict=True))
    links = (Link(page="review", query={"run": review.run.id, "c": name}) for name in changed)
    words = [marker_text(review.results[name].citation.raw, 60) for name in changed]
    return [
        Table.of(
            "The judge's verdicts by what people decided",
            ("Judge", *(STYLES[mark].word for mark in people)),
            [
                [STYLES[mark].word, *(f"{given.count((mark, by)):,}" for by in people)]
                for mark in judge
            ],
        ),
        Table.of(
            "Changed verdicts",
            ("Changed", Column(word="Judge"), Column(word="People")),
            [
                [Cell(text=text, link=link), *(STYLES[mark].word for mark in pairs[name])]
                for text, link, name in zip(words, links, changed, strict=True)
            ],
        ),
    ]


def _draw(review: ReviewState) -> None:
    if OPEN not in st.session_state:
        st.rerun()
    with st.container(key="end-summary"):
        _draw_summary(review)


def _draw_summary(review: ReviewState) -> None:
    pairs = [pair for pair in decisions(review).values() if all(pair)]
    kept = sum(verdict == label for verdict, label in pairs)
    agreed = (
        f" People agree with {kept:,} of {len(pairs):,} verdicts of the judge." if pairs else ""
    )
    st.markdown(f"{outcome_text(review)}.{agreed}")
    for number, table in enumerate(end_tables(review)):
        render_table(table, f"end-table-{number}", on_pick=_show)
    render_downloads(review.run.id, headline(review), "end")
    runs = [run for run in list_runs(session.database()) if not run.data_set]
    following = next((run for run in runs if run.labelled < run.found), None)
    if following:
        name = escape_markdown(following.name, 60)
        st.button(f"Next open run: {name}", key="end-next", on_click=_leave, args=(following.id,))
    else:
        st.caption("Every run is reviewed.")


def _show(link: Link) -> None:
    session.close_dialogs()
    session.select(link.query["c"])


def _leave(run_id: str) -> None:
    session.close_dialogs()
    session.open_run(run_id)
