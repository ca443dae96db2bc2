"""The example workspace: what belongs to it, the progress of its seeding, and its removal.

Which labels are examples, and when they count, is the rule of `schema/m030_examples.sql`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from workbench.records.review import Label
from workbench.records.transfer import EXAMPLE_SUFFIX, ExampleContents
from workbench.store.admin.erasure import DELETED, FIND_HANGING, GONE, delete_judgments
from workbench.store.rows import insert_label, read_column, read_number
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MarkKind = Literal["run", "queue", "reviewer", "prompt", "reference_set", "step"]
REMOVED, DECLINED, BEGUN, DONE = "removed", "declined", "begun", "done"
"""Steps: the examples were removed, were never wanted, are being seeded, are complete."""

# work of people on an example run keeps it: their labels, corrections and rewordings
_REVIEWERS = "(select id from examples where kind = 'reviewer')"
_WORKED_ON = f"""
select run_id from labels anti join example_labels using (id)
union select run_id from reference_labels anti join example_reference_labels using (id)
union select run_id from claim_corrections where reviewer not in {_REVIEWERS}
union select run_id from correction_decisions where reviewer not in {_REVIEWERS}
union select run_id from queue_items
    where queue_id not in (select id from examples where kind = 'queue')
"""
_GONE = f"""
create or replace temp table gone as
    select id from runs where id in (select id from examples where kind = 'run')
    except ({_WORKED_ON})
"""
# tables of example queues and reference sets, and the labels of examples on runs that stay
_ALSO_DELETED = (
    ("label_withdrawals", "label_id in (select id from example_labels)"),
    ("labels", "id in (select id from example_labels)"),
    ("reference_label_withdrawals", "label_id in (select id from example_reference_labels)"),
    ("reference_labels", "id in (select id from example_reference_labels)"),
    *(
        (table, f"{column} in (select id from examples where kind = 'queue')")
        for table, column in (
            ("queue_items", "queue_id"),
            ("queue_assignments", "queue_id"),
            ("queue_states", "queue_id"),
            ("queue_skips", "queue_id"),
            ("reservations", "queue_id"),
            ("queues", "id"),
        )
    ),
    (
        "offline_judgments",
        "evaluation_id in (select id from reference_evaluations where reference_set_id in "
        "(select id from examples where kind = 'reference_set'))",
    ),
    *(
        (table, f"{column} in (select id from examples where kind = 'reference_set')")
        for table, column in (
            ("reference_examples", "reference_set_id"),
            ("reference_evaluations", "reference_set_id"),
            ("reference_sets", "id"),
        )
    ),
    (
        "prompts",
        "id in (select id from examples where kind = 'prompt') "
        "and id not in (select parent from prompts where parent is not null "
        "and id not in (select id from examples where kind = 'prompt'))",
    ),
    (
        "splits",
        "id not in (select split_id from split_items) "
        "and id not in (select split_id from test_set_accesses) "
        "and id not in (select record->>'$.split_id' from thresholds)",
    ),
)
_UNTOUCHED = ("index_answers",)
"""Tables of an erasure that no example writes to: what services answered is real work's."""


