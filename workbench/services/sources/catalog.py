"""Everything known about every source: who cites it, what was retrieved, in which state.

A source is what citations point at, in whatever spelling; behind it are the bytes retrieved
over time. Nothing here fetches: bytes come out of the snapshots, texts out of the store.
"""

import asyncio
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Literal

from workbench.errors import NotEvidenceError, SourceError
from workbench.judging.judge import run_sync
from workbench.records.citation import UNCOUNTED_KINDS, Target, TargetForm
from workbench.records.format import host_of
from workbench.records.source import Fetched, Source
from workbench.records.stored_sources import (
    RunVersion,
    SourceCitation,
    SourceOverride,
    SuppliedSource,
)
from workbench.records.verdict import ErrorInfo, VerdictLabel
from workbench.sources.addresses import same_source_key, target_key
from workbench.sources.read import read_source
from workbench.sources.snapshots import Snapshot, SnapshotFolder
from workbench.store.sources import SourceRepository
from workbench.store.store import Store

State = Literal["read", "not_evidence", "missing", "waiting", "uncited"]
"""Read; retrieved, but no evidence; not retrieved, or not readable; not reached; not cited."""

STATES: tuple[State, ...] = ("read", "not_evidence", "missing", "waiting", "uncited")
WEB_FORMS: tuple[TargetForm, ...] = ("url", "doi", "arxiv", "pmid")
"""Forms that a fetch can answer."""

_PREFIXED: tuple[TargetForm, ...] = ("doi", "arxiv", "pmid", "file", "git", "memory", "case")
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceVersion:
    """One retrieved body of a source, and when."""

    sha256: str
    facts: Source
    """Without text."""
    hops: tuple[str, ...] = ()
    first: datetime | None = None
    last: datetime | None = None
    requests: int = 0
    """How often it was retrieved in a row; 0 where no snapshot of it is kept."""
    uses: tuple[SourceCitation, ...] = ()
    """Citations whose current verdict is based on it."""
    supplied: SuppliedSource | None = None
    """Who handed it over; None for what was fetched or came with a run."""
    acceptance: SourceOverride | None = None
    """The word that makes a doubted body count."""

    @property
    def judged(self) -> bool:
        """Whether a text of it was judged, or tried to be."""
        return any(use.text_sha256 for use in self.uses)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRow:
    """One source: a line of the list, and all that its own view starts from."""

    id: str
    """Twelve hexadecimal digits that stay the same; for addresses."""
    address: str
    """As the first citation spells it; `doi:10.…` for identifiers; a file name, or empty."""
    target: Target | None
    """What a fetch can ask for; None for what is not on the web."""
    title: str
    entry: str
    """The reference entry that names it, where there is one."""
    state: State
    error: ErrorInfo | None
    """Why there is no text of it, where there is none."""
    facts: Source | None
    """Of the body that the newest verdict is based on, else of the newest snapshot."""
    uses: tuple[SourceCitation, ...] = ()
    versions: tuple[SourceVersion, ...] = ()
    """Oldest first."""

    @property
    def host(self) -> str:
        """The host that was cited, without `www.`; else that of the final address, or empty."""
        for address in (self.address, self.facts.final_url if self.facts else ""):
            cited_host = host_of(address)
            if cited_host:
                return cited_host
        return ""

    @property
    def judged(self) -> SourceVersion | None:
        """The body that the newest verdict is based on."""
        for use in newest_first(self.uses):
            if use.result.source is not None:
                return self.version(use.result.source.sha256)
        return None

    @property
    def newest(self) -> SourceVersion | None:
        """The body that was retrieved last."""
        return self.versions[-1] if self.versions else None

    @property
    def changed(self) -> bool:
        """Whether the body retrieved last differs from the judged one."""
        judged, newest = self.judged, self.newest
        return judged is not None and newest is not None and judged.sha256 != newest.sha256

    @property
    def supplied(self) -> SuppliedSource | None:
        """Who handed over the body in use; None where no reviewer did."""
        version = self.judged or self.newest
        return version.supplied if version else None

    @property
    def acceptance(self) -> SourceOverride | None:
        """The word that makes the body in use count."""
        version = self.judged or self.newest
        return version.acceptance if version else None

    def version(self, sha256: str) -> SourceVersion | None:
        """The body with that hash; None when this source never had it."""
        return next(
            (version for version in reversed(self.versions) if version.sha256 == sha256), None
        )

    @property
    def citing(self) -> tuple[SourceCitation, ...]:
        """Its citations; a quote or figure goes with the marker of the same claim."""
        return without_secondary_citations(self.uses)

    def counts(self) -> dict[VerdictLabel | Literal["pending"], int]:
        """Number of its citations by verdict."""
        counts_by_verdict: dict[VerdictLabel | Literal["pending"], int] = {}
        for use in self.citing:
            mark = use.result.verdict if use.judged_at else "pending"
            counts_by_verdict[mark] = counts_by_verdict.get(mark, 0) + 1
        return counts_by_verdict


