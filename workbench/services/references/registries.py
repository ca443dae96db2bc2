"""Registries: lists of works and tables of retractions that are asked without a network."""

import asyncio
import hashlib
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from workbench.bibliography.csl import entry_of_record
from workbench.bibliography.formats import read_record_list
from workbench.bibliography.keys import entry_keys
from workbench.bibliography.retraction_watch import is_retraction_table, read_retraction_table
from workbench.errors import UnreadableInput, UsageError
from workbench.records.bibliography import (
    IndexAnswer,
    IndexReply,
    ReferenceEntry,
    RetractionKind,
    RetractionNotice,
)
from workbench.records.registries import (
    FoundRetraction,
    RecordKeys,
    Registry,
    RegistryKind,
    RegistryRecord,
    SkippedRecord,
)
from workbench.records.text import JsonDict
from workbench.services.database import Database
from workbench.sources.upload import read_uploaded_text
from workbench.store.bibliography.registries import RegistryRepository

_LONGEST_NAME = 100
NAMES_DOIS = 0.25
"""Share of a list's works with a DOI from which a DOI that it does not have is worth telling."""
_SEVERITY: tuple[RetractionKind, ...] = ("retracted", "concern", "corrected")


def import_registry(
    database: Database, data: bytes, name: str, kind: RegistryKind | None = None, title: str = ""
) -> Registry:
    """The registry that a file becomes; one of the same name is replaced.

    Records that cannot be read are in its `problems`, the others are taken.

    Args:
        database: Where it is kept.
        data: A `.bib`, `.ris` or CSL-JSON file, or the CSV file of Retraction Watch.
        name: The file's name.
        kind: What the file is; None to tell by its content.
        title: The registry's name; empty for the file's name without its ending.

    Raises:
        UnreadableInput: Nothing in the file can be read.
        UsageError: The name is too long.
    """
    file_name = PurePosixPath(name.replace("\\", "/")).name or "file"
    title = " ".join((title or PurePosixPath(file_name).stem).split())
    if not 0 < len(title) <= _LONGEST_NAME:
        raise UsageError(
            f"A registry's name has 1 to {_LONGEST_NAME} characters; set it with --name."
        )
    text = read_uploaded_text(data, file_name)
    is_table = is_retraction_table(text)
    chosen: RegistryKind = kind or ("retractions" if is_table else "library")
    repository = RegistryRepository(database)

    def registry(records: int, problems: Sequence[SkippedRecord]) -> Registry:
        return Registry(
            name=title,
            kind=chosen,
            file_name=file_name,
            sha256=hashlib.sha256(data).hexdigest(),
            imported_at=datetime.now(UTC),
            records=records,
            problems=tuple(problems),
        )

    if chosen == "retractions":
        if not is_table:
            raise UnreadableInput(
                f"{file_name} is not a retraction table: its first line must name the columns "
                "OriginalPaperDOI and RetractionNature, as the file of Retraction Watch does."
            )
        rows, skipped = read_retraction_table(text)
        if not rows:
            raise UnreadableInput(f"{file_name} has no line about a work.")
        new = registry(len(rows), skipped)
        repository.add_retractions(new, rows)
        return new
    records = read_record_list(text, file_name)
    new = registry(len(records.records), records.problems)
    repository.add_library(
        new, [(_keys(record), _without_abstract(record)) for record in records.records]
    )
    return new


class RegistryIndex:
    """A library of a database, asked like any other index; nothing leaves the machine."""

    owner: object = None
    """What has to live as long as this."""

    def __init__(self, database: Database, registry: str, *, complete: bool = False) -> None:
        """Opens a library.

        Args:
            database: Where it is kept.
            registry: Its name.
            complete: Whether it should hold whatever the entries cite, as a list that is given
                for a check does; a library of one's own need not.
        """
        self.name = f"registry:{registry}"
        self.description = f"The imported list of works {registry}."
        self._registry = registry
        self._complete = complete
        self._repository = RegistryRepository(database)
        self._prepared: dict[RecordKeys, list[RegistryRecord]] = {}
        self._doi_share: float | None = None

    def covers(self, entry: ReferenceEntry) -> bool:
        """Whether the library should hold the work of an entry."""
        return self._complete

    async def prepare(self, entries: Sequence[ReferenceEntry]) -> None:
        """Look a whole list up in as many queries as one entry takes."""
        keys = list({entry_keys(entry): None for entry in entries})
        self._prepared.update(zip(keys, await asyncio.to_thread(self._find, keys), strict=True))

    async def look_up(self, entry: ReferenceEntry) -> IndexReply:
        """The works that the entry may mean, likeliest first."""
        keys = entry_keys(entry)
        found = self._prepared.get(keys)
        if found is None:
            found = (await asyncio.to_thread(self._find, [keys]))[0]
        answer = IndexAnswer(
            name=self.name, answer="match" if found else "none", covers=self._complete
        )
        return IndexReply(
            answer=answer,
            records=tuple(item.record for item in found),
            identifier_unknown=await self._unknown_doi(keys, found),
        )

    async def _unknown_doi(self, keys: RecordKeys, found: Sequence[RegistryRecord]) -> str | None:
        """The entry's DOI where a list that names DOIs as a rule does not have it."""
        if not self._complete or not keys.doi or any(item.route == "identifier" for item in found):
            return None
        if self._doi_share is None:
            self._doi_share = await asyncio.to_thread(self._repository.doi_share, self._registry)
        return keys.doi if self._doi_share >= NAMES_DOIS else None

    def _find(self, keys: Sequence[RecordKeys]) -> list[list[RegistryRecord]]:
        return self._repository.find_candidates(keys, [self._registry])


