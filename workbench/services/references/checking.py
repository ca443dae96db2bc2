"""A list of references, or those of a stored run, looked up: who is asked is decided here."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from workbench.bibliography.csl import corrected_record, corrected_text
from workbench.bibliography.formats import ListFormat, write_record_list
from workbench.citations import parse_entry
from workbench.errors import UsageError
from workbench.judging.judge import run_sync
from workbench.pipeline.fetching import open_services
from workbench.pipeline.reference_checks import ReferenceOptions, check_references, entry_of
from workbench.records.bibliography import (
    CachedAnswer,
    EntryField,
    ReferenceCheck,
    ReferenceEntry,
    ReferenceReport,
    RetractionNotice,
)
from workbench.records.citation import Extraction, Reference
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import Run
from workbench.services.cached_views import register_cache
from workbench.services.database import Database
from workbench.services.permissions import Permissions
from workbench.services.references.registries import (
    FileRegistries,
    RetractionTable,
    stored_registries,
)
from workbench.settings import Settings
from workbench.sources.indexes.open_indexes import open_indexes, read_index_keys
from workbench.store.bibliography.checks import IndexAnswerRepository
from workbench.store.runs.verdict_buffer import VerdictWriteBuffer

__all__ = ["ListFormat", "ReferenceOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRequest:
    """What a caller asks for, checked when it is built."""

    registry_files: tuple[tuple[str, bytes], ...] = ()
    """Names and contents of lists that are asked like indexes."""
    look_up: bool = False
    """Whether the indexes of the settings, or those named, may be asked."""
    indexes: tuple[str, ...] = ()
    """The indexes to ask; those of the settings where it is empty."""
    offline: bool = False
    """Only stored answers of indexes count."""

    def __post_init__(self) -> None:
        if not all(isinstance(name, str) for name in self.indexes):
            raise UsageError("indexes is a list of names of indexes.")


def reference_options(
    settings: Settings,
    permissions: Permissions,
    request: ReferenceRequest,
    database: Database | None = None,
) -> ReferenceOptions | None:
    """Who is asked about the entries of a list; None where nobody would be.

    Registries come first: the files of the request, then what the database holds. Indexes are
    asked where the request wants it; the network is used where the permissions allow it, and
    answers that are stored count without it.

    Raises:
        UsageError: There is no such index, or a key file cannot be read.
        UnreadableInput: A registry file holds no records.
    """
    files = FileRegistries(request.registry_files) if request.registry_files else None
    registries = [
        *(files.indexes() if files else []),
        *(stored_registries(database) if database is not None else []),
    ]
    tables = [
        *([files.retraction_table()] if files else []),
        *([RetractionTable(database)] if database is not None else []),
    ]
    indexes = (
        open_indexes(
            open_services(settings.reach),
            request.indexes or settings.indexes,
            allow_fetch=permissions.allow_fetch and not request.offline,
            refused=permissions.fetch_refused,
            offline=request.offline,
            allowed_domains=permissions.allowed_domains,
            contact=settings.contact,
            keys=read_index_keys(settings.index_keys),
            cache=_StoredAnswers(database) if database is not None else None,
        )
        if request.look_up or request.indexes or request.offline
        else []
    )
    tables = [table for table in tables if table]
    if not registries and not indexes and not tables:
        return None

    def retraction_of(entry: ReferenceEntry, record: JsonDict | None) -> RetractionNotice | None:
        notices = (table(entry, record) for table in tables)
        return next((notice for notice in notices if notice), None)

    def prepare(entries: Sequence[ReferenceEntry]) -> None:
        for table in tables:
            table.prepare(entries)

    return ReferenceOptions(
        registries=registries,
        indexes=indexes,
        retraction_of=retraction_of if tables else None,
        prepare=prepare,
    )


def check_list(
    output: Extraction | Sequence[Reference],
    options: ReferenceOptions | None,
    *,
    cancel: threading.Event | None = None,
    on_check: Callable[[int, ReferenceCheck], None] | None = None,
) -> ReferenceReport:
    """The checks of the references of an output, or of a list, in their order.

    `on_check` is told each entry's position and its check, as they come.
    """
    return run_sync(acheck_list(output, options, cancel=cancel, on_check=on_check))


async def acheck_list(
    output: Extraction | Sequence[Reference],
    options: ReferenceOptions | None,
    *,
    cancel: threading.Event | None = None,
    on_check: Callable[[int, ReferenceCheck], None] | None = None,
) -> ReferenceReport:
    """The awaitable twin of `check_list`."""
    references = output.cited_works if isinstance(output, Extraction) else output
    options = options or ReferenceOptions()
    asked = replace(options, cancel=cancel, on_check=on_check)
    entries = await asyncio.to_thread(
        lambda: [(reference, entry_of(reference)) for reference in references]
    )
    return ReferenceReport(checks=tuple(await check_references(entries, asked)))


def corrected_reference(check: ReferenceCheck) -> str | None:
    """The entry in its own style with what the record says; None where nothing is to correct."""
    return corrected_text(with_spans(check))


def corrected_list(checks: Sequence[ReferenceCheck], kind: ListFormat) -> str:
    """The list as a `.bib`, `.ris` or CSL-JSON text: the record where the work was found.

    An entry that nobody confirmed is written as it stands, and its note says so.
    """
    return write_record_list([corrected_record(check) for check in checks], kind)


def run_report(run: Run) -> ReferenceReport:
    """The checks of a run's references."""
    return ReferenceReport(checks=run.reference_checks)


