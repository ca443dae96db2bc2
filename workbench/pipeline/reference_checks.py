"""The entries of a list, each looked up where it may be, and what is concluded of them."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

from workbench.bibliography.cases.citation import case_entry
from workbench.bibliography.cases.compare import conclude_case
from workbench.bibliography.check import Finding, conclude
from workbench.bibliography.keys import entry_keys
from workbench.citations import parse_entry
from workbench.errors import WorkbenchError
from workbench.records.bibliography import (
    FieldComparison,
    IndexAnswer,
    IndexReply,
    ReferenceCheck,
    ReferenceEntry,
    RetractionNotice,
)
from workbench.records.citation import Reference
from workbench.records.text import Json, JsonDict
from workbench.sources.indexes.client import ReferenceIndex

ENTRIES_AT_ONCE = 12
"""Entries that are looked up at once; each service has a pace of its own besides."""
_RETRACTION_INDEXES = frozenset({"crossref", "pubmed"})
"""Those that are asked about a work that another index already confirmed: only they say that it
was retracted."""


class RetractionLookup(Protocol):
    """Finds the retraction of a work in a table of one's own."""

    def __call__(self, entry: ReferenceEntry, record: JsonDict | None) -> RetractionNotice | None:
        """The notice on the work of an entry, or of its record; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceOptions:
    """Who is asked about entries, in what order."""

    registries: Sequence[ReferenceIndex] = ()
    """Asked first: lists of one's own, which answer without a network."""
    indexes: Sequence[ReferenceIndex] = ()
    retraction_of: RetractionLookup | None = None
    prepare: Callable[[Sequence[ReferenceEntry]], object] | None = None
    """Is told the whole list first, so that it costs few queries."""
    year_now: int = field(default_factory=lambda: datetime.now(UTC).year)
    cancel: threading.Event | None = None
    on_check: Callable[[int, ReferenceCheck], None] | None = None
    """Is told each entry's position and its check, as they come."""

    def names(self) -> list[Json]:
        """The names of those who are asked, in their order."""
        return [index.name for index in (*self.registries, *self.indexes)]


async def check_references(
    references: Sequence[tuple[Reference, ReferenceEntry]], options: ReferenceOptions
) -> list[ReferenceCheck]:
    """One check for each entry, in their order; equal entries are looked up once.

    A cancelled check leaves the rest `not_checked`. Asking costs at most one identifier and one
    title look-up per entry and index.
    """
    references = [(reference, case_entry(entry, reference.text)) for reference, entry in references]
    gate = asyncio.Semaphore(ENTRIES_AT_ONCE)
    pending: dict[str, asyncio.Task[Finding]] = {}
    await _prepare(options, [entry for _, entry in references])

    async def find(entry: ReferenceEntry, text: str) -> Finding:
        async with gate:
            if options.cancel is not None and options.cancel.is_set():
                return unchecked("Not checked: the check was stopped.")
            return await _find(entry, text, options)

    async def check(position: int, reference: Reference, entry: ReferenceEntry) -> ReferenceCheck:
        # Docket numbers and pages referred to stand in a case's text alone.
        words = reference.text if entry.type == "legal_case" else ""
        key = repr((entry_keys(entry), entry.to_dict(), words))
        if key not in pending:
            pending[key] = asyncio.create_task(find(entry, reference.text))
        checked = as_check(reference, entry, await pending[key])
        if options.on_check:
            await asyncio.to_thread(options.on_check, position, checked)
        return checked

    checks = [
        asyncio.create_task(check(position, reference, entry))
        for position, (reference, entry) in enumerate(references)
    ]
    try:
        return list(await asyncio.gather(*checks))
    finally:
        for task in (*checks, *pending.values()):
            task.cancel()


def unchecked_references(references: Sequence[Reference], why: str) -> tuple[ReferenceCheck, ...]:
    """Each entry as read, with the reason why nobody was asked about it."""
    finding = unchecked(why)
    return tuple(as_check(reference, entry_of(reference), finding) for reference in references)


def entry_of(reference: Reference) -> ReferenceEntry:
    """What an entry says: as its list was read, else read from its text."""
    return reference.entry or parse_entry(reference.text)


