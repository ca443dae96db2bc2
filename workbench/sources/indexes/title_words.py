"""How much two titles share, and how a title is put to a search."""

import re
import unicodedata
from urllib.parse import quote

from workbench.records.bibliography import ReferenceEntry
from workbench.records.text import JsonDict
from workbench.sources.indexes.json_fields import as_object, as_text, as_texts

SAME_WORK = 0.6
"""Share of the shorter title's words from which a record may be the entry's work after all."""
OTHER_WORK = 0.34
"""Below it, an identifier's record is another work: then the entry's title is looked up as well."""
FEW_WORDS = 4
"""A title of fewer words is looked up with its first author: there are many `Introduction`s."""
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STEM = 5
"""Letters that are compared: searches find `networks` for `network`."""
_MOST_WORDS = 8
_FEWEST_IN_HALF = 2
_LONGEST = 900
"""Percent-encoded characters of a title in a request: an address has 2,048 at most."""


def title_words(title: str) -> set[str]:
    """The starts of a title's longer words, folded; pairs of characters where nothing is spaced."""
    words = _folded_words(title)
    found = {word[:_STEM] for word in words if len(word) > 3 and not _WIDE.search(word)}
    for word in words:
        if _WIDE.search(word):
            found.update(word[n : n + 2] for n in range(max(1, len(word) - 1)))
    return found or {word[:_STEM] for word in words}


def shared_words(title: str, record: JsonDict) -> float | None:
    """The largest share of a title's words in one of a record's titles, 0 to 1.

    None where it cannot be told: a title is missing, or they are in two scripts.
    """
    words = title_words(title)
    custom = as_object(record.get("custom"))
    shares: list[float] = []
    for known_title in (as_text(record.get("title")), *as_texts(custom.get("titles"))):
        known_words = title_words(known_title)
        if words and known_words and _is_wide(title) == _is_wide(known_title):
            shorter = min(len(words), len(known_words))
            shares.append(len(words & known_words) / shorter)
    return max(shares, default=None)


def shares_no_word(title: str, record: JsonDict) -> bool:
    """Whether a record's titles have not even an `of` in common with a title of the same script."""
    custom = as_object(record.get("custom"))
    words = _stems(title)
    for known_title in (as_text(record.get("title")), *as_texts(custom.get("titles"))):
        known_words = _stems(known_title)
        if not known_words or _is_wide(title) != _is_wide(known_title) or words & known_words:
            return False
    return bool(words)


def search_words(title: str) -> str:
    """A title for a search: without punctuation, which is syntax there, and cut to fit a request.

    >>> search_words('Tides: a "short" (and sweet) history?')
    'Tides a short and sweet history'
    """
    words: list[str] = []
    for word in re.sub(r"[^\w'’-]|_", " ", title).split():
        word = word.strip("-'’")
        if len(quote(" ".join([*words, word]))) > _LONGEST:
            break
        if word:
            words.append(word)
    return " ".join(words)


def telling_words(title: str) -> list[str]:
    """The longest words of a title in its order, for a search in which all have to occur.

    >>> telling_words("Pre-training of deep lanterns for the very slow mines of the northern fjords")
    ['training', 'deep', 'lanterns', 'very', 'slow', 'mines', 'northern', 'fjords']
    """
    words = list(dict.fromkeys(re.findall(r"\w+", search_words(title))))
    longest = sorted(words, key=len, reverse=True)[:_MOST_WORDS]
    telling = [word for word in words if word in longest and len(word) > 3]
    return telling if len(telling) > 1 else [word for word in words if word in longest]


def title_halves(title: str) -> tuple[list[str], ...]:
    """The first and the second half of a title's telling words; none of a short title.

    A search for all of them finds nothing where one of them is wrong; half of them are right then.
    """
    words = telling_words(title)
    middle = len(words) // 2
    return (words[:middle], words[middle:]) if middle >= _FEWEST_IN_HALF else ()


def fitting_title(title: str) -> str:
    """A title as it is written, cut at a word to fit a request."""
    cut = " ".join(title.split())
    while len(quote(cut)) > _LONGEST:
        cut = cut.rpartition(" ")[0] if " " in cut[:-1] else cut[:-10]
    return cut


def first_author(entry: ReferenceEntry) -> str:
    """The family name of the first author, for a search; empty without one."""
    return search_words(entry.authors[0].family) if entry.authors else ""


def is_short(title: str) -> bool:
    """Whether a title is too short to be looked up alone."""
    return len(title.split()) < FEW_WORDS and len(_WIDE.findall(title)) < 2 * FEW_WORDS


def _folded_words(title: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", title.casefold())
    return re.findall(r"\w+", "".join(c for c in plain if not unicodedata.combining(c)))


def _stems(title: str) -> set[str]:
    """The starts of all its words, and its characters where nothing is spaced."""
    words = _folded_words(title)
    wide = {char for word in words if _WIDE.search(word) for char in word}
    return wide | {word[:_STEM] for word in words}


def _is_wide(title: str) -> bool:
    letters = [char for char in title if char.isalpha()]
    return 2 * len(_WIDE.findall(title)) > len(letters)
