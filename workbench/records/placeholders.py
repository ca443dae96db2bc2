"""Addresses and identifiers that stand where a real one should: `example.com`, `10.xxxx/…`."""

import re

_RESERVED = re.compile(
    r"(?:https?://)?(?:[\w-]+\.)*(?:example\.(?:com|org|net|edu)|(?:[\w-]+\.)+invalid|"
    r"localhost|your-?(?:site|domain|website|url)\.\w+|(?:some|any)(?:site|website|url)\.\w+|"
    r"(?:website|placeholder|sampleurl|fakeurl|dummyurl)\.com)(?=[/:?#\s]|\Z)",
    re.IGNORECASE,
)
"""Names that RFC 2606 and RFC 6761 reserve for examples, and words in their place."""
_BLANK = re.compile(
    r"\b10\.(?:x{2,}|n{4,}|\.{3})/\S*|\b10\.\d{4,9}/(?:x{3,}\b|\.{3}|placeholder|your-?doi)\S*"
    r"|\b10\.\d{4,9}/\S*?x{5,}\S*",
    re.IGNORECASE,
)
_BLANK_ARXIV = re.compile(r"\b(?:\d{2})?x{2,4}\.x{3,5}\b|\b(?:0000\.0{4,5}|\d{4}\.x{4,5})\b", re.I)
_BLANK_PATH = re.compile(
    r"https?://\S*?(?:\[(?:link|url|insert[^\]]*)\]|<(?:link|url)>|/x{4,}(?=[/?#\s]|\Z)|/path/to/\S*)",
    re.IGNORECASE,
)


def placeholder_reason(address: str) -> str | None:
    """Why an address or identifier cannot be that of a source, in a sentence; None for others.

    >>> placeholder_reason("https://doi.org/10.xxxx/abc")
    '“https://doi.org/10.xxxx/abc” is a placeholder, not an identifier of a work.'
    """
    shown = address if len(address) <= 80 else f"{address[:79]}…"
    if _BLANK.search(address) or _BLANK_ARXIV.search(address):
        return f"“{shown}” is a placeholder, not an identifier of a work."
    if _RESERVED.match(address) or _BLANK_PATH.match(address):
        return f"“{shown}” is a placeholder address: there cannot be a source at it."
    return None


def is_blank_identifier(address: str) -> bool:
    """Whether an address holds an identifier with blanks in it, which nobody can resolve."""
    return bool(
        _BLANK.search(address) or _BLANK_ARXIV.search(address) or _BLANK_PATH.match(address)
    )
