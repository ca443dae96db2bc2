"""A reviewer at work on a queue: strip, text, card and keys, redrawn alone at each press."""

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components import citations, queue
from workbench.interfaces.web.error_boundary import error_boundary
from workbench.interfaces.web.guide.page import draw_guide_button
from workbench.interfaces.web.queues.actions import keep_details, parse_act, perform
from workbench.interfaces.web.queues.names import named
from workbench.interfaces.web.queues.view import (
    QueueSession,
    desk_of,
    keys_data,
    passages_of,
    strip_data,
    turn_card,
    turn_text,
)
from workbench.interfaces.web.review.claim_boundaries import draw_claim, draw_claim_button
from workbench.interfaces.web.review.decision_details import (
    DecisionItem,
    details_of,
    discard_draft,
    draw_details,
    draw_wrong,
)
from workbench.interfaces.web.review.source_view import show_source
from workbench.interfaces.web.reviewer_identity import draw_identity
from workbench.interfaces.web.shortcuts import QUEUE_KEYS, show_keys
from workbench.presentation.run_view import ReviewState
from workbench.records import ReviewTask
from workbench.services.database import database_stamp
from workbench.services.review_tasks import (
    last_decided_task,
    leave_task,
    next_skipped_task,
    open_task,
)

_SEAT = "queue-seat"


def draw_queue(queue_id: str, reviewer: str) -> None:
    """Draw the desk of a queue for a reviewer.

    Raises:
        StoreError: There is no such queue, or the database cannot be used.
        UsageError: The queue is put away, or it is not this reviewer's.
    """
    seated = st.session_state.get(_SEAT)
    database = session.database()
    # what was read before something was erased may hold just that
    written = database_stamp(database.path)
    if not isinstance(seated, QueueSession) or (
        (seated.queue_id, seated.reviewer, seated.written) != (queue_id, reviewer, written)
    ):
        task = open_task(database, queue_id, reviewer)
        st.session_state[_SEAT] = QueueSession(
            queue_id=queue_id, reviewer=reviewer, task=task, written=written
        )
    st.fragment(error_boundary(_seat), key="queue-desk")()


def leave_queue() -> None:
    """Free the item that is open, and go back to the list."""
    seated = st.session_state.pop(_SEAT, None)
    if isinstance(seated, QueueSession):
        leave_task(session.database(), seated.task)
    if "queue" in st.query_params:
        del st.query_params["queue"]


def _seat() -> None:
    seated = st.session_state.get(_SEAT)
    if not isinstance(seated, QueueSession):
        st.rerun()
        return
    if named() != seated.reviewer or seated.written != database_stamp(session.database().path):
        st.rerun()
    turn = seated.task
    _head(turn)
    if turn.item is None:
        _end(seated)
        return
    desk = desk_of(turn)
    if desk is None:
        st.warning(f"Item {turn.item.position + 1} was erased; go on with the next one.")
        queue.keys(keys_data(seated, 0), "queue-keys", _acted)
        return
    _draw(seated, desk)


def _head(turn: ReviewTask) -> None:
    words, acts = st.columns([64, 36], vertical_alignment="center")
    with words:
        queue.strip(strip_data(turn), "queue-strip")
    with acts, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        draw_identity()
        if st.button("Keys", key="keys", shortcut="h"):
            show_keys(QUEUE_KEYS)
        if st.button("Leave", key="leave", help="Frees the open item and shows the list."):
            leave_queue()
            st.rerun()


def _draw(seated: QueueSession, desk: ReviewState) -> None:
    turn = seated.task
    assert turn.item is not None
    name = turn.item.citation_id
    result = desk.results[name]
    item = _item(turn)
    passages = passages_of(turn)
    quotes = len(result.judgment.evidence) if result.judgment else 0
    with st.container(key="queue-seat"), st.container(key="desk"):
        left, right = st.columns([58, 42], gap="medium")
        with right, st.container(key="deciding", gap="xsmall"):
            citations.card(
                turn_card(desk, turn, turn.source, seated.quote_at, passages), "queue-card"
            )
            draw_claim(item, desk.text, hidden=turn.judge_hidden, judged=_judged)
            queue.keys(keys_data(seated, quotes or len(passages)), "queue-keys", _acted)
            with st.container(key="mending", horizontal=True, gap="xsmall"):
                with st.container(key="wrong-place", width="content"):
                    if quotes:
                        draw_wrong(item, keep=_keep, quote_at=seated.quote_at)
                draw_claim_button(item, desk.cited)
                draw_guide_button()
            draw_details(item, keep=_keep, quote_at=seated.quote_at)
        with left, st.container(key="reading"):
            citations.document(turn_text(desk, turn, seated.part), "queue-text", _picked, _parted)
    if seated.source_open and turn.source:
        show_source(item, turn.source, seated.quote_at if quotes else 0, _keep, _closed)


def _end(seated: QueueSession) -> None:
    turn = seated.task
    progress = turn.progress
    if progress.held:
        items = "item is" if progress.held == 1 else "items are"
        st.info(
            f"Nothing is left for you now; {progress.held} {items} open with other reviewers. "
            "What they leave comes back to you: look again later."
        )
    elif progress.done < progress.items:
        st.info("Nothing is left for you here; what is open is for other reviewers.")
    else:
        st.success("Every item of this queue has the reviews it needs.")
    with st.container(horizontal=True, gap="small"):
        if progress.skipped:
            st.button(
                f"Go to the {progress.skipped} you skipped",
                key="to-skipped",
                type="primary",
                on_click=_go,
                args=("skipped",),
            )
        if progress.mine:
            st.button("Back to the last one", key="to-last", on_click=_go, args=("last",))
        st.button("Look again", key="look-again", on_click=_go, args=("again",))


def _go(where: str) -> None:
    seated = st.session_state[_SEAT]
    database = session.database()
    if where == "skipped":
        seated.task = next_skipped_task(database, seated.task)
    elif where == "last":
        seated.task = last_decided_task(database, seated.task)
    else:
        seated.task = open_task(database, seated.queue_id, seated.reviewer)


def _item(turn: ReviewTask) -> DecisionItem:
    assert turn.item is not None and turn.result is not None
    return DecisionItem(
        database=session.database(),
        run_id=turn.item.run_id,
        result=turn.result,
        source=turn.source,
        reviewer=turn.reviewer,
        label=turn.own_label,
        others=turn.others,
    )


def _acted(raw: object) -> None:
    act, seated = parse_act(raw), st.session_state.get(_SEAT)
    if act is None or not isinstance(seated, QueueSession):
        return
    item = _item(seated.task) if seated.task.item and seated.task.result else None
    details = details_of(item) if item else None
    if perform(session.database(), seated, act, details) and item:
        discard_draft(item)


def _keep() -> None:
    seated = st.session_state.get(_SEAT)
    if isinstance(seated, QueueSession):
        item = _item(seated.task)
        if keep_details(session.database(), seated, details_of(item)):
            discard_draft(item)


def _judged() -> None:
    """Look at the open item as it is judged now."""
    seated = st.session_state.get(_SEAT)
    if isinstance(seated, QueueSession) and seated.task.item:
        seated.task = open_task(
            session.database(),
            seated.queue_id,
            seated.reviewer,
            seated.task.item.position,
        )


def _closed() -> None:
    seated = st.session_state.get(_SEAT)
    if isinstance(seated, QueueSession):
        seated.source_open = False


def _parted(part: int) -> None:
    seated = st.session_state.get(_SEAT)
    if isinstance(seated, QueueSession):
        seated.part = part


def _picked(_: str) -> None:
    """The one mark of the text is the item itself."""
