"""Spans of a text, and how a text is hashed and shown."""

import hashlib
import re
from dataclasses import dataclass, field
from datetime import datetime

from workbench.records.codec import INLINE, Record
from workbench.records.codec import Json as Json
from workbench.records.codec import JsonDict as JsonDict

_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ufffe\uffff]")


def text_bytes(text: str) -> bytes:
    """The bytes a text is stored and hashed as: UTF-8, lone surrogates passed through."""
    return text.encode("utf-8", "surrogatepass")


def text_sha256(text: str) -> str:
    """The SHA-256 of a text's stored bytes, in hexadecimal."""
    return hashlib.sha256(text_bytes(text)).hexdigest()


def replace_surrogates(text: str) -> str:
    """The text with each lone surrogate as U+FFFD, one for one, so that offsets still hold."""
    return _SURROGATES.sub("\ufffd", text)


def in_one_line(typed: str) -> str:
    """A short text that was typed, with single spaces, and without control characters."""
    return " ".join(_CONTROL.sub(" ", replace_surrogates(typed)).split())


@dataclass(frozen=True, slots=True, order=True)
class Span(Record):
    """A half-open range of code points."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The part of `text` that the span covers."""
        return text[self.start : self.end]


class Spanned:
    """`.start` and `.end` for a record that holds a `span`."""

    __slots__ = ()
    span: Span

    @property
    def start(self) -> int:
        """First code point."""
        return self.span.start

    @property
    def end(self) -> int:
        """One past the last code point."""
        return self.span.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt(Spanned, Record):
    """A span of a text together with its words."""

    span: Span = field(metadata=INLINE)
    text: str


def format_iso8601(moment: datetime | None) -> str | None:
    """ISO 8601 of a moment, or None."""
    return moment.isoformat() if moment else None
