"""What a key press in a queue does: one act, one move of the store; no page, no session.

An act names the item that was on the screen when the key was pressed. Where that is no longer the
one before the reviewer, nothing is done: a press that comes twice labels no unseen item.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from workbench.errors import WorkbenchError
from workbench.interfaces.web.queues.view import QueueSession, StatusMessage, own_label
from workbench.interfaces.web.review.decision_drafts import DecisionDetails, details_of_label
from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import STYLES
from workbench.records import HUMAN_LABELS, HumanLabel, Json, ReviewTask
from workbench.store import ReviewTaskService

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
    turns: ReviewTaskService,
    seated: QueueSession,
    act: QueueAction,
    details: DecisionDetails | None = None,
) -> bool:
    """Do one act for the reviewer, once, and note what came of it; whether a decision was kept.

    Args:
        turns: Where it is kept.
        seated: Who sits before which item; it is moved on.
        act: The press.
        details: Tags, fault and evidence that the reviewer chose beside the label.
    """
    if act.id and act.id == seated.last:
        return False
    seated.acts += 1
    seated.last = act.id
    seated.source_open = False
    item = seated.turn.item
    if item is None or act.at != item.position:
        return False
    try:
        _do(turns, seated, act, details)
    except WorkbenchError as error:
        # the note stays in the browser, the item on the desk: nothing is lost
        seated.said = StatusMessage(words=str(error), bad=True)
        return False
    return act.verb in ("label", "note")


def keep_details(turns: ReviewTaskService, seated: QueueSession, details: DecisionDetails) -> bool:
    """Give the standing label again with other details; whether there was one to give."""
    turn, mine = seated.turn, own_label(seated.turn)
    if mine is None or turn.item is None:
        return False
    decision = details.decision(mine.label, mine.note)
    seated.turn = turns.decide(
        seated.queue_id, seated.reviewer, turn.item.position, decision, advance=False
    )
    return True


def _do(
    turns: ReviewTaskService,
    seated: QueueSession,
    act: QueueAction,
    details: DecisionDetails | None,
) -> None:
    queue_id, me, at = seated.queue_id, seated.reviewer, act.at
    seated.said = StatusMessage() if act.verb != "here" else seated.said
    match act.verb:
        case "label" if act.label:
            _decide(turns, seated, act, act.label, details)
        case "note":
            mine = own_label(seated.turn)
            if mine:
                _decide(turns, seated, act, mine.label, details, stay=True)
        case "next":
            _move(seated, turns.step(queue_id, me, at, 1), "This is the last item you can open.")
        case "previous":
            _move(seated, turns.step(queue_id, me, at, -1), "This is the first item you can open.")
        case "last":
            _back(turns, seated)
        case "reveal":
            _reveal(turns, seated)
        case "skip":
            _arrive(seated, turns.skip(queue_id, me, at, act.reason))
            seated.said = StatusMessage(words=f"Item {at + 1} skipped; U takes it back.")
        case "skipped":
            _move(seated, turns.skipped(queue_id, me, at), "You have skipped no other item.")
        case "undo":
            _undo(turns, seated)
        case "stay":
            seated.stay = not seated.stay
        case "quote":
            seated.quote_at += 1
        case "source":
            seated.source_open = True
        case "here":
            turns.keep_open(queue_id, me)
        case _:
            pass


def _decide(
    turns: ReviewTaskService,
    seated: QueueSession,
    act: QueueAction,
    label: HumanLabel,
    details: DecisionDetails | None,
    stay: bool = False,
) -> None:
    stay = stay or (seated.stay and seated.turn.judge_hidden)
    before = seated.turn
    assert before.result is not None
    chosen = details or details_of_label(own_label(before), before.result, before.source)
    decision = chosen.decision(label, act.note)
    turn = turns.decide(seated.queue_id, seated.reviewer, act.at, decision, advance=not stay)
    _arrive(seated, turn)
    word = STYLES[label].word
    seated.said = StatusMessage(
        words=f"{word}, item {act.at + 1}." + (" J goes on." if stay else "")
    )


def _back(turns: ReviewTaskService, seated: QueueSession) -> None:
    assert seated.turn.item is not None
    turn = turns.back(seated.queue_id, seated.reviewer, seated.turn.item.position)
    _move(seated, turn, "You have decided nothing before this.")


def _reveal(turns: ReviewTaskService, seated: QueueSession) -> None:
    """The judge on the item decided last: an undecided one keeps it hidden."""
    if not seated.turn.judge_hidden:
        seated.said = StatusMessage(words="The judge is shown already.")
        return
    assert seated.turn.item is not None
    turn = turns.back(seated.queue_id, seated.reviewer, seated.turn.item.position)
    if turn.item is None or turn.item.position == seated.turn.item.position:
        seated.turn = turn
        seated.said = StatusMessage(words="Decide first; the judge is shown after that.")
        return
    _arrive(seated, turn)
    seated.said = StatusMessage(
        words="What the judge said of the item you decided last. J goes on."
    )


def _undo(turns: ReviewTaskService, seated: QueueSession) -> None:
    before = seated.turn
    turn = turns.undo(seated.queue_id, seated.reviewer)
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
    before = seated.turn.item
    _arrive(seated, turn)
    if turn.item and before and turn.item.position == before.position:
        seated.said = StatusMessage(words=truncate(stuck))


def _arrive(seated: QueueSession, turn: ReviewTask) -> None:
    seated.turn = turn
    seated.quote_at = 0
    seated.part = None
