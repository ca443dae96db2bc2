"""The pages of a PDF source as images: drawn when they are viewed, and cached."""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import SourceError
from workbench.records.source import Source
from workbench.services.cached_views import register_cache
from workbench.sources.read import PageImage, draw_page
from workbench.sources.snapshots import SnapshotFolder

MAX_KEPT_BYTES = 24 * 1024 * 1024
"""Bytes of cached images; the least recently used is dropped first."""
FAILURE_SECONDS = 60.0
"""How long to wait before retrying a page that could not be drawn."""
NOT_KEPT = "The file of this source is not stored here or is damaged; only its text is stored."


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage:
    """A page of a source: its image, or why there is none."""

    number: int
    """Counted from 1."""
    image: PageImage | None = None
    problem: str = ""
    """The reason if there is no image."""


_Key = tuple[Path, str, int, str]
"""Folder, hash of the bytes, page, and the page's text: an earlier reading places other words."""
_PAGES: OrderedDict[_Key, tuple[float, SourcePage]] = OrderedDict()
_LOCK = threading.Lock()


@register_cache
def _forget() -> None:
    with _LOCK:
        _PAGES.clear()


def has_page_images(folder: SnapshotFolder, source: Source) -> bool:
    """Whether the pages of a source can be drawn: it is a PDF, and its bytes are kept."""
    return bool(source.pages) and any(
        snapshot.sha256 == source.sha256 for snapshot in folder.list()
    )


def page_image(folder: SnapshotFolder, source: Source, number: int) -> SourcePage:
    """A page of a source as an image with its words, for whoever may see the source's text.

    Only this page is drawn; the pages last looked at are kept in memory. A page that is a bomb, or
    whose bytes are not kept, has a sentence instead of an image.

    Args:
        folder: Where the bytes are kept.
        source: With its text and pages, as it was read for the reviewer.
        number: Of the page, counted from 1.
    """
    text = next((page.span.of(source.text) for page in source.pages if page.number == number), "")
    key = (folder.path, source.sha256, number, text)
    with _LOCK:
        kept_at, page = _PAGES.get(key, (0.0, None))
        if page and (page.image or time.monotonic() - kept_at < FAILURE_SECONDS):
            _PAGES.move_to_end(key)
            return page
    fetched = folder.get(source.sha256)
    if fetched is None:  # not kept in mind: the file may be given later
        return SourcePage(number=number, problem=NOT_KEPT)
    try:
        page = SourcePage(number=number, image=draw_page(fetched.body, source, number))
    except SourceError as bad:
        page = SourcePage(number=number, problem=bad.message)
    _keep(key, page)
    return page


def _keep(key: _Key, page: SourcePage) -> None:
    with _LOCK:
        _PAGES[key] = (time.monotonic(), page)
        _PAGES.move_to_end(key)
        while len(_PAGES) > 1 and sum(map(_size, _PAGES.values())) > MAX_KEPT_BYTES:
            _PAGES.popitem(last=False)


def _size(kept: tuple[float, SourcePage]) -> int:
    """Bytes of a kept page, about: the picture, and a rectangle for each letter."""
    image = kept[1].image
    return 1_000 + (len(image.png) + 120 * len(image.text.places) if image else 0)
