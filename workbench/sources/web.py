"""Sources on the open web: snapshots first, then the fetch that is allowed, asking robots.txt and Crossref."""

import asyncio
import json
import re
import ssl
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

from workbench.errors import FetchError, SourceError
from workbench.records.bibliography import is_blank_identifier, placeholder_reason
from workbench.records.citation import Target
from workbench.records.source import Fetched, SourceQuery
from workbench.records.text import Json
from workbench.sources.addresses import target_key
from workbench.sources.concurrency import SingleFlight, shared_host_limiter
from workbench.sources.fetch import Limits, RetryLaterError, fetch_guarded, load_tls_context
from workbench.sources.fetchers import no_source
from workbench.sources.services import Services
from workbench.sources.snapshots import SnapshotFolder
from workbench.sources.ssrf_guard import UrlGuard, url_for_display

AGENT = "citation-workbench"
MAX_BYTES = 512 * 1024


def robots_address(url: str) -> str:
    """Where the site of an address keeps its robots.txt."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/robots.txt"


def allows(robots: bytes, url: str) -> bool:
    """Whether the rules let this program fetch the address."""
    rules = RobotFileParser()
    rules.parse(robots[:MAX_BYTES].decode("utf-8", "replace").splitlines())
    return rules.can_fetch(AGENT, url)


_SHARED_WORDS = 0.34
"""Share of the shorter title's words below which two titles are two works: entries are often
garbled or cut, so little is asked for."""
_FEWEST_WORDS = 2
_LONG_WORD = 4
_STEM = 6
"""Letters that are compared, so that `station` and `stations` are one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What Crossref knows of a DOI."""

    titles: tuple[str, ...]
    """Its title first, then its other titles."""
    year: int | None


def parse_work(body: bytes) -> Work | None:
    """The work of a Crossref reply; None when it holds none."""
    try:
        reply: Json = json.loads(body)
    except (ValueError, RecursionError):
        return None
    message = reply.get("message") if isinstance(reply, dict) else None
    if not isinstance(message, dict):
        return None
    titles: list[str] = []
    for field in ("title", "original-title", "short-title"):
        listed = message.get(field)
        titles += (
            [_plain(t) for t in listed if isinstance(t, str)] if isinstance(listed, list) else []
        )
    subtitles = message.get("subtitle")
    if titles and isinstance(subtitles, list) and subtitles and isinstance(subtitles[0], str):
        titles.append(f"{titles[0]}: {_plain(subtitles[0])}")
    year: int | None = None
    issued = message.get("issued")
    if isinstance(issued, dict):
        parts = issued.get("date-parts")
        first = parts[0] if isinstance(parts, list) and parts else None
        if isinstance(first, list) and first and isinstance(first[0], int):
            year = first[0]
    return Work(titles=tuple(t for t in titles if t), year=year) if titles else None


def names_another_work(work: Work, title: str) -> bool:
    """True when no title of the work shares its words with the reference's title.

    False where this is unclear: a title of one or two words, or titles in two scripts.
    """
    title_words = _words(title)
    for known_title in work.titles:
        words = _words(known_title)
        smaller = min(len(title_words), len(words))
        if smaller < _FEWEST_WORDS or _script(known_title) != _script(title):
            return False
        if len(title_words & words) >= _SHARED_WORDS * smaller:
            return False
    return True


def _plain(title: str) -> str:
    return " ".join(re.sub(r"<[^<>]{1,60}>", "", title).split())


def _words(title: str) -> set[str]:
    """Its telling words; pairs of characters where the script has no spaces."""
    words: set[str] = set()
    for word in re.findall(r"\w+", title.casefold()):
        if re.search(r"[\u3040-\u30ff\u3400-\u9fff]", word):
            words.update(word[n : n + 2] for n in range(len(word) - 1))
        elif len(word) >= _LONG_WORD:
            words.add(word[:_STEM])
    return words


def _script(title: str) -> str:
    letters = [char for char in title if char.isalpha()]
    plain = sum(ord(char) < 0x250 for char in letters)
    return "latin" if plain * 2 >= len(letters) else "other"


LONGEST_WAIT = 10.0
"""Seconds of a `Retry-After` that are waited for; a longer one is an error at once."""
CACHED = 100
CACHED_BYTES = 64 * 1024 * 1024

_ABSTRACT = re.compile(
    r"^(https?://(?:www\.|export\.)?arxiv\.org)/abs/([\w.-]+(?:/\d{7}\w*)?)$", re.I
)
_TRANSIENT = frozenset({"timeout", "no_such_host"})
_DEAD_LINK_ERRORS = frozenset({"bad_status", "no_such_host", "timeout", "redirect_loop"})


_UNFETCHED_FORMS = {
    "file": (
        "is a local file: provide it as a source, or list its folder under `roots` in "
        "settings.toml."
    ),
    "git": (
        "is a commit: provide its text as a source, or list its repository under `repositories` in "
        "settings.toml."
    ),
    "memory": (
        "is a memory entry: provide its text as a source, or name its file under `memories` in "
        "settings.toml."
    ),
    "case": (
        "is a court decision or a statute, which are not fetched: provide its text as a source."
    ),
}


class WebFetcher:
    """A fetcher over the open web; where fetching is not allowed it answers from snapshots alone.

    Every page fetched is kept in the snapshot folder. Two citations of one address are one
    request, also at the same moment.
    """

    def __init__(
        self,
        allowed_domains: Sequence[str] = (),
        snapshots: SnapshotFolder | None = None,
        *,
        allow_fetch: bool = False,
        refused: str = "",
        offline: bool = False,
        services: Services | None = None,
        limits: Limits | None = None,
        max_age: timedelta | None = timedelta(days=7),
        refresh: bool = False,
        archive: bool = False,
        robots: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Builds the fetcher.

        Args:
            allowed_domains: Suffixes of the allowed hosts, those of the services that
                resolve identifiers included; empty means any public host.
            snapshots: Where pages are kept and found again.
            allow_fetch: Whether the network may be used.
            refused: Why its use was refused: a sentence for the error message.
            offline: Whether only snapshots answer, regardless of `allow_fetch`.
            services: Base addresses of the resolvers.
            limits: Deadline, size and redirects of one fetch.
            max_age: A snapshot older than this is fetched again; None keeps it for good.
            refresh: Fetch again even what was just fetched (a re-check).
            archive: Whether a dead link may be replaced by the web archive's copy.
            robots: Whether robots.txt is respected.
            tls: TLS settings; the bundled authorities when None.
        """
        self.snapshots = snapshots
        self.allow_fetch = allow_fetch and not offline
        self._refused = "" if offline else refused
        self.services = services or Services()
        self.guard = UrlGuard(allowed_domains, self.services.configured())
        self._limits = limits or Limits()
        self._max_age = max_age
        self._refresh = refresh
        self._archive = archive
        self._robots = robots
        self._tls = tls
        self._flights: SingleFlight[Fetched] = SingleFlight()
        self._cache: OrderedDict[str, Fetched | FetchError] = OrderedDict()

    async def fetch(self, query: SourceQuery) -> Fetched:
        """The query's newest snapshot while it is fresh, else the page itself.

        Raises:
            SourceError: `no_source` without an address; `unresolvable_kind` for an identifier
                that is invalid, or not on the web; `not_evidence` for a DOI of another work.
            FetchError: the reason the page is not available.
        """
        target = query.target
        if target is None:
            raise no_source(query)
        if target.form not in ("url", "doi", "arxiv", "pmid"):
            raise SourceError("unresolvable_kind", _unfetchable_message(target))
        if target.form in ("url", "doi", "arxiv") and is_blank_identifier(target.value):
            reason = placeholder_reason(target.value)
            raise SourceError("unresolvable_kind", f"{reason} Provide the source's own address.")
        key = target_key(target)
        stored = None if self._refresh else await self._stored(target, fresh=self.allow_fetch)
        if stored is not None:
            return replace(stored, url=target.value)
        if not self.allow_fetch:
            if self._refused:
                raise FetchError("fetch_disabled", self._refused, url=url_for_display(target.value))
            raise _disabled(target.value, offline=self.snapshots is not None)
        cached = self._cache.get(key)
        if isinstance(cached, FetchError):
            raise _copied_error(cached)
        fetched = cached or await self._flights.join(
            key, lambda: self._fetch_new(target, query.title)
        )
        return replace(fetched, url=target.value)

    async def _stored(self, target: Target, *, fresh: bool) -> Fetched | None:
        """The newest snapshot; only a fresh one where a new one could be fetched."""
        if self.snapshots is None:
            return None
        stored = await asyncio.to_thread(self.snapshots.find, _address(target))
        # A file supplied in place of a page does not age.
        replaced = stored is not None and stored.status is None
        if (
            stored is None
            or not fresh
            or self._max_age is None
            or replaced
            or not stored.fetched_at
        ):
            return stored
        return stored if datetime.now(UTC) - stored.fetched_at <= self._max_age else None

    async def _fetch_new(self, target: Target, title: str | None) -> Fetched:
        key = target_key(target)
        try:
            fetched = await self._from_web(target, title)
        except FetchError as failed:
            stale = await self._stored(target, fresh=False) if failed.kind in _TRANSIENT else None
            if stale is not None and not self._refresh:
                return stale
            self._remember(key, _copied_error(failed))
            raise
        fetched = replace(fetched, url=_address(target))
        self._remember(key, fetched)
        if self.snapshots is not None:
            await asyncio.to_thread(self.snapshots.put, fetched)
        return fetched

    async def _from_web(self, target: Target, title: str | None) -> Fetched:
        if target.form == "url":
            addresses = [(url, False) for url in _readable_forms(target.value)]
        else:
            addresses = [(url, True) for url in self.services.addresses(target)]
        work = None
        form, _, number = target_key(target).partition(":")
        if form == "doi" and title:
            # `https://doi.org/10.…` as well as a bare DOI
            work = asyncio.create_task(self._crossref(number))
        try:
            fetched = await self._first(addresses)
            fuller = self.services.full_text_of(fetched.final_url, fetched.body)
            if fuller is not None:
                fetched = await self._first([(fuller, True)], otherwise=fetched)
            registered = await work if work else None
        except FetchError as failed:
            return await self._from_alternatives(target, addresses, failed)
        finally:
            if work is not None:
                work.cancel()
                await asyncio.wait([work])
        if _is_example_page(fetched):
            reason = placeholder_reason(fetched.final_url)
            raise SourceError("not_evidence", f"{reason} Provide the source's own address.")
        if registered is not None and title and names_another_work(registered, title):
            year = f", {registered.year}" if registered.year else ""
            raise SourceError(
                "not_evidence",
                f"The DOI {target.value} belongs to another work: “{registered.titles[0]}”{year}. The "
                f"reference names “{title}”.",
            )
        return fetched

    async def _from_alternatives(
        self, target: Target, addresses: list[tuple[str, bool]], failed: FetchError
    ) -> Fetched:
        """The archive's copy of a dead link where that is enabled, else the failure."""
        url, _ = addresses[-1]
        if target.form == "doi" and failed.hop == 0 and "HTTP status 404" in failed.message:
            raise FetchError(
                "bad_status",
                f"The DOI {target.value} does not exist: the resolver does not know it.",
                url=failed.url,
            ) from failed
        if not self._archive or failed.kind not in _DEAD_LINK_ERRORS:
            raise failed
        try:
            self.guard.check(url)
            copy = self.services.archived(url, datetime.now(UTC).date())
            return await self._get(copy, service=True)
        except FetchError:
            raise failed from None

    async def _first(
        self, addresses: Sequence[tuple[str, bool]], otherwise: Fetched | None = None
    ) -> Fetched:
        """The first address that answers, else `otherwise`, else the last one's failure."""
        failed: FetchError | None = None
        for url, service in addresses:
            try:
                return await self._get(url, service=service)
            except FetchError as bad:
                failed = bad
        if otherwise is not None:
            return otherwise
        raise failed or FetchError("bad_status", "There is no address to ask.")

    async def _get(self, url: str, *, service: bool) -> Fetched:
        if self._robots and not service:
            await self._ask_robots(url)
        return await fetch_politely(url, self.guard, limits=self._limits, tls=self._tls)

    async def _ask_robots(self, url: str) -> None:
        checked = self.guard.check(url)
        address = robots_address(checked.url)
        key = f"robots:{address}"
        cached = self._cache.get(key)
        if cached is None:
            try:
                cached = await self._flights.join(
                    key,
                    lambda: fetch_politely(address, self.guard, limits=self._limits, tls=self._tls),
                )
            except FetchError as missing:  # no robots.txt asks nothing of anybody
                cached = _copied_error(missing)
            self._remember(key, cached)
        if isinstance(cached, Fetched) and not allows(cached.body, checked.url):
            raise FetchError(
                "fetch_disabled",
                f"The robots.txt of {checked.host} disallows fetching this page: provide "
                f"the source yourself.",
                url=url_for_display(url),
            )

    async def _crossref(self, doi: str) -> Work | None:
        address = self.services.crossref_record(doi)
        if address is None:
            return None
        try:
            return parse_work((await self._get(address, service=True)).body)
        except FetchError:  # a second opinion: its absence says nothing about the source
            return None

    def _remember(self, key: str, fetched: Fetched | FetchError) -> None:
        self._cache[key] = fetched
        size = sum(len(entry.body) for entry in self._cache.values() if isinstance(entry, Fetched))
        while len(self._cache) > CACHED or size > CACHED_BYTES:
            _, oldest = self._cache.popitem(last=False)
            size -= len(oldest.body) if isinstance(oldest, Fetched) else 0


