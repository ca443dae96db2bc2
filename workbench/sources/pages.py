"""One page of a PDF source as an image, drawn in a child process, with the positions of its words."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.errors import SourceError
from workbench.records.source import Page, Source
from workbench.records.text import Span
from workbench.sources.reading.page_image import PAGE_WIDTH
from workbench.sources.reading.page_text import Box, PlacedText, PlacedWord
from workbench.sources.reading.parsed import Unparsable
from workbench.sources.reading.pool import ChildRequest, ParserProcessPool, drawing_pool


@dataclass(frozen=True, slots=True, kw_only=True)
class PageImage:
    """A page as a PNG, with the places of its text in ten-thousandths of its width and height."""

    number: int
    """Counted from 1."""
    png: bytes
    width: int
    """In pixels, as `height`."""
    height: int
    text: PlacedText

    @property
    def words(self) -> tuple[PlacedWord, ...]:
        """The words whose place is known, in the order of the text."""
        return self.text.words()

    def boxes(self, span: Span) -> tuple[Box, ...]:
        """The rectangles of a span of the source's text, one a line; empty where it has no place."""
        return self.text.boxes(span)


def draw_page(
    body: bytes,
    source: Source,
    number: int,
    *,
    width: int = PAGE_WIDTH,
    pool: ParserProcessPool | None = None,
) -> PageImage:
    """A page of a PDF as an image, with each letter of its extracted text that is found on it.

    Only this page is drawn, in a child process under memory, CPU and wall limits.

    Args:
        body: The PDF.
        source: Its text with the spans of the pages.
        number: Of the page, counted from 1.
        width: Of the image in pixels; less for a page that is many times longer than wide.
        pool: Where to draw; the process's own pool for it when None.

    Raises:
        SourceError: `unreadable` for a page that is broken, missing or that breaks a limit.
    """
    page = next((page for page in source.pages if page.number == number), None)
    if page is None:
        raise SourceError("unreadable", f"The source has no page {number}.")
    pool = pool or drawing_pool()
    text = page.span.of(source.text)
    request = ChildRequest(
        head={"page": number, "width": width, "text": text},
        body=body,
        too_long=f"Drawing page {number} took longer than {pool.seconds:g} seconds and was stopped: "
        "read its text.",
        too_much=f"Drawing page {number} took more memory or time than allowed and was stopped: "
        "read its text.",
    )
    try:
        reply, png = pool.answer(request)
    except Unparsable as bad:
        raise SourceError(bad.kind, bad.message) from bad
    return PageImage(
        number=number,
        png=png,
        width=int(str(reply["width"])),
        height=int(str(reply["height"])),
        text=_placed(page, text, reply["places"]),
    )


def _placed(page: Page, text: str, places: object) -> PlacedText:
    boxes: list[Box | None] = [None] * len(text)
    for at, *box in places if isinstance(places, Sequence) else ():
        boxes[at] = Box(*box)
    return PlacedText(start=page.start, text=text, places=tuple(boxes))
