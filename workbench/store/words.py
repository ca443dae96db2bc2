"""What a reviewer types into a search box: words that must all occur, and "phrases" in quotes.

A term becomes a pattern that the database (RE2) and Python read alike: any case, with or without
accents, any white space between words, either form of apostrophe and hyphen.
"""

import re
import unicodedata
from functools import cache

_TERMS = re.compile(r'["“”„«]([^"“”„«»]*)["“”„«»]?|([^\s"“”„«»]+)')
_ALIKE = ("'’ʼ′", "-‐‑–−")
_MARKS = "[\u0300-\u036f]*"
MOST_TERMS = 12


def terms_of(query: str) -> tuple[str, ...]:
    """The words and phrases of a query as typed, each once; at most twelve."""
    found = [" ".join((phrase or word).split()) for phrase, word in _TERMS.findall(query)]
    return tuple(dict.fromkeys(term for term in found if term))[:MOST_TERMS]


def pattern_of(term: str) -> str:
    """The regular expression, to be matched without regard to case, that finds a term."""
    return "".join(_letter(letter) for letter in unicodedata.normalize("NFD", term))


def patterns_of(query: str) -> tuple[str, ...]:
    """The pattern of each term of a query; all of them have to match."""
    return tuple(dict.fromkeys(pattern_of(term) for term in terms_of(query)))


def _letter(letter: str) -> str:
    if letter.isspace():
        return r"\s+"
    if "\u0300" <= letter <= "\u036f":
        return ""
    for alike in _ALIKE:
        if letter in alike:
            return f"[{alike}]"
    variants = _accented().get(letter.lower())
    return f"[{letter}{variants}]{_MARKS}" if variants else re.escape(letter)


@cache
def _accented() -> dict[str, str]:
    """For each letter the small letters that are it with an accent."""
    found: dict[str, str] = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x2000)):
        letter = chr(code)
        base = unicodedata.normalize("NFD", letter)[0]
        if base != letter and base.isalpha() and letter == letter.lower():
            found[base.lower()] = found.get(base.lower(), "") + letter
    return found
