"""Does a DOI name the work that the reference says? Crossref's metadata, compared by title."""

import json
import re
from dataclasses import dataclass

from workbench.records import Json

_ALIKE = 45.0
"""Likeness in percent below which two titles are two works; kept low, entries are often garbled."""
_FEWEST_WORDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What Crossref knows of a DOI."""

    titles: tuple[str, ...]
    """Its title first, then its other titles."""
    year: int | None


def parse_work(body: bytes) -> Work | None:
    """The work of a Crossref reply; None when it holds none."""
    try:
        reply: Json = json.loads(body)
    except (ValueError, RecursionError):
        return None
    message = reply.get("message") if isinstance(reply, dict) else None
    if not isinstance(message, dict):
        return None
    titles: list[str] = []
    for field in ("title", "original-title", "short-title"):
        listed = message.get(field)
        titles += (
            [_plain(t) for t in listed if isinstance(t, str)] if isinstance(listed, list) else []
        )
    subtitles = message.get("subtitle")
    if titles and isinstance(subtitles, list) and subtitles and isinstance(subtitles[0], str):
        titles.append(f"{titles[0]}: {_plain(subtitles[0])}")
    year: int | None = None
    issued = message.get("issued")
    if isinstance(issued, dict):
        parts = issued.get("date-parts")
        first = parts[0] if isinstance(parts, list) and parts else None
        if isinstance(first, list) and first and isinstance(first[0], int):
            year = first[0]
    return Work(titles=tuple(t for t in titles if t), year=year) if titles else None


def names_another_work(work: Work, title: str) -> bool:
    """True when no title of the work is anything like the reference's title.

    False where it cannot be told: a title of one or two words, or titles in two scripts.
    """
    from rapidfuzz import fuzz

    wanted = _words(title)
    if len(wanted.split()) < _FEWEST_WORDS and wanted.isascii():
        return False
    alike = 0.0
    for known in work.titles:
        words = _words(known)
        if not words or _script(words) != _script(wanted):
            return False
        alike = max(alike, fuzz.token_set_ratio(wanted, words), fuzz.partial_ratio(wanted, words))
    return alike < _ALIKE


def _plain(title: str) -> str:
    return " ".join(re.sub(r"<[^<>]{1,60}>", "", title).split())


def _words(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.casefold()))


def _script(words: str) -> str:
    letters = [char for char in words if char.isalpha()]
    plain = sum(ord(char) < 0x250 for char in letters)
    return "latin" if plain * 2 >= len(letters) else "other"
