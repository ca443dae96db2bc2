"""What a reviewer types into a search box: words that must all occur, and "phrases" in quotes."""

import re
import unicodedata

_TERMS = re.compile(r'["“”„«]([^"“”„«»]*)["“”„«»]?|([^\s"“”„«»]+)')
MOST_TERMS = 12


def terms_of(query: str) -> tuple[str, ...]:
    """The words and phrases of a query as typed, each once; at most twelve."""
    found = [" ".join((phrase or word).split()) for phrase, word in _TERMS.findall(query)]
    return tuple(dict.fromkeys(term for term in found if term))[:MOST_TERMS]


def folded(text: str) -> tuple[str, list[int]]:
    """The text in lower case without accents, and for each of its characters the place it had."""
    letters: list[str] = []
    places: list[int] = []
    for place, letter in enumerate(text):
        for part in unicodedata.normalize("NFD", letter.lower()):
            if not unicodedata.combining(part):
                letters.append(part)
                places.append(place)
    return "".join(letters), places
