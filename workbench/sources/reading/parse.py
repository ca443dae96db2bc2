"""Which parser reads these bytes? Runs in the child; see `child.py`."""

import re
from dataclasses import replace

from workbench.sources.reading.data import parse_json, parse_plain, parse_xml
from workbench.sources.reading.decode import looks_binary
from workbench.sources.reading.docx import DOCX, parse_docx
from workbench.sources.reading.html import parse_html
from workbench.sources.reading.parsed import Parsed, Unparsable
from workbench.sources.reading.pdf import MAX_PAGES, parse_pdf


def prepare(body: bytes, content_type: str) -> None:
    """Imports what `parse` will need for these bytes, so that its clock does not pay for it."""
    if b"%PDF-" in body[:1024]:
        import pypdf  # noqa: F401
    elif content_type == DOCX:
        import docx2python  # noqa: F401
    elif "html" in content_type or body[:512].lstrip()[:1] == b"<":
        import trafilatura  # noqa: F401
    import charset_normalizer  # noqa: F401


_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u2060\ufeff]")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")
_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
)


def plain_letters(text: str) -> str:
    """The text without soft hyphens and other invisible characters, spaces as spaces, no ligatures.

    A quotation of it is typed by people and models, who use none of these.
    """
    return _SPACES.sub(" ", _INVISIBLE.sub("", text)).translate(_LIGATURES)


def parse(
    body: bytes,
    *,
    content_type: str,
    url: str,
    asked: str,
    status: int | None,
    keep_lines: bool = False,
    max_pages: int | None = None,
) -> Parsed:
    """The text of a source, by its bytes and its content type.

    Raises:
        Unparsable: `not_text` for binary content, `unreadable` for damaged or encrypted content.
    """
    kind = content_type.split(";")[0].strip().lower()
    if b"%PDF-" in body[:1024]:
        return parse_pdf(
            body, clean=plain_letters, join_words=not keep_lines, max_pages=max_pages or MAX_PAGES
        )
    if kind == "application/pdf":
        raise Unparsable(
            "unreadable", "The source claims to be a PDF but is not: upload another copy."
        )
    if kind == DOCX:
        return parse_docx(body, clean=plain_letters)
    if looks_binary(body):
        raise Unparsable(
            "not_text", f"The source is not text ({kind or 'no type'}): it cannot be read."
        )
    start = body[:512].lstrip().lower()
    if kind in ("text/html", "application/xhtml+xml") or (
        start.startswith((b"<!doctype html", b"<html")) and kind not in ("text/plain",)
    ):
        parsed = parse_html(body, content_type, url, asked=asked, fetched=status is not None)
        return replace(parsed, text=plain_letters(parsed.text))
    if kind.endswith(("/json", "+json")):
        return parse_json(body, content_type)
    if kind.endswith(("/xml", "+xml")):
        return parse_xml(body, content_type)
    return parse_plain(body, content_type)