def list_sources(
    uses: Iterable[SourceCitation],
    snapshots: Sequence[Snapshot],
    given: Sequence[SuppliedSource] = (),
    acceptances: Sequence[SourceOverride] = (),
    *,
    uncited: bool = True,
) -> list[SourceRow]:
    """A row for each source, those cited first, in the order of their first citation.

    Args:
        uses: Citations with their current verdicts.
        snapshots: Every request whose bytes are kept, in the order they were written.
        given: What reviewers handed over.
        acceptances: Reviewers' words, those taken back too.
        uncited: Whether snapshots that no citation uses have rows as well.
    """
    cited: dict[str, list[SourceCitation]] = {}
    for use in uses:
        key = source_key(use)
        if key:
            cited.setdefault(key, []).append(use)
    by_address: dict[str, list[Snapshot]] = {}
    by_body: dict[str, list[Snapshot]] = {}
    for snapshot in snapshots:
        by_address.setdefault(address_key(snapshot.url, snapshot.sha256), []).append(snapshot)
        by_body.setdefault(snapshot.sha256, []).append(snapshot)
    notes = _Notes(given, acceptances)
    rows = []
    cited_bodies: set[str] = set()
    for key, leaning in cited.items():
        bodies = {use.result.source.sha256 for use in leaning if use.result.source}
        requests = list(by_address.get(key, ()))
        # a file given under its own name answers an address without bearing it
        for body in bodies - {snapshot.sha256 for snapshot in requests}:
            requests += by_body.get(body, ())
        cited_bodies.update(bodies)
        rows.append(
            _row(
                key,
                tuple(leaning),
                sorted(requests, key=lambda snapshot: snapshot.fetched_at),
                notes,
            )
        )
    if uncited:
        for key, requests in by_address.items():
            if key not in cited and not cited_bodies.issuperset(
                snapshot.sha256 for snapshot in requests
            ):
                rows.append(
                    _row(key, (), sorted(requests, key=lambda snapshot: snapshot.fetched_at), notes)
                )
    return rows


def source_key(use: SourceCitation) -> str:
    """The key that every citation of one source shares; empty where a citation names none."""
    target, source = use.result.citation.target, use.result.source
    if target is not None and target.form in WEB_FORMS:
        return _key_of(target)
    if source is not None:
        return address_key(source.url, source.sha256)
    if target is None or target.form == "guess":
        return ""
    return _key_of(target)


_key_of = lru_cache(maxsize=100_000)(target_key)


@lru_cache(maxsize=100_000)
def address_key(address: str, sha256: str) -> str:
    """The key of a body from an address; a bare file name says nothing, so the hash does."""
    form, _, value = address.partition(":")
    if "://" in address or form in ("doi", "arxiv", "pmid"):
        return same_source_key(address)
    for prefixed in _PREFIXED:
        if form == prefixed:
            return target_key(Target(form=prefixed, value=value))
    return f"body:{sha256}"