def as_check(reference: Reference, entry: ReferenceEntry, finding: Finding) -> ReferenceCheck:
    """A finding as the check of the entry at its place."""
    return ReferenceCheck(
        label=reference.label,
        span=reference.span,
        text=reference.text,
        entry=entry,
        status=finding.status,
        fields=finding.fields,
        record=finding.record,
        record_from=finding.record_from,
        score=finding.score,
        indexes=finding.indexes,
        retraction=finding.retraction,
        why=finding.why,
    )


def with_quotations(check: ReferenceCheck, quotations: Sequence[FieldComparison]) -> ReferenceCheck:
    """The check of a decision with its quotations; one that its text lacks makes it differ."""
    fields = (*check.fields, *quotations)
    missing = [comparison.why for comparison in quotations if comparison.agrees is False]
    if not missing or check.status != "matches":
        return replace(check, fields=fields)
    return replace(check, fields=fields, status="differs", why=" ".join(missing))


def unchecked(why: str) -> Finding:
    """The finding of an entry that nobody was asked about."""
    return Finding("not_checked", (), None, None, None, (), None, why)


async def _prepare(options: ReferenceOptions, entries: Sequence[ReferenceEntry]) -> None:
    """Lets those who can answer a whole list in few questions do so."""
    for index in (*options.registries, *options.indexes):
        prepare = getattr(index, "prepare", None)
        if prepare is not None:
            await prepare(entries)
    if options.prepare is not None:
        await asyncio.to_thread(options.prepare, entries)


async def _find(entry: ReferenceEntry, text: str, options: ReferenceOptions) -> Finding:
    """The finding of one entry: registries first, then index after index until it is settled."""
    replies: list[IndexReply] = []
    finding: Finding | None = None
    seen = 0
    for index in (*options.registries, *options.indexes):
        matched = finding is not None and finding.status == "matches"
        if matched and not (index.name in _RETRACTION_INDEXES and index.covers(entry)):
            where = finding.record_from if finding else ""
            replies.append(_not_asked(index, entry, f"{where} already has the work."))
            continue
        if index not in options.registries and not index.covers(entry):
            replies.append(_not_asked(index, entry, f"{index.description} It is not asked."))
            continue
        replies.append(await _ask(index, entry))
        if replies[-1].records:
            finding = await asyncio.to_thread(_conclude, entry, text, replies, options.year_now)
            seen = len(replies)
    later = replies[seen:]
    if finding is None or any(reply.answer.answer != "not_asked" for reply in later):
        finding = await asyncio.to_thread(_conclude, entry, text, replies, options.year_now)
    else:
        answers = (*finding.indexes, *(reply.answer for reply in later))
        finding = finding._replace(indexes=answers)
    if options.retraction_of is not None:
        notice = await asyncio.to_thread(options.retraction_of, entry, finding.record)
        if notice is not None and finding.retraction is None:
            finding = finding._replace(retraction=notice)
    return finding


async def _ask(index: ReferenceIndex, entry: ReferenceEntry) -> IndexReply:
    """The index's reply; whatever breaks in one costs that index's answer and no more."""
    try:
        return await index.look_up(entry)
    except WorkbenchError:  # a database that cannot be used, for one
        raise
    except Exception as broken:
        why = f"What {index.name} has on this entry cannot be read ({type(broken).__name__})."
        answer = IndexAnswer(name=index.name, answer="error", why=why, covers=index.covers(entry))
        return IndexReply(answer=answer)


def _conclude(
    entry: ReferenceEntry, text: str, replies: Sequence[IndexReply], year_now: int
) -> Finding:
    if entry.type != "legal_case":
        return conclude(entry, text, replies, year_now=year_now)
    case = conclude_case(entry, text, replies, year_now)
    answers = tuple(reply.answer for reply in replies)
    return Finding(
        case.status, case.fields, case.record, case.record_from, None, answers, None, case.why
    )


def _not_asked(index: ReferenceIndex, entry: ReferenceEntry, why: str) -> IndexReply:
    covers = index.covers(entry)
    return IndexReply(
        answer=IndexAnswer(name=index.name, answer="not_asked", why=why, covers=covers)
    )
