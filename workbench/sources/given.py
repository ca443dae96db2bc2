"""Sources the user hands over: a list, a JSON file, or a directory of files."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from workbench.errors import SourceError, UnreadableInput
from workbench.records import Fetched, Json, SourceQuery
from workbench.sources.fetchers import (
    KEYED,
    Fetcher,
    NameKind,
    given_text,
    no_source,
    query_keys,
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
_ENTRY_KEYS = ("content", "file", "title", "url", "label")


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenSource:
    """One source as it was handed over: its text or its file, and how citations may name it."""

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

        Raises:
            SourceError: `no_source` when there is none; `too_large` or `unreadable` for a file
                that cannot be used.
        """
        for kind, wanted in query_keys(query):
            if wanted in self._tables[kind]:
                return await self._read(self._tables[kind][wanted])
        raise no_source(query)

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
    """A file or a pasted text that somebody hands over in place of an address's own page.

    Put into a snapshot folder it answers for the address from then on; the page's own snapshots
    stay as they are.

    Args:
        url: The address as it is cited.
        data: The file's bytes, or the pasted text in UTF-8.
        name: The file's name; its ending tells what it is.

    Raises:
        SourceError: `too_large`, or `unreadable` for nothing at all.
    """
    shown = name.rsplit("/", 1)[-1] or "the text"
    if not data.strip():
        raise SourceError("unreadable", f"{shown} is empty: there is nothing to read.")
    if len(data) > MAX_GIVEN_BYTES:
        raise SourceError("too_large", f"{shown} is larger than {MAX_GIVEN_BYTES // 2**20} MiB.")
    kind = CONTENT_TYPES.get(Path(shown).suffix.lower(), "text/plain")
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
        found = [GivenSource(file=p, label=p.stem) for p in files if p.is_file()]
        if not found:
            raise UnreadableInput(
                f"No sources in {path}: put a sources.json there, or files named by their "
                "reference label, like 1.html and 2.pdf."
            )
        return found
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


def _entries(listed: Json, where: str, *, folder: Path | None) -> list[GivenSource]:
    if isinstance(listed, Mapping) and "sources" in listed:
        listed = listed["sources"]
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise UnreadableInput(f'{where} is not a list of sources: give [{{"content": "…"}}, …].')
    return [
        _entry(entry, f"Entry {number} of {where}", folder)
        for number, entry in enumerate(listed, start=1)
    ]


def _entry(entry: Json, what: str, folder: Path | None) -> GivenSource:
    if not isinstance(entry, Mapping):
        raise UnreadableInput(f"{what} is not an object: give {_ENTRY_KEYS[0]!r} and a name.")
    known: dict[str, str | None] = {}
    for key in _ENTRY_KEYS:
        value = entry.get(key)
        if key == "label" and isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is not None and not isinstance(value, str):
            raise UnreadableInput(f"{what} has a {key!r} that is not a text.")
        known[key] = value
    if known["content"] is None and known["file"] is None:
        raise UnreadableInput(f"{what} has neither 'content' nor 'file': it says nothing.")
    return GivenSource(
        content=known["content"],
        file=_confined(known["file"], what, folder) if known["content"] is None else None,
        title=known["title"],
        url=known["url"],
        label=known["label"],
    )


def _confined(name: str | None, what: str, folder: Path | None) -> Path | None:
    """The named file inside the folder, after symbolic links."""
    if name is None:
        return None
    if folder is None:
        raise UnreadableInput(f"{what} names the file {name!r}, but the list has no directory.")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise UnreadableInput(f"{what} names {name!r}, which lies outside {folder}.")
    if not path.is_file():
        raise UnreadableInput(f"{what} names {name!r}, and there is no such file in {folder}.")
    return path


def _file_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            body = file.read(MAX_GIVEN_BYTES + 1)
    except OSError as bad:
        raise SourceError("unreadable", f"{path.name} cannot be read: {bad.strerror}.") from bad
    if len(body) > MAX_GIVEN_BYTES:
        raise SourceError(
            "too_large",
            f"{path.name} is larger than {MAX_GIVEN_BYTES // 2**20} MiB: give the part that is "
            "cited.",
        )
    return body
