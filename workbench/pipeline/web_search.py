"""Searches of the web for claim mode: Serper, Tavily, Brave, or a function of the user's own.

`open_web_search` opens one of the three by its name; its key comes from the environment. A function
of the user's own is named as `module:function`.

    def search(claim: str) -> list[dict[str, str]]:
        return [{"url": "https://…", "title": "…", "content": "the text of the page"}]

It may be a coroutine function. A result without `content` is fetched by its `url` where fetching is
allowed, behind the same guard as cited pages. The function reads its own key, from wherever it
likes; the workbench knows none of it.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from workbench.errors import FetchError, MissingKey, SourceError, UsageError
from workbench.judging.claim_comparison import Search, WebResults, call_own
from workbench.judging.ground_report import ReferenceDocument
from workbench.records.citation import Target
from workbench.records.source import SourceQuery
from workbench.sources.fetch import StatusError
from workbench.sources.fetchers import Fetcher
from workbench.sources.read import read_source
from workbench.sources.search_providers import SEARCH_PROVIDERS, SearchProvider, search_web
from workbench.sources.services import Services
from workbench.sources.ssrf_guard import domain_name

MOST_RESULTS = 5
"""Results of one search that are looked at."""
MOST_SEARCHES = 20
"""Searches of one check, unless a caller says otherwise."""
SEARCH_SECONDS = 10.0
SNIPPETS_ALONE = (
    "Search results were not fetched: only their snippets were compared. Allow fetching to read "
    "the pages."
)


@dataclass(slots=True)
class WebSearch:
    """One check's searches by one provider: counted, and stopped for good where it refuses."""

    provider: SearchProvider
    key: str = field(repr=False)
    most_searches: int = MOST_SEARCHES
    seconds: float = SEARCH_SECONDS
    allowed_domains: tuple[str, ...] = ()
    services: Services | None = None
    notes: list[str] = field(default_factory=list)
    """What did not go as asked, in sentences."""
    made: int = 0
    left_out: int = 0
    """Claims that were not looked up: the limit was reached, or the provider had refused."""
    _refused: bool = False

    @property
    def name(self) -> str:
        """The provider's name."""
        return self.provider.name

    async def __call__(self, claim: str) -> WebResults:
        """The results for a claim, each with the words that the search shows of it."""
        if self._refused or self.made >= self.most_searches:
            self.left_out += 1
            return []
        self.made += 1
        try:
            results = await search_web(
                self.provider,
                self.key,
                claim,
                services=self.services,
                most=MOST_RESULTS,
                seconds=self.seconds,
            )
        except FetchError as error:
            # a key that is refused once is refused again, and a busy service is not asked more
            status = error.status if isinstance(error, StatusError) else None
            self._refused = self._refused or (status is not None and 400 <= status < 500)
            self.notes.append(error.message)
            return []
        return [
            {"url": result.url, "title": result.title, "snippet": result.snippet}
            for result in results
            if self._admits(result.url)
        ]

    def all_notes(self) -> list[str]:
        """The sentences for the report, after the last claim."""
        notes = list(dict.fromkeys(self.notes))
        if self.left_out and not self._refused:
            notes.append(
                f"{self.left_out} unverifiable claims were not searched for: one check makes at "
                f"most "
                f"{self.most_searches} searches."
            )
        elif self.left_out:
            notes.append(f"{self.left_out} unverifiable claims were not searched for after that.")
        return notes

    def _admits(self, url: str) -> bool:
        """Whether a result lies on an allowed domain; every one where none is named."""
        domains = [name for name in map(domain_name, self.allowed_domains) if name]
        try:
            host = (urlsplit(url).hostname or "").lower()
        except ValueError:
            return False
        return not domains or any(host == d or host.endswith("." + d) for d in domains)


def open_web_search(
    name: str,
    *,
    most_searches: int = MOST_SEARCHES,
    seconds: float = SEARCH_SECONDS,
    allowed_domains: Sequence[str] = (),
    services: Services | None = None,
    environ: Mapping[str, str] | None = None,
) -> WebSearch:
    """The search of that name with the key that the environment holds.

    Raises:
        UsageError: There is no such search, or a limit is none.
        MissingKey: The environment holds no key for it.
    """
    provider = SEARCH_PROVIDERS.get(name)
    if provider is None:
        known = ", ".join(SEARCH_PROVIDERS)
        raise UsageError(f"There is no web search {name!r}; known are {known}.")
    if isinstance(most_searches, bool) or not isinstance(most_searches, int) or most_searches < 0:
        raise UsageError(f"max_searches is a whole number of at least 0, not {most_searches!r}.")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds <= 120:
        raise UsageError(f"search_timeout_s is a number up to 120, not {seconds!r}.")
    key = (os.environ if environ is None else environ).get(provider.key_variable, "").strip()
    if not key:
        raise MissingKey(
            f"{provider.label} needs a key: set {provider.key_variable} in the environment."
        )
    return WebSearch(
        provider=provider,
        key=key,
        most_searches=most_searches,
        seconds=seconds,
        allowed_domains=tuple(allowed_domains),
        services=services,
    )


def open_search(name: str, folder: Path | None = None) -> Search:
    """The search function that `module:function` names; the module may lie in `folder`.

    Raises:
        UsageError: There is no such function, or its module cannot be imported.
    """
    return cast("Search", open_function(name, "search", folder))


def open_function(name: str, what: str, folder: Path | None = None) -> Callable[..., Any]:
    """The function of the user's own that `module:function` names; `what` names it in messages.

    Raises:
        UsageError: There is no such function, or its module cannot be imported.
    """
    module, _, function = name.partition(":")
    if not module or not function:
        raise UsageError(
            f"The {what} {name!r} is not module:function; use that form, for example a:b."
        )
    if folder is not None and str(folder) not in sys.path:
        sys.path.append(str(folder))
    try:
        loaded = getattr(import_module(module), function, None)
    except Exception as error:  # importing runs the user's own module
        raise UsageError(
            f"The {what} module {module!r} cannot be imported ({type(error).__name__}: {error}): "
            "put it on PYTHONPATH or into the data directory."
        ) from None
    if not callable(loaded):
        raise UsageError(f"There is no function {function!r} in the {what} module {module!r}.")
    return cast("Callable[..., Any]", loaded)


def fetching_search(search: Search, fetcher: Fetcher | None) -> Search:
    """The search with the texts of results that have an address alone; None fetches none."""

    async def search_and_fetch(claim: str) -> WebResults:
        results = list(await call_own(search, claim))[:MOST_RESULTS]
        texts = await asyncio.gather(*(_with_text(result, fetcher) for result in results))
        if isinstance(search, WebSearch) and fetcher is None and results:
            search.notes.append(SNIPPETS_ALONE)
        return [text for text in texts if text is not None]

    return search_and_fetch


async def _with_text(
    result: ReferenceDocument | Mapping[str, str | None], fetcher: Fetcher | None
) -> ReferenceDocument | None:
    if isinstance(result, ReferenceDocument):
        return result
    url, title, content = result.get("url"), result.get("title"), result.get("content")
    if content:
        return ReferenceDocument(content=content, title=title, url=url)
    shown = None
    if snippet := result.get("snippet"):
        shown = ReferenceDocument(content=snippet, title=title, url=url)
    if fetcher is None or not url:
        return shown
    try:
        target = Target(form="url", value=url)
        source = await read_source(await fetcher.fetch(SourceQuery(target=target)))
    except SourceError:
        return shown  # a page that cannot be retrieved says nothing but what the search shows of it
    return ReferenceDocument(content=source.text, title=source.title or title, url=url)
