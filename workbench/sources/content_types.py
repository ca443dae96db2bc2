"""Is this response something a person could read? Judged before and after its body is read."""

import re

from workbench.sources.reading.decode import looks_binary

PDF = "application/pdf"
_TEXTUAL = frozenset({
    "text/html", "text/plain", "application/xhtml+xml", "text/xml", "application/xml",
    "application/json", "text/json", "text/markdown", "text/x-markdown", "text/csv",
    "text/tab-separated-values", "text/x-rst", "application/x-ndjson",
})  # fmt: skip
_SUFFIXED = re.compile(r"^(?:application|text)/[\w.+-]+\+(?:xml|json)$")
# What servers call a PDF that they hand out as a download.
_DOWNLOADS = frozenset({
    PDF, "application/x-pdf", "application/octet-stream", "binary/octet-stream",
    "application/force-download", "application/download",
})  # fmt: skip
_WIDE = re.compile(r"charset\s*=\s*[\"']?utf-?(?:16|32)", re.I)


def media_type(content_type: str) -> str:
    """`text/html` of `Text/HTML; charset=utf-8`."""
    return content_type.split(";")[0].strip().lower()


def is_supported_type(content_type: str) -> bool:
    """Whether a body of this type is worth having: text of some kind, or a PDF."""
    kind = media_type(content_type)
    return kind in _TEXTUAL or kind in _DOWNLOADS or _SUFFIXED.match(kind) is not None


def type_of_content(content_type: str, body: bytes) -> str | None:
    """The type under which the body is kept; None when the body is not what it should be.

    A PDF is recognized by its first kilobyte, whatever it is called; text has no NUL in its first 4 KB
    unless it is UTF-16.
    """
    kind = media_type(content_type)
    if b"%PDF-" in body[:1024]:
        return content_type if kind == PDF else PDF
    if kind in _DOWNLOADS:
        return None
    if _WIDE.search(content_type):
        return content_type
    return None if looks_binary(body) else content_type