class ExampleWorkspace(Repository):
    """What belongs to the examples of the first start."""

    def mark(self, kind: MarkKind, ids: Sequence[str]) -> None:
        """Remember that these belong to the examples; runs are named so too."""
        with self._store.transaction() as connection:
            _mark(connection, kind, ids)

    def marked(self, kind: MarkKind) -> frozenset[str]:
        """The ids of a kind that belong to the examples."""
        return frozenset(self._column("select id from examples where kind = ?", [kind]))

    def has_other_work(self) -> bool:
        """Whether the file holds anything but runs of these outputs: labels, queues and the like."""
        return bool(
            self._number(
                "select exists (from labels) or exists (from reference_labels) "
                "or exists (from queues) or exists (from prompts) or exists (from splits) "
                "or exists (from imports) or exists (from claim_corrections) "
                "or exists (from correction_decisions) or exists (from traces) "
                "or exists (from erasures)"
            )
        )

    def add_labels(self, step: str, labels: Sequence[tuple[Label, int | None]]) -> None:
        """Keep labels with their positions in queues and remember the step: all or nothing."""
        with self._store.transaction() as connection:
            for label, position in labels:
                insert_label(connection, label, position)
            _mark(connection, "step", [step])

    def imported_runs(self, origin: str) -> list[str]:
        """The runs that hold imported items of an origin."""
        return list(
            self._column(
                "select distinct run_id from imported_items where origin = ? order by run_id",
                [origin],
            )
        )

    def contents(self) -> ExampleContents:
        """What there is of the examples, and whether figures are made of them."""
        with self._store.transaction() as connection:
            if not read_number(connection, "select count(*) from examples where kind <> 'step'"):
                return ExampleContents()
            connection.execute(_GONE)
            (row,) = connection.execute(
                "select (select count(*) from examples semi join runs using (id) "
                "where kind = 'run'), (select count(*) from gone), "
                "(select count(*) from example_labels), "
                "(select count(*) from examples semi join queues using (id) where kind = 'queue'), "
                "(select count(*) from example_labels) > 0 "
                "and not exists (from active_labels anti join example_labels using (id)), "
                "(select count(*) from queue_items i semi join (select id from examples "
                "where kind = 'queue') q on q.id = i.queue_id "
                "semi join (select run_id, citation_id, queue_id from labels "
                f"where reviewer not in {_REVIEWERS}) l on l.run_id = i.run_id "
                "and l.citation_id = i.citation_id and l.queue_id = i.queue_id), "
                f"(select count(*) from citation_comments where run_id in {GONE}), "
                f"(select count(*) from run_titles where run_id in {GONE}), "
                "(select count(*) from supplied_sources where sha256 in (select source_sha256 "
                f"from verdicts where run_id in {GONE}) and sha256 not in (select source_sha256 "
                f"from verdicts where source_sha256 is not null and run_id not in {GONE}))"
            ).fetchall()
        runs, removable, labels, queues, counted, tried, comments, titles, supplied = row
        return ExampleContents(
            runs=runs,
            runs_kept=runs - removable,
            labels=labels,
            queues=queues,
            counted=counted,
            labels_tried=tried,
            comments=comments,
            titles=titles,
            supplied=supplied,
        )

    def remove(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Delete the examples permanently, in one transaction.

        Returns the ids of the deleted runs, and the hashes of sources that are no longer used.

        Runs on which somebody worked stay, under their own names.
        """
        with self._store.transaction() as connection:
            connection.execute(_GONE)
            for statement in FIND_HANGING:
                connection.execute(statement)
            runs = read_column(connection, "select id from gone order by id")
            bodies = read_column(connection, "select sha256 from gone_bodies order by sha256")
            delete_judgments(connection)
            # labels go first: the views say by the marks which of them are examples
            for table, where in (*_ALSO_DELETED[:4], *DELETED, *_ALSO_DELETED[4:]):
                if table not in _UNTOUCHED:
                    connection.execute(f"delete from {table} where {where}")
            connection.execute(
                "update runs set name = replace(name, $suffix, '') "
                "where id in (select id from examples where kind = 'run')",
                {"suffix": EXAMPLE_SUFFIX},
            )
            connection.execute("delete from examples")
            _mark(connection, "step", [REMOVED])
        return runs, bodies

    def forget_removal(self) -> None:
        """Allow the examples to be seeded again."""
        self._rows("delete from examples where kind = 'step' and id in (?, ?)", [REMOVED, DECLINED])


def _mark(connection: "DuckDBPyConnection", kind: MarkKind, ids: Sequence[str]) -> None:
    connection.execute(
        "insert into examples select ?, unnest(?::varchar[]) on conflict do nothing",
        [kind, list(ids)],
    )
    if kind == "run":
        connection.execute(
            "update runs set name = name || $suffix where id in (select unnest($ids::varchar[])) "
            "and not contains(name, $suffix)",
            {"suffix": EXAMPLE_SUFFIX, "ids": list(ids)},
        )
