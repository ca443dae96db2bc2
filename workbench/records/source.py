"""What a cited source says: bytes, text, pages, passages."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from workbench.records.citation import Target
from workbench.records.codec import HIDDEN, IF_GIVEN, INLINE, Record, published_as
from workbench.records.context import SourceFacts
from workbench.records.text import JsonDict, Span, Spanned


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuery:
    """What a citation asks a fetcher for: an address, else a reference label, else a title."""

    target: Target | None = None
    label: str | None = None
    title: str | None = None


MatchedBy = Literal["given", "url", "identifier", "label", "title", "authors", "file"]
MATCH_WAYS: tuple[MatchedBy, ...] = get_args(MatchedBy)
"""What a match may rest on, the surest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMatch(Record):
    """A given source and the citations that it was found to answer, with the reason."""

    source: str
    """Its file's name, else its title, label or address."""
    url: str | None = None
    title: str | None = None
    citations: tuple[str, ...] = ()
    """Their ids; empty where it answers none."""
    by: MatchedBy | None = None
    """What the match rests on; None without one."""
    why: str = ""
    """A sentence: what agrees and how far, or why nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """Bytes of a source and how they were had."""

    url: str
    final_url: str
    status: int | None
    """HTTP status; None for a source that was given, not fetched."""
    content_type: str
    body: bytes
    truncated: bool = False
    fetched_at: datetime | None = None
    title: str | None = None
    hops: tuple[str, ...] = ()
    """Every address asked on the way, first to last."""
    headers: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """What the server says about its limits, by names in small letters."""

    @property
    def sha256(self) -> str:
        """The SHA-256 of the bytes, in hexadecimal: the snapshot's name."""
        return hashlib.sha256(self.body).hexdigest()

    def facts(self) -> "Source":
        """What is known of the bytes before, or without, reading them: a source without text."""
        return Source(
            url=self.url,
            final_url=self.final_url,
            status=self.status,
            content_type=self.content_type,
            bytes=len(self.body),
            sha256=self.sha256,
            title=self.title,
            fetched_at=self.fetched_at,
            truncated=self.truncated,
            text="",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Spanned, Record):
    """A page of a source and the part of its text that stands on it."""

    number: int
    """Counted from 1."""
    span: Span = field(metadata=INLINE)
    scanned: bool = False
    """Whether it is a picture, and its text an invisible layer that recognition put under it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Record):
    """A source that was read: its facts and its text."""

    url: str
    final_url: str
    status: int | None
    content_type: str
    bytes: int
    """Length of the body."""
    sha256: str
    title: str | None
    fetched_at: datetime | None
    truncated: bool
    text: str = field(default="", metadata=HIDDEN)
    pages: tuple[Page, ...] = field(default=(), metadata=HIDDEN)
    """Empty for a source without pages, and where the text is kept apart."""
    page_count: int | None = field(default=None, metadata=published_as("pages"))
    """Number of pages, also where `pages` is kept apart; None for a source without pages."""
    author: str | None = field(default=None, metadata=IF_GIVEN)
    published: str | None = field(default=None, metadata=IF_GIVEN)
    """The date the page gives for itself, as it gives it."""
    site: str | None = field(default=None, metadata=IF_GIVEN)

    def self_description(self) -> SourceFacts:
        """What it says of itself, as judges are told."""
        return SourceFacts(
            title=self.title,
            site=self.site,
            author=self.author,
            published=self.published,
            url=next((url for url in (self.final_url, self.url) if url.startswith("http")), None),
            scanned=any(page.scanned for page in self.pages),
        )

    def page_at(self, offset: int) -> int | None:
        """The number of the page that holds a code point of the text; None without pages."""
        for page in self.pages:
            if page.start <= offset < page.end:
                return page.number
        return None

    def to_dict(self) -> JsonDict:
        """Return the published JSON: the facts without the text; `pages` is their number."""
        return Record.to_dict(self) | {"pages": self.page_count or len(self.pages) or None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(Spanned):
    """A verbatim part of a source's text that bears on a claim."""

    span: Span
    text: str
    score: float = 0.0
    heading: str | None = None
    """The heading that it stands under in the source; told beside it, never quoted."""
    table_header: str | None = None
    """The header row of the table that it begins in, where that is not part of it; as `heading`."""

    def words_at(self, span: Span) -> str:
        """The source's words at a place inside the passage, which counts from the source's start."""
        return self.text[span.start - self.span.start : span.end - self.span.start]

    def to_dict(self) -> JsonDict:
        """`{"start", "end", "text", "score", "heading"?, "table_header"?}`."""
        optional = {"heading": self.heading, "table_header": self.table_header}
        return {
            **self.span.to_dict(),
            "text": self.text,
            "score": self.score,
            **{name: value for name, value in optional.items() if value},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOptions:
    """Where cited sources may be looked for besides given files, and under which manners."""

    services: Mapping[str, str] = field(default_factory=dict)
    """Base addresses that replace the default ones: `doi arxiv pubmed pmc crossref wayback`, and
    those of other indexes of works: `arxiv_api pubmed_api datacite openalex dblp semantic_scholar
    open_library courtlistener`; an empty one switches an index off."""
    roots: tuple[str, ...] = ()
    """Directories whose files a `file:` citation may name."""
    repositories: tuple[str, ...] = ()
    """Git repositories whose commits a `git:` citation may name."""
    memories: str | None = None
    """A JSON file with the texts that a `memory:` citation may name."""
    archive: bool = False
    """Whether a dead link may be replaced by the web archive's copy, marked as such."""
    robots: bool = False
    """Whether robots.txt is respected."""
    max_age_days: float | None = 7.0
    """A snapshot older than this is fetched again where fetching is allowed; None: never."""
    refresh: bool = False
    """Whether to fetch again whatever its age."""
