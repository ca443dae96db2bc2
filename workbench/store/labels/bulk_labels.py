"""One decision on several citations at once, from a list where the judge's verdict is shown."""

from collections.abc import Sequence

from workbench.errors import NotFoundError
from workbench.records.review import BulkLabels, LabelDecision
from workbench.records.reviewers import normalize_reviewer_name, utc_now
from workbench.store.labels.label_rules import build_label
from workbench.store.labels.labels import insert_label
from workbench.store.labels.review_context import ReviewerContext, load_item_views
from workbench.store.queues.queues import Clock
from workbench.store.store import Store


class BulkLabelRepository:
    """A reviewer's decision on many citations, all of it stored or none.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

    def give(
        self, items: Sequence[tuple[str, str]], reviewer: str, decision: LabelDecision
    ) -> BulkLabels:
        """The labels that were added, and the citations that were skipped.

        `items` are run and citation ids. Each label is one of its own, given with the verdict in
        view; a citation whose current label by this reviewer is the same keeps it with its note.

        Raises:
            NotFoundError: A citation is not there; nothing was saved.
            UsageError: The reviewer's name cannot be used.
            StoreError: The output of a citation was erased; nothing was saved.
        """
        seat = ReviewerContext(reviewer=normalize_reviewer_name(reviewer))
        added, unchanged = [], []
        with self._store.transaction() as connection:
            now = self._now()
            for item in load_item_views(connection, list(dict.fromkeys(items)), seat):
                if item.result is None:
                    raise NotFoundError(
                        f"The run {item.run_id} has no citation {item.citation_id[:80]!r}; "
                        "nothing was saved."
                    )
                own_label = item.own_label
                if own_label and own_label.label == decision.label:
                    unchanged.append((item.run_id, item.citation_id))
                    continue
                label = build_label(
                    connection=connection,
                    seat=seat,
                    sight=item,
                    decision=decision,
                    now=now,
                    seconds=None,
                )
                if label:
                    insert_label(connection, label)
                    added.append(label)
        return BulkLabels(added=tuple(added), unchanged=tuple(unchanged))

    def withdraw(self, label_ids: Sequence[str], reviewer: str) -> int:
        """The number of the reviewer's labels that were withdrawn; those replaced since then stay.

        A label that one of them had replaced is current again.

        Raises:
            UsageError: The reviewer's name cannot be used.
        """
        reviewer = normalize_reviewer_name(reviewer)
        with self._store.transaction() as connection:
            rows = connection.execute(
                "insert into label_withdrawals select id, ?, ? from current_labels "
                "where reviewer = ? and id in (select unnest(?::varchar[])) returning label_id",
                [reviewer, self._now(), reviewer, list(label_ids)],
            ).fetchall()
        return len(rows)
