"""The seam through which every source comes: one small protocol, and a fake to compute by hand."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from workbench.errors import SourceError
from workbench.records.source import Fetched, SourceQuery
from workbench.records.text import replace_surrogates
from workbench.sources.addresses import label_key, same_source_key, target_key, title_key


@runtime_checkable
class Fetcher(Protocol):
    """Whatever can hand over the source that a citation asks for."""

    async def fetch(self, query: SourceQuery) -> Fetched:
        """The source's bytes; raises SourceError (or FetchError) with the reason there are none."""


class MemoryFetcher:
    """A fetcher over a mapping: address, label or title to text. For tests, demos and notebooks."""

    def __init__(self, texts: Mapping[str, str | Fetched]) -> None:
        self.asked: list[SourceQuery] = []
        """Every query, in order."""
        self._texts = dict(texts)

    async def fetch(self, query: SourceQuery) -> Fetched:
        """The text under the query's address, else its label, else its title.

        Raises:
            SourceError: `no_source` when the mapping has none of them.
        """
        self.asked.append(query)
        for kind, key in query_keys(query):
            for name, text in self._texts.items():
                if KEYED[kind](name) == key:
                    return text if isinstance(text, Fetched) else given_text(text, url=name)
        raise no_source(query)


class ChainedFetcher:
    """Several fetchers asked in order; the next one is asked only when one has no such source."""

    def __init__(self, fetchers: Sequence[Fetcher]) -> None:
        self._fetchers = tuple(fetchers)

    async def fetch(self, query: SourceQuery) -> Fetched:
        """What the first fetcher that knows the source says.

        Raises:
            SourceError: the first reason that is not `no_source`, else the first `no_source`.
        """
        first: SourceError | None = None
        for fetcher in self._fetchers:
            try:
                return await fetcher.fetch(query)
            except SourceError as missing:
                if missing.kind != "no_source":
                    raise
                first = first or missing
        raise first or no_source(query)

    async def aclose(self) -> None:
        """Closes the fetchers that hold something open."""
        for fetcher in self._fetchers:
            close = getattr(fetcher, "aclose", None)
            if close is not None:
                await close()


NameKind = Literal["url", "label", "title"]
KEYED: dict[NameKind, Callable[[str], str]] = {
    "url": same_source_key,
    "label": label_key,
    "title": title_key,
}


def query_keys(query: SourceQuery) -> list[tuple[NameKind, str]]:
    """The names to look for, in order: address, then label, then title."""
    keys: list[tuple[NameKind, str]] = []
    if query.target is not None and query.target.form == "case":
        keys.append(("title", title_key(query.target.value)))
    elif query.target is not None:
        keys.append(("url", target_key(query.target)))
    if query.label and label_key(query.label):
        keys.append(("label", label_key(query.label)))
    if query.title and title_key(query.title):
        keys.append(("title", title_key(query.title)))
    return keys


def given_text(text: str, *, url: str = "", title: str | None = None) -> Fetched:
    """A given text as a source: UTF-8, no status, nothing was fetched."""
    start = text.lstrip()[:200].lower()
    kind = "text/html" if start.startswith(("<!doctype html", "<html")) else "text/plain"
    return Fetched(
        url=url,
        final_url=url,
        status=None,
        content_type=f"{kind}; charset=utf-8",
        body=replace_surrogates(text).encode("utf-8"),
        title=title,
    )


def no_source(query: SourceQuery, reason: str = "") -> SourceError:
    """`no_source`, naming what was looked for, and why a given source was not taken for it."""
    name = query.target.value if query.target else query.label or query.title or "this citation"
    return SourceError(
        "no_source",
        reason
        or f"None of the provided sources is {name!r}: add it with its URL, its reference label or "
        "its title, or allow fetching.",
    )
