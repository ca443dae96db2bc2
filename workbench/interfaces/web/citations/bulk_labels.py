"""One label for the selected citations, and the undo of the whole action."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.presentation.escape import escape_markdown
from workbench.presentation.run_desk import human_label
from workbench.presentation.tables import RowSelection
from workbench.presentation.verdicts import STYLES
from workbench.records.format import count_of, word_for
from workbench.records.queue import CitationListItem
from workbench.records.review import LabelDecision
from workbench.records.verdict import HUMAN_LABELS, HumanLabel
from workbench.services.repositories import LabelRepository

_STATE = "items-bulk"
_LABEL, _NOTE = "items-label", "items-note"
_LONGEST_NOTE = 2_000
CitationKey = tuple[str, str]
"""Run and citation id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _BulkAction:
    """An action that can be undone."""

    reviewer: str
    label: HumanLabel
    label_ids: tuple[str, ...]
    citations: tuple[CitationKey, ...]


@dataclass(slots=True, kw_only=True)
class _Bulk:
    """The selection in the list of a filter, and the last action on it."""

    filter: str
    selected: dict[CitationKey, None]
    """In the order of selecting, over all pages of the list."""
    generation: int = 0
    message: str = ""
    is_error: bool = False
    last: _BulkAction | None = None


def row_selection(items: Sequence[CitationListItem]) -> RowSelection:
    """The checkboxes of a page of the list."""
    bulk = _bulk()
    return RowSelection(
        row_ids=tuple(_row_id(_key(item)) for item in items),
        selected=frozenset(map(_row_id, bulk.selected)),
        generation=bulk.generation,
        accessible_label="Select:",
        select_all="Select all citations on this page",
    )


def select_rows(items: Sequence[CitationListItem], row_ids: frozenset[str]) -> None:
    """Update the selected citations of a page; those of other pages do not change."""
    selected = _bulk().selected
    for key in map(_key, items):
        if _row_id(key) not in row_ids:
            selected.pop(key, None)
        else:
            selected.setdefault(key)


def render_bulk_bar() -> None:
    """Draw the label, the note and the button for the selected citations."""
    number = len(_bulk().selected)
    with st.container(
        horizontal=True, gap="small", vertical_alignment="center", key="items-bulk-bar"
    ):
        st.selectbox(
            "Label",
            HUMAN_LABELS,
            index=None,
            format_func=lambda label: f"{STYLES[label].glyph} {STYLES[label].word}",
            placeholder="Label",
            key=_LABEL,
            label_visibility="collapsed",
            width=220,
        )
        st.text_input(
            "Note",
            key=_NOTE,
            max_chars=_LONGEST_NOTE,
            placeholder="Note (optional), saved with each label",
            label_visibility="collapsed",
            width=320,
        )
        st.button(
            f"Label {count_of(number, 'citation')}" if number else "Label citations",
            key="items-bulk-label",
            type="primary",
            disabled=not number or st.session_state.get(_LABEL) is None,
            help="Gives each selected citation this label in your name, recorded as made with the "
            "verdict visible. Citations that you already gave this label are skipped.",
            on_click=_label_selected,
        )
        if number:
            st.button("Clear selection", key="items-bulk-clear", type="tertiary", on_click=_clear)
        else:
            st.caption("Select citations to give them one label. Shift selects a range.")


def render_bulk_message() -> None:
    """Draw what the last action or its undo did, and the undo button."""
    bulk = _bulk()
    if not bulk.message:
        return
    with st.container(
        horizontal=True, gap="small", vertical_alignment="center", key="items-bulk-message"
    ):
        (st.error if bulk.is_error else st.success)(escape_markdown(bulk.message))
        if bulk.last:
            st.button(
                f"Undo: “{STYLES[bulk.last.label].word}” on {count_of(len(bulk.last.label_ids), 'citation')}",
                key="items-bulk-undo",
                icon=":material/undo:",
                on_click=_undo,
            )


def _bulk() -> _Bulk:
    """The selection of the current filter; another filter begins with an empty one."""
    address = st.query_params.get("filter", "")
    bulk = st.session_state.get(_STATE)
    if not isinstance(bulk, _Bulk) or bulk.filter != address:
        bulk = st.session_state[_STATE] = _Bulk(filter=address, selected={})
    return bulk


def _key(item: CitationListItem) -> CitationKey:
    return item.run_id, item.citation_id


def _row_id(key: CitationKey) -> str:
    return "\n".join(key)


def _clear() -> None:
    bulk = _bulk()
    bulk.selected = {}
    bulk.generation += 1


def _label_selected() -> None:
    bulk = _bulk()
    citations = tuple(bulk.selected)
    label = human_label(str(st.session_state.get(_LABEL) or ""))
    note = str(st.session_state.get(_NOTE) or "")
    if not citations or label is None:
        return

    def label_them(reviewer: str) -> None:
        try:
            outcome = LabelRepository(session.database()).give_several(
                citations, reviewer, LabelDecision(label=label, note=note)
            )
        except WorkbenchError as error:
            # the selection and the note stay: nothing was saved
            bulk.message, bulk.is_error = str(error), True
            return
        bulk.message = labelled_text(label, len(outcome.added), len(outcome.unchanged))
        bulk.is_error = False
        if outcome.added:
            bulk.last = _BulkAction(
                reviewer=reviewer,
                label=label,
                label_ids=tuple(added.id for added in outcome.added),
                citations=citations,
            )
        bulk.selected = {}
        bulk.generation += 1
        st.session_state[_NOTE] = ""

    with_name(label_them)


def _undo() -> None:
    """Undo the last action as a whole, and select its citations again."""
    bulk = _bulk()
    action = bulk.last
    if action is None:
        return
    try:
        withdrawn = LabelRepository(session.database()).withdraw_several(
            action.label_ids, action.reviewer
        )
    except WorkbenchError as error:
        bulk.message, bulk.is_error = str(error), True
        return
    bulk.message = undone_text(action.label, withdrawn, len(action.label_ids))
    bulk.is_error, bulk.last = False, None
    bulk.selected = dict.fromkeys(action.citations)
    bulk.generation += 1


def labelled_text(label: HumanLabel, added: int, unchanged: int) -> str:
    """The message after an action: what was labelled, and what was skipped."""
    name = STYLES[label].word
    skipped = (
        f" {unchanged:,} already had this label from you and "
        f"{word_for(unchanged, 'was', 'were')} skipped."
        if unchanged
        else ""
    )
    if not added:
        return f"Nothing was added:{skipped}"
    return f"Labelled {count_of(added, 'citation')} “{name}”.{skipped}"


def undone_text(label: HumanLabel, withdrawn: int, added: int) -> str:
    """The message after an undo: what it took back, and what it could not."""
    changed_since = added - withdrawn
    rest = (
        f" {changed_since:,} had been changed since and {word_for(changed_since, 'was', 'were')} "
        "left."
        if changed_since
        else ""
    )
    if not withdrawn:
        return f"Nothing was undone.{rest}"
    return f"Undone: label “{STYLES[label].word}” on {count_of(withdrawn, 'citation')}.{rest}"
