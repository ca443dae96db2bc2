"""Key presses in a queue: each is one action, one change of the store; no page, no session.

An action names the item that was on the screen when the key was pressed. If that is no longer the
current item, nothing is done: a repeated press does not label an unseen item.
"""

from dataclasses import replace

from workbench.errors import WorkbenchError
from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.references import REFERENCE_CHOICES, decide_entry, renote_entry
from workbench.interfaces.web.queues.sentences import SENTENCE_CHOICES, decide_sentence
from workbench.interfaces.web.queues.view import QueueSession
from workbench.presentation.escape import truncate
from workbench.presentation.run_desk import COMMENTED, KeyAction, StatusMessage, human_label
from workbench.presentation.verdicts import STYLES
from workbench.records.queue import ReviewTask
from workbench.records.review import Label
from workbench.records.verdict import HumanLabel
from workbench.services.database import Database
from workbench.services.labels import DecisionDetails, details_of_label
from workbench.services.repositories import CommentRepository, ReviewTaskService
from workbench.services.review_tasks import (
    decide_task,
    hold_task,
    last_decided_task,
    neighboring_task,
    next_skipped_task,
    skip_task,
    undo_last,
)


def perform(
    database: Database, state: QueueSession, act: KeyAction, details: DecisionDetails | None = None
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
    if item is None or act.at != item.position or not _is_known(state.task, act):
        return False
    try:
        _do(database, state, act, details)
    except WorkbenchError as error:
        # the note stays in the browser and the item stays open: nothing is lost
        state.status = StatusMessage(text=str(error), bad=True)
        return False
    return act.verb in ("label", "note")


def _is_known(task: ReviewTask, act: KeyAction) -> bool:
    """Whether a press chooses something that there is for the item."""
    if act.verb != "label":
        return True
    if task.reference is not None:
        return act.label in REFERENCE_CHOICES
    if task.sentence is not None:
        return act.label in SENTENCE_CHOICES
    return human_label(act.label) is not None


def keep_details(database: Database, state: QueueSession, details: DecisionDetails) -> bool:
    """Store the current label again with new details; whether there was a label."""
    task, label = state.task, state.task.own_label
    if label is None or task.item is None or not _answers_all(task, label):
        return False
    decision = details.decision(label.label, label.note)
    state.task = decide_task(database, task, decision, advance=False)
    return True


def _answers_all(task: ReviewTask, label: Label) -> bool:
    """Whether a label may be stored again as it is: it answers what the queue requires."""
    answers = label.answers_to(task.queue.id)
    return all(field.name in answers for field in task.queue.fields if field.required)


def _do(
    database: Database, state: QueueSession, act: KeyAction, details: DecisionDetails | None
) -> None:
    task = state.task
    state.status = StatusMessage() if act.verb != "here" else state.status
    match act.verb:
        case "label" if task.reference is not None and act.label:
            decide_entry(database, state, act.label, act.note)
        case "label" if task.sentence is not None and act.label:
            decide_sentence(database, state, act.label)
        case "label":
            label = human_label(act.label)
            if label:
                _decide(database, state, act, label, details)
        case "note" if task.reference is not None:
            renote_entry(database, state, act.note)
        case "note":
            if task.own_label:
                _decide(database, state, act, task.own_label.label, details, stay=True)
        case "next":
            _move(state, neighboring_task(database, task, 1), "This is the last item you can open.")
        case "previous":
            _move(state, neighboring_task(database, task, -1), texts.FIRST_ITEM)
        case "last":
            _move(state, last_decided_task(database, task), "There is no earlier decision.")
        case "reveal":
            _reveal(database, state)
        case "skip":
            _arrive(state, skip_task(database, task, act.reason))
            state.status = StatusMessage(text=f"Item {act.at + 1} skipped; U undoes it.")
        case "skipped":
            _move(state, next_skipped_task(database, task), "You have skipped no other items.")
        case "undo":
            _undo(database, state)
        case "stay":
            state.stay = not state.stay
        case "quote":
            state.quote_at += 1
        case "source":
            state.source_open = True
        case "comment" if task.result is not None and task.item:
            CommentRepository(database).add(
                task.item.run_id, task.item.citation_id, task.reviewer, act.comment
            )
            _arrive(
                state,
                ReviewTaskService(database).open(task.queue.id, task.reviewer, task.item.position),
            )
            state.status = StatusMessage(text=COMMENTED)
        case "here":
            hold_task(database, task)
        case _:
            pass


def _decide(
    database: Database,
    state: QueueSession,
    act: KeyAction,
    label: HumanLabel,
    details: DecisionDetails | None,
    stay: bool = False,
) -> None:
    stay = stay or (state.stay and state.task.judge_hidden)
    before = state.task
    assert before.result is not None
    chosen = details or details_of_label(before.own_label, before.result, before.source)
    answers = act.answers if before.queue.fields else None
    decision = replace(chosen.decision(label, act.note), answers=answers)
    _arrive(state, decide_task(database, before, decision, advance=not stay))
    state.status = StatusMessage(text=texts.decided_text(STYLES[label].word, act.at, stay))


def _reveal(database: Database, state: QueueSession) -> None:
    """Show the judge on the item decided last: it stays hidden on undecided items."""
    if not state.task.judge_hidden:
        state.status = StatusMessage(text="The judge's verdict is already shown.")
        return
    before, task = state.task.item, last_decided_task(database, state.task)
    if task.item is None or (before and task.item.position == before.position):
        state.task = task
        state.status = StatusMessage(text=texts.LABEL_FIRST)
        return
    _arrive(state, task)
    state.status = StatusMessage(text="The judge's verdict on your last item. Press J to continue.")


def _undo(database: Database, state: QueueSession) -> None:
    before = state.task
    task = undo_last(database, before)
    _arrive(state, task)
    if task.item is None:
        return
    same = all(
        seen(task) == seen(before)
        for seen in (
            lambda one: (one.progress.own_reviews, one.progress.skipped),
            lambda one: (one.mine, one.reference, one.sentence),
        )
    )
    state.status = StatusMessage(
        text="There is nothing to undo." if same else texts.undone_text(task.item.position)
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
