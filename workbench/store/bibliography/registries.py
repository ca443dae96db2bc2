"""Libraries and tables of retractions that a user imported, and the list of them."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from workbench.errors import NotFoundError
from workbench.records.registries import (
    FoundRetraction,
    MatchRoute,
    RecordKeys,
    Registry,
    RegistryRecord,
    RetractionRow,
    SkippedRecord,
)
from workbench.records.text import JsonDict, replace_surrogates
from workbench.store.rows import insert_record, read_number
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyarrow import Table  # type: ignore[import-untyped]


BEST_BY_WORDS = 5
BEST_BY_AUTHOR = 3
_RARE_WORDS = 6
"""Words of a title by which works are looked for; the other words only rank them."""
_ALWAYS = 2
"""So many of the rarest words are looked for, however common they are."""
_COMMON = 0.02
"""The share of all works that have a word from which on it finds too many."""
_COMMON_AT_LEAST = 500
_PRESELECTED = 20
_NAMED = 25
"""Works with one title or identifier; more are copies of one record."""

_FEW = 200
"""So many values are named in a query, which uses the index; more are joined in one scan."""


class _Scored(NamedTuple):
    identifier: int
    route: MatchRoute
    score: float


class _Search:
    """The parts of the inverted index that a list of entries needs."""

    def __init__(
        self,
        connection: "DuckDBPyConnection",
        keys: Sequence[RecordKeys],
        registries: Sequence[str] | None,
        works: int,
    ) -> None:
        self._connection = connection
        self._registries = None if registries is None else list(registries)
        self._works = works
        self._limit = max(_COMMON_AT_LEAST, int(works * _COMMON))
        self._counts: dict[str, int] = {}
        self._ids: dict[str, list[int]] = {}
        self._words: dict[int, frozenset[str]] = {}
        terms: set[str] = set()
        for key in keys:
            terms.update(term for term, _ in _routes_of_entry(key))
            terms.update(_author_terms(key))
            terms.update(map(_word_term, key.words))
        self._read(terms, self._limit)
        self._rare = [self._rare_words(key) for key in keys]
        self._read({word for words in self._rare for word in words} - self._ids.keys(), works)

    def _read(self, terms: set[str], limit: int) -> None:
        """How many works have each of the terms, and which, unless they are more than a limit."""
        if not terms:
            return
        source, values = _among("registry_terms", "term", sorted(terms))
        if self._registries is not None:
            source += " and registry in (select unnest(?::varchar[]))"
            values.append(self._registries)
        rows = self._connection.execute(
            f"select term, works, case when works <= {limit:d} then ids end {source}", values
        ).fetchall()
        counts: defaultdict[str, int] = defaultdict(int)
        ids: defaultdict[str, list[int]] = defaultdict(list)
        for term, works, listed in rows:  # one row a registry
            counts[term] += works
            if listed is not None:
                ids[term] += listed
        self._counts.update(counts)
        self._ids.update(ids)

    def _rare_words(self, keys: RecordKeys) -> list[str]:
        """The terms of the rarest words of a title that any work has."""
        terms = [term for term in map(_word_term, keys.words) if term in self._counts]
        terms.sort(key=lambda term: (self._counts[term], term))
        return [
            term
            for place, term in enumerate(terms[:_RARE_WORDS])
            if place < _ALWAYS or term in self._ids
        ]

    def weight(self, word: str) -> float:
        """How much a word tells: the logarithm of the inverse of its share (Spärck Jones, 1972)."""
        return math.log(1 + self._works / max(self._counts.get(_word_term(word), 0), 0.5))

    def named(self, keys: RecordKeys) -> dict[int, MatchRoute]:
        """The works that have an identifier or the title of an entry."""
        routes: dict[int, MatchRoute] = {}
        for term, route in _routes_of_entry(keys):
            for identifier in self._ids.get(term, ())[:_NAMED]:
                routes.setdefault(identifier, route)
        return routes

    def by_words(self, position: int, keys: RecordKeys) -> list[int]:
        """The works that share the rarest words of the title of an entry."""
        scores: defaultdict[int, float] = defaultdict(float)
        for term in self._rare[position]:
            weight = math.log(1 + self._works / self._counts[term])
            for identifier in self._ids.get(term, ()):
                scores[identifier] += weight
        best = nlargest(_PRESELECTED, zip(scores.values(), scores, strict=True))
        return [identifier for _, identifier in best]

    def by_author(self, keys: RecordKeys) -> set[int]:
        """The works of the first author of an entry in about its year."""
        return {
            identifier for term in _author_terms(keys) for identifier in self._ids.get(term, ())
        }


def find_candidates(
    connection: "DuckDBPyConnection",
    keys: Sequence[RecordKeys],
    registries: Sequence[str] | None,
) -> list[list[RegistryRecord]]:
    """For each of the keys the works that may be meant, likeliest first."""
    ((works,),) = connection.execute(
        "select coalesce(sum(records), 0)::integer from reference_registries where kind = 'library'"
    ).fetchall()
    if not keys or not works:
        return [[] for _ in keys]
    search = _Search(connection, keys, registries, works)
    named = [search.named(key) for key in keys]
    by_words = [search.by_words(position, key) for position, key in enumerate(keys)]
    by_author = [search.by_author(key) for key in keys]
    wanted = {identifier for group in (*named, *by_words, *by_author) for identifier in group}
    words = _words(connection, wanted)
    ranked = [
        _ranked(search, key, named[position], by_words[position], by_author[position], words)
        for position, key in enumerate(keys)
    ]
    records = _records(connection, {scored.identifier for group in ranked for scored in group})
    return [
        [
            RegistryRecord(*records[scored.identifier], scored.route, scored.score)
            for scored in group
        ]
        for group in ranked
    ]


def _ranked(
    search: _Search,
    keys: RecordKeys,
    named: Mapping[int, MatchRoute],
    by_words: Sequence[int],
    by_author: set[int],
    words: Mapping[int, frozenset[str]],
) -> list[_Scored]:
    """Those of the works that an entry may mean, likeliest first."""
    weights = {word: search.weight(word) for word in keys.words}
    total = sum(weights.values())

    def score(identifier: int) -> float:
        """The mean of how much of the entry's title the work has, and the other way round."""
        shared = [word for word in words[identifier] if word in weights]
        if not shared:
            return 0.0
        covered = sum(weights[word] for word in shared) / total
        return (covered + len(shared) / len(words[identifier])) / 2

    scores = {identifier: score(identifier) for identifier in {*named, *by_words, *by_author}}

    def best(identifiers: Iterable[int], number: int) -> list[int]:
        return nlargest(number, identifiers, key=lambda chosen: (scores[chosen], -chosen))

    chosen = dict(named)
    for identifier in best((item for item in by_words if item not in named), BEST_BY_WORDS):
        chosen[identifier] = "words"
    similar = [item for item in by_author if _shares_half(keys.words, words[item])]
    for identifier in best(similar, BEST_BY_AUTHOR):
        chosen.setdefault(identifier, "words")
    order: tuple[MatchRoute, ...] = ("identifier", "title", "main_title", "words")
    return sorted(
        (_Scored(identifier, route, scores[identifier]) for identifier, route in chosen.items()),
        key=lambda scored: (order.index(scored.route), -scored.score, scored.identifier),
    )


