"""Which places of a queue are free for a reviewer, and how far the queue is."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from workbench.records.queue import Queue, QueueProgress

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

END = 2**31 - 1
RECENT = 40
"""So many of the newest decisions give the pace."""

WINDOW = 256
"""Places looked at before the whole queue is: the next free one is nearly always close by."""

_BARRED = """
    -- who reviewed an item does not settle it, unless they were assigned by name
    select distinct items.position from items join current_{labels} using (run_id, citation_id)
    where reviewer = $me and role = 'review'
"""

_STATE = """
with items as (
    select position, run_id, citation_id from queue_items
    where queue_id = $queue and position between $low and $high
),
given as (
    select distinct queue_position as position, reviewer from active_{labels}
    where queue_id = $queue and queue_position between $low and $high
),
done as (
    select position, count(*) as number, bool_or(reviewer = $me) as mine
    from given group by position
),
held as (
    -- a reviewer who has decided an item and looks at it again takes no second place
    select position, count(*) as number from (
        select position, reviewer from reservations
        where queue_id = $queue and held_until > $now and reviewer <> $me
    ) anti join given using (position, reviewer) group by position
),
passed as (
    select position from current_queue_skips where queue_id = $queue and reviewer = $me
),
barred as ({barred}),
places as (
    select i.position, coalesce(d.number, 0) as given, coalesce(d.mine, false) as mine,
        coalesce(h.number, 0) as held, p.position is not null as passed,
        not coalesce(d.mine, false) and b.position is not null
            and coalesce(d.number, 0) < $reviews as barred,
        not coalesce(d.mine, false) and b.position is null
            and coalesce(d.number, 0) + coalesce(h.number, 0) < $reviews as free
    from items i left join done d using (position) left join held h using (position)
        left join passed p using (position) left join barred b using (position)
)
"""

_PROGRESS = """
select count(*), count(*) filter (given >= $reviews),
    coalesce(sum(least(given, $reviews)), 0)::integer, count(*) filter (held > 0),
    count(*) filter (mine), count(*) filter (passed and not mine),
    count(*) filter (free and not passed), count(*) filter (barred),
    coalesce(min(position) filter (free and not passed and position > $at),
        min(position) filter (free and not passed))
from places
"""


def label_table(queue: Queue) -> str:
    """The table of the labels that are given in a queue; `active_` and `current_` are its views."""
    return {
        "citations": "labels", "references": "reference_labels", "sentences": "sentence_corrections",
    }[queue.item_kind]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePositions:
    """The places of a queue as one reviewer finds them at one moment, within a unit of work."""

    connection: "DuckDBPyConnection"
    queue: Queue
    reviewer: str
    now: datetime

    def ahead(self, after: int = -1) -> tuple[int | None, QueueProgress]:
        """The first free place after one, going round at the end, and how far the queue is.

        The place is None when none is free.
        """
        rows = self._ask(_PROGRESS, 0, END, {"at": after})
        items, done, given, held, mine, skipped, left, barred, following = rows[0]
        return following, QueueProgress(
            items=items,
            done=done,
            reviews_given=given,
            reviews_needed=items * self.queue.reviews,
            assigned=held,
            own_reviews=mine,
            skipped=skipped,
            available=left,
            barred=barred,
            recent_s=self._recent(),
        )

    def next_passed(self, after: int) -> int | None:
        """The first place that the reviewer skipped, in the same way."""
        return self._first("free and passed", "position > $at desc, position", at=after)

    def beside(self, position: int, by: Literal[1, -1]) -> int | None:
        """The nearest place in a direction that the reviewer may open; None at the end."""
        if by > 0:
            close = self._first("free or mine", "position", position + 1, position + WINDOW)
            if close is None:
                close = self._first("free or mine", "position", position + 1)
            return close
        close = self._first("free or mine", "position desc", position - WINDOW, position - 1)
        if close is None:
            close = self._first("free or mine", "position desc", 0, position - 1)
        return close

    def may_open(self, position: int) -> bool:
        """Whether a place is free for the reviewer or was decided by them."""
        return self._first("free or mine", "position", position, position) is not None

    def _recent(self) -> tuple[float, ...]:
        rows = self.connection.execute(
            f"select seconds from active_{label_table(self.queue)} where queue_id = $queue and seconds is not null "
            "order by reviewer = $me desc, created_at desc limit $recent",
            {"queue": self.queue.id, "me": self.reviewer, "recent": RECENT},
        ).fetchall()
        return tuple(seconds for (seconds,) in rows)

    def _first(
        self, which: str, order: str, low: int = 0, high: int = END, at: int | None = None
    ) -> int | None:
        query = f"select position from places where {which} order by {order} limit 1"
        rows = self._ask(query, low, high, {} if at is None else {"at": at})
        return rows[0][0] if rows else None

    def _ask(
        self, query: str, low: int, high: int, more: Mapping[str, int]
    ) -> list[tuple[int, ...]]:
        is_assigned = self.reviewer in self.queue.reviewers
        independent = self.queue.role == "adjudication" and not is_assigned
        labels = label_table(self.queue)
        barred = (
            _BARRED.format(labels=labels) if independent else "select -1 as position where false"
        )
        return self.connection.execute(
            f"{_STATE.format(barred=barred, labels=labels)} {query}",
            {
                "queue": self.queue.id,
                "me": self.reviewer,
                "now": self.now,
                "reviews": self.queue.reviews,
                "low": low,
                "high": high,
                **more,
            },
        ).fetchall()
