"""Sources on the open web: snapshots first, then the guarded fetch where it is allowed."""

from collections.abc import Sequence

from workbench.errors import FetchError, SourceError
from workbench.records import Fetched, SourceQuery
from workbench.sources.fetchers import no_source
from workbench.sources.snapshots import SnapshotFolder


class WebFetcher:
    """A fetcher over the open web; offline it answers from its snapshots alone."""

    def __init__(
        self,
        allowed_domains: Sequence[str] = (),
        snapshots: SnapshotFolder | None = None,
        *,
        allow_fetch: bool = False,
        offline: bool = False,
    ) -> None:
        self.allowed_domains = tuple(allowed_domains)
        self.snapshots = snapshots
        self.allow_fetch = allow_fetch and not offline

    async def fetch(self, query: SourceQuery) -> Fetched:
        """The newest snapshot of the query's address, else the page itself.

        Raises:
            SourceError: `no_source` without an address, `unresolvable_kind` for one that is none.
            FetchError: the reason the page cannot be had.
        """
        target = query.target
        if target is None:
            raise no_source(query)
        if target.form not in ("url", "doi", "arxiv", "pmid"):
            raise SourceError(
                "unresolvable_kind", f"{target.form} {target.value!r} is not on the web."
            )
        address = target.value if target.form == "url" else f"{target.form}:{target.value}"
        kept = self.snapshots.find(address) if self.snapshots else None
        if kept is not None:
            return kept
        return await fetch(address, allow_fetch=self.allow_fetch)


async def fetch(
    url: str, *, allow_fetch: bool = False, allowed_domains: Sequence[str] = ()
) -> Fetched:
    """The bytes at an address, had under the guard.

    Raises:
        FetchError: `fetch_disabled` unless fetching is allowed, or why the address gave nothing.
    """
    raise FetchError(
        "fetch_disabled", "Fetching is off: allow it, or give the source yourself.", url=url
    )
