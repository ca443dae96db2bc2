"""Queues: drawing them up, who works on them, how far they are."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING

from workbench.errors import NotFoundError, UsageError
from workbench.records.citation import Sentence, SentenceCorrection, with_corrections
from workbench.records.fields import ReviewField, checked_fields, parse_fields
from workbench.records.queue import (
    QUEUE_ORDERS,
    ItemFilter,
    Queue,
    QueueOrder,
    QueueSummary,
    ReferenceFilter,
    SentenceFilter,
    parse_filter,
    parse_reference_filter,
    parse_sentence_filter,
)
from workbench.records.review import Label, Role
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import replace_surrogates
from workbench.store.rows import (
    pair_values,
    read_column,
    read_number,
    read_sentence_corrections,
)
from workbench.store.runs.items import EXAMPLE_RUNS, ordering, selection
from workbench.store.store import Repository, Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_REFERENCE_ORDERS: Mapping[QueueOrder, str] = {
    "document": "",
    "random": "md5($seed || c.run_id || '/' || c.position), ",
    "uncertain_first": "abs(c.score - 0.5) nulls last, ",
}
"""What goes before the order of the list itself."""


class Queues(Repository):
    """The lists of items that reviewers work through.

    All methods raise StoreError where there is no such queue.
    """

    def build(
        self,
        name: str,
        chosen: ItemFilter | None = None,
        *,
        created_by: str,
        order: QueueOrder = "uncertain_first",
        seed: int = 0,
        blind: bool = False,
        reviews: int = 1,
        reviewers: Sequence[str] = (),
        role: Role = "review",
        items: Sequence[tuple[str, str]] | None = None,
        limit: int | None = None,
        references: ReferenceFilter | None = None,
        sentences: SentenceFilter | None = None,
        fields: Sequence[ReviewField] = (),
    ) -> Queue:
        """A new queue of the items that a filter lets through now.

        Args:
            name: What people call it.
            chosen: The filter; everything without one.
            created_by: Who draws it up.
            order: In which order items are offered.
            seed: Of the random order; the same seed gives the same order.
            blind: Hide the judge and the other reviewers until the reviewer has decided.
            reviews: How many reviewers each item needs.
            reviewers: Who may work on it; empty for anybody.
            role: `adjudication` for a queue whose labels settle the others.
            items: Pairs of run and citation id, in the order to offer them, in place of a filter.
            limit: At most so many items, from the front of the order.
            references: A filter of entries of reference lists: they are its items then, in place
                of citations.
            sentences: A filter of sentences without a citation, in the same way.
            fields: What it asks beside the label.

        Raises:
            UsageError: No item fits, a field cannot be asked, or the plan cannot be worked off
                as asked.
        """
        people = tuple(dict.fromkeys(normalize_reviewer_name(reviewer) for reviewer in reviewers))
        title = " ".join(replace_surrogates(name).split())[:200]
        if not title:
            raise UsageError("A queue needs a name; type one that its reviewers will recognise.")
        if order not in QUEUE_ORDERS:
            raise UsageError(
                f"There is no order {order!r}; choose one of {', '.join(QUEUE_ORDERS)}."
            )
        _check_reviews(reviews, people)
        asked = checked_fields(fields)
        other = references or sentences
        if asked and other is not None:
            raise UsageError("Fields apply to citations; leave them out for other items.")
        queue = Queue(
            id=str(uuid.uuid4()),
            name=title,
            filter=chosen or ItemFilter(),
            order=order,
            seed=seed,
            blind=blind,
            reviews=reviews,
            reviewers=people,
            role=role,
            created_by=normalize_reviewer_name(created_by),
            created_at=self._now(),
            references=references,
            sentences=sentences,
            fields=asked,
        )
        condition = other or queue.filter
        with self._store.transaction() as connection:
            connection.execute(
                "insert into queues (id, name, filter, item_order, seed, blind, reviews, role, "
                "created_by, created_at, item_kind, fields) "
                f"values ({', '.join('?' * 12)})",
                [
                    queue.id, queue.name, json.dumps(condition.to_dict()), queue.order,
                    queue.seed, queue.blind, queue.reviews, queue.role, queue.created_by,
                    queue.created_at, queue.item_kind,
                    json.dumps([field.to_dict() for field in queue.fields]),
                ],
            )  # fmt: skip
            self._assign(connection, queue.id, people, queue.created_at)
            added = (
                _add_chosen(connection, queue, limit)
                if items is None
                else _add_listed(connection, queue, items)
            )
            if not added:
                raise UsageError(
                    "No item fits this queue; widen the filter, or check an output first."
                )
        return queue

    def count_references(self, chosen: ReferenceFilter) -> int:
        """How many checked entries of reference lists a filter lets through."""
        body, values = _reference_selection(chosen)
        return self._number(f"select count(*) {body}", values)

    def count_sentences(self, chosen: SentenceFilter) -> int:
        """How many sentences without a citation a filter lets through."""
        with self._store.transaction() as connection:
            return len(_sentence_items(connection, chosen))

    def refresh(self, queue_id: str) -> int:
        """How many items were added at the end: those that fit the filter by now."""
        with self._store.transaction() as connection:
            queue = read_queue(connection, queue_id, self._store)
            return _add_chosen(connection, queue, None)

    def questions(self, labels: Iterable[Label]) -> dict[tuple[str, str], str]:
        """The question behind each answer of the labels, by queue and field."""
        with self._store.transaction() as connection:
            return read_questions(connection, labels)

    def get(self, queue_id: str) -> Queue:
        """One queue."""
        with self._store.transaction() as connection:
            return read_queue(connection, queue_id, self._store)

    def assign(self, queue_id: str, reviewers: Sequence[str]) -> Queue:
        """The queue with these reviewers and no others; none at all opens it to anybody.

        Raises:
            UsageError: They are fewer than the reviews that each item needs.
        """
        people = tuple(dict.fromkeys(normalize_reviewer_name(reviewer) for reviewer in reviewers))
        with self._store.transaction() as connection:
            queue = read_queue(connection, queue_id, self._store)
            _check_reviews(queue.reviews, people)
            now = self._now()
            self._assign(connection, queue_id, set(people) - set(queue.reviewers), now)
            self._assign(connection, queue_id, set(queue.reviewers) - set(people), now, False)
            return read_queue(connection, queue_id, self._store)

    def close(self, queue_id: str, reviewer: str) -> None:
        """Close a queue: its items are no longer offered; labels stay."""
        self._set_open(queue_id, reviewer, False)

    def reopen(self, queue_id: str, reviewer: str) -> None:
        """Take up a queue that was put away."""
        self._set_open(queue_id, reviewer, True)

    def list_queues(
        self, reviewer: str | None = None, *, closed: bool = False
    ) -> list[QueueSummary]:
        """The open queues, newest first, each with how far it is.

        Args:
            reviewer: Only those that this person may work on.
            closed: Those that were put away too.
        """
        with self._store.transaction() as connection:
            queues = _read_queues(connection)
            rows = connection.execute(_SUMMARIES, {"now": self._now()}).fetchall()
            seconds = dict(connection.execute(_SECONDS).fetchall())
        facts = {row[0]: row[1:] for row in rows}
        summaries = []
        for queue in queues:
            items, done, given, at_work, last_at = facts.get(queue.id) or (0, 0, 0, None, None)
            if not (queue.open or closed):
                continue
            if reviewer is not None and queue.reviewers and reviewer not in queue.reviewers:
                continue
            summaries.append(
                QueueSummary(
                    queue=queue,
                    items=items,
                    done=done,
                    reviews_given=given,
                    reviews_needed=items * queue.reviews,
                    at_work=tuple(at_work or ()),
                    last_at=last_at,
                    recent_s=tuple(seconds.get(queue.id, ())),
                )
            )
        return summaries

    def _set_open(self, queue_id: str, reviewer: str, is_open: bool) -> None:
        with self._store.transaction() as connection:
            read_queue(connection, queue_id, self._store)
            connection.execute(
                "insert into queue_states values (?, ?, ?, ?)",
                [queue_id, is_open, normalize_reviewer_name(reviewer), self._now()],
            )

    def _assign(
        self,
        connection: "DuckDBPyConnection",
        queue_id: str,
        reviewers: Sequence[str] | set[str],
        now: datetime,
        assigned: bool = True,
    ) -> None:
        for reviewer in sorted(reviewers):
            connection.execute(
                "insert into queue_assignments values (?, ?, ?, ?)",
                [queue_id, reviewer, assigned, now],
            )


# three plain queries are planned faster than one with joins, and one queue is read at every move
_QUEUES = """
select id, name, filter, item_order, seed, blind, reviews, role, created_by, created_at,
    item_kind, fields
