"""A reviewer at work on a queue: strip, text, card and keys, redrawn alone at each press."""

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components import asset, citations
from workbench.interfaces.web.components.desk_keys import desk_keys
from workbench.interfaces.web.components.references import entry_card
from workbench.interfaces.web.filters import address_of
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.guide.page import render_guide_button, render_open_guide
from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.actions import keep_details, perform
from workbench.interfaces.web.queues.list import is_finished
from workbench.interfaces.web.queues.references import reference_card, reference_keys
from workbench.interfaces.web.queues.sentences import said_of, sentence_keys, sentence_text
from workbench.interfaces.web.queues.view import (
    QueueSession,
    keys_data,
    passages_of,
    review_state_of,
    strip_data,
    turn_card,
    turn_text,
)
from workbench.interfaces.web.review.claim_boundaries import render_claim, render_claim_button
from workbench.interfaces.web.review.decision_details import (
    DecisionItem,
    details_of,
    discard_draft,
    render_details,
    render_error_source,
)
from workbench.interfaces.web.review.give_source import render_give_source
from workbench.interfaces.web.review.proposed_correction import render_correction
from workbench.interfaces.web.review.source_view import show_source
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.interfaces.web.run_cache import with_corrections
from workbench.interfaces.web.shortcuts import QUEUE_KEYS, show_keys
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.presentation.run_desk import parse_action
from workbench.presentation.run_view import ReviewState
from workbench.records.format import count_of
from workbench.records.queue import ItemFilter, QueueSummary, ReviewTask, SentenceTask
from workbench.records.text import JsonDict
from workbench.services.database import database_stamp
from workbench.services.examples import example_ids
from workbench.services.repositories import CitationQuery, Queues, ReviewTaskService
from workbench.services.review_tasks import (
    last_decided_task,
    leave_task,
    next_skipped_task,
    take_queue,
)

_SESSION_KEY = "queue-seat"


def render_queue(queue_id: str, reviewer: str) -> None:
    """Draw the current item of a queue for a reviewer.

    Raises:
        StoreError: There is no such queue, or the database cannot be used.
        UsageError: The queue is closed, or it is not this reviewer's.
    """
    state, database = _state(), session.database()
    # a task read before a deletion may contain the deleted item
    written = database_stamp(database.path)
    if state is None or (
        (state.queue_id, state.reviewer, state.written) != (queue_id, reviewer, written)
    ):
        task = ReviewTaskService(database).open(queue_id, reviewer)
        st.session_state[_SESSION_KEY] = QueueSession(
            queue_id=queue_id, reviewer=reviewer, task=task, written=written
        )
    fragment(_redraw, key="queue-desk")()


def _state() -> QueueSession | None:
    state = st.session_state.get(_SESSION_KEY)
    return state if isinstance(state, QueueSession) else None


def leave_queue() -> None:
    """Release the open item, and go back to the list."""
    if state := _state():
        leave_task(session.database(), state.task)
        del st.session_state[_SESSION_KEY]
    st.query_params.pop("queue", None)


def _redraw() -> None:
    state = _state()
    if state is None:
        st.rerun()
        return
    if session.typed_name() != state.reviewer or state.written != database_stamp(
        session.database().path
    ):
        st.rerun()
    task = state.task
    _head(task)
    if task.item is None:
        _end(state)
        return
    if task.reference is not None:
        _draw_reference(state)
        return
    if task.sentence is not None:
        _draw_sentence(state, task.sentence)
        return
    review = review_state_of(task)
    if review is None:
        st.warning(f"Item {task.item.position + 1} was erased; continue with the next one.")
        _keys(keys_data(state, 0))
        return
    _draw(state, review)


def _head(task: ReviewTask) -> None:
    words, acts = st.columns([64, 36], vertical_alignment="center")
    with words:
        strip(strip_data(task), "queue-strip")
    with acts, st.container(horizontal=True, horizontal_alignment="right", gap="small"):
        render_identity()
        if st.button("Keys", key="keys", shortcut="h"):
            show_keys(QUEUE_KEYS)
        if st.button("Leave", key="leave", help=texts.LEAVE_HELP):
            leave_queue()
            st.rerun()


