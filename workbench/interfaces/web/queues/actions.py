"""Key presses in a queue: each is one action, one change of the store; no page, no session.

An action names the item that was on the screen when the key was pressed. If that is no longer the
current item, nothing is done: a repeated press does not label an unseen item.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from workbench.errors import WorkbenchError
from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.references import (
    REFERENCE_CHOICES,
    decide_entry,
    renote_entry,
)
from workbench.interfaces.web.queues.view import QueueSession, StatusMessage
from workbench.interfaces.web.review.decision_drafts import DecisionDetails, details_of_label
from workbench.presentation.escape import truncate
from workbench.records import HUMAN_LABELS, HumanLabel, Json, ReviewTask
from workbench.services.database import Database
from workbench.services.review_tasks import (
    decide_task,
    hold_task,
    last_decided_task,
    neighboring_task,
    next_skipped_task,
    skip_task,
    undo_last,
)

Verb = Literal[
    "label", "note", "next", "previous", "last", "skip", "skipped", "undo", "reveal", "stay",
    "quote", "source", "here",
]  # fmt: skip
VERBS: frozenset[str] = frozenset(
    {"label", "note", "next", "previous", "last", "skip", "skipped", "undo", "reveal", "stay",
     "quote", "source", "here"}
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueAction:
    """One key press, as sent by the browser."""

    id: str
    verb: Verb
    at: int
    """The position that was on the screen."""
    label: str | None = None
    """A label of a citation, or one of `REFERENCE_CHOICES`."""
    note: str = ""
    reason: str = ""


def parse_act(raw: object) -> QueueAction | None:
    """Parse what the browser sent; None if it is not an action."""
    if not isinstance(raw, Mapping):
        return None
    sent = cast(Mapping[str, Json], raw)
    verb, at, label = sent.get("verb"), sent.get("at"), sent.get("label")
    if verb not in VERBS or not isinstance(at, int):
        return None
    known = isinstance(label, str) and (label in HUMAN_LABELS or label in REFERENCE_CHOICES)
    if verb == "label" and not known:
        return None
    return QueueAction(
        id=str(sent.get("id", ""))[:60],
        verb=cast(Verb, verb),
        at=at,
        label=str(label) if known else None,
        note=str(sent.get("note") or "")[:10_000],
        reason=str(sent.get("reason") or "")[:500],
    )


def perform(
    database: Database,
    state: QueueSession,
    act: QueueAction,
    details: DecisionDetails | None = None,
) -> bool:
    """Perform one action once and set the status; whether a decision was stored.

    Args:
        database: The database.
        state: The reviewer and the open item; it is modified.
        act: The key press.
        details: Tags, fault and evidence that the reviewer chose in addition to the label.
    """
    if act.id and act.id == state.last:
        return False
    state.acts += 1
    state.last = act.id
    state.source_open = False
    item = state.task.item
    if item is None or act.at != item.position:
        return False
    try:
        _do(database, state, act, details)
    except WorkbenchError as error:
        # the note stays in the browser and the item stays open: nothing is lost
        state.status = StatusMessage(text=str(error), bad=True)
        return False
    return act.verb in ("label", "note")


def keep_details(database: Database, state: QueueSession, details: DecisionDetails) -> bool:
    """Store the current label again with new details; whether there was a label."""
    task, label = state.task, state.task.own_label
    if label is None or task.item is None:
        return False
    decision = details.decision(label.label, label.note)
    state.task = decide_task(database, task, decision, advance=False)
    return True


def _do(
    database: Database,
    state: QueueSession,
    act: QueueAction,
    details: DecisionDetails | None,
) -> None:
    task = state.task
    state.status = StatusMessage() if act.verb != "here" else state.status
    match act.verb:
        case "label" if task.reference is not None:
            if act.label in REFERENCE_CHOICES:
                decide_entry(database, state, act.label, act.note)
        case "label":
            label = next((name for name in HUMAN_LABELS if name == act.label), None)
            if label:
                _decide(database, state, act, label, details)
        case "note" if task.reference is not None:
            renote_entry(database, state, act.note)
        case "note":
            if task.own_label:
                _decide(database, state, act, task.own_label.label, details, stay=True)
        case "next":
            _move(state, neighboring_task(database, task, 1), texts.LAST_ITEM)
        case "previous":
            _move(state, neighboring_task(database, task, -1), texts.FIRST_ITEM)
        case "last":
            _back(database, state)
        case "reveal":
            _reveal(database, state)
        case "skip":
            _arrive(state, skip_task(database, task, act.reason))
            state.status = StatusMessage(text=texts.skipped_text(act.at))
        case "skipped":
            _move(state, next_skipped_task(database, task), texts.NONE_SKIPPED)
        case "undo":
            _undo(database, state)
        case "stay":
            state.stay = not state.stay
        case "quote":
            state.quote_at += 1
        case "source":
            state.source_open = True
        case "here":
            hold_task(database, task)
        case _:
            pass


def _decide(
    database: Database,
    state: QueueSession,
    act: QueueAction,
    label: HumanLabel,
    details: DecisionDetails | None,
    stay: bool = False,
) -> None:
    stay = stay or (state.stay and state.task.judge_hidden)
    before = state.task
    assert before.result is not None
    chosen = details or details_of_label(before.own_label, before.result, before.source)
    decision = chosen.decision(label, act.note)
    _arrive(state, decide_task(database, before, decision, advance=not stay))
    state.status = StatusMessage(text=texts.labelled_text(label, act.at, stay))


def _back(database: Database, state: QueueSession) -> None:
    _move(state, last_decided_task(database, state.task), texts.NOTHING_EARLIER)


def _reveal(database: Database, state: QueueSession) -> None:
    """Show the judge on the item decided last: it stays hidden on undecided items."""
    if not state.task.judge_hidden:
        state.status = StatusMessage(text=texts.JUDGE_SHOWN)
        return
    before, task = state.task.item, last_decided_task(database, state.task)
    if task.item is None or (before and task.item.position == before.position):
        state.task = task
        state.status = StatusMessage(text=texts.LABEL_FIRST)
        return
    _arrive(state, task)
    state.status = StatusMessage(text=texts.LAST_VERDICT)


def _undo(database: Database, state: QueueSession) -> None:
    before = state.task
    task = undo_last(database, before)
    _arrive(state, task)
    if task.item is None:
        return
    same = (task.progress.own_reviews, task.progress.skipped, task.mine, task.reference) == (
        before.progress.own_reviews,
        before.progress.skipped,
        before.mine,
        before.reference,
    )
    state.status = StatusMessage(
        text=texts.NOTHING_TO_UNDO if same else texts.undone_text(task.item.position)
    )


def _move(state: QueueSession, task: ReviewTask, message: str) -> None:
    before = state.task.item
    _arrive(state, task)
    if task.item and before and task.item.position == before.position:
        state.status = StatusMessage(text=truncate(message))


def _arrive(state: QueueSession, task: ReviewTask) -> None:
    state.task = task
    state.quote_at = 0
    state.part = None