def address_of(target: Target) -> str:
    """How snapshots name a target: the URL itself, or `doi:10.…`."""
    if target.form == "url" or target.value.lower().startswith(target.form + ":"):
        return target.value
    return f"{target.form}:{target.value}"


def newest_first(uses: Sequence[SourceCitation]) -> list[SourceCitation]:
    """Citations by the time of their verdict, the newest first; those without one last."""
    return sorted(uses, key=lambda use: use.judged_at or _EARLIEST, reverse=True)


def state_of(use: SourceCitation) -> State:
    """The state in which a citation's source is."""
    error = use.result.error
    if use.judged_at is None or (error and error.kind == "cancelled"):
        return "waiting"
    if use.text_sha256 is not None or use.result.status == "ok":
        return "read"
    return "not_evidence" if error and error.kind == "not_evidence" else "missing"


def claim_of(use: SourceCitation) -> tuple[str, int, int]:
    """The place of a citation's claim, with its run."""
    citation = use.result.citation
    claim = citation.claim or citation
    return use.run_id, claim.start, claim.end


def without_secondary_citations(uses: Sequence[SourceCitation]) -> tuple[SourceCitation, ...]:
    """Citations without the quotes and figures that stand on a marker of the same claim."""
    marked = {claim_of(use) for use in uses if use.result.citation.kind not in UNCOUNTED_KINDS}
    return tuple(
        use
        for use in uses
        if use.result.citation.kind not in UNCOUNTED_KINDS or claim_of(use) not in marked
    )


class _Notes:
    """What reviewers said, found by body and address."""

    def __init__(
        self, supplied: Sequence[SuppliedSource], acceptances: Sequence[SourceOverride]
    ) -> None:
        self._supplied = {
            (source.sha256, address_key(source.url, source.sha256)): source for source in supplied
        }
        self._accepted = {
            acceptance.sha256: acceptance
            for acceptance in acceptances
            if acceptance.withdrawn_at is None
        }

    def put_on(self, version: SourceVersion, key: str) -> SourceVersion:
        """The body with what was said of it."""
        return replace(
            version,
            supplied=self._supplied.get((version.sha256, key)),
            acceptance=self._accepted.get(version.sha256),
        )


def _row(
    key: str, uses: tuple[SourceCitation, ...], snapshots: Sequence[Snapshot], notes: _Notes
) -> SourceRow:
    versions = tuple(notes.put_on(version, key) for version in _versions(uses, snapshots))
    first = uses[0] if uses else None
    target = first.result.citation.target if first else None
    current = next(iter(newest_first([u for u in uses if state_of(u) != "waiting"])), first)
    body = next((u.result.source.sha256 for u in newest_first(uses) if u.result.source), None)
    facts = next((v.facts for v in reversed(versions) if body in (None, v.sha256)), None)
    if target is not None and target.form in WEB_FORMS:
        address = address_of(target)
    elif facts is not None:
        address = facts.url
    else:
        address = address_of(target) if target else ""
    entry = next((use.reference for use in uses if use.reference), None)
    title = next((v.facts.title for v in reversed(versions) if v.facts.title), None)
    return SourceRow(
        id=hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        address=address,
        target=_fetch_target(target, address),
        title=title or (entry.title if entry and entry.title else ""),
        entry=entry.text if entry else "",
        state=state_of(current) if current else "uncited",
        error=current.result.error if current and state_of(current) != "read" else None,
        facts=facts,
        uses=uses,
        versions=versions,
    )


def _fetch_target(target: Target | None, address: str) -> Target | None:
    """What a fetch is asked for; the place in a text's own list means nothing outside it."""
    if target is not None and target.form in WEB_FORMS:
        return replace(target, reference=None)
    form, _, value = address.partition(":")
    for web_form in WEB_FORMS:
        if form == web_form and web_form != "url":
            return Target(form=web_form, value=value)
    return Target(form="url", value=address) if form in ("http", "https") else None