def _draw(state: QueueSession, review: ReviewState) -> None:
    task = state.task
    assert task.item is not None
    name = task.item.citation_id
    result = review.results[name]
    if not task.judge_hidden and result.judgment and result.judgment.proposed_correction:
        review = with_corrections(session.database(), review, task.reviewer)
    item = _item(task)
    passages = passages_of(task)
    quotes = len(result.judgment.evidence) if result.judgment else 0
    with st.container(key="queue-seat"), st.container(key="desk"):
        left, right = st.columns([58, 42], gap="medium")
        with right, st.container(key="deciding", gap="xsmall"):
            citations.card(
                turn_card(review, task, task.source, state.quote_at, passages), "queue-card"
            )
            # what became of the source's other citations, which may be items too, stays hidden
            render_give_source(item, hidden=task.queue.blind, judged=_reload_item)
            render_claim(item, review.text, hidden=task.judge_hidden, judged=_reload_item)
            _keys(keys_data(state, quotes or len(passages)))
            with st.container(key="mending", horizontal=True, gap="xsmall"):
                with st.container(key="wrong-place", width="content"):
                    if quotes:
                        render_error_source(item, keep=_keep, quote_at=state.quote_at)
                render_claim_button(item, review.cited)
                render_guide_button()
            render_open_guide()
            render_correction(item, review.own_corrections.get(name), hidden=task.judge_hidden)
            render_details(item, keep=_keep)
        with left, st.container(key="reading"):
            citations.document(
                turn_text(review, task, state.part), "queue-text", _ignore_pick, _go_to_part
            )
    if state.source_open and task.source:
        show_source(item, task.source, state.quote_at if quotes else 0, _keep, _close_source)


def _draw_reference(state: QueueSession) -> None:
    """An entry of a reference list: its card, and the keys beside it."""
    with st.container(key="queue-seat"), st.container(key="desk"):
        left, right = st.columns([58, 42], gap="medium")
        with left, st.container(key="reading"):
            entry_card(reference_card(state.task), "queue-entry", _ignore_pick)
        with right, st.container(key="deciding", gap="xsmall"):
            _keys(reference_keys(state))
            with st.container(key="mending", horizontal=True, gap="xsmall"):
                render_guide_button()
            render_open_guide()


def _draw_sentence(state: QueueSession, shown: SentenceTask) -> None:
    """A sentence without a citation: lit in its text, with what a source says of it, and the keys."""
    with st.container(key="queue-seat"), st.container(key="desk"):
        left, right = st.columns([58, 42], gap="medium")
        with left, st.container(key="reading"):
            citations.document(
                sentence_text(state.task, state.part), "queue-text", _ignore_pick, _go_to_part
            )
        with right, st.container(key="deciding", gap="xsmall"):
            st.html(
                f'<blockquote dir="auto">{escape_html(shown.sentence.span.of(state.task.text))}'
                f'</blockquote><p class="wb-quiet" dir="auto">{escape_html(said_of(shown))}</p>'
            )
            _keys(sentence_keys(state))
            with st.container(key="mending", horizontal=True, gap="xsmall"):
                render_guide_button()
            render_open_guide()


def _keys(data: JsonDict) -> None:
    asking = "keys-asking" if data.get("fields") else "keys-plain"
    with st.container(key="keys-place"), st.container(key=asking):
        desk_keys(data, "queue-keys", _perform_sent)


