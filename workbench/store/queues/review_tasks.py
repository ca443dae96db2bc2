"""A reviewer at work on a queue: the next item, a decision, back, undo; one unit of work each.

An item is held for who has it open, until a moment that every move pushes on; an abandoned one is
free again after that. A decision is always kept, also one that comes after that moment.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from workbench.errors import StoreError, UsageError
from workbench.records.citation import SentenceKind
from workbench.records.comments import CitationComment
from workbench.records.queue import Queue, QueueItem, QueueProgress, ReviewTask
from workbench.records.reference_labels import EntryLabelDecision
from workbench.records.review import Label, LabelDecision
from workbench.records.reviewers import normalize_reviewer_name, utc_now
from workbench.records.text import replace_surrogates
from workbench.store.labels.label_rules import build_label
from workbench.store.labels.review_context import (
    ReviewerContext,
    hide_judgment,
    load_item_view,
    load_source,
)
from workbench.store.queues.queue_positions import QueuePositions, label_table
from workbench.store.queues.queues import read_questions, read_queue
from workbench.store.queues.reference_tasks import (
    decide_queued_entry,
    load_reference_task,
    load_sentence_task,
    with_output,
)
from workbench.store.rows import insert_label, read_records
from workbench.store.runs.sentences import add_sentence_correction
from workbench.store.store import Clock, Repository, Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

RESERVATION_TIMEOUT = timedelta(minutes=15)
"""How long an item stays reserved after its reviewer's last move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _QueueTransaction:
    """One reviewer before one queue, for the length of a unit of work."""

    connection: "DuckDBPyConnection"
    queue: Queue
    reviewer: str
    now: datetime
    places: QueuePositions

    @property
    def seat(self) -> ReviewerContext:
        return ReviewerContext(
            reviewer=self.reviewer,
            role=self.queue.role,
            queue_id=self.queue.id,
            blind=self.queue.blind,
        )


