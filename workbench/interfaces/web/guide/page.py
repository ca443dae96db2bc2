"""The label guide: its page with editor and versions, and a panel next to the item."""

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.folds import fold
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.presentation.escape import escape_html, escape_markdown, truncate
from workbench.presentation.guide_text import changes_html, guide_changes, guide_html, shipped_guide
from workbench.records.format import format_timestamp
from workbench.records.review import AnnotationGuideline
from workbench.records.reviewers import LONGEST_GUIDE
from workbench.services.database import Database
from workbench.services.repositories import Guides

KEYS = (("G", "Show or hide the labelling guide"),)
"""Keyboard shortcuts of the page, for the list of keys."""
LONGEST_NOTE = 200
_OPEN_BESIDE = "guide-shown"
_DRAFT = "guide-draft"
_EDITING = "guide-editing"
_DONE = "guide-done"


def render_guide_button() -> None:
    """Draw the button that opens and closes the current guide next to the item.

    A page draws it once, among its buttons, and the guide itself by `render_open_guide`.
    """
    st.button(
        "Guide",
        key="guide-turn",
        shortcut="g",
        on_click=_turn,
        type="primary" if st.session_state.get(_OPEN_BESIDE) else "secondary",
        help="What each label means; click again to close.",
    )


def _turn() -> None:
    st.session_state[_OPEN_BESIDE] = not st.session_state.get(_OPEN_BESIDE, False)


def render_open_guide() -> None:
    """Draw the current guide while it is open; nothing is read while it is closed.

    It stands over the text, at the lower left, so that the card stays in view: outside of what
    can be folded, which would hide it.
    """
    if not st.session_state.get(_OPEN_BESIDE):
        return
    guide = Guides(session.database()).current()
    with st.container(key="guide-beside", gap="xsmall"):
        st.html(f'<p class="wb-quiet" dir="auto">{escape_html(_version_text(guide))}</p>')
        st.html(guide_html(guide.body if guide else shipped_guide()))
        with st.container(horizontal=True, gap="small"):
            st.page_link("pages/guide.py", label="All versions and editor")
            st.button("Close", key="guide-close", on_click=_turn)


def render_guide() -> None:
    """Draw the page of the guide."""
    if st.session_state.pop(_DONE, False):
        _leave()
    store = session.database()
    history = Guides(store).history()
    current = history[0] if history else None
    _head(current)
    left, right = st.columns([64, 36], gap="large")
    with left:
        if st.session_state.get(_EDITING):
            _editor(store, current)
        else:
            st.html(guide_html(current.body if current else shipped_guide()))
    with right:
        _versions(store, history)


def _head(current: AnnotationGuideline | None) -> None:
    words, acts = st.columns([64, 36], gap="large", vertical_alignment="center")
    with words:
        st.html(
            '<div class="wb-head"><h1>Labelling guide</h1><p class="wb-quiet" '
            f'dir="auto">{escape_html(_version_text(current))} Each label records the guide '
            "version in force when it was given.</p></div>"
        )
    with acts, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        render_identity()
        st.button(
            "Edit",
            key="guide-edit",
            shortcut="w",
            on_click=_edit,
            args=(current,),
            disabled=bool(st.session_state.get(_EDITING)),
        )


def _version_text(guide: AnnotationGuideline | None) -> str:
    if guide is None:
        return "Version 0, built in: your team has not written its own yet."
    description = f"Version {guide.version}, by {truncate(guide.author, 40)}, {format_timestamp(guide.created_at)}."
    return f"{description} “{truncate(guide.note, LONGEST_NOTE)}”." if guide.note else description


def _edit(current: AnnotationGuideline | None) -> None:
    st.session_state[_EDITING] = True
    st.session_state["guide-based-on"] = current.version if current else None
    st.session_state.setdefault(_DRAFT, current.body if current else shipped_guide())


def _leave() -> None:
    for name in (_EDITING, _DRAFT, "guide-note", "guide-based-on"):
        st.session_state.pop(name, None)


def _editor(store: Database, current: AnnotationGuideline | None) -> None:
    """The editor; the typed text is kept if saving fails."""
    based_on = st.session_state.get("guide-based-on")
    before = current.body if current else shipped_guide()
    text = st.text_area(
        "The guide, in Markdown",
        key=_DRAFT,
        height=520,
        max_chars=LONGEST_GUIDE,
        help="Headings, lists, tables, emphasis and web links; HTML and images are shown as text.",
    )
    note = st.text_input("Change note", key="guide-note", max_chars=LONGEST_NOTE, value="")
    with st.container(horizontal=True, gap="small"):
        saved = st.button(
            "Save as a new version", key="guide-save", type="primary", shortcut="Ctrl+Enter"
        )
        st.button("Discard changes", key="guide-leave", on_click=_leave)
    newest = current.version if current else None
    if newest != based_on:
        st.warning(
            escape_markdown(
                f"{_version_text(current)} It was saved while you were editing. Review the "
                "differences"
            )
            + " below, merge them, then save."
        )
        st.button(
            "I have merged the new version", key="guide-rebase", on_click=_rebase, args=(newest,)
        )
    changes = guide_changes(before, text or "")
    if changes:
        st.html(f"<h3>Changes</h3>{changes_html(changes)}")
    if saved:
        try:
            Guides(store).save(text or "", session.reviewer(), note or "", based_on=based_on)
        except UsageError as error:
            st.error(escape_markdown(str(error)))
            return
        st.session_state[_DONE] = True
        st.rerun()


def _rebase(newest: int | None) -> None:
    st.session_state["guide-based-on"] = newest


def _versions(store: Database, history: list[AnnotationGuideline]) -> None:
    st.html("<h2 class='wb-h2'>Versions</h2>")
    shipped = shipped_guide()
    bodies = [*(guide.body for guide in history), shipped]
    for number, guide in enumerate(history):

        def show(number: int = number, guide: AnnotationGuideline = guide) -> None:
            st.html(
                f'<p class="wb-quiet" dir="auto">{escape_html(_version_text(guide))}</p>'
                + _difference(bodies[number + 1], guide.body, guide.version - 1)
            )
            if number:
                _restore(store, guide.body, guide.version, history[0].version)

        fold(_line(guide), f"guide-version-{guide.version}", show)

    def show_shipped() -> None:
        if history:
            _restore(store, shipped, 0, history[0].version)
        st.html(guide_html(shipped))

    fold("Version 0 · built in", "guide-version-0", show_shipped)


def _line(guide: AnnotationGuideline) -> str:
    title = f"Version {guide.version} · {escape_markdown(guide.author, 30)} · {guide.created_at:%Y-%m-%d}"
    return f"{title} · {escape_markdown(guide.note, 60)}" if guide.note else title


def _difference(before: str, after: str, version: int) -> str:
    changes = guide_changes(before, after)
    if not changes:
        return f"<p>No differences from version {version}.</p>"
    return f"<h3>Compared with version {version}</h3>{changes_html(changes)}"


def _restore(store: Database, body: str, version: int, newest: int) -> None:
    def restore() -> None:
        try:
            Guides(store).save(
                body, session.reviewer(), f"Version {version} restored", based_on=newest
            )
        except UsageError as error:
            st.toast(escape_markdown(str(error)))

    st.button(
        f"Restore version {version}",
        key=f"guide-restore-{version}",
        on_click=restore,
        help="Creates a new version with this text; no version is lost.",
    )
