"""What a reviewer types into a search box: words that must all occur, and "phrases" in quotes.

A term becomes a pattern that the database (RE2) and Python read alike: any case, with or without
accents, any white space between words, either form of apostrophe and hyphen; a compatibility
character (`⼈`, `Ａ`, `ﬁ`) is found as what it represents.
"""

import re
import unicodedata
from functools import cache

from workbench.errors import UsageError
from workbench.records.compatible import compatible_variants, fold_compatible
from workbench.records.text import replace_surrogates

_TERMS = re.compile(r'["“”„«]([^"“”„«»]*)["“”„«»]?|([^\s"“”„«»]+)')
_ALIKE = ("'’ʼ′", "-‐‑–−")
_MARKS = "[\u0300-\u036f]*"
_LIGATURES = {"ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ffi": "ﬃ", "ffl": "ﬄ"}
_PIECES = re.compile(r"ff[il]|f[fil]|.", re.IGNORECASE | re.DOTALL)
MOST_TERMS = 12
LONGEST_QUERY = 1_000
"""Characters of a query; the pattern of a longer one does not compile in the database."""


def terms_of(query: str) -> tuple[str, ...]:
    """The words and phrases of a query as typed, each once; at most twelve."""
    terms = [
        " ".join((phrase or word).split())
        for phrase, word in _TERMS.findall(replace_surrogates(query))
    ]
    return tuple(dict.fromkeys(term for term in terms if term))[:MOST_TERMS]


def compile_term_regex(term: str) -> str:
    """The regular expression, to be matched without regard to case, that finds a term."""
    composed = fold_compatible(unicodedata.normalize("NFC", term))
    pattern = "".join(_piece(piece) for piece in _PIECES.findall(composed))
    literal = r"\s+".join(re.escape(word) for word in term.split())
    if not pattern:  # nothing but accents
        return literal
    return pattern if composed == term else f"(?:{pattern}|{literal})"


def patterns_of(query: str) -> tuple[str, ...]:
    """The pattern of each term of a query; all of them have to match.

    Raises:
        UsageError: The query is longer than `LONGEST_QUERY`.
    """
    if len(query) > LONGEST_QUERY:
        raise UsageError(
            f"A search takes at most {LONGEST_QUERY:,} characters, and this one has "
            f"{len(query):,}; search for a few words of it."
        )
    return tuple(dict.fromkeys(compile_term_regex(term) for term in terms_of(query)))


def _piece(piece: str) -> str:
    """The pattern of a letter, or of letters that a font may set as one (`ﬁ`)."""
    apart = [_letter(letter) for letter in piece]
    joined = _LIGATURES.get(piece.lower(), "")
    if len(piece) < 2:
        return apart[0]
    if len(piece) == 2:
        return f"(?:{apart[0]}{apart[1]}|{joined})"
    last = _LIGATURES[piece[1:].lower()]
    return f"(?:{apart[0]}(?:{apart[1]}{apart[2]}|{last})|ﬀ{apart[2]}|{joined})"


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
    variants = _accented().get(base.lower(), "") + _compatible(base)
    return (
        f"[{base}{variants}]{_MARKS}" if variants else re.escape(base) + (_MARKS if marks else "")
    )


def _compatible(letter: str) -> str:
    """The compatibility characters that represent a letter in either case."""
    variants = compatible_variants()
    cases = dict.fromkeys((letter, letter.lower(), letter.upper()))
    return "".join(variants.get(case, "") for case in cases)


@cache
def _accented() -> dict[str, str]:
    """For each letter the small letters that are it with an accent."""
    accented: dict[str, str] = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x2000)):
        letter = chr(code)
        base = unicodedata.normalize("NFD", letter)[0]
        if base != letter and base.isalpha() and letter == letter.lower():
            accented[base.lower()] = accented.get(base.lower(), "") + letter
    return accented
