"""Sources the user hands over: a list, a JSON file, or a directory of files."""

import asyncio
import json
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from workbench.errors import SourceError, UnreadableInput
from workbench.records import Fetched, Json, SourceQuery
from workbench.records.format import file_size
from workbench.sources.fetchers import (
    KEYED,
    Fetcher,
    NameKind,
    given_text,
    no_source,
    query_keys,
)
from workbench.sources.saved_page import HEAD_BYTES, PageNames, page_names, title_forms
from workbench.sources.titles import name_in_words

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
_ENTRY_KEYS = ("content", "file", "title", "url", "label")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSource:
    """One source as it was supplied: its text or its file, and how citations may name it."""

    content: str | None = None
    file: Path | None = None
    title: str | None = None
    url: str | None = None
    label: str | None = None


class GivenSources:
    """A fetcher over sources the user gave; it never touches the network."""

    def __init__(self, sources: Sequence[GivenSource]) -> None:
        self.sources = tuple(sources)
        self._tables: dict[NameKind, dict[str, GivenSource]] = {"url": {}, "label": {}, "title": {}}
        self._tables_from_markup: Mapping[NameKind, Mapping[str, GivenSource]] | None = None
        self._lock = threading.Lock()
        for source in self.sources:
            names: dict[NameKind, str | None] = {
                "url": source.url,
                "label": source.label,
                "title": source.title,
            }
            for kind, name in names.items():
                if name:
                    self._tables[kind].setdefault(KEYED[kind](name), source)

    async def fetch(self, query: SourceQuery) -> Fetched:
        """The source with the same normalised URL, else the same label, else the same title.

        What a saved page says of itself counts behind what it was given as: its canonical address,
        where it was saved from, its title, its file's name.

        Raises:
            SourceError: `no_source` when there is none; `too_large` or `unreadable` for a file
                that cannot be used.
        """
        # files are read for it, once: not on the event loop
        source = await asyncio.to_thread(self.find, query)
        if source is None:
            raise no_source(query)
        return await self._read(source)

    def find(self, query: SourceQuery) -> GivenSource | None:
        """The source that a citation asks for; None where none was given.

        The heads of files are read once for all queries (`saved_page.HEAD_BYTES` of each).
        """
        for kind, key in query_keys(query):
            source = self._tables[kind].get(key) or self._markup_names()[kind].get(key)
            if source is not None:
                return source
        return None

    def _markup_names(self) -> Mapping[NameKind, Mapping[str, GivenSource]]:
        """The sources by what their pages and files are called; a name shared by two names neither."""
        with self._lock:
            if self._tables_from_markup is None:
                tables: dict[NameKind, dict[str, GivenSource | None]]
                tables = {"url": {}, "label": {}, "title": {}}
                for source in self.sources:
                    names = _names_of(source)
                    for address in names.addresses:
                        tables["url"].setdefault(KEYED["url"](address), source)
                    for title in names.titles:
                        key = KEYED["title"](title)
                        if key:
                            first_source = tables["title"].setdefault(key, source)
                            tables["title"][key] = source if first_source is source else None
                self._tables_from_markup = {
                    kind: {key: source for key, source in table.items() if source is not None}
                    for kind, table in tables.items()
                }
            return self._tables_from_markup

    async def _read(self, source: GivenSource) -> Fetched:
        if source.file is None:
            return given_text(source.content or "", url=source.url or "", title=source.title)
        body = await asyncio.to_thread(_file_bytes, source.file)
        address = source.url or source.file.name
        return Fetched(
            url=address,
            final_url=address,
            status=None,
            content_type=CONTENT_TYPES.get(source.file.suffix.lower(), "application/octet-stream"),
            body=body,
            title=source.title,
        )


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
    sources: None | Sequence[Mapping[str, Json]] | str | Path | Fetcher,
) -> Fetcher:
    """A fetcher over whatever was given: a list, a JSON file, a directory, or a fetcher itself.

    Raises:
        UnreadableInput: the path or the list cannot be used; the sentence says which entry.
    """
    if sources is None:
        return GivenSources([])
    if isinstance(sources, Fetcher):
        return sources
    if isinstance(sources, str | Path):
        return GivenSources(_from_path(Path(sources)))
    return GivenSources(_entries(list(sources), "the list of sources", folder=None))


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
        content=fields["content"],
        file=_confined(fields["file"], entry_name, folder) if fields["content"] is None else None,
        title=fields["title"],
        url=fields["url"],
        label=fields["label"],
    )


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


def _names_of(source: GivenSource) -> PageNames:
    """What a given page is called in its own markup, and a file by its name."""
    if source.file is None:
        return page_names((source.content or "")[:HEAD_BYTES].encode("utf-8", "replace"))
    file_words = name_in_words(source.file.name)
    markup = PageNames()
    if CONTENT_TYPES.get(source.file.suffix.lower(), "") in _MARKUP:
        with suppress(OSError), source.file.open("rb") as file:
            markup = page_names(file.read(HEAD_BYTES))
    titles = (*markup.titles, *(title_forms(file_words) if file_words else ()))
    return PageNames(markup.addresses, titles)


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