def _shares_half(entry: Sequence[str], work: frozenset[str]) -> bool:
    """Whether half of the words of the shorter title are in the other too."""
    shared = sum(word in work for word in entry)
    return shared > 0 and 2 * shared >= min(len(entry), len(work))


def _records(connection: "DuckDBPyConnection", wanted: set[int]) -> dict[int, tuple[str, JsonDict]]:
    source, values = _among("registry_records", "id", sorted(wanted))
    rows = connection.execute(f"select id, registry, record {source}", values).fetchall()
    return {identifier: (registry, json.loads(record)) for identifier, registry, record in rows}


def _words(connection: "DuckDBPyConnection", wanted: set[int]) -> dict[int, frozenset[str]]:
    source, values = _among("registry_records", "id", sorted(wanted))
    rows = connection.execute(f"select id, words {source}", values).fetchall()
    return {identifier: frozenset(words.split()) for identifier, words in rows}


def _among(
    table: str, column: str, wanted: Sequence[str] | Sequence[int]
) -> tuple[str, list[object]]:
    """The clause that finds the rows with one of some values, and its parameters."""
    if len(wanted) <= _FEW:
        places = ", ".join("?" * len(wanted))
        return f"from {table} where {column} in ({places or 'null'})", list(wanted)
    kind = "bigint" if column == "id" else "varchar"
    return f"from {table} where {column} in (select unnest(?::{kind}[]))", [list(wanted)]


def terms_of_record(keys: RecordKeys) -> Iterator[str]:
    """The terms of a work, each once."""
    yield from _identifier_terms(keys)
    if keys.title:
        yield f"title:{keys.title}"
    if keys.main_title and keys.main_title != keys.title:
        yield f"main:{keys.main_title}"
    if keys.author and keys.year is not None:
        yield f"author:{keys.author}:{keys.year}"
    for word in keys.words:
        yield _word_term(word)


def _routes_of_entry(keys: RecordKeys) -> Iterator[tuple[str, MatchRoute]]:
    """The terms that name a work by themselves, and how; likeliest first."""
    for term in _identifier_terms(keys):
        yield term, "identifier"
    if keys.title:
        yield f"title:{keys.title}", "title"
        yield f"main:{keys.title}", "main_title"
    if keys.main_title:
        yield f"title:{keys.main_title}", "main_title"
        yield f"main:{keys.main_title}", "main_title"


def _author_terms(keys: RecordKeys) -> list[str]:
    """The terms of works by the first author of an entry in its year, the one before and after."""
    if not keys.author or keys.year is None:
        return []
    return [f"author:{keys.author}:{keys.year + step}" for step in (0, -1, 1)]


def _identifier_terms(keys: RecordKeys) -> Iterator[str]:
    """The terms of DOI, arXiv number, PubMed identifier and ISBN, as far as they are known."""
    for name, value in (
        ("doi", keys.doi),
        ("arxiv", keys.arxiv),
        ("pmid", keys.pmid),
        ("isbn", keys.isbn),
    ):
        if value:
            yield f"{name}:{value}"


def _word_term(word: str) -> str:
    """The term of a word of a title."""
    return f"word:{word}"


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