class ReviewTaskService(Repository):
    """What a reviewer does in a queue; every method is one unit of work.

    All methods raise StoreError where there is no such queue or place, and UsageError when the
    queue is put away or not this reviewer's. With `content=False` a turn
    comes without the texts of the output and the source.
    """

    def __init__(
        self, store: Store, now: Clock = utc_now, held_for: timedelta = RESERVATION_TIMEOUT
    ) -> None:
        super().__init__(store, now)
        self._held_for = held_for

    # -- moving about -----------------------------------------------------------------------

    def open(
        self, queue_id: str, reviewer: str, position: int | None = None, *, content: bool = True
    ) -> ReviewTask:
        """The item that the reviewer had open, or the next free one; or the one at a place.

        Raises:
            UsageError: The place is with as many other reviewers as it needs.
        """
        with self._desk(queue_id, reviewer) as transaction:
            if position is None:
                position = self._open_place(transaction)
                if position is None:
                    return self._onward(transaction, -1, content)
            elif not transaction.places.may_open(position):
                raise UsageError(
                    f"Item {position + 1} of the queue {transaction.queue.name!r} is with other "
                    "reviewers or not there; take the next one."
                )
            return self._turn(transaction, position, content)

    def step(
        self,
        queue_id: str,
        reviewer: str,
        position: int,
        by: Literal[1, -1],
        *,
        content: bool = True,
    ) -> ReviewTask:
        """The nearest item in the queue's order that is free or the reviewer's own."""
        with self._desk(queue_id, reviewer) as transaction:
            neighbor = transaction.places.beside(position, by)
            return self._turn(transaction, position if neighbor is None else neighbor, content)

    def back(
        self, queue_id: str, reviewer: str, position: int | None = None, *, content: bool = True
    ) -> ReviewTask:
        """The item that the reviewer decided last; from there, the one decided before it."""
        with self._desk(queue_id, reviewer) as transaction:
            rows = transaction.connection.execute(
                "select queue_position, max(created_at) as newest "
                f"from active_{label_table(transaction.queue)} "
                "where queue_id = ? and reviewer = ? group by queue_position order by newest desc",
                [queue_id, transaction.reviewer],
            ).fetchall()
            decided = [place for place, _ in rows]
            index = decided.index(position) if position in decided else -1
            earlier = decided[index + 1] if index + 1 < len(decided) else position
            return self._turn(transaction, earlier, content)

    def skipped(
        self, queue_id: str, reviewer: str, position: int = -1, *, content: bool = True
    ) -> ReviewTask:
        """The next item that the reviewer skipped and that was not taken since."""
        with self._desk(queue_id, reviewer) as transaction:
            return self._turn(transaction, transaction.places.next_passed(position), content)

    def keep_open(self, queue_id: str, reviewer: str) -> bool:
        """Whether the reviewer's item is still held for them; it is held on from now."""
        with self._store.transaction() as connection:
            now = self._now()
            rows = connection.execute(
                "update reservations set held_until = ? where queue_id = ? and reviewer = ? "
                "and held_until > ? returning position",
                [now + self._held_for, queue_id, normalize_reviewer_name(reviewer), now],
            ).fetchall()
        return bool(rows)

    def leave(self, queue_id: str, reviewer: str) -> None:
        """Free the item that the reviewer has open."""
        with self._store.transaction() as connection:
            _leave(connection, queue_id, normalize_reviewer_name(reviewer))

    # -- deciding ---------------------------------------------------------------------------

    def decide(
        self,
        queue_id: str,
        reviewer: str,
        position: int,
        decision: LabelDecision,
        *,
        advance: bool = True,
        content: bool = True,
    ) -> ReviewTask:
        """The next free item, or with `advance=False` the same one; the decision is kept.

        `given` is the label that was added; None where the same decision was made already. A blind
        queue shows the judge once the item is decided; a change after that is a further label.

        Raises:
            UsageError: Evidence lies outside the source's text, or an answer does not fit the
                queue's fields.
        """
        with self._desk(queue_id, reviewer, closed=True) as transaction:
            label = _label(transaction, position, decision)
            if advance:
                return replace(self._onward(transaction, position, content), given=label)
            return replace(self._turn(transaction, position, content), given=label)

    def label_item(
        self,
        queue_id: str,
        reviewer: str,
        run_id: str,
        citation_id: str,
        decision: LabelDecision,
    ) -> Label | None:
        """The label that was added to an item of the queue; None where it was decided so already.

        Nothing is opened or held: for those who label without the queue's screen.

        Raises:
            UsageError: The item is not in the queue, evidence lies outside the source's text, or
                an answer does not fit the queue's fields.
        """
        with self._desk(queue_id, reviewer, closed=True) as transaction:
            rows = transaction.connection.execute(
                "select position from queue_items "
                "where queue_id = ? and run_id = ? and citation_id = ?",
                [queue_id, run_id, citation_id],
            ).fetchall()
            if not rows:
                raise UsageError(
                    f"The queue {transaction.queue.name!r} does not contain the citation "
                    f"{citation_id[:80]!r} of the run {run_id[:80]}."
                )
            return _label(transaction, rows[0][0], decision)

    def decide_reference(
        self,
        queue_id: str,
        reviewer: str,
        position: int,
        decision: EntryLabelDecision,
        *,
        advance: bool = True,
        content: bool = True,
    ) -> ReviewTask:
        """As `decide`, in a queue of entries of reference lists.

        Raises:
            UsageError: The queue holds citations.
        """
        with self._desk(queue_id, reviewer, closed=True) as transaction:
            item = _item(transaction, position)
            if item.entry_position is None:
                raise UsageError(
                    f"The queue {transaction.queue.name!r} contains citations; label them."
                )
            label = decide_queued_entry(
                transaction.connection,
                transaction.queue,
                item,
                decision,
                transaction.reviewer,
                transaction.now,
                _since_opened(transaction, position),
            )
            turn = (
                self._onward(transaction, position, content)
                if advance
                else self._turn(transaction, position, content)
            )
            return replace(turn, given_entry=label)

    def decide_sentence(
        self,
        queue_id: str,
        reviewer: str,
        position: int,
        kind: SentenceKind,
        stated_in: str | None = None,
    ) -> ReviewTask:
        """As `decide`, in a queue of sentences without a citation: what the sentence is there for.

        Raises:
            UsageError: The queue holds other items, or there is no such kind or citation.
        """
        with self._desk(queue_id, reviewer, closed=True) as transaction:
            item = _item(transaction, position)
            if item.sentence is None:
                raise UsageError(f"The queue {transaction.queue.name!r} contains no sentences.")
            add_sentence_correction(
                transaction.connection,
                self._store.path,
                item.run_id,
                item.sentence,
                kind,
                transaction.reviewer,
                transaction.now,
                stated_in=stated_in,
                queue_id=queue_id,
                queue_position=position,
                seconds=_since_opened(transaction, position),
            )
            return self._onward(transaction, position, True)

    def skip(
        self,
        queue_id: str,
        reviewer: str,
        position: int,
        reason: str = "",
        *,
        content: bool = True,
    ) -> ReviewTask:
        """The next free item; the one passed over is not offered to this reviewer again."""
        with self._desk(queue_id, reviewer, closed=True) as transaction:
            _item(transaction, position)
            _note_skip(transaction, position, True, reason)
            return self._onward(transaction, position, content)

    def reveal(
        self, queue_id: str, reviewer: str, position: int, *, content: bool = True
    ) -> ReviewTask:
        """The same item with the judge shown; that it was shown is kept."""
        with self._desk(queue_id, reviewer) as transaction:
            _note_reveal(transaction, _item(transaction, position))
            return self._turn(transaction, position, content)

    def undo(self, queue_id: str, reviewer: str, *, content: bool = True) -> ReviewTask:
        """The item of the reviewer's last decision or skip, which is taken back by a new entry.

        A label that the undone one had replaced is current again. Where there is nothing to take
        back, the item that is open stays open.
        """
        with self._desk(queue_id, reviewer, closed=True) as transaction:
            labels = label_table(transaction.queue)
            last = transaction.connection.execute(
                f"select queue_position, created_at, id from active_{labels} "
                "where queue_id = $queue and reviewer = $me "
                "union all select position, created_at, null from current_queue_skips "
                "where queue_id = $queue and reviewer = $me "
                "order by created_at desc limit 1",
                {"queue": queue_id, "me": transaction.reviewer},
            ).fetchall()
            if not last:
                return self._turn(transaction, self._open_place(transaction), content)
            position, _, label_id = last[0]
            if label_id is None:
                _note_skip(transaction, position, False, "")
            else:
                withdrawals = labels.removesuffix("s") + "_withdrawals"
                transaction.connection.execute(
                    f"insert into {withdrawals} values (?, ?, ?)",
                    [label_id, transaction.reviewer, transaction.now],
                )
            return self._turn(transaction, position, content)

    # -- within a unit ----------------------------------------------------------------------

    @contextmanager
    def _desk(
        self, queue_id: str, reviewer: str, closed: bool = False
    ) -> Iterator[_QueueTransaction]:
        me = normalize_reviewer_name(reviewer)
        with self._store.transaction() as connection:
            queue = read_queue(connection, queue_id, self._store)
            if not (queue.open or closed):
                raise UsageError(
                    f"The queue {queue.name!r} was put away; reopen it, or choose another."
                )
            if queue.reviewers and me not in queue.reviewers:
                raise UsageError(
                    f"The queue {queue.name!r} is assigned to {', '.join(queue.reviewers)}; "
                    f"let {me} be assigned, or choose another."
                )
            now = self._now()
            places = QueuePositions(connection=connection, queue=queue, reviewer=me, now=now)
            yield _QueueTransaction(
                connection=connection, queue=queue, reviewer=me, now=now, places=places
            )

    def _open_place(self, transaction: _QueueTransaction) -> int | None:
        """The place that the reviewer left open, if it is still theirs to decide."""
        rows = transaction.connection.execute(
            "select position from reservations where queue_id = ? and reviewer = ?",
            [transaction.queue.id, transaction.reviewer],
        ).fetchall()
        position = rows[0][0] if rows else None
        return position if position is not None and transaction.places.may_open(position) else None

    def _onward(self, transaction: _QueueTransaction, after: int, content: bool) -> ReviewTask:
        position, progress = transaction.places.ahead(after)
        return self._turn(transaction, position, content, progress)

    def _turn(
        self,
        transaction: _QueueTransaction,
        position: int | None,
        content: bool,
        progress: QueueProgress | None = None,
    ) -> ReviewTask:
        task = ReviewTask(
            queue=transaction.queue,
            reviewer=transaction.reviewer,
            progress=progress or transaction.places.ahead()[1],
        )
        if position is None:
            _leave(transaction.connection, transaction.queue.id, transaction.reviewer)
            return task
        item = _item(transaction, position)
        task = replace(task, item=item)
        self._hold(transaction, position)
        if transaction.queue.item_kind == "references":
            return load_reference_task(
                transaction.connection, self._store.path, task, content=content
            )
        if transaction.queue.item_kind == "sentences":
            return load_sentence_task(
                transaction.connection, self._store.path, task, content=content
            )
        sight = load_item_view(
            transaction.connection, item.run_id, item.citation_id, transaction.seat
        )
        shown = with_output(transaction.connection, self._store.path, task, content=content)
        if sight.result is None or shown is None:
            return task
        if transaction.queue.blind and sight.decided and not sight.saw_judge:
            _note_reveal(transaction, item)
        hidden = transaction.queue.blind and not sight.decided and not sight.saw_judge
        apart = transaction.queue.blind and not sight.decided and transaction.queue.role == "review"
        others = tuple(label for label in sight.labels if label is not sight.own_label)
        return replace(
            shown,
            result=hide_judgment(sight.result) if hidden else sight.result,
            source=load_source(transaction.connection, sight) if content else None,
            judge_hidden=hidden,
            mine=sight.own_label,
            others=() if apart else others,
            questions=read_questions(transaction.connection, () if apart else others),
            comments=_comments(transaction, item),
        )

    def _hold(self, transaction: _QueueTransaction, position: int) -> None:
        transaction.connection.execute(
            "insert into reservations values ($queue, $me, $position, $now, $until) "
            "on conflict do update set held_until = excluded.held_until, "
            "opened_at = case when position = excluded.position then opened_at "
            "else excluded.opened_at end, position = excluded.position",
            {
                "queue": transaction.queue.id,
                "me": transaction.reviewer,
                "position": position,
                "now": transaction.now,
                "until": transaction.now + self._held_for,
            },
        )


