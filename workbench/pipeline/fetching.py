"""Which fetchers a run asks for its sources, and in which order."""

from datetime import timedelta
from pathlib import Path

from workbench.errors import SourceError, UsageError
from workbench.pipeline.options import Options
from workbench.records import Reach
from workbench.sources import (
    Fetcher,
    FirstOf,
    LocalFetcher,
    Services,
    SnapshotFolder,
    WebFetcher,
    open_sources,
    read_memories,
)


def open_fetcher(options: Options, snapshots: SnapshotFolder | None) -> Fetcher:
    """Given sources first, then what citations name on this machine, then snapshots and the web.

    With given sources alone (no fetching, no snapshots asked for) nothing else answers for an
    address, so that a citation without a given source is `no_source`.

    Raises:
        UsageError: The given sources, the memories or a service's address cannot be used.
    """
    reach = options.reach or Reach()
    fetchers: list[Fetcher] = []
    if options.sources is not None:
        fetchers.append(open_sources(options.sources))
    fetchers.append(_local(reach))
    if options.sources is None or options.allow_fetch or options.offline:
        fetchers.append(_web(options, reach, snapshots))
    return FirstOf(fetchers)


def _local(reach: Reach) -> LocalFetcher:
    try:
        memories = read_memories(Path(reach.memories)) if reach.memories else None
    except SourceError as error:
        raise UsageError(f"The memories {reach.memories} cannot be read: {error.message}") from None
    return LocalFetcher(roots=reach.roots, repositories=reach.repositories, memories=memories)


def _web(options: Options, reach: Reach, snapshots: SnapshotFolder | None) -> WebFetcher:
    days = reach.max_age_days
    return WebFetcher(
        allow_fetch=options.allow_fetch,
        allowed_domains=options.allowed_domains,
        snapshots=snapshots,
        offline=options.offline,
        services=open_services(reach),
        max_age=None if days is None else timedelta(days=days),
        refresh=reach.refresh,
        archive=reach.archive,
        robots=reach.robots,
    )


def open_services(reach: Reach) -> Services:
    """The resolvers' base addresses, each with its final slash.

    Raises:
        UsageError: A name is no service's.
    """
    unknown = set(reach.services) - set(Services.__dataclass_fields__)
    if unknown:
        known = ", ".join(Services.__dataclass_fields__)
        raise UsageError(f"Unknown service {', '.join(sorted(unknown))}; known are {known}.")
    bases = {name: base.rstrip("/") + "/" for name, base in reach.services.items() if base}
    if reach.services.get("crossref") == "":
        return Services(**bases, crossref=None)
    return Services(**bases)
