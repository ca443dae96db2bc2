"""Labels that are given outside of queues: on the page of a run, where the judge is seen."""

from workbench.errors import StoreError
from workbench.records import Decision, Label
from workbench.store.deciding import give_label
from workbench.store.queues import Clock, utc_now
from workbench.store.reviewer import reviewer_name
from workbench.store.sight import Seat, look
from workbench.store.store import Store


class Labelling:
    """A reviewer's decisions on single citations of a run.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

    def give(
        self, run_id: str, citation_id: str, reviewer: str, decision: Decision
    ) -> Label | None:
        """The label that was added; None where the reviewer has decided the same already.

        It takes the place of the reviewer's own current label only, never of another's.

        Raises:
            StoreError: There is no such run.
            UsageError: Evidence lies outside the source's text.
        """
        seat = Seat(reviewer=reviewer_name(reviewer))
        with self._store._unit() as connection:
            known = connection.execute("select id from runs where id = ?", [run_id]).fetchall()
            if not known:
                raise StoreError(
                    f"There is no run {run_id!r} in {self._store.path}; its label is not kept."
                )
            return give_label(connection, seat, run_id, citation_id, decision, self._now())

    def take_back(self, run_id: str, citation_id: str, reviewer: str) -> Label | None:
        """The label that was taken back: the reviewer's current one; None without one.

        The label that it had replaced, if any, is current again.
        """
        seat = Seat(reviewer=reviewer_name(reviewer))
        with self._store._unit() as connection:
            label = look(connection, run_id, citation_id, seat).mine
            if label:
                connection.execute(
                    "insert into withdrawals values (?, ?, ?)",
                    [label.id, seat.reviewer, self._now()],
                )
        return label

    def tags(self, limit: int = 100) -> list[str]:
        """The tags of the labels that stand, most used first."""
        with self._store._unit() as connection:
            rows = connection.execute(
                "select tag from (select unnest(tags) as tag from current_labels) "
                "group by tag order by count(*) desc, tag limit ?",
                [limit],
            ).fetchall()
        return [tag for (tag,) in rows]
