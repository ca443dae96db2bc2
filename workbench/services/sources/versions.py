"""Reading the stored versions of a source: as it was judged, or as its kept bytes read now."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.errors import NotEvidenceError, SourceError
from workbench.judging.judge import run_sync
from workbench.records.source import Fetched, Source
from workbench.records.stored_sources import SourceCitation
from workbench.records.verdict import ErrorInfo
from workbench.services.sources.catalog import SourceVersion, newest_first
from workbench.sources.read import read_source
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.store import Store


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
