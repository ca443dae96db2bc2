"""Spans of a text, how a text is hashed and shown, and letters that stand for others.

Compatibility characters as the letters they stand for, one for one, so that offsets hold.

PDF fonts map Chinese characters to Kangxi radicals (`⼈` for `人`) or compatibility ideographs, and
Latin letters and digits to full-width or mathematical forms. Readers see no difference; a
comparison must not either. What would change the length (`ﬁ`, `㎞`) is left as it is: words are
folded on their own where they are compared (`language.tokenization`, `judging.quotes.normalise`).
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache

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


_RANGES = (
    (0x2F00, 0x2FDF),  # Kangxi radicals
    (0x2E80, 0x2EFF),  # CJK radicals supplement
    (0xF900, 0xFAFF),  # CJK compatibility ideographs
    (0xFF05, 0xFF05),  # full-width percent sign
    (0xFF10, 0xFF19),  # full-width digits
    (0xFF21, 0xFF3A),  # full-width capital letters
    (0xFF41, 0xFF5A),  # full-width small letters
    (0xFF66, 0xFF9D),  # half-width katakana
    (0x1D400, 0x1D7FF),  # mathematical letters and digits
    (0x2F800, 0x2FA1F),  # CJK compatibility ideographs supplement
)
"""Full-width punctuation is left alone: `！` ends a sentence without a blank behind it, `!` not."""
_RADICALS = dict(
    zip(
        "⺟⺠⺩⺝⺜⺫⺬⺶⻁⻄⻅⻆⻉⻋⻑⻓⻔⻘⻙⻚⻛⻜⻝⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻬⻮⻰⻳",
        "母民王月日目示羊虎西见角贝车長长门青韦页风飞食首马骨鬼鱼鸟卤麦黄黾齐齿龙龟",
        strict=True,
    )
)
"""Radicals that are whole characters, after Unicode's EquivalentUnifiedIdeograph; most of them have
no compatibility mapping of their own."""
_CLASS = "[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in _RANGES) + "]"
_COMPATIBLE = re.compile(_CLASS)


def fold_compatible(text: str) -> str:
    """The text with compatibility characters as plain ones: same length, same offsets.

    >>> fold_compatible("⼈⼯智能 ＡＩ")
    '人工智能 AI'
    """
    if text.isascii():
        return text
    return _COMPATIBLE.sub(_plain, text)


def _plain(match: re.Match[str]) -> str:
    char = match[0]
    plain = _RADICALS.get(char) or unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 else char


@cache
def compatible_variants() -> Mapping[str, str]:
    """For each plain character the compatibility characters that represent it, in one string."""
    variants: dict[str, str] = {}
    for low, high in _RANGES:
        for code in range(low, high + 1):
            plain = fold_compatible(chr(code))
            if plain != chr(code):
                variants[plain] = variants.get(plain, "") + chr(code)
    return variants