def _end(state: QueueSession) -> None:
    task = state.task
    progress = task.progress
    if progress.done < progress.items:
        st.info(escape_markdown(texts.rest_text(task)))
    else:
        st.success("Every item of this queue has all its reviews.")
    with st.container(horizontal=True, gap="small"):
        if progress.skipped:
            st.button(
                f"Review {progress.skipped} skipped",
                key="to-skipped",
                type="primary",
                on_click=_load_task,
                args=("skipped",),
            )
        if progress.barred and progress.barred == progress.items - progress.done:
            st.button(
                "Settle them myself",
                key="settle",
                help="Assigns the queue to you by name, and offers the items that you labelled.",
                on_click=_settle,
            )
        if progress.own_reviews:
            st.button("Previous item", key="to-last", on_click=_load_task, args=("last",))
        st.button("Refresh", key="look-again", on_click=_load_task, args=("again",))
        following = _following(state)
        if following:
            st.button(
                texts.next_queue_text(following.queue.name),
                key="next-queue",
                type="primary",
                on_click=_go_to_queue,
                args=(following.queue.id,),
            )
        differing = ItemFilter(queue=state.queue_id, reviewers_differ=True)
        count = CitationQuery(session.database()).count(differing)
        if progress.done >= progress.items and count:
            st.button(
                f"Settle {count_of(count, 'disagreement')}",
                key="to-adjudication",
                type="primary",
                help=texts.WHO_SETTLES,
                on_click=_to_settle,
                args=(state.queue_id,),
            )
        if progress.done >= progress.items:
            st.page_link(
                "pages/trust.py", label="View agreement", query_params={"agreement": "true"}
            )


def _following(state: QueueSession) -> QueueSummary | None:
    """Another open queue that has work for the reviewer; from one's own to no example."""
    database = session.database()
    examples = example_ids(database, "queue")
    return next(
        (
            line
            for line in Queues(database).list_queues(state.reviewer)
            if line.queue.id != state.queue_id
            and not is_finished(line)
            and (line.queue.id in examples) <= (state.queue_id in examples)
        ),
        None,
    )


def _to_settle(queue_id: str) -> None:
    leave_queue()
    st.query_params["q"] = address_of(ItemFilter(queue=queue_id, reviewers_differ=True))
    st.session_state["new-queue"] = True


def _go_to_queue(queue_id: str) -> None:
    leave_queue()
    st.query_params["queue"] = queue_id


def _settle() -> None:
    state = st.session_state[_SESSION_KEY]
    take_queue(session.database(), state.queue_id, state.reviewer)
    _load_task("again")


def _load_task(where: str) -> None:
    state = st.session_state[_SESSION_KEY]
    database = session.database()
    if where == "skipped":
        state.task = next_skipped_task(database, state.task)
    elif where == "last":
        state.task = last_decided_task(database, state.task)
    else:
        state.task = ReviewTaskService(database).open(state.queue_id, state.reviewer)


def _item(task: ReviewTask) -> DecisionItem:
    assert task.item is not None and task.result is not None
    return DecisionItem(
        database=session.database(),
        run_id=task.item.run_id,
        result=task.result,
        source=task.source,
        reviewer=task.reviewer,
        label=task.own_label,
        others=task.others,
    )


def _perform_sent(raw: object) -> None:
    act, state = parse_action(raw), _state()
    if act is None or state is None:
        return
    item = _item(state.task) if state.task.item and state.task.result else None
    details = details_of(item) if item else None
    if perform(session.database(), state, act, details) and item:
        discard_draft(item)


def _keep() -> None:
    if state := _state():
        item = _item(state.task)
        if keep_details(session.database(), state, details_of(item)):
            discard_draft(item)


def _reload_item() -> None:
    """Reload the open item with its current verdict."""
    state = _state()
    if state and state.task.item:
        state.task = ReviewTaskService(session.database()).open(
            state.queue_id, state.reviewer, state.task.item.position
        )


def _close_source() -> None:
    if state := _state():
        state.source_open = False


def _go_to_part(part: int) -> None:
    if state := _state():
        state.part = part


def _ignore_pick(_: str) -> None:
    """Do nothing: the only mark of the text is the item itself."""


def strip(data: JsonDict, key: str) -> None:
    """The queue's name and progress."""
    _STRIP(data=data, key=key, height="content")


_STRIP = st.components.v2.component(
    "workbench_queue_strip",
    html='<div class="strip"></div>',
    css=asset("queue_strip.css"),
    js=asset("queue_strip.js"),
)
