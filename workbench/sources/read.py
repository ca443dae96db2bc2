"""From fetched bytes to a source with its text, title, structure, pages and facts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from workbench.errors import NotEvidenceError, SourceError
from workbench.records.source import Fetched, Page, Source
from workbench.records.text import Span
from workbench.sources.reading.page_image import PAGE_WIDTH
from workbench.sources.reading.page_text import Box, PlacedText, PlacedWord
from workbench.sources.reading.parse import SourceBlock
from workbench.sources.reading.parsed import MAX_CHARS, Parsed, Unparsable
from workbench.sources.reading.pool import (
    ChildRequest,
    ContentMetadata,
    ParserProcessPool,
    drawing_pool,
    shared_pool,
)

_PROGRAM_TITLES = re.compile(
    r"about:.*|untitled(?:\W|\d|document)*|document\s?\d*|title|no title"
    r"|new (?:tab|page|document)|microsoft word - .*|presentation\s?\d*|slide \d+"
    r"|(?:microsoft )?powerpoint presentation|print(?:ed)?|pdf|scan\w*|home|index|blank"
    r"|loading\W*|error|(?:file|data|blob|chrome|https?):.*|localhost.*|unbenannt(?:\W|\d)*"
    r"|ohne titel(?:\W|\d)*|dokument\s?\d*|sans titre(?:\W|\d)*|sin título(?:\W|\d)*"
    r"|(?:无标题|未命名)(?:文档|页面|\W|\d)*|文档\s?\d*|[\W_]*|\d{5,}"
    r"|.*\.(?:docx?|tex|dvi|indd|pdf|pptx?|xlsx?|rtf|odt|qxd|ps|pmd|html?)",
    re.IGNORECASE | re.DOTALL,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def useful_title(title: str | None) -> str | None:
    """The title on one line; None for what a program wrote in its place (`about:blank`)."""
    words = " ".join((title or "").split())
    return None if _PROGRAM_TITLES.fullmatch(words) else words


def file_title(name: str) -> str | None:
    """A file's name without its ending, where it is written as a title and is not just a label.

    >>> file_title("Facts about the bridge.html")
    'Facts about the bridge'
    >>> file_title("1.pdf")
    """
    stem = PurePosixPath(name).stem
    spaced = len([word for word in stem.split() if _WORD.search(word)]) >= 2
    if "://" in name or not (spaced or len(_WIDE.findall(stem)) >= 4):
        return None
    return useful_title(stem)


def name_in_words(name: str) -> str | None:
    """A file's name in words, for comparing with titles: `facts_about-bridges.html` too."""
    words = re.sub(r"[_+]|%20", " ", PurePosixPath(name).stem)
    telling = len(_WORD.findall(words)) >= 2 or len(_WIDE.findall(words)) >= 4
    return useful_title(words) if telling else None


_PLAIN = ("text/plain", "text/markdown")


async def read_source(
    fetched: Fetched, *, accept: bool = False, pool: ParserProcessPool | None = None
) -> Source:
    """The source's text, its pages (spans of code points of that text) and its facts.

    Parsing happens in a child process under memory, CPU and wall limits.

    Args:
        fetched: The bytes and how they were obtained.
        accept: The reviewer's override: "it is the article", whatever the page looks like.
        pool: Where to parse; the process's own pool when None.

    Raises:
        SourceError: `unreadable`, `not_text`, `too_large`, or `not_evidence` with its reason.
    """
    try:
        parsed = _parse_plain(fetched) or await (pool or shared_pool()).parse(
            fetched.body,
            ContentMetadata(
                content_type=fetched.content_type,
                url=fetched.final_url,
                cited_url=fetched.hops[0] if fetched.hops else fetched.url,
                status=fetched.status,
            ),
        )
    except Unparsable as bad:
        raise SourceError(bad.kind, bad.message) from bad
    if fetched.truncated and not parsed.text.strip():
        raise SourceError(
            "too_large",
            "The source was truncated at the size limit, before any text: provide it as a file, or "
            "paste the text.",
        )
    if parsed.doubt is not None and not accept:
        doubt = parsed.doubt
        raise NotEvidenceError(doubt.reason, doubt.message, confidence=doubt.confidence)
    if not parsed.text.strip():
        raise NotEvidenceError("empty", "The source has no text: there is nothing to check.")
    return Source(
        url=fetched.url,
        final_url=fetched.final_url,
        status=fetched.status,
        content_type=fetched.content_type,
        bytes=len(fetched.body),
        sha256=fetched.sha256,
        title=_title(fetched, parsed.title),
        fetched_at=fetched.fetched_at,
        truncated=fetched.truncated or parsed.truncated,
        text=parsed.text,
        pages=tuple(
            Page(number=number, span=Span(start, end), scanned=number in parsed.scanned)
            for number, (start, end) in enumerate(parsed.pages, start=1)
        ),
        page_count=len(parsed.pages) or None,
        author=parsed.author,
        published=parsed.date,
        site=parsed.site,
    )


def _title(fetched: Fetched, page_title: str | None) -> str | None:
    """As it was given; a file by its name, else by what it says of itself; never a title that a program wrote."""
    file_name = file_title(fetched.url) if fetched.status is None else None
    return fetched.title or file_name or useful_title(page_title)


def _parse_plain(fetched: Fetched) -> Parsed | None:
    """Given UTF-8 text needs no parser, and no child."""
    kind = fetched.content_type.split(";")[0].strip().lower()
    if fetched.status is not None or kind not in _PLAIN or b"%PDF-" in fetched.body[:1024]:
        return None
    try:
        text = fetched.body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "\0" in text:
        return None
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return Parsed(text=text[:MAX_CHARS], truncated=len(text) > MAX_CHARS)


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


_WEB_TYPES = ("text/html", "application/xhtml+xml")


def read_structure(
    body: bytes, content_type: str, text: str, *, pool: ParserProcessPool | None = None
) -> tuple[SourceBlock, ...]:
    """The headings, list items, rows and cells of a source's text, in order; none but of a web page.

    The page is parsed in a child process under memory, CPU and wall limits; where it breaks one,
    the text has no structure.

    Args:
        body: The page.
        content_type: As the server gave it.
        text: As it was extracted and stored; spans are code points of it.
        pool: Where to parse; the process's own pool for what is shown when None.
    """
    kind = content_type.split(";")[0].strip().lower()
    begins = body[:512].lstrip().lower()
    if kind not in _WEB_TYPES and not begins.startswith((b"<!doctype html", b"<html")):
        return ()
    request = ChildRequest(
        head={"structure": text, "content_type": content_type}, body=body, too_long="", too_much=""
    )
    try:
        reply, _ = (pool or drawing_pool()).answer(request)
    except Unparsable:
        return ()
    blocks = reply.get("blocks")
    return tuple(
        SourceBlock(Span(start, end), kind, level)
        for start, end, kind, level in (blocks if isinstance(blocks, Sequence) else ())
    )
