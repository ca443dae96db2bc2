"""What a reviewer types into a search box: words that must all occur, and "phrases" in quotes.

A term becomes a pattern that the database (RE2) and Python read alike: any case, with or without
accents, any white space between words, either form of apostrophe and hyphen.
"""

import re
import unicodedata
from functools import cache

from workbench.records import shown

_TERMS = re.compile(r'["“”„«]([^"“”„«»]*)["“”„«»]?|([^\s"“”„«»]+)')
_ALIKE = ("'’ʼ′", "-‐‑–−")
_MARKS = "[\u0300-\u036f]*"
MOST_TERMS = 12


def terms_of(query: str) -> tuple[str, ...]:
    """The words and phrases of a query as typed, each once; at most twelve."""
    found = [" ".join((phrase or word).split()) for phrase, word in _TERMS.findall(shown(query))]
    return tuple(dict.fromkeys(term for term in found if term))[:MOST_TERMS]


def pattern_of(term: str) -> str:
    """The regular expression, to be matched without regard to case, that finds a term."""
    composed = unicodedata.normalize("NFC", term)
    pattern = "".join(_letter(letter) for letter in composed)
    literal = r"\s+".join(re.escape(word) for word in term.split())
    if not pattern:  # nothing but accents
        return literal
    return pattern if composed == term else f"(?:{pattern}|{literal})"


def patterns_of(query: str) -> tuple[str, ...]:
    """The pattern of each term of a query; all of them have to match."""
    return tuple(dict.fromkeys(pattern_of(term) for term in terms_of(query)))


def _letter(letter: str) -> str:
    if letter.isspace():
        return r"\s+"
    for alike in _ALIKE:
        if letter in alike:
            return f"[{alike}]"
    parts = unicodedata.normalize("NFD", letter)
    base, marks = parts[0], parts[1:]
    if not all("\u0300" <= mark <= "\u036f" for mark in marks):
        return f"(?:{re.escape(letter)}|{re.escape(parts)})"
    if "\u0300" <= base <= "\u036f":
        return ""
    variants = _accented().get(base.lower())
    return (
        f"[{base}{variants}]{_MARKS}" if variants else re.escape(base) + (_MARKS if marks else "")
    )


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