def _item(transaction: _QueueTransaction, position: int) -> QueueItem:
    rows = transaction.connection.execute(
        "select run_id, citation_id from queue_items where queue_id = ? and position = ?",
        [transaction.queue.id, position],
    ).fetchall()
    if not rows:
        raise StoreError(
            f"The queue {transaction.queue.name!r} has no item {position + 1}; take the next one."
        )
    return QueueItem(
        queue_id=transaction.queue.id, position=position, run_id=rows[0][0], citation_id=rows[0][1]
    )


def _comments(transaction: _QueueTransaction, item: QueueItem) -> tuple[CitationComment, ...]:
    """The comments on an item; in a blind queue those of others only once it is settled."""
    comments = read_records(
        transaction.connection,
        CitationComment,
        "from citation_comments where run_id = ? and citation_id = ? order by created_at, id",
        [item.run_id, item.citation_id],
    )
    if not (comments and transaction.queue.blind and transaction.queue.role == "review"):
        return tuple(comments)
    ((reviews, adjudicated),) = transaction.connection.execute(
        "select count(distinct reviewer) filter (queue_id = $queue and queue_position = $position), "
        "coalesce(bool_or(role = 'adjudication'), false) "
        "from current_labels where run_id = $run and citation_id = $citation",
        {
            "queue": transaction.queue.id,
            "position": item.position,
            "run": item.run_id,
            "citation": item.citation_id,
        },
    ).fetchall()
    if adjudicated or reviews >= transaction.queue.reviews:
        return tuple(comments)
    return tuple(comment for comment in comments if comment.author == transaction.reviewer)


