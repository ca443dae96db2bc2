"""What the reviewer's keys do on the page of a run: label and go on, move, undo.

A press names the citation that was on the screen by its position among all citations of the run in
text order, so that none is labelled that was not seen when the key was handled.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.review import run_end
from workbench.interfaces.web.review.decision_details import DecisionItem, details_of, discard_draft
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.interfaces.web.run_cache import load_review, open_source
from workbench.presentation.citation_card import position_label
from workbench.presentation.run_desk import (
    COMMENTED,
    FIRST_CITATION,
    LAST_CITATION,
    NOTE_SAVED,
    NOTHING_TO_UNDO,
    KeyAction,
    StatusMessage,
    human_label,
    labelled_text,
    parse_action,
    run_keys_data,
    undone_text,
)
from workbench.presentation.run_view import ReviewState, step
from workbench.records.text import JsonDict
from workbench.records.verdict import HumanLabel
from workbench.services.labels import newest_label
from workbench.services.repositories import CommentRepository, LabelRepository

_STATE, _STAY = "run-keys-state", "stay-after-label"


@dataclass(slots=True, kw_only=True)
class KeysState:
    """The state of one run's keys between two reruns."""

    run_id: str
    status: StatusMessage = field(default_factory=StatusMessage)
    handled: int = 0
    """Number of presses that were handled."""
    last: str = ""
    """Id of the last handled press, so that one sent twice is handled once."""


def keys_state(run_id: str) -> KeysState:
    """The state of the session's keys for a run."""
    state = st.session_state.get(_STATE)
    if not isinstance(state, KeysState) or state.run_id != run_id:
        state = st.session_state[_STATE] = KeysState(run_id=run_id)
    return state


def decision_item(review: ReviewState, citation_id: str) -> DecisionItem:
    """A citation of the run as the item that a reviewer decides on."""
    database = session.database()
    return DecisionItem(
        database=database,
        run_id=review.run.id,
        result=review.results[citation_id],
        source=open_source(database, review, citation_id),
        reviewer=session.reviewer(),
        label=review.own_labels.get(citation_id),
        others=review.others.get(citation_id, ()),
    )


def keys_data(review: ReviewState, item: DecisionItem) -> JsonDict:
    """The data of the buttons under the card."""
    state = keys_state(item.run_id)
    return run_keys_data(
        review,
        item.citation_id,
        item.reviewer,
        last=state.last,
        handled=state.handled,
        status=state.status,
        stays=_stays(),
        source=item.source is not None,
    )


def perform_sent(raw: object) -> None:
    """Handle one press, as sent by the browser."""
    action, run_id = parse_action(raw), session.run_id()
    if action is None or run_id is None:
        return
    state = keys_state(run_id)
    if action.id and action.id == state.last:
        return
    state.last, state.status = action.id, StatusMessage()
    state.handled += 1
    run_end.close_summary()
    try:
        review = load_review(session.database(), run_id, session.reviewer())
        names = list(review.results)
        if 0 <= action.at < len(names):
            _perform(review, names[action.at], action, state)
    except WorkbenchError as error:
        # the note stays in the browser and the citation stays open: nothing is lost
        state.status = StatusMessage(text=str(error), bad=True)


def keep_changes(item: DecisionItem) -> None:
    """Store the reviewer's current label again with its changed details; without one do nothing."""
    if item.label:
        _store(item, item.label.label, item.label.note, item.reviewer)


def _stays() -> bool:
    """Whether a citation stays on the screen after its label."""
    return bool(st.session_state.get(_STAY))


def _perform(review: ReviewState, name: str, action: KeyAction, state: KeysState) -> None:
    label, own_label = human_label(action.label), review.own_labels.get(name)
    match action.verb:
        case "label" if label and name not in review.pending:
            _label(review, name, label, action.note)
        case "note" if own_label:
            _store(decision_item(review, name), own_label.label, action.note, session.reviewer())
            state.status = StatusMessage(text=NOTE_SAVED)
        case "comment":
            _comment(review, name, action.comment)
        case "next":
            _move(review, name, 1, state, LAST_CITATION)
        case "previous":
            _move(review, name, -1, state, FIRST_CITATION)
        case "undo":
            _undo(review, state)
        case "stay":
            st.session_state[_STAY] = not _stays()
        case "quote":
            st.session_state["quote_at"] = st.session_state.get("quote_at", 0) + 1
        case "source":
            session.open_dialog("source_open", name)
            st.session_state.pop("source_part", None)
        case _:
            pass


def _label(review: ReviewState, name: str, label: HumanLabel, note: str) -> None:
    def keep(reviewer: str) -> StatusMessage:
        _store(decision_item(review, name), label, note, reviewer)
        following = name if _stays() else _neighbor(review, name, 1)
        left = review.left_after(name) if following == name and not _stays() else None
        if name not in review.labels and review.left_after("") and not review.left_after(name):
            session.open_dialog(run_end.OPEN, review.run.id)
        session.select(following)
        return StatusMessage(text=labelled_text(label, position_label(review, name), left))

    _keep(review, keep)


def _comment(review: ReviewState, name: str, body: str) -> None:
    def keep(reviewer: str) -> StatusMessage:
        CommentRepository(session.database()).add(review.run.id, name, reviewer, body)
        return StatusMessage(text=COMMENTED)

    _keep(review, keep)


def _keep(review: ReviewState, act: Callable[[str], StatusMessage]) -> None:
    """Store something under the reviewer's name, and tell what became of it."""
    state = keys_state(review.run.id)

    def keep(reviewer: str) -> None:
        try:
            state.status = act(reviewer)
        except WorkbenchError as error:
            state.status = StatusMessage(text=str(error), bad=True)

    with_name(keep)


def _store(item: DecisionItem, label: HumanLabel, note: str, reviewer: str) -> None:
    decision = details_of(item).decision(label, note)
    LabelRepository(item.database).give(item.run_id, item.citation_id, reviewer, decision)
    discard_draft(item)


def _neighbor(review: ReviewState, name: str, by: int) -> str:
    """The citation before or after another in the current filter; itself at an end."""
    order = review.order(session.active_filters())
    return step(order, review.marks, name, by) or name


def _move(review: ReviewState, name: str, by: int, state: KeysState, at_end: str) -> None:
    neighbor = _neighbor(review, name, by)
    if neighbor == name:
        state.status = StatusMessage(text=at_end)
    session.select(neighbor)


def _undo(review: ReviewState, state: KeysState) -> None:
    """Undo the reviewer's last label or label change in this run, and show its citation."""
    newest = newest_label(review.own_labels)
    if newest is None:
        state.status = StatusMessage(text=NOTHING_TO_UNDO)
        return
    name = newest.citation_id
    item = decision_item(review, name)
    withdrawn = LabelRepository(item.database).withdraw(review.run.id, name, item.reviewer)
    discard_draft(item)
    current = load_review(item.database, review.run.id, item.reviewer).own_labels.get(name)
    if withdrawn:
        place = position_label(review, name)
        state.status = StatusMessage(text=undone_text(withdrawn, current, place))
    session.select(name)