def _versions(uses: Sequence[SourceCitation], snapshots: Sequence[Snapshot]) -> list[SourceVersion]:
    """The bodies in the order they were retrieved; equal ones in a row are one."""
    versions: list[SourceVersion] = []
    for snapshot in snapshots:
        if versions and versions[-1].sha256 == snapshot.sha256:
            versions[-1] = replace(
                versions[-1], last=snapshot.fetched_at, requests=versions[-1].requests + 1
            )
            continue
        versions.append(
            SourceVersion(
                sha256=snapshot.sha256,
                facts=_facts(snapshot),
                hops=snapshot.hops,
                first=snapshot.fetched_at,
                last=snapshot.fetched_at,
                requests=1,
            )
        )
    known_hashes = {version.sha256 for version in versions}
    without: dict[str, SourceVersion] = {}
    for use in uses:
        source = use.result.source
        if source is not None and source.sha256 not in known_hashes:
            when = source.fetched_at or use.judged_at
            without[source.sha256] = SourceVersion(
                sha256=source.sha256, facts=source, first=when, last=when
            )
    versions = sorted(
        [*without.values(), *versions], key=lambda version: version.first or _EARLIEST
    )
    return [
        replace(
            version,
            facts=_fullest_facts(version, uses),
            uses=tuple(
                use
                for use in without_secondary_citations(uses)
                if use.result.source and use.result.source.sha256 == version.sha256
            ),
        )
        for version in versions
    ]


def _fullest_facts(version: SourceVersion, uses: Sequence[SourceCitation]) -> Source:
    """The facts as they were judged, which know title and pages; else those of the request."""
    for use in newest_first(uses):
        source = use.result.source
        if source is not None and source.sha256 == version.sha256:
            return replace(source, fetched_at=source.fetched_at or version.last)
    return version.facts


def _facts(snapshot: Snapshot) -> Source:
    return Source(
        url=snapshot.url,
        final_url=snapshot.final_url,
        status=snapshot.status,
        content_type=snapshot.content_type,
        bytes=snapshot.bytes,
        sha256=snapshot.sha256,
        title=snapshot.title,
        fetched_at=snapshot.fetched_at,
        truncated=snapshot.truncated,
        text="",
    )


def row_without_address(uses: Sequence[SourceCitation], citation_id: str) -> SourceRow | None:
    """A row for a citation whose source has no address, with all citations of the same marker.

    None if the citation has an address, was not reached, or is called a guess by its own text,
    which no judge is asked about.

    Args:
        uses: The citations of one run.
        citation_id: The citation.
    """
    cited = next((use for use in uses if use.result.citation.id == citation_id), None)
    if cited is None or source_key(cited) or state_of(cited) != "missing":
        return None
    if cited.result.citation.target is not None:
        return None
    same = tuple(use for use in uses if use is cited or _same_marker(use, cited))
    claims = set(map(claim_of, same))
    # quotes and figures of the same claim stand on the marker, so its source is theirs
    same += tuple(
        use
        for use in uses
        if use.result.citation.kind in UNCOUNTED_KINDS
        and use not in same
        and claim_of(use) in claims
        and use.result.citation.target is None
        and state_of(use) == "missing"
    )
    name = f"unlinked:{cited.run_id}:{same[0].result.citation.id}"
    return SourceRow(
        id=hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        address="",
        target=None,
        title="",
        entry="",
        state="missing",
        error=cited.result.error,
        facts=None,
        uses=same,
    )


