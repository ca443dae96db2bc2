"""Which fetchers a run asks for its sources, and in which order."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from workbench.errors import SourceError, UsageError
from workbench.pipeline.options import VerifyOptions
from workbench.pipeline.source_matching import SourceMatching
from workbench.records.source import Fetched, RetrievalOptions, Source, SourceQuery
from workbench.sources.fetchers import ChainedFetcher, Fetcher
from workbench.sources.given import MatchedSources
from workbench.sources.local import LocalFetcher, read_memories
from workbench.sources.read import read_source
from workbench.sources.services import Services
from workbench.sources.snapshots import SnapshotFolder
from workbench.sources.web import WebFetcher

EARLIER = 5


def open_snapshots(folder: Path | SnapshotFolder | None) -> SnapshotFolder | None:
    """The folder of snapshots that the options name; None without one."""
    return SnapshotFolder(folder) if isinstance(folder, str | Path) else folder


def open_fetcher(
    options: VerifyOptions, matching: SourceMatching, snapshots: SnapshotFolder | None
) -> Fetcher:
    """Given sources first, then what citations name on this machine, then snapshots and the web.

    With given sources alone (no fetching, no snapshots asked for) nothing else answers for an
    address, so that a citation without a given source is `no_source`; where a wish to fetch was
    refused, it is `fetch_disabled` and says why.

    Raises:
        UsageError: The memories or a service's address cannot be used.
    """
    reach = options.reach or RetrievalOptions()
    fetchers: list[Fetcher] = []
    if matching.given is not None:
        fetchers.append(MatchedSources(matching.by_query, matching.reasons))
    elif isinstance(options.sources, Fetcher):
        fetchers.append(options.sources)
    fetchers.append(_local(reach))
    wished = options.allow_fetch or bool(options.fetch_refused)
    if options.sources is None or wished or options.offline:
        fetchers.append(open_web(options, snapshots))
    return ChainedFetcher(fetchers)


def _local(reach: RetrievalOptions) -> LocalFetcher:
    try:
        memories = read_memories(Path(reach.memories)) if reach.memories else None
    except SourceError as error:
        raise UsageError(f"The memories {reach.memories} cannot be read: {error.message}") from None
    return LocalFetcher(roots=reach.roots, repositories=reach.repositories, memories=memories)


def open_web(options: VerifyOptions, snapshots: SnapshotFolder | None) -> WebFetcher:
    """The fetcher for addresses, with the services and the manners that the options name.

    Raises:
        UsageError: A service's address cannot be used.
    """
    reach = options.reach or RetrievalOptions()
    days = reach.max_age_days
    return WebFetcher(
        allow_fetch=options.allow_fetch,
        refused=options.fetch_refused,
        allowed_domains=options.allowed_domains,
        snapshots=snapshots,
        offline=options.offline,
        services=open_services(reach),
        limits=options.limits,
        max_age=None if days is None else timedelta(days=days),
        refresh=reach.refresh,
        archive=reach.archive,
        robots=reach.robots,
    )


async def earlier_source(
    snapshots: SnapshotFolder, wall: Fetched, query: SourceQuery
) -> Source | None:
    """The newest earlier snapshot of an address that can be read, where the page is a wall now.

    What was fetched once does not become worse by a log-in page that took its place. None without
    one; the last `EARLIER` different bodies are tried.
    """
    names = {wall.url, wall.final_url}
    if query.target:
        names.add(f"{query.target.form}:{query.target.value}")
    history = await asyncio.to_thread(
        lambda: [facts for name in sorted(names) for facts in snapshots.history(name)]
    )
    seen = {wall.sha256}
    for facts in sorted(history, key=lambda facts: facts.fetched_at, reverse=True):
        if facts.sha256 in seen:
            continue
        seen.add(facts.sha256)
        body = await asyncio.to_thread(snapshots.get, facts.sha256)
        if body is not None:
            with suppress(SourceError):
                earlier = replace(body, fetched_at=facts.fetched_at, url=wall.url)
                return await read_source(earlier)
        if len(seen) > EARLIER:
            break
    return None


def open_services(reach: RetrievalOptions) -> Services:
    """The resolvers' base addresses, each with its final slash.

    Raises:
        UsageError: A name is no service's.
    """
    unknown = set(reach.services) - set(Services.__dataclass_fields__)
    if unknown:
        known_services = ", ".join(Services.__dataclass_fields__)
        raise UsageError(
            f"Unknown service {', '.join(sorted(unknown))}; known are {known_services}."
        )
    bases = {name: base.rstrip("/") + "/" for name, base in reach.services.items() if base}
    switched_off: dict[str, Any] = {
        name: None
        for name, base in reach.services.items()
        if not base and "None" in str(Services.__dataclass_fields__[name].type)
    }
    return replace(Services(**bases), **switched_off)
