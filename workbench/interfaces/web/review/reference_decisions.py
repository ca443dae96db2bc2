"""What a reviewer decides about the reference shown: agree, override, undo, note; by key."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from workbench.errors import NotFoundError
from workbench.interfaces.web import session
from workbench.interfaces.web.components.source import widget_keys
from workbench.interfaces.web.review import reference_text as texts
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.records import (
    EntryLabel,
    OverrideReason,
    ReferenceCheck,
    ReferenceDecision,
    agreed_decision,
)
from workbench.services.references.labels import (
    decide_reference,
    override_reference,
    withdraw_decision,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryDecision:
    """The entry under review and the reviewer's current decision on it."""

    run_id: str
    position: int
    check: ReferenceCheck | None
    label: EntryLabel | None
    ready: bool = True
    """False while a check of the entry is not stored yet: a decision would be lost."""


def render_decisions(item: EntryDecision) -> DeltaGenerator:
    """Draw the buttons and the note; each decision is stored at once.

    Returns the place beside the note, for the buttons that lead on.
    """
    note_key = f"entry-note-{item.run_id}-{item.position}"
    drafts: dict[str, str] = st.session_state.setdefault("note-drafts", {})
    if note_key not in st.session_state:
        # Streamlit forgets a field that is not on screen: its text is kept separately
        st.session_state[note_key] = drafts.get(note_key, item.label.note if item.label else "")

    def decide(decision: ReferenceDecision, reason: OverrideReason | None = None) -> None:
        note = str(st.session_state[note_key])

        def keep(name: str) -> None:
            _store(item, name, decision, reason, note)
            drafts.pop(note_key, None)

        with_name(keep)

    def noted() -> None:
        drafts[note_key] = str(st.session_state[note_key])
        if item.label:
            decide(item.label.decision, item.label.reason)

    def undo() -> None:
        withdraw_decision(session.database(), item.run_id, item.position, session.reviewer())
        st.session_state.pop(note_key, None)
        drafts.pop(note_key, None)

    off = item.check is None or not item.ready
    _buttons(item, decide, undo, off)
    note, beside = st.columns([52, 48], gap="xsmall", vertical_alignment="center")
    with note, st.container(key="entry-note"):
        st.text_input(
            "Note",
            key=note_key,
            on_change=noted,
            label_visibility="collapsed",
            placeholder="Note (N), stored with your decision",
            disabled=off,
        )
    widget_keys({"n": "entry-note"}, "entry-keys")
    return beside


def _store(
    item: EntryDecision,
    reviewer: str,
    decision: ReferenceDecision,
    reason: OverrideReason | None,
    note: str,
) -> None:
    database, place = session.database(), (item.run_id, item.position)
    try:
        if reason is None:
            decide_reference(database, *place, reviewer, decision, note=note)
        else:
            override_reference(database, *place, reviewer, reason, note=note)
    except NotFoundError:
        # a check is on disk a moment after it is shown
        st.toast("This reference is still being checked. Try again in a moment.")


def _buttons(
    item: EntryDecision, decide: Callable[..., None], undo: Callable[[], None], off: bool
) -> None:
    label = item.label
    agreed = agreed_decision(item.check) if item.check else None
    agrees = label is not None and label.reason is None and label.decision == agreed
    with st.container(key="entry-agree", horizontal=True, gap="xsmall"):
        st.button(
            "Agree",
            key="entry-agree-button",
            shortcut="a",
            on_click=decide,
            args=(agreed,),
            disabled=off or agreed is None,
            type="primary" if agrees else "secondary",
            help=texts.agree_help(agreed),
        )
        for decision, key, word, meaning in texts.OTHER_DECISIONS:
            chosen = label is not None and label.reason is None and label.decision == decision
            st.button(
                word,
                key=f"entry-decide-{decision}",
                shortcut=key,
                on_click=decide,
                args=(decision,),
                disabled=off,
                type="primary" if chosen and not agrees else "secondary",
                help=meaning,
            )
        st.button("Undo", key="entry-undo", shortcut="u", on_click=undo, disabled=label is None)
    with st.container(key="entry-overrides", horizontal=True, gap="xsmall"):
        for reason, key, word, meaning in texts.OVERRIDES:
            st.button(
                word,
                key=f"entry-override-{reason}",
                shortcut=key,
                on_click=decide,
                args=("fabricated" if reason == "fabricated" else "exists", reason),
                disabled=off,
                type="primary" if label and label.reason == reason else "secondary",
                help=meaning,
            )
