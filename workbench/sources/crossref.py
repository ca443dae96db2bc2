"""Does a DOI name the work that the reference says? Crossref's metadata, compared by title."""

import json
import re
from dataclasses import dataclass

from workbench.records.text import Json

_SHARED_WORDS = 0.34
"""Share of the shorter title's words below which two titles are two works: entries are often
garbled or cut, so little is asked for."""
_FEWEST_WORDS = 2
_LONG_WORD = 4
_STEM = 6
"""Letters that are compared, so that `station` and `stations` are one."""


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
    """True when no title of the work shares its words with the reference's title.

    False where this is unclear: a title of one or two words, or titles in two scripts.
    """
    title_words = _words(title)
    for known_title in work.titles:
        words = _words(known_title)
        smaller = min(len(title_words), len(words))
        if smaller < _FEWEST_WORDS or _script(known_title) != _script(title):
            return False
        if len(title_words & words) >= _SHARED_WORDS * smaller:
            return False
    return True


def _plain(title: str) -> str:
    return " ".join(re.sub(r"<[^<>]{1,60}>", "", title).split())


def _words(title: str) -> set[str]:
    """Its telling words; pairs of characters where the script has no spaces."""
    words: set[str] = set()
    for word in re.findall(r"\w+", title.casefold()):
        if re.search(r"[\u3040-\u30ff\u3400-\u9fff]", word):
            words.update(word[n : n + 2] for n in range(len(word) - 1))
        elif len(word) >= _LONG_WORD:
            words.add(word[:_STEM])
    return words


def _script(title: str) -> str:
    letters = [char for char in title if char.isalpha()]
    plain = sum(ord(char) < 0x250 for char in letters)
    return "latin" if plain * 2 >= len(letters) else "other"