def _same_marker(use: SourceCitation, other: SourceCitation) -> bool:
    """Whether two citations stand for one source: `[3]` and `[3]`, neither with an address."""
    citation, other_citation = use.result.citation, other.result.citation
    return (
        bool(citation.identifier)
        and (citation.kind, citation.identifier) == (other_citation.kind, other_citation.identifier)
        and citation.target is None
        and not source_key(use)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecords:
    """All runs by their versions, and every decision of a reviewer on a source."""

    runs: tuple[RunVersion, ...]
    """Newest first; a run that changed has another version."""
    overrides: tuple[SourceOverride, ...]
    """Those taken back too, oldest first."""
    supplied: tuple[SuppliedSource, ...]
    """Oldest first."""


def source_records(store: Store) -> SourceRecords:
    """What is known of sources without reading the citations."""
    repository = SourceRepository(store)
    return SourceRecords(
        runs=tuple(repository.run_versions()),
        overrides=tuple(repository.acceptances()),
        supplied=tuple(repository.supplied()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedVersion:
    """What reading a body gave: a source, or why there is none."""

    source: Source | None = None
    error: ErrorInfo | None = None
    reason: str = ""
    """The code of a doubt: `login_wall`, `soft_404`, …"""
    confidence: float = 0.0


def fetched_version(folder: SnapshotFolder, version: SourceVersion) -> Fetched | None:
    """The kept bytes with the facts of their request; None where they are missing or damaged."""
    fetched = folder.get(version.sha256)
    if fetched is None:
        return None
    facts = version.facts
    return replace(
        fetched,
        url=facts.url,
        final_url=facts.final_url,
        status=facts.status,
        content_type=facts.content_type or fetched.content_type,
        hops=version.hops,
        fetched_at=version.last or fetched.fetched_at,
    )


def read_version(
    folder: SnapshotFolder, version: SourceVersion, *, accept: bool = False
) -> ParsedVersion:
    """What reading a kept body gives now; `accept` reads on over a doubt.

    Where the bytes are not kept, or no longer what their name says, the error is `no_source`.
    """
    return run_sync(_read(folder, version, accept))


def read_versions(folder: SnapshotFolder, versions: Sequence[SourceVersion]) -> list[ParsedVersion]:
    """What reading each of several bodies gives now, several at once."""

    async def read_all() -> list[ParsedVersion]:
        return await asyncio.gather(*(_read(folder, version, False) for version in versions))

    return run_sync(read_all()) if versions else []


async def _read(folder: SnapshotFolder, version: SourceVersion, accept: bool) -> ParsedVersion:
    fetched = fetched_version(folder, version)
    if fetched is None:
        message = (
            "No snapshot of these bytes is stored, or it is damaged: fetch or provide the source."
        )
        return ParsedVersion(error=ErrorInfo(kind="no_source", message=message))
    try:
        return ParsedVersion(source=await read_source(fetched, accept=accept))
    except NotEvidenceError as doubt:
        return ParsedVersion(
            error=ErrorInfo(kind=doubt.kind, message=doubt.message),
            reason=doubt.reason,
            confidence=doubt.confidence,
        )
    except SourceError as bad:
        return ParsedVersion(error=ErrorInfo(kind=bad.kind, message=bad.message))


def text_of(store: Store, folder: SnapshotFolder, version: SourceVersion) -> ParsedVersion:
    """The text that was judged, out of the store; of an unjudged body, what reading it gives."""
    for use in newest_first(version.uses):
        if use.text_sha256:
            source = store.get_source(use.run_id, use.result.citation.id)
            if source is not None:
                return ParsedVersion(source=replace(source, fetched_at=version.facts.fetched_at))
    return read_version(folder, version, accept=True)


def lost_quotes(uses: Sequence[SourceCitation], text: str) -> dict[str, list[str]]:
    """The evidence that is no longer in a text, by `run:citation`; white space aside."""
    flat = " ".join(text.split())
    lost: dict[str, list[str]] = {}
    for use in uses:
        judgment = use.result.judgment
        for quote in judgment.evidence if judgment else ():
            if " ".join(quote.quote.split()) not in flat:
                lost.setdefault(f"{use.run_id}:{use.result.citation.id}", []).append(quote.quote)
    return lost
