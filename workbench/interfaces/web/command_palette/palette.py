"""The command search (Ctrl+K): a dialog on every page that jumps to pages, runs, citations.

It opens in the browser at once. Only then is the store read, once, for the names of runs, queues
and citations; typing searches that list in the browser, and Enter is the next thing sent here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from workbench.errors import StoreError
from workbench.interfaces.web import session
from workbench.interfaces.web.components import asset, when_sent
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.links import items_link, labelled_on
from workbench.interfaces.web.places import PLACES, Places
from workbench.interfaces.web.reviewer_identity import must_log_in
from workbench.interfaces.web.run_cache import load_review
from workbench.interfaces.web.shortcuts import show_keys
from workbench.interfaces.web.tour import start_tour
from workbench.presentation.escape import marker_text, run_label, truncate
from workbench.presentation.run_view import ReviewState
from workbench.presentation.tables import Link
from workbench.records.format import format_timestamp
from workbench.records.queue import ItemFilter
from workbench.records.run_listing import NamedRef
from workbench.records.text import Json, JsonDict
from workbench.services.repositories import RunNames

Act = Literal["page", "action", "run", "queue", "citation"]
"""The kind of an entry; the part of its id before the colon."""
GROUPS: Mapping[Act, str] = {
    "page": "Pages",
    "action": "Actions",
    "citation": "Citations of this run",
    "queue": "Queues",
    "run": "Runs",
}
ACTIONS: Mapping[str, tuple[str, str]] = {
    "new": ("New check", "Paste or upload an answer"),
    "keys": ("Keys", "Keyboard shortcuts and verdict symbols"),
    "export": ("Export", "Download the run"),
    "today": ("Labelled today", "What you decided today, to export or to queue"),
    "differ": ("Disagreements", "Citations on which reviewers differ"),
    "tour": ("Take the tour", "What each page is for"),
}
MOST_CITATIONS = 2_000
_BOX = st.components.v2.component(
    "workbench_command",
    html='<button type="button" class="go"></button><dialog class="command"></dialog>',
    css=asset("command.css"),
    js=asset("command.js"),
)
_KEY = "command-box"
_ASKED, _CHOICE = "command-asked", "command-went"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteEntry:
    """One line of the list."""

    act: Act
    value: str
    words: str
    more: str = ""
    """In small print; searched as well."""
    tasks: str = ""
    """Not shown, but searched."""

    def to_list(self) -> Json:
        """`[id, group, words, more, tasks]`."""
        return [f"{self.act}:{self.value}", GROUPS[self.act], self.words, self.more, self.tasks]


def render_command(places: Places) -> None:
    """Draw the button of the command search; the dialog opens on Ctrl+K or Cmd+K as well."""
    if must_log_in():
        return
    with st.container(key="command"):
        fragment(_command, key="command-part")(places)


def _command(places: Places) -> None:
    listed = {
        f"page:{entry.file}": page
        for pages in places.values()
        for entry, page in pages.items()
        if entry.found
    }

    def request_stored() -> None:
        st.session_state[_ASKED] = True

    def remember_choice(choice: str) -> None:
        st.session_state[_CHOICE] = choice

    stored = _stored() if st.session_state.pop(_ASKED, False) else None
    _BOX(
        data=list_data(fixed_entries(), stored),
        key=_KEY,
        on_asked_change=request_stored,
        on_went_change=when_sent(_KEY, "went", str, remember_choice),
        height="content",
    )
    choice = st.session_state.pop(_CHOICE, None)
    if choice:
        _open_choice(choice, listed)


def _stored() -> list[PaletteEntry]:
    runs, queues = RunNames(session.database()).newest()
    return stored_entries(runs, queues, _current_run())


def _current_run() -> ReviewState | None:
    """The current run; None if there is none, or it was deleted."""
    run_id = session.last_run()
    try:
        return load_review(session.database(), run_id) if run_id else None
    except StoreError:
        return None


def _open_choice(choice: str, pages: Mapping[str, StreamlitPage]) -> None:
    if choice == "action:keys":
        show_keys()
        return
    if choice == "action:tour":
        start_tour()
        st.rerun()
    if choice in pages:
        st.switch_page(pages[choice])
    target = destination(choice, session.last_run(), session.typed_name())
    if target is None:
        return
    if target.page == "review":
        session.leave_run()
    # the reviewer's name stays in the session; its field may keep it in the URL
    st.switch_page(target.file, query_params=dict(target.query))


def fixed_entries() -> list[PaletteEntry]:
    """Return the pages, each with its place, and the actions: all entries that need no store."""
    entries = [
        PaletteEntry(act="page", value=page.file, words=page.title, more=place, tasks=page.tasks)
        for place, pages in PLACES.items()
        for page in pages
        if page.found
    ]
    return entries + [
        PaletteEntry(act="action", value=name, words=words, more=more)
        for name, (words, more) in ACTIONS.items()
    ]


def stored_entries(
    runs: Sequence[NamedRef], queues: Sequence[NamedRef], review: ReviewState | None = None
) -> list[PaletteEntry]:
    """The queues, runs and the citations of one run, each in its order."""
    entries = [
        PaletteEntry(
            act="queue",
            value=entry.id,
            words=truncate(entry.name, 100),
            more=format_timestamp(entry.created_at),
        )
        for entry in queues
    ]
    entries += [
        PaletteEntry(
            act="run",
            value=entry.id,
            words=run_label(entry.name, 100),
            more=format_timestamp(entry.created_at),
        )
        for entry in runs
    ]
    return (_citations(review) if review else []) + entries


def _citations(review: ReviewState) -> list[PaletteEntry]:
    return [
        PaletteEntry(
            act="citation",
            value=f"{review.run.id}/{key}",
            words=truncate(
                f"{marker_text(review.results[key].citation.raw)} "
                f"{claim.text if (claim := review.results[key].citation.claim) else ''}",
                140,
            ),
            more=f"{number:,} of {len(order):,}",
        )
        for order in [review.order()]
        for number, key in enumerate(order[:MOST_CITATIONS], 1)
    ]


def destination(choice: str, last_run: str | None = None, who: str = "") -> Link | None:
    """The target of an id of the list; None for an unknown id: a browser can send anything.

    Pages and the action `keys` are left to the caller, who knows the pages.
    """
    act, colon, value = choice.partition(":")
    run, _, citation = value.partition("/")
    destinations = {
        "search:": Link(page="search", query={"q": value}),
        "queue:": Link(page="queues", query={"queue": value}),
        "run:": Link(page="review", query={"run": value}),
        "citation:": Link(page="review", query={"run": run, "c": citation}),
        "action:new": Link(page="review"),
        "action:export": Link(page="runs", query={"a": last_run} if last_run else {}),
        "action:today": items_link(labelled_on(datetime.now(UTC).date(), [who] if who else ())),
        "action:differ": items_link(ItemFilter(reviewers_differ=True)),
    }
    return destinations.get(choice) or destinations.get(act + colon)


def list_data(fixed: Sequence[PaletteEntry], stored: Sequence[PaletteEntry] | None) -> JsonDict:
    """The browser's data; without stored entries it keeps the ones it has."""
    return {
        "fixed": [entry.to_list() for entry in fixed],
        "stored": None if stored is None else [entry.to_list() for entry in stored],
    }
