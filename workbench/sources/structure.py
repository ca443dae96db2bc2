"""The headings, lists and tables of a web page, as spans of the text extracted from it."""

from collections.abc import Sequence

from workbench.records.text import Span
from workbench.sources.reading.parsed import Unparsable
from workbench.sources.reading.pool import ChildRequest, ParserProcessPool, drawing_pool
from workbench.sources.reading.text_structure import SourceBlock

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
