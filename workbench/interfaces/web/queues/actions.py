"""What a key press in a queue does: one act, one move of the store; no page, no session.

An act names the item that was on the screen when the key was pressed. Where that is no longer the
one before the reviewer, nothing is done: a press that comes twice labels no unseen item.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from workbench.errors import WorkbenchError
from workbench.interfaces.web.queues.view import QueueSession, StatusMessage
from workbench.interfaces.web.review.decision_drafts import DecisionDetails, details_of_label
from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import STYLES
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
    """One press, as the browser sent it."""

    id: str
    verb: Verb
    at: int
    """The position that was on the screen."""
    label: HumanLabel | None = None
    note: str = ""
    reason: str = ""


def parse_act(raw: object) -> QueueAction | None:
    """The act in what a browser sent; None where it is none."""
    if not isinstance(raw, Mapping):
        return None
    sent = cast(Mapping[str, Json], raw)
    verb, at, label = sent.get("verb"), sent.get("at"), sent.get("label")
    if verb not in VERBS or not isinstance(at, int):
        return None
    if verb == "label" and label not in HUMAN_LABELS:
        return None
    return QueueAction(
        id=str(sent.get("id", ""))[:60],
        verb=cast(Verb, verb),
        at=at,
        label=label if label in HUMAN_LABELS else None,
        note=str(sent.get("note") or "")[:10_000],
        reason=str(sent.get("reason") or "")[:500],
    )


def perform(
    database: Database,
    seated: QueueSession,
    act: QueueAction,
    details: DecisionDetails | None = None,
) -> bool:
    """Do one act for the reviewer, once, and note what came of it; whether a decision was kept.

    Args:
        database: Where it is stored.
        seated: Who sits before which item; it is moved on.
        act: The press.
        details: Tags, fault and evidence that the reviewer chose beside the label.
    """
    if act.id and act.id == seated.last:
        return False
    seated.acts += 1
    seated.last = act.id
    seated.source_open = False
    item = seated.task.item
    if item is None or act.at != item.position:
        return False
    try:
        _do(database, seated, act, details)
    except WorkbenchError as error:
        # the note stays in the browser, the item on the desk: nothing is lost
        seated.said = StatusMessage(words=str(error), bad=True)
        return False
    return act.verb in ("label", "note")


def keep_details(database: Database, seated: QueueSession, details: DecisionDetails) -> bool:
    """Give the standing label again with other details; whether there was one to give."""
    task, label = seated.task, seated.task.own_label
    if label is None or task.item is None:
        return False
    decision = details.decision(label.label, label.note)
    seated.task = decide_task(database, task, decision, advance=False)
    return True


def _do(
    database: Database,
    seated: QueueSession,
    act: QueueAction,
    details: DecisionDetails | None,
) -> None:
    task = seated.task
    seated.said = StatusMessage() if act.verb != "here" else seated.said
    match act.verb:
        case "label" if act.label:
            _decide(database, seated, act, act.label, details)
        case "note":
            if task.own_label:
                _decide(database, seated, act, task.own_label.label, details, stay=True)
        case "next":
            _move(
                seated, neighboring_task(database, task, 1), "This is the last item you can open."
            )
        case "previous":
            _move(
                seated, neighboring_task(database, task, -1), "This is the first item you can open."
            )
        case "last":
            _back(database, seated)
        case "reveal":
            _reveal(database, seated)
        case "skip":
            _arrive(seated, skip_task(database, task, act.reason))
            seated.said = StatusMessage(words=f"Item {act.at + 1} skipped; U takes it back.")
        case "skipped":
            _move(seated, next_skipped_task(database, task), "You have skipped no other item.")
        case "undo":
            _undo(database, seated)
        case "stay":
            seated.stay = not seated.stay
        case "quote":
            seated.quote_at += 1
        case "source":
            seated.source_open = True
        case "here":
            hold_task(database, task)
        case _:
            pass


def _decide(
    database: Database,
    seated: QueueSession,
    act: QueueAction,
    label: HumanLabel,
    details: DecisionDetails | None,
    stay: bool = False,
) -> None:
    stay = stay or (seated.stay and seated.task.judge_hidden)
    before = seated.task
    assert before.result is not None
    chosen = details or details_of_label(before.own_label, before.result, before.source)
    decision = chosen.decision(label, act.note)
    _arrive(seated, decide_task(database, before, decision, advance=not stay))
    word = STYLES[label].word
    seated.said = StatusMessage(
        words=f"{word}, item {act.at + 1}." + (" J goes on." if stay else "")
    )


def _back(database: Database, seated: QueueSession) -> None:
    _move(seated, last_decided_task(database, seated.task), "You have decided nothing before this.")


def _reveal(database: Database, seated: QueueSession) -> None:
    """The judge on the item decided last: an undecided one keeps it hidden."""
    if not seated.task.judge_hidden:
        seated.said = StatusMessage(words="The judge is shown already.")
        return
    before, task = seated.task.item, last_decided_task(database, seated.task)
    if task.item is None or (before and task.item.position == before.position):
        seated.task = task
        seated.said = StatusMessage(words="Decide first; the judge is shown after that.")
        return
    _arrive(seated, task)
    seated.said = StatusMessage(
        words="What the judge said of the item you decided last. J goes on."
    )


def _undo(database: Database, seated: QueueSession) -> None:
    before = seated.task
    turn = undo_last(database, before)
    _arrive(seated, turn)
    if turn.item is None:
        return
    same = (turn.progress.mine, turn.progress.skipped, turn.mine) == (
        before.progress.mine,
        before.progress.skipped,
        before.mine,
    )
    number = turn.item.position + 1
    seated.said = StatusMessage(
        words="There is nothing to take back." if same else f"Taken back on item {number}."
    )


def _move(seated: QueueSession, turn: ReviewTask, stuck: str) -> None:
    before = seated.task.item
    _arrive(seated, turn)
    if turn.item and before and turn.item.position == before.position:
        seated.said = StatusMessage(words=truncate(stuck))


def _arrive(seated: QueueSession, turn: ReviewTask) -> None:
    seated.task = turn
    seated.quote_at = 0
    seated.part = None