def with_spans(check: ReferenceCheck) -> ReferenceCheck:
    """The check with the places of its entry's fields, which stored JSON does not say.

    Offsets are code points of the check's own text.
    """
    if check.entry.spans:
        return check
    return replace(check, entry=replace(check.entry, spans=_spans_of(check.text)))


@lru_cache(maxsize=1_000)
def _spans_of(text: str) -> tuple[tuple[EntryField, Span], ...]:
    """Where the fields of an entry stand; pages draw the same entries again and again."""
    return parse_entry(text).spans


# an erased output must not be kept in memory
register_cache(_spans_of.cache_clear)


class _StoredAnswers:
    """Answers of indexes in the database."""

    def __init__(self, database: Database) -> None:
        self._answers = IndexAnswerRepository(database)

    async def find(self, service: str, question: str) -> CachedAnswer | None:
        """The newest answer to a question; None where there is none."""
        return await asyncio.to_thread(self._answers.find, service, question)

    async def keep(self, answer: CachedAnswer) -> None:
        await asyncio.to_thread(self._answers.keep, answer)


def check_run_references(
    database: Database,
    run_id: str,
    options: ReferenceOptions,
    on_check: Callable[[int, ReferenceCheck], None] | None = None,
    cancel: threading.Event | None = None,
) -> ReferenceReport:
    """The checks of a run's references, in their order, each kept as soon as it is there.

    An entry that nobody could be asked about this time keeps what an earlier check found, and so
    does each entry that a cancelled check did not reach. `on_check` is told each entry's position
    in the run's references and the check that counts from now on.

    Raises:
        StoreError: No run has that id.
    """
    run = database.get_run(run_id)
    before = dict(enumerate(run.reference_checks))
    checks = dict(before)
    recording = VerdictWriteBuffer(database)

    def keep(position: int, check: ReferenceCheck) -> None:
        earlier = before.get(position)
        if check.status == "not_checked" and earlier and earlier.status != "not_checked":
            check = earlier
        elif check.status != "not_checked" or not (cancel and cancel.is_set()):
            recording.add_check(run_id, position, check)
        checks[position] = check
        if on_check:
            on_check(position, check)

    entries = [(reference, entry_of(reference)) for reference in run.cited_works]
    try:
        run_sync(check_references(entries, replace(options, on_check=keep, cancel=cancel)))
    finally:
        recording.flush()
    return ReferenceReport(checks=tuple(checks[position] for position in sorted(checks)))