def _label(transaction: _QueueTransaction, position: int, decision: LabelDecision) -> Label | None:
    """The label that was added at a position; None where the same was decided already."""
    item = _item(transaction, position)
    if transaction.queue.item_kind != "citations":
        kind = transaction.queue.item_kind
        raise UsageError(f"The queue {transaction.queue.name!r} contains {kind}, not citations.")
    sight = load_item_view(transaction.connection, item.run_id, item.citation_id, transaction.seat)
    if sight.result is None:
        raise StoreError(
            f"Item {position + 1} of the queue {transaction.queue.name!r} was erased; "
            "take the next one."
        )
    label = build_label(
        connection=transaction.connection,
        seat=transaction.seat,
        sight=sight,
        decision=decision,
        now=transaction.now,
        seconds=_since_opened(transaction, position),
        fields=transaction.queue.fields,
    )
    if label:
        insert_label(transaction.connection, label, position)
    return label


def _leave(connection: "DuckDBPyConnection", queue_id: str, reviewer: str) -> None:
    connection.execute(
        "delete from reservations where queue_id = ? and reviewer = ?", [queue_id, reviewer]
    )


def _note_skip(transaction: _QueueTransaction, position: int, skipped: bool, reason: str) -> None:
    transaction.connection.execute(
        "insert into queue_skips values (?, ?, ?, ?, ?, ?)",
        [
            transaction.queue.id,
            position,
            transaction.reviewer,
            skipped,
            replace_surrogates(reason.strip()),
            transaction.now,
        ],
    )


def _note_reveal(transaction: _QueueTransaction, item: QueueItem) -> None:
    transaction.connection.execute(
        "insert into judgment_reveals values (?, ?, ?, ?, ?)",
        [
            item.run_id,
            item.citation_id,
            transaction.reviewer,
            transaction.queue.id,
            transaction.now,
        ],
    )


def _since_opened(transaction: _QueueTransaction, position: int) -> float | None:
    rows = transaction.connection.execute(
        "select opened_at from reservations where queue_id = ? and reviewer = ? and position = ?",
        [transaction.queue.id, transaction.reviewer, position],
    ).fetchall()
    return max(0.0, (transaction.now - rows[0][0]).total_seconds()) if rows else None
