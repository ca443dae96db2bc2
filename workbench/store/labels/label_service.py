"""Labels that are given outside of queues: on the page of a run, where the judge is seen."""

from workbench.errors import NotFoundError
from workbench.records.review import Label, LabelDecision
from workbench.records.reviewers import normalize_reviewer_name, utc_now
from workbench.store.labels.label_rules import give_label
from workbench.store.labels.labels import read_labels
from workbench.store.labels.review_context import ReviewerContext, load_item_view
from workbench.store.queues.queues import Clock
from workbench.store.store import Store


class LabelRepository:
    """A reviewer's decisions on single citations of a run.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

    def give(
        self,
        run_id: str,
        citation_id: str,
        reviewer: str,
        decision: LabelDecision,
        *,
        blind: bool = False,
    ) -> Label | None:
        """The label that was added; None where the reviewer has decided the same already.

        It takes the place of the reviewer's own current label only, never of another's.
        `blind` says that the judge was not shown; it counts as seen where the reviewer ever saw it.

        Raises:
            NotKept: There is no such run.
            UsageError: Evidence lies outside the source's text.
        """
        seat = ReviewerContext(reviewer=normalize_reviewer_name(reviewer), blind=blind)
        with self._store.transaction() as connection:
            run_rows = connection.execute("select id from runs where id = ?", [run_id]).fetchall()
            if not run_rows:
                raise NotFoundError(
                    f"There is no run {run_id!r} in {self._store.path}; its label is not saved."
                )
            return give_label(connection, seat, run_id, citation_id, decision, self._now())

    def withdraw(self, run_id: str, citation_id: str, reviewer: str) -> Label | None:
        """The label that was taken back: the reviewer's current one; None without one.

        The label that it had replaced, if any, is current again.
        """
        seat = ReviewerContext(reviewer=normalize_reviewer_name(reviewer))
        with self._store.transaction() as connection:
            label = load_item_view(connection, run_id, citation_id, seat).own_label
            if label:
                connection.execute(
                    "insert into label_withdrawals values (?, ?, ?)",
                    [label.id, seat.reviewer, self._now()],
                )
        return label

    def listed(
        self,
        *,
        run_id: str | None = None,
        citation_id: str | None = None,
        reviewer: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Label]:
        """Current labels, oldest first: of all runs, or of what is named, some at a time."""
        filters = {"run_id": run_id, "citation_id": citation_id, "reviewer": reviewer}
        conditions = {name: value for name, value in filters.items() if value is not None}
        where = f"where {' and '.join(f'{name} = ?' for name in conditions)} " if conditions else ""
        page = (
            f"(select * from current_labels {where}order by created_at, id limit ? offset ?) found"
        )
        with self._store.transaction() as connection:
            return read_labels(connection, page, [*conditions.values(), limit, offset])

    def tags(self, limit: int = 100) -> list[str]:
        """The tags of the current labels, most used first."""
        with self._store.transaction() as connection:
            rows = connection.execute(
                "select tag from (select unnest(tags) as tag from current_labels) "
                "group by tag order by count(*) desc, tag limit ?",
                [limit],
            ).fetchall()
        return [tag for (tag,) in rows]
