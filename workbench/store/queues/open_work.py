"""A reviewer's open work, over the whole database; one query for each part of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.records.open_work import CommentOnCitation, OpenWork, OwnQueueItems, UnreviewedRun
from workbench.records.queue import ItemFilter, Queue
from workbench.store.rows import read_number, read_records
from workbench.store.runs.items import SECONDARY_KINDS, selection
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class OpenWorkQueries(Repository):
    """Reading what waits; all methods raise StoreError when the file cannot be used."""

    def read(self, reviewer: str | None, queues: Sequence[Queue], *, limit: int = 5) -> OpenWork:
        """The open work of a reviewer, or of the whole team if None.

        Args:
            reviewer: Whose work it is.
            queues: The open queues.
            limit: At most so many runs, and so many comments.
        """
        with self._store.transaction() as connection:
            return OpenWork(
                own_items=self._own_items(connection, reviewer, queues) if reviewer else {},
                disagreements=_disagreements(connection, reviewer, queues),
                runs=tuple(read_records(connection, UnreviewedRun, _RUNS, {"limit": limit})),
                comments=_comments(connection, reviewer, limit),
            )

    def _own_items(
        self, connection: "DuckDBPyConnection", reviewer: str, queues: Sequence[Queue]
    ) -> dict[str, OwnQueueItems]:
        admitting = [queue for queue in queues if queue.admits(reviewer)]
        if not admitting:
            return {}
        rows = connection.execute(
            _OWN_ITEMS,
            {
                "me": reviewer,
                "now": self._now(),
                "queues": [queue.id for queue in admitting],
                "independent": [
                    queue.id
                    for queue in admitting
                    if queue.role == "adjudication" and reviewer not in queue.reviewers
                ],
            },
        ).fetchall()
        return {queue: OwnQueueItems(decided=decided, left=left) for queue, decided, left in rows}


def _disagreements(
    connection: "DuckDBPyConnection", reviewer: str | None, queues: Sequence[Queue]
) -> int:
    body, values = selection(ItemFilter(reviewers_differ=True))
    body += (
        " and (v.run_id, v.citation_id) not in (select (run_id, citation_id) from queue_items "
        "where queue_id in (select unnest($settling::varchar[])))"
    )
    values["settling"] = [queue.id for queue in queues if queue.role == "adjudication"]
    if reviewer:
        body += " and not list_contains(h.reviewers, $me)"
        values["me"] = reviewer
    return read_number(connection, f"select count(*) {body}", values)


def _comments(
    connection: "DuckDBPyConnection", reviewer: str | None, limit: int
) -> tuple[CommentOnCitation, ...]:
    values = {"me": reviewer, "limit": limit}
    return tuple(read_records(connection, CommentOnCitation, _COMMENTS, values))


# the rule of `queue_positions`, for all queues at once
_OWN_ITEMS = """
with items as (
    select queue_id, position, run_id, citation_id from queue_items
    where queue_id in (select unnest($queues::varchar[]))
),
given as (
    select distinct queue_id, queue_position as position, reviewer from (
        select queue_id, queue_position, reviewer from active_labels
        union all
        select queue_id, queue_position, reviewer from active_reference_labels
        union all
        select queue_id, queue_position, reviewer from active_sentence_corrections
    ) where queue_id in (select unnest($queues::varchar[]))
),
done as (
    select queue_id, position, count(*) as number, bool_or(reviewer = $me) as mine
    from given group by all
),
held as (
    select queue_id, position, count(*) as number from (
        select queue_id, position, reviewer from reservations
        where held_until > $now and reviewer <> $me
    ) anti join given using (queue_id, position, reviewer) group by all
),
passed as (select queue_id, position from current_queue_skips where reviewer = $me),
barred as (
    select distinct i.queue_id, i.position from items i join (
        select run_id, citation_id from current_labels where reviewer = $me and role = 'review'
        union
        select run_id, citation_id from current_reference_labels
        where reviewer = $me and role = 'review'
    ) using (run_id, citation_id)
    where i.queue_id in (select unnest($independent::varchar[]))
)
select i.queue_id, count(*) filter (coalesce(d.mine, false)),
    count(*) filter (
        not coalesce(d.mine, false) and p.position is null and b.position is null
        and coalesce(d.number, 0) + coalesce(h.number, 0) < q.reviews
    )
from items i join queues q on q.id = i.queue_id
    left join done d using (queue_id, position)
    left join held h using (queue_id, position)
    left join passed p using (queue_id, position)
    left join barred b using (queue_id, position)
group by i.queue_id
"""

# an imported data set is no output that waits for its reviewer
_RUNS = f"""
with counted as (
    select v.run_id, count(*) as citations, count(*) filter (l.run_id is null) as unreviewed
    from current_verdicts v
        left join (select distinct run_id, citation_id from current_labels) l
            on l.run_id = v.run_id and l.citation_id = v.citation_id
    where v.kind not in {SECONDARY_KINDS} group by v.run_id having unreviewed > 0
)
select r.id, r.name, r.created_at, c.citations, c.unreviewed
from counted_runs r join counted c on c.run_id = r.id
    anti join (select distinct run_id from imported_items) i on i.run_id = r.id
order by r.created_at desc, r.id limit $limit
"""

# a blind queue hides comments until an item has its reviews; so does this list
_COMMENTS = """
with hidden as (
    select i.run_id, i.citation_id
    from queue_items i join queues q on q.id = i.queue_id and q.blind and q.role = 'review'
        left join active_labels l on l.queue_id = i.queue_id and l.queue_position = i.position
    where i.queue_id not in (
            select queue_id from queue_states group by queue_id
            having not arg_max(is_open, created_at)
        )
        and (i.run_id, i.citation_id) in (select (run_id, citation_id) from citation_comments)
        and (i.run_id, i.citation_id) not in (
            select (run_id, citation_id) from current_labels where role = 'adjudication'
        )
    group by i.queue_id, i.position, i.run_id, i.citation_id, q.reviews
    having count(distinct l.reviewer) < q.reviews
),
newest as (
    select c.id, c.run_id, c.citation_id, c.body, c.author, c.created_at
    from citation_comments c anti join hidden using (run_id, citation_id)
    where $me::varchar is null or (c.author <> $me and (c.run_id, c.citation_id) in (
        select (run_id, citation_id) from active_labels where reviewer = $me
        union select (run_id, citation_id) from citation_comments where author = $me
    ))
    order by c.created_at desc, c.id limit $limit
)
select n as comment, coalesce(arg_max(v.claim, v.version), '') as claim
from newest n left join verdicts v using (run_id, citation_id)
group by n, n.created_at, n.id order by n.created_at desc, n.id
"""