class RetractionTable:
    """The imported tables of retractions, asked by DOI, PubMed identifier and title."""

    owner: object = None
    """What has to live as long as this."""

    def __init__(self, database: Database) -> None:
        self._repository = RegistryRepository(database)
        self._is_empty = not any(
            registry.kind == "retractions" for registry in self._repository.all()
        )
        self._prepared: dict[RecordKeys, list[FoundRetraction]] = {}

    def __bool__(self) -> bool:
        """Whether there is any table."""
        return not self._is_empty

    def __call__(self, entry: ReferenceEntry, record: JsonDict | None) -> RetractionNotice | None:
        """The notice on the work of an entry, or of the record that was found for it."""
        if self._is_empty:
            return None
        searched = [entry_keys(entry)]
        if record is not None:
            searched.insert(0, _keys(record))
        missing = [keys for keys in searched if keys not in self._prepared]
        if missing:
            found = self._repository.find_retractions(missing)
            self._prepared.update(zip(missing, found, strict=True))
        lines = [line for keys in searched for line in self._prepared[keys]]
        return _notice(lines)

    def prepare(self, entries: Sequence[ReferenceEntry]) -> None:
        """Look a whole list up in one query."""
        if not self._is_empty:
            keys = list({entry_keys(entry): None for entry in entries})
            self._prepared.update(zip(keys, self._repository.find_retractions(keys), strict=True))


class FileRegistries:
    """Files as registries for as long as this is referred to; nothing of them is kept.

    The same tables and the same search as with a database that stays, in a file that goes.
    """

    def __init__(self, files: Sequence[tuple[str, bytes]]) -> None:
        """Import the files, each by its name and its bytes.

        Raises:
            UnreadableInput: Nothing in one of them can be read.
        """
        folder = Path(tempfile.mkdtemp(prefix="workbench-registry-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.database = Database(folder / "registries.duckdb")
        self.registries: list[Registry] = []
        taken: set[str] = set()
        for number, (name, data) in enumerate(files, start=1):
            title = PurePosixPath(name.replace("\\", "/")).name[:80]
            title = f"{title} ({number})" if title in taken else title
            taken.add(title)
            self.registries.append(import_registry(self.database, data, name, title=title))

    def indexes(self) -> list[RegistryIndex]:
        """Those that list works; each keeps the files for as long as it is used."""
        indexes = []
        for registry in self.registries:
            if registry.kind == "library":
                index = RegistryIndex(self.database, registry.name, complete=True)
                index.owner = self
                indexes.append(index)
        return indexes

    def retraction_table(self) -> "RetractionTable":
        """The tables of retractions among the files."""
        table = RetractionTable(self.database)
        table.owner = self
        return table


def stored_registries(database: Database) -> list[RegistryIndex]:
    """The libraries of a database, by name."""
    return [
        RegistryIndex(database, registry.name)
        for registry in RegistryRepository(database).all()
        if registry.kind == "library"
    ]


def _keys(record: JsonDict) -> RecordKeys:
    return entry_keys(entry_of_record(record))


def _without_abstract(record: JsonDict) -> JsonDict:
    """The record as it is kept: an abstract is of no use in a look-up, and may be under copyright."""
    return {name: value for name, value in record.items() if name != "abstract"}


def _notice(lines: Sequence[FoundRetraction]) -> RetractionNotice | None:
    """What the lines on a work come to: the gravest notice that no reinstatement follows."""
    reinstated = max((line.date or "" for line in lines if line.kind == "reinstated"), default=None)
    for kind in _SEVERITY:
        for line in lines:
            if line.kind != kind:
                continue
            if kind == "retracted" and reinstated is not None and (line.date or "") <= reinstated:
                continue
            return RetractionNotice(
                kind=kind, date=line.date, notice=line.notice, source="retraction_watch"
            )
    return None
