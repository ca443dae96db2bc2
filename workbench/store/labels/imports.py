"""Items that came in a file: each kept once, with where it came from."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.records.export_formats import ImportedFacts
from workbench.records.review import Label
from workbench.records.source import Source
from workbench.records.text import Json, replace_surrogates, text_bytes, text_sha256
from workbench.records.transfer import ImportRecord
from workbench.records.verdict import CitationResult, Run
from workbench.store.rows import (
    add_run_row,
    append_new_rows,
    append_rows,
    insert_label,
    read_column,
    verdict_row,
)
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Place = tuple[str, str]
"""Ids of a run and of a citation in it."""


class Imports(Repository):
    """Keeping imported items; everything is only inserted, and the same content only once."""

    def places(self, keys: Collection[str]) -> dict[str, Place]:
        """Where the items with these keys are; those that are not there are left out."""
        with self._store.transaction() as connection:
            return _places(connection, keys)

    def add(
        self,
        import_id: str,
        run: Run,
        text: str,
        name: str,
        labels: Sequence[Label],
        items: Sequence[tuple[str, str, ImportedFacts]],
    ) -> bool:
        """Whether a run of new items was kept; not when one of them has come in meanwhile.

        Args:
            import_id: Of the import they belong to.
            run: Its citations' sources come with their text.
            text: The run's output.
            name: Of the run.
            labels: Of its citations.
            items: Key, citation id and facts of each.
        """
        now = run.created_at
        with self._store.transaction() as connection:
            if _places(connection, [key for key, _, _ in items]):
                return False
            _add_run(connection, run, text, name)
            _add_sources(connection, run.citations, now)
            append_rows(
                connection,
                "verdicts",
                [verdict_row(run.id, citation, now) for citation in run.citations],
            )
            append_rows(
                connection,
                "imported_items",
                [_item_row(import_id, run.id, *item) for item in items],
            )
            _insert_labels(connection, labels)
        return True

    def add_labels(self, labels: Sequence[Label]) -> int:
        """How many labels were new; one of the same person takes the place of the earlier one."""
        if not labels:
            return 0
        with self._store.transaction() as connection:
            existing_ids = read_column(
                connection,
                "select id from labels where id in (select unnest(?::varchar[]))",
                [[label.id for label in labels]],
            )
            new = [label for label in labels if label.id not in existing_ids]
            for label in new:
                insert_label(connection, _replacing(connection, label))
        return len(new)

    def remember(self, record: ImportRecord) -> None:
        """Record what was imported, when, by which reviewer and from which file."""
        self._insert("imports", record, once=True)

    def list(self, limit: int = 100) -> list[ImportRecord]:
        """The newest imports first."""
        return self._records(
            ImportRecord, "from imports order by created_at desc, id limit ?", [limit]
        )

    def runs(self) -> set[str]:
        """Ids of the runs that hold imported items."""
        return set(self._column("select distinct run_id from imported_items"))

    def facts(self, run_ids: Collection[str] | None = None) -> dict[Place, ImportedFacts]:
        """What files said of the items of some runs, or of all imported ones."""
        where = "" if run_ids is None else "where run_id in (select unnest(?::varchar[]))"
        rows = self._rows(
            "select run_id, citation_id, item, group_key, origin, licence, slices "
            f"from imported_items {where}",
            [] if run_ids is None else [list(run_ids)],
        )
        return {(row[0], row[1]): facts_of_row(row[2:]) for row in rows}


def facts_of_row(row: Sequence[str]) -> ImportedFacts:
    """The facts in the columns item, group_key, origin, licence, slices."""
    item, group, origin, licence, slices = row
    read: Sequence[Sequence[str]] = json.loads(slices) if slices != "[]" else ()
    return ImportedFacts(
        item=item,
        group=group,
        origin=origin,
        licence=licence,
        slices=tuple((name, value) for name, value in read),
    )


def _places(connection: "DuckDBPyConnection", keys: Collection[str]) -> dict[str, Place]:
    rows = connection.execute(
        "select key, run_id, citation_id from imported_items "
        "where key in (select unnest(?::varchar[]))",
        [list(keys)],
    ).fetchall()
    return {key: (run_id, citation_id) for key, run_id, citation_id in rows}


def _replacing(connection: "DuckDBPyConnection", label: Label) -> Label:
    """The label with what it takes the place of: the same person's current one on the item."""
    rows = connection.execute(
        "select id from current_labels where run_id = ? and citation_id = ? and reviewer = ? "
        "and role = ? order by created_at desc, id limit 1",
        [label.run_id, label.citation_id, replace_surrogates(label.reviewer), label.role],
    ).fetchall()
    return replace(label, replaces=rows[0][0]) if rows else label


def _add_run(connection: "DuckDBPyConnection", run: Run, text: str, name: str) -> None:
    add_run_row(connection, run, name, text)
    connection.execute(
        "insert into run_completions values (?, ?, true, 0, '{}', 0, 0)", [run.id, run.created_at]
    )


def _add_sources(
    connection: "DuckDBPyConnection", results: Sequence[CitationResult], now: datetime
) -> None:
    """Keep the sources' texts, all at once; those that are there already are left alone."""
    sources: dict[tuple[str, str], Source] = {
        (result.source.sha256, text_sha256(result.source.text)): result.source
        for result in results
        if result.source and result.source.text
    }
    append_new_rows(
        connection,
        "source_texts",
        [
            (sha, text_sha, replace_surrogates(source.title or ""), source.content_type,
             text_bytes(source.text), "[]", now)
            for (sha, text_sha), source in sources.items()
        ],
    )  # fmt: skip


def _item_row(
    import_id: str, run_id: str, key: str, citation_id: str, facts: ImportedFacts
) -> tuple[str, ...]:
    slices: Json = [list(slice_pair) for slice_pair in facts.slices]
    return (
        key,
        run_id,
        citation_id,
        replace_surrogates(facts.item),
        replace_surrogates(facts.group),
        replace_surrogates(facts.origin),
        replace_surrogates(facts.licence),
        json.dumps(slices),
        import_id,
    )


def _insert_labels(connection: "DuckDBPyConnection", labels: Sequence[Label]) -> None:
    """Add the labels of new items, all at once; their ids follow from their content."""
    if not labels:
        return
    columns: Mapping[str, str] = {
        "id": "varchar", "run_id": "varchar", "citation_id": "varchar", "label": "varchar",
        "reviewer": "varchar", "created_at": "timestamptz", "note": "varchar", "role": "varchar",
        "evidence": "varchar", "tag": "varchar", "by_person": "boolean",
    }  # fmt: skip
    connection.execute(
        "create or replace temp table new_labels ("
        + ", ".join(f"{name} {kind}" for name, kind in columns.items())
        + ")"
    )
    append_rows(
        connection,
        "new_labels",
        [
            (label.id, label.run_id, label.citation_id, label.label, replace_surrogates(label.reviewer),
             label.created_at, replace_surrogates(label.note), label.role,
             json.dumps([evidence.to_dict() for evidence in label.evidence]),
             label.tags[0] if label.tags else "", label.by_person)
            for label in {label.id: label for label in labels}.values()
        ],
    )  # fmt: skip
    connection.execute(
        "insert into labels (id, run_id, citation_id, label, reviewer, created_at, note, role, "
        "evidence, wrong_evidence, tags, verdict_version, by_person) "
        "select id, run_id, citation_id, label, reviewer, created_at, note, role, evidence, '[]', "
        "list_filter([tag], lambda x: x <> ''), 1, by_person from new_labels on conflict do nothing"
    )
    connection.execute("drop table new_labels")
