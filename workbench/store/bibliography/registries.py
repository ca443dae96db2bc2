"""Libraries and tables of retractions that a user imported, and the list of them."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.errors import NotFoundError
from workbench.records.registries import (
    FoundRetraction,
    RecordKeys,
    Registry,
    RegistryRecord,
    RetractionRow,
    SkippedRecord,
)
from workbench.records.text import JsonDict, replace_surrogates
from workbench.store.bibliography.candidates import find_candidates, terms_of_record
from workbench.store.rows import insert_record, read_number
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyarrow import Table  # type: ignore[import-untyped]

_RETRACTIONS = """
with matched as (
    select entry, t.*, true as by_identifier from searched s join retractions t on s.doi = t.doi
        where s.doi <> ''
    union select entry, t.*, true from searched s join retractions t on s.pmid = t.pmid
        where s.pmid <> ''
    union select entry, t.*, false from searched s join retractions t
        on s.title_key = t.title_key
        and (s.author_key = t.author_key or s.author_key = '' or t.author_key = '')
        where s.word_count > 3 and (s.doi = '' or t.doi = '' or s.doi = t.doi)
)
select entry, registry, kind, notice, date, reason, bool_or(by_identifier) from matched
group by entry, registry, position, kind, notice, date, reason
order by entry, date desc nulls last, registry, position
"""
"""The lines of tables of retractions that concern the works of entries."""
_TABLES = ("registry_records", "registry_terms", "retractions")


class RegistryRepository(Repository):
    """The registries of a database; one that is imported again under its name is replaced."""

    def add_library(
        self, registry: Registry, records: Sequence[tuple[RecordKeys, JsonDict]]
    ) -> None:
        """Keep the works of a library under their keys."""
        with self._store.transaction() as connection:
            self._begin(connection, registry)
            first = read_number(
                connection, "select coalesce(max(id), -1) + 1 from registry_records"
            )
            ids_of_terms: dict[str, list[int]] = {}
            for number, (keys, _) in enumerate(records, start=first):
                for term in terms_of_record(keys):
                    ids_of_terms.setdefault(term, []).append(number)
            terms = sorted(ids_of_terms)
            _insert(
                connection,
                "registry_records",
                {
                    "id": list(range(first, first + len(records))),
                    "registry": [registry.name] * len(records),
                    "words": [" ".join(keys.words) for keys, _ in records],
                    "record": [json.dumps(record) for _, record in records],
                },
            )
            _insert(
                connection,
                "registry_terms",
                {
                    "registry": [registry.name] * len(terms),
                    "term": terms,
                    "works": [len(ids_of_terms[term]) for term in terms],
                    "ids": [ids_of_terms[term] for term in terms],
                },
            )

    def add_retractions(self, registry: Registry, rows: Sequence[RetractionRow]) -> None:
        """Keep the lines of a table of retractions."""
        keys = [row.keys for row in rows]
        columns: dict[str, Sequence[object]] = {
            "registry": [registry.name] * len(rows),
            "position": list(range(len(rows))),
            "title_key": [key.title for key in keys],
            "author_key": [key.author for key in keys],
            "doi": [key.doi for key in keys],
            "pmid": [key.pmid for key in keys],
            "kind": [row.kind for row in rows],
            "notice": [row.notice for row in rows],
            "date": [row.date for row in rows],
            "reason": [replace_surrogates(row.reason) for row in rows],
        }
        with self._store.transaction() as connection:
            self._begin(connection, registry)
            _insert(connection, "retractions", columns)

    def all(self) -> list[Registry]:
        """Every registry, by its name."""
        return self._records(
            Registry, "from reference_registries order by name", problems=_problems
        )

    def remove(self, name: str) -> None:
        """Forget a registry with all that it holds.

        Raises:
            NotFoundError: There is none of that name.
        """
        with self._store.transaction() as connection:
            if not _delete(connection, name):
                raise NotFoundError(
                    f"There is no registry {name!r} in {self._store.path}; see the list of "
                    f"registries."
                )

    def doi_share(self, name: str) -> float:
        """The share of a registry's works that have a DOI, from 0 to 1."""
        (share,) = self._column(
            "select count(*) / greatest(1, (select count(*) from registry_records where "
            "registry = $name)) from registry_terms where registry = $name and "
            "starts_with(term, 'doi:')",
            {"name": name},
        )
        return float(share)

    def find_candidates(
        self, keys: Sequence[RecordKeys], registries: Sequence[str] | None = None
    ) -> list[list[RegistryRecord]]:
        """For each of the keys the works that may be meant, likeliest first.

        Found are those with one of its identifiers, those with its title or main title, and the
        five whose titles share most of its words, weighted by how rare they are; then those of the
        same first author and about the same year that share half of the words.

        Args:
            keys: Of the entries; a whole list costs as many queries as one.
            registries: The names of those to look in; None for all.
        """
        with self._store.transaction() as connection:
            return find_candidates(connection, keys, registries)

    def find_retractions(self, keys: Sequence[RecordKeys]) -> list[list[FoundRetraction]]:
        """For each of the keys the lines on its work in tables of retractions, newest first."""
        found: list[list[FoundRetraction]] = [[] for _ in keys]
        if not keys:
            return found
        searched: dict[str, Sequence[object]] = {
            "entry": list(range(len(keys))),
            "word_count": [len(key.words) for key in keys],
            "title_key": [key.title for key in keys],
            "author_key": [key.author for key in keys],
            "doi": [key.doi for key in keys],
            "pmid": [key.pmid for key in keys],
        }
        with self._store.transaction() as connection:
            connection.register("searched", _arrow(searched))
            try:
                lines = connection.execute(_RETRACTIONS).fetchall()
            finally:
                connection.unregister("searched")
        for entry, *line in lines:
            found[entry].append(FoundRetraction(*line))
        return found

    def _begin(self, connection: "DuckDBPyConnection", registry: Registry) -> None:
        _delete(connection, registry.name)
        insert_record(connection, "reference_registries", registry)


def _problems(stored: str) -> tuple[SkippedRecord, ...]:
    return tuple(SkippedRecord(*problem) for problem in json.loads(stored))


def _delete(connection: "DuckDBPyConnection", name: str) -> bool:
    """Whether there was a registry of that name; it is gone."""
    rows = connection.execute(
        "delete from reference_registries where name = ? returning name", [name]
    ).fetchall()
    if rows:
        for table in _TABLES:
            connection.execute(f"delete from {table} where registry = ?", [name])
    return bool(rows)


def _insert(
    connection: "DuckDBPyConnection", table: str, columns: Mapping[str, Sequence[object]]
) -> None:
    """Add rows in one scan, in their order."""
    rows = _arrow(columns)
    connection.register("imported_rows", rows)
    try:
        names = ", ".join(columns)
        connection.execute(f"insert into {table} ({names}) select {names} from imported_rows")
    finally:
        connection.unregister("imported_rows")


def _arrow(columns: Mapping[str, Sequence[object]]) -> "Table":
    import pyarrow

    types = {
        "id": pyarrow.int64(),
        "ids": pyarrow.list_(pyarrow.int64()),
        **dict.fromkeys(("works", "position", "entry", "word_count"), pyarrow.int32()),
    }
    return pyarrow.table(
        {
            name: pyarrow.array(values, type=types.get(name, pyarrow.string()))
            for name, values in columns.items()
        }
    )