async def fetch(
    url: str, *, allow_fetch: bool = False, allowed_domains: Sequence[str] = ()
) -> Fetched:
    """The bytes at an address: http or https on a public host, at most 5 MiB and 10 seconds.

    Raises:
        FetchError: `fetch_disabled` unless fetching is allowed; else why the address gave nothing.
    """
    if not allow_fetch:
        raise _disabled(url, offline=False)
    return await fetch_politely(url, UrlGuard(allowed_domains))


async def fetch_politely(
    url: str,
    guard: UrlGuard,
    *,
    limits: Limits | None = None,
    tls: ssl.SSLContext | None = None,
) -> Fetched:
    """`fetch_guarded` in its lane: few at once, fewer at one host, one wait on `Retry-After`.

    Raises:
        FetchError: the reason there are no bytes.
    """
    await load_tls_context()
    checked = guard.check(url)
    lanes = shared_host_limiter()

    async def once() -> Fetched:
        async with lanes.use(checked.host):
            return await fetch_guarded(url, guard, limits=limits, first=checked, tls=tls)

    try:
        return await once()
    except RetryLaterError as busy:
        if busy.after > LONGEST_WAIT:
            raise
        await asyncio.sleep(busy.after)
    return await once()


def _unfetchable_message(target: Target) -> str:
    """Why nothing can be fetched for an identifier, and what to do."""
    reason = _UNFETCHED_FORMS.get(
        target.form, "has no address to fetch: provide its text as a source."
    )
    return f"{target.value if target.form == 'case' else _address(target)} {reason}"


