"""From fetched bytes to a source with its text, page spans and facts."""

from workbench.errors import NotEvidenceError, SourceError
from workbench.records.source import Fetched, Page, Source
from workbench.records.text import Span
from workbench.sources.reading.parsed import MAX_CHARS, Parsed, Unparsable
from workbench.sources.reading.pool import ContentMetadata, ParserProcessPool, shared_pool
from workbench.sources.titles import file_title, useful_title

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
