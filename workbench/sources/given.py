"""Sources the user hands over: a list, a JSON file, or a directory of files."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from workbench.errors import SourceError, UnreadableInput
from workbench.records.format import file_size
from workbench.records.source import Fetched, SourceQuery
from workbench.records.text import Json, JsonDict
from workbench.sources.fetchers import Fetcher, given_text, no_source
from workbench.sources.read import name_in_words, useful_title
from workbench.sources.reading.decode import decode
from workbench.sources.reading.parsed import Parsed, Unparsable
from workbench.sources.reading.pool import ContentMetadata, shared_pool
from workbench.sources.saved_page import (
    HEAD_BYTES,
    HEAD_CHARS,
    PageNames,
    page_names,
    plain_head,
    printed_addresses,
    title_forms,
)

MAX_GIVEN_BYTES = 32 * 1024 * 1024
"""A given file above this is refused: nobody checks a quotation in it by hand."""

CONTENT_TYPES = {
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".pdf": "application/pdf",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".json": "application/json",
    ".xml": "application/xml",
}
_MARKUP = ("text/html", "application/xhtml+xml")
FIRST_PAGES = 2
"""Pages of a PDF on which it is looked for what the document is called."""
_ENTRY_KEYS = ("content", "file", "title", "url", "label")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSource:
    """One source as it was supplied: its text or its file, and how citations may name it."""

    content: str | None = None
    file: Path | None = None
    title: str | None = None
    url: str | None = None
    label: str | None = None
    named_for: tuple[str, ...] | None = None
    """The citations that it is for, by label or as the text names them; None: it is matched."""

    @property
    def name(self) -> str:
        """What messages call it."""
        if self.file is not None:
            return self.file.name
        return self.title or self.label or self.url or "a text without a name"

    async def read(self) -> Fetched:
        """Its text, or its file's bytes.

        Raises:
            SourceError: `too_large` or `unreadable` for a file that cannot be used.
        """
        if self.file is None:
            return given_text(self.content or "", url=self.url or "", title=self.title)
        body = await asyncio.to_thread(_file_bytes, self.file)
        address = self.url or self.file.name
        return Fetched(
            url=address,
            final_url=address,
            status=None,
            content_type=CONTENT_TYPES.get(self.file.suffix.lower(), "application/octet-stream"),
            body=body,
            title=self.title,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNames:
    """What a given source is called: as it was given, and as it describes itself."""

    titles: tuple[str, ...] = ()
    """The given title, then those of its markup or metadata."""
    file_words: str = ""
    addresses: tuple[str, ...] = ()
    """Those that it states: in its markup, or on one of its first lines."""
    byline: str = ""
    """Authors and date of its metadata."""
    head: str = ""
    """The beginning of its text."""
    problem: str = ""
    """Why nothing in it can be read, in a sentence."""


class GivenSources:
    """Sources that the user gave, in their order; which citation means which is matched later."""

    def __init__(self, sources: Sequence[GivenSource]) -> None:
        self.sources = tuple(sources)


class MatchedSources:
    """A fetcher over given sources of which it is known which query each answers."""

    def __init__(
        self, matched: Mapping[SourceQuery, GivenSource], reasons: Mapping[SourceQuery, str]
    ) -> None:
        """Builds the fetcher.

        Args:
            matched: The source that each query means.
            reasons: Why other queries have none, where there is more to say than that.
        """
        self._matched, self._reasons = matched, reasons

    async def fetch(self, query: SourceQuery) -> Fetched:
        """The source that was matched with a query.

        Raises:
            SourceError: `no_source` when there is none; `too_large` or `unreadable` for a file
                that cannot be used.
        """
        source = self._matched.get(query)
        if source is None:
            raise no_source(query, self._reasons.get(query, ""))
        return await source.read()


def replacement(url: str, data: bytes, name: str) -> Fetched:
    """A file or a pasted text supplied in place of an address's own page.

    Put into a snapshot folder it answers for the address from then on; the page's own snapshots
    stay as they are.

    Args:
        url: The address as it is cited.
        data: The file's bytes, or the pasted text in UTF-8.
        name: The file's name; its ending tells what it is.

    Raises:
        SourceError: `too_large`, or `unreadable` for nothing at all.
    """
    file_name = name.rsplit("/", 1)[-1] or "the text"
    if not data.strip():
        raise SourceError("unreadable", f"{file_name} is empty: there is nothing to read.")
    if len(data) > MAX_GIVEN_BYTES:
        raise SourceError("too_large", f"{file_name} is larger than {file_size(MAX_GIVEN_BYTES)}.")
    kind = CONTENT_TYPES.get(Path(file_name).suffix.lower(), "text/plain")
    return Fetched(
        url=url,
        final_url=url,
        status=None,
        content_type="application/pdf" if b"%PDF-" in data[:1024] else kind,
        body=data,
        title=None,
        fetched_at=datetime.now(UTC),
    )


def open_sources(
    sources: None | Sequence[Mapping[str, Json]] | str | Path | GivenSources | Fetcher,
) -> GivenSources | Fetcher:
    """What was given, opened: a list, a JSON file or a directory; a fetcher as it is.

    Raises:
        UnreadableInput: the path or the list cannot be used; the sentence says which entry.
    """
    if sources is None:
        return GivenSources([])
    if isinstance(sources, GivenSources | Fetcher):
        return sources
    if isinstance(sources, str | Path):
        return GivenSources(_from_path(Path(sources)))
    return GivenSources(_entries(list(sources), "the list of sources", folder=None))


def list_sources(given: GivenSources, named_for: Mapping[int, Sequence[str]]) -> list[JsonDict]:
    """The entries of a `sources.json` of these sources, some named for other citations."""
    entries: list[JsonDict] = []
    for number, source in enumerate(given.sources):
        chosen = named_for.get(number, source.named_for)
        fields: dict[str, Json] = {
            "content": source.content,
            "file": source.file.name if source.file else None,
            "title": source.title,
            "url": source.url,
            "label": source.label,
            "for": None if chosen is None else list(chosen),
        }
        entries.append({key: value for key, value in fields.items() if value is not None})
    return entries


def _from_path(path: Path) -> list[GivenSource]:
    if path.is_dir():
        listing = path / "sources.json"
        if listing.is_file():
            return _entries(_load(listing), str(listing), folder=path)
        files = sorted(p for p in path.iterdir() if p.suffix.lower() in CONTENT_TYPES)
        sources = [GivenSource(file=p, label=p.stem) for p in files if p.is_file()]
        if not sources:
            raise UnreadableInput(
                f"No sources in {path}: put a sources.json there, or files named by their "
                "reference label, like 1.html and 2.pdf."
            )
        return sources
    if not path.exists():
        raise UnreadableInput(f"No sources at {path}: give a directory or a JSON file.")
    return _entries(_load(path), str(path), folder=path.parent)


def _load(path: Path) -> Json:
    try:
        loaded: Json = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as bad:
        raise UnreadableInput(
            f"{path} cannot be read as a JSON list of sources ({bad}): give "
            '[{"content": "…", "url": "…"}, …].'
        ) from bad
    return loaded


def _entries(listed: Json, origin: str, *, folder: Path | None) -> list[GivenSource]:
    if isinstance(listed, Mapping) and "sources" in listed:
        listed = listed["sources"]
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise UnreadableInput(f'{origin} is not a list of sources: give [{{"content": "…"}}, …].')
    return [
        _entry(entry, f"Entry {number} of {origin}", folder)
        for number, entry in enumerate(listed, start=1)
    ]


def _entry(entry: Json, entry_name: str, folder: Path | None) -> GivenSource:
    if not isinstance(entry, Mapping):
        raise UnreadableInput(f"{entry_name} is not an object: give {_ENTRY_KEYS[0]!r} and a name.")
    fields: dict[str, str | None] = {}
    for key in _ENTRY_KEYS:
        value = entry.get(key)
        if key == "label" and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is not None and not isinstance(value, str):
            raise UnreadableInput(f"{entry_name} has a {key!r} that is not a text.")
        fields[key] = value
    if fields["content"] is None and fields["file"] is None:
        raise UnreadableInput(f"{entry_name} has neither 'content' nor 'file'.")
    return GivenSource(
        named_for=_named_for(entry.get("for"), entry_name),
        content=fields["content"],
        file=_confined(fields["file"], entry_name, folder) if fields["content"] is None else None,
        title=fields["title"],
        url=fields["url"],
        label=fields["label"],
    )


def _named_for(listed: Json, entry_name: str) -> tuple[str, ...] | None:
    """The citations under `for`; a single one may stand without a list."""
    if listed is None:
        return None
    names = listed if isinstance(listed, Sequence) and not isinstance(listed, str) else [listed]
    if any(isinstance(name, bool) or not isinstance(name, str | int) for name in names):
        raise UnreadableInput(
            f'{entry_name} has a \'for\' that is not a list of citations: give ["1", "Lee 2020"].'
        )
    return tuple(str(name) for name in names)


def _confined(name: str | None, entry_name: str, folder: Path | None) -> Path | None:
    """The named file inside the folder, after symbolic links."""
    if name is None:
        return None
    if folder is None:
        raise UnreadableInput(
            f"{entry_name} names the file {name!r}, but the list has no directory."
        )
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise UnreadableInput(f"{entry_name} names {name!r}, which is outside {folder}.")
    if not path.is_file():
        raise UnreadableInput(
            f"{entry_name} names {name!r}, and there is no such file in {folder}."
        )
    return path


def source_names(source: GivenSource) -> SourceNames:
    """What a source is called: by whoever gave it, in its markup or metadata, on its first lines."""
    given = (source.title,) if source.title else ()
    if source.file is None:
        beginning = (source.content or "")[:HEAD_BYTES]
        return _text_names(given, "", beginning, page_names(beginning.encode("utf-8", "replace")))
    file_words = name_in_words(source.file.name) or ""
    try:
        with source.file.open("rb") as file:
            beginning_bytes = file.read(HEAD_BYTES)
    except OSError as bad:
        return SourceNames(
            titles=given, file_words=file_words, problem=f"It cannot be read: {bad.strerror}."
        )
    if b"%PDF-" in beginning_bytes[:1024]:
        return _pdf_names(source.file, given, file_words)
    kind = CONTENT_TYPES.get(source.file.suffix.lower(), "")
    markup = page_names(beginning_bytes) if kind in _MARKUP else PageNames()
    return _text_names(given, file_words, decode(beginning_bytes), markup)


def _text_names(
    given: tuple[str, ...], file_words: str, beginning: str, markup: PageNames
) -> SourceNames:
    head = plain_head(beginning)
    return SourceNames(
        titles=(*given, *markup.titles),
        file_words=file_words,
        addresses=(*markup.addresses, *printed_addresses(head)),
        byline=markup.byline,
        head=head,
    )


def _pdf_names(path: Path, given: tuple[str, ...], file_words: str) -> SourceNames:
    """What the metadata and the first pages of a PDF say, read in a child process."""
    try:
        body = _file_bytes(path)
        parsed = _parse_pages(body, FIRST_PAGES) or _parse_pages(body, None)
        assert parsed is not None  # without a limit it raises
    except (Unparsable, SourceError) as bad:
        return SourceNames(titles=given, file_words=file_words, problem=bad.message)
    head = parsed.text[:HEAD_CHARS]
    title = useful_title(parsed.title)
    return SourceNames(
        titles=(*given, *(title_forms(title) if title else ())),
        file_words=file_words,
        addresses=tuple(printed_addresses(head)),
        byline=parsed.author or "",
        head=head,
    )


def _parse_pages(body: bytes, pages: int | None) -> Parsed | None:
    """A PDF's first pages; None where they alone hold no text."""
    metadata = ContentMetadata(content_type="application/pdf", max_pages=pages)
    try:
        return shared_pool().parse_blocking(body, metadata)
    except Unparsable:
        if pages is None:
            raise
        return None


def _file_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            body = file.read(MAX_GIVEN_BYTES + 1)
    except OSError as bad:
        raise SourceError("unreadable", f"{path.name} cannot be read: {bad.strerror}.") from bad
    if len(body) > MAX_GIVEN_BYTES:
        raise SourceError(
            "too_large",
            f"{path.name} is larger than {file_size(MAX_GIVEN_BYTES)}: provide only the cited "
            f"part.",
        )
    return body