from queues where $id is null or id = $id order by created_at desc, id
"""
_CLOSED = """
select queue_id from queue_states where $id is null or queue_id = $id
group by queue_id having not arg_max(is_open, created_at)
"""
_ASSIGNED = """
select queue_id, reviewer from current_assignments where $id is null or queue_id = $id
order by reviewer
"""

_SUMMARIES = """
with items as (select queue_id, count(*) as n from queue_items group by queue_id),
given as (
    select queue_id, queue_position, count(distinct reviewer) as n, max(created_at) as newest
    from (
        select queue_id, queue_position, reviewer, created_at from active_labels
        union all
        select queue_id, queue_position, reviewer, created_at from active_reference_labels
        union all
        select queue_id, queue_position, reviewer, created_at from active_sentence_corrections
    ) where queue_id is not null group by queue_id, queue_position
),
done as (
    select g.queue_id, count(*) filter (g.n >= q.reviews) as done,
        sum(least(g.n, q.reviews))::integer as given, max(g.newest) as last_at
    from given g join queues q on q.id = g.queue_id group by g.queue_id
),
work as (
    select queue_id, list(reviewer order by reviewer) as names from reservations
    where held_until > $now group by queue_id
)
select i.queue_id, i.n, coalesce(d.done, 0), coalesce(d.given, 0), w.names, d.last_at
from items i left join done d using (queue_id) left join work w using (queue_id)
"""

_SECONDS = """
select queue_id, list(seconds order by created_at desc) from (
    select * from active_labels where queue_id is not null and seconds is not null
    qualify row_number() over (partition by queue_id order by created_at desc) <= 50
) group by queue_id
"""


def read_queue(connection: "DuckDBPyConnection", queue_id: str, store: Store) -> Queue:
    """One queue, within a unit of work.

    Raises:
        NotKept: There is no such queue.
    """
    queues = _read_queues(connection, queue_id)
    if not queues:
        raise NotFoundError(
            f"There is no queue {queue_id!r} in {store.path}; see the list of queues."
        )
    return queues[0]


def read_questions(
    connection: "DuckDBPyConnection", labels: Iterable[Label]
) -> dict[tuple[str, str], str]:
    """The question behind each answer of the labels, by queue and field, within a unit of work."""
    asking = sorted({answer.queue_id for label in labels for answer in label.answers})
    if not asking:
        return {}
    rows = connection.execute(
        "select id, fields from queues where id in (select unnest(?::varchar[]))", [asking]
    ).fetchall()
    return {
        (queue_id, field.name): field.question
        for queue_id, raw in rows
        for field in parse_fields(json.loads(raw))
    }


def _read_queues(connection: "DuckDBPyConnection", queue_id: str | None = None) -> list[Queue]:
    which = {"id": queue_id}
    rows = connection.execute(_QUEUES, which).fetchall()
    closed = read_column(connection, _CLOSED, which)
    assigned: dict[str, list[str]] = {}
    for assigned_id, reviewer in connection.execute(_ASSIGNED, which).fetchall():
        assigned.setdefault(assigned_id, []).append(reviewer)
    return [
        Queue(
            id=row[0],
            name=row[1],
            filter=parse_filter(json.loads(row[2])) if row[10] == "citations" else ItemFilter(),
            order=row[3],
            seed=row[4],
            blind=row[5],
            reviews=row[6],
            role=row[7],
            created_by=row[8],
            created_at=row[9],
            open=row[0] not in closed,
            reviewers=tuple(assigned.get(row[0], ())),
            references=parse_reference_filter(json.loads(row[2]))
            if row[10] == "references"
            else None,
            sentences=parse_sentence_filter(json.loads(row[2])) if row[10] == "sentences" else None,
            fields=parse_fields(json.loads(row[11])),
        )
        for row in rows
    ]


def _add_chosen(connection: "DuckDBPyConnection", queue: Queue, limit: int | None) -> int:
    if queue.references is not None:
        return _add_references(connection, queue, queue.references, limit)
    if queue.sentences is not None:
        return _add_sentences(connection, queue, queue.sentences, limit)
    body, values = selection(queue.filter)
    before = _size(connection, queue.id)
    connection.execute(
        "insert into queue_items "
        "select $queue, $before + row_number() over (order by place) - 1, run_id, citation_id "
        "from (select v.run_id, v.citation_id, row_number() over "
        f"(order by {ordering(queue.filter, queue.order, queue.seed, values)}) as place {body} "
        "and not exists (select 1 from queue_items i where i.queue_id = $queue "
        "and i.run_id = v.run_id and i.citation_id = v.citation_id)"
        ") where $limit is null or place <= $limit",
        values | {"queue": queue.id, "before": before, "limit": limit},
    )
    return _size(connection, queue.id) - before


def _add_references(
    connection: "DuckDBPyConnection", queue: Queue, chosen: ReferenceFilter, limit: int | None
) -> int:
    body, values = _reference_selection(chosen)
    before = _size(connection, queue.id)
    order = _REFERENCE_ORDERS[queue.order]
    seed = {"seed": str(queue.seed)} if queue.order == "random" else {}
    connection.execute(
        "insert into queue_items "
        "select $queue, $before + row_number() over (order by place) - 1, run_id, citation_id "
        "from (select c.run_id, 'reference:' || c.position as citation_id, row_number() over "
        f"(order by {order}r.created_at, r.id, c.position) as place {body} "
        "and not exists (select 1 from queue_items i where i.queue_id = $queue "
        "and i.run_id = c.run_id and i.citation_id = 'reference:' || c.position)"
        ") where $limit is null or place <= $limit",
        values | seed | {"queue": queue.id, "before": before, "limit": limit},
    )
    return _size(connection, queue.id) - before


def _add_sentences(
    connection: "DuckDBPyConnection", queue: Queue, chosen: SentenceFilter, limit: int | None
) -> int:
    there = connection.execute(
        "select run_id, citation_id from queue_items where queue_id = ?", [queue.id]
    ).fetchall()
    items = [item for item in _sentence_items(connection, chosen) if item not in {*there}]
    if queue.order == "random":
        Random(queue.seed).shuffle(items)
    for position, (run_id, name) in enumerate(items[:limit], start=_size(connection, queue.id)):
        connection.execute(
            "insert into queue_items values (?, ?, ?, ?)", [queue.id, position, run_id, name]
        )
    return len(items[:limit])


def _sentence_items(
    connection: "DuckDBPyConnection", chosen: SentenceFilter
) -> list[tuple[str, str]]:
    """The run of each sentence without a citation, and its name in a queue, in text order."""
    conditions = {
        "id in (select unnest($runs::varchar[]))": bool(chosen.runs),
        f"id in {EXAMPLE_RUNS}": chosen.examples is True,
        f"id not in {EXAMPLE_RUNS}": chosen.examples is False,
    }
    where = " and ".join(condition for condition, wanted in conditions.items() if wanted) or "true"
    corrections: dict[str, list[SentenceCorrection]] = {}
    for correction in read_sentence_corrections(connection, "current_sentence_corrections"):
        corrections.setdefault(correction.run_id, []).append(correction)
    rows = connection.execute(
        f"select id, sentences from runs where sentences is not null and {where} "
        "order by created_at, id",
        {"runs": list(chosen.runs)} if chosen.runs else {},
    ).fetchall()
    return [
        (run_id, f"sentence:{sentence.start}-{sentence.end}")
        for run_id, sentences in rows
        for sentence in with_corrections(
            map(Sentence.from_dict, json.loads(sentences)), corrections.get(run_id, ())
        )
        if sentence.is_uncited
    ]


def _add_listed(
    connection: "DuckDBPyConnection", queue: Queue, items: Sequence[tuple[str, str]]
) -> int:
    unique_items = list(dict.fromkeys(items))
    connection.execute(
        "insert into queue_items "
        "select $queue, row_number() over (order by place) - 1, run_id, citation_id from ("
        "select unnest($runs) as run_id, unnest($citations) as citation_id, "
        "unnest(range($number)) as place) "
        "semi join current_verdicts using (run_id, citation_id)",
        {"queue": queue.id, "number": len(unique_items), **pair_values(unique_items)},
    )
    return _size(connection, queue.id)


def _size(connection: "DuckDBPyConnection", queue_id: str) -> int:
    return read_number(
        connection,
        "select coalesce(max(position), -1) + 1 from queue_items where queue_id = ?",
        [queue_id],
    )


def _check_reviews(reviews: int, people: Sequence[str]) -> None:
    if reviews < 1:
        raise UsageError(f"Each item needs at least one review, not {reviews}.")
    if people and len(people) < reviews:
        raise UsageError(
            f"Each item needs {reviews} reviewers but only {len(people)} are assigned; assign "
            f"more, or require fewer reviews."
        )


def _reference_selection(chosen: ReferenceFilter) -> tuple[str, dict[str, list[str]]]:
    """The `from … where …` of a filter over checks `c` and runs `r`, and its values."""
    labels = "(select run_id, position from current_reference_labels"
    conditions = {
        "c.run_id in (select unnest($runs::varchar[]))": bool(chosen.runs),
        "c.status in (select unnest($statuses::varchar[]))": bool(chosen.statuses),
        "c.retraction = 'retracted'": chosen.retracted,
        f"c.run_id in {EXAMPLE_RUNS}": chosen.examples is True,
        f"c.run_id not in {EXAMPLE_RUNS}": chosen.examples is False,
        f"(c.run_id, c.position) in {labels})": chosen.labelled is True,
        f"(c.run_id, c.position) not in {labels})": chosen.labelled is False,
        f"(c.run_id, c.position) in {labels} group by all having "
        "count(distinct decision) filter (role = 'review') > 1 "
        "and not bool_or(role = 'adjudication'))": chosen.reviewers_differ,
    }
    where = [condition for condition, wanted in conditions.items() if wanted]
    values: dict[str, list[str]] = {}
    if chosen.runs:
        values["runs"] = list(chosen.runs)
    if chosen.statuses:
        values["statuses"] = list(chosen.statuses)
    body = "from current_reference_checks c join runs r on r.id = c.run_id where true"
    return " and ".join([body, *where]), values