def _is_example_page(fetched: Fetched) -> bool:
    """Whether a page is the one that stands at the addresses reserved for examples (RFC 2606)."""
    return (
        placeholder_reason(fetched.final_url) is not None
        and b"<title>Example Domain</title>" in fetched.body[:4096]
    )


def _address(target: Target) -> str:
    """How a snapshot names its target: the URL, or `doi:10.…`."""
    if target.form == "url" or target.value.lower().startswith(target.form + ":"):
        return target.value
    return f"{target.form}:{target.value}"


def _copied_error(error: FetchError) -> FetchError:
    """The same failure without its traceback, which would hold on to the frames it passed."""
    return FetchError(error.kind, error.message, url=error.url, hop=error.hop)


def _readable_forms(url: str) -> list[str]:
    """The full text before the abstract, where the address alone tells."""
    if url.lower().startswith("www."):
        url = f"https://{url}"
    abstract = _ABSTRACT.match(url)
    return [f"{abstract[1]}/pdf/{abstract[2]}", url] if abstract else [url]


def _disabled(url: str, *, offline: bool) -> FetchError:
    subject = "No snapshot of this address is stored, and fetching" if offline else "Fetching"
    return FetchError(
        "fetch_disabled",
        f"{subject} is off: allow it, or provide the source yourself.",
        url=url_for_display(url),
    )
