"""The first quotation of an entry: in most styles that use one, its title."""

import re
from typing import NamedTuple

_PAIRS = {
    "“": "”",
    "„": "“”",
    "«": "»",
    "‘": "’",
    "《": "》",
    "「": "」",
    "『": "』",
    "〈": "〉",
    "»": "«",
}
_OPEN = re.compile(
    r"[“„«‘\"'`《「『〈](?:(?<=[《「『〈])|(?<![\w’'].)(?:(?<=[“„«‘])|(?<=\")(?=[^\s\"])|(?<=')'|(?<=`)`"
    r"|(?<=')(?=[^\W_])))"
)
LONGEST_TITLE = 500
_ENDS = ".,;:)]—–-\n"


class Quote(NamedTuple):
    """A quotation with its signs at `start` and before `end`; its words are `inner:close`."""

    start: int
    inner: int
    close: int
    end: int
    sign: str


def find_quote(words: str, start: int = 0) -> Quote | None:
    """The first quotation at or after a place that holds words and is closed."""
    for number, match in enumerate(_OPEN.finditer(words, start, start + 4000)):
        if number > 8:
            break
        close = _close(words, match[0], match.end())
        if close is not None:
            return Quote(match.start(), match.end(), close[0], close[1], match[0])
    return None


def _close(words: str, sign: str, inner: int) -> tuple[int, int] | None:
    """Where the quotation ends; of straight signs the first that a quotation can end with."""
    stop = min(len(words), inner + LONGEST_TITLE)
    line = words.find("\n", inner, stop)
    stop = line if line >= 0 else stop
    if sign in ('"', "'", "''", "``", "‘"):
        return _close_straight(words, {"``": "''", "‘": "’"}.get(sign, sign), inner, stop)
    depth = 0
    for at in range(inner, stop):
        if words[at] == sign and sign != "„":
            depth += 1
        elif words[at] in _PAIRS[sign] or words[at] in '”"' and sign in "“„":
            if not depth:
                return (at, at + 1) if at > inner + 1 else None
            depth -= 1
    return None


def _close_straight(words: str, sign: str, inner: int, stop: int) -> tuple[int, int] | None:
    at = words.find(sign, inner + 1, stop)
    fallback = None
    while at >= 0:
        after = words[at + len(sign) : at + len(sign) + 1]
        before = words[at - 1]
        if not after.isalnum() and not before.isspace():
            if before in ",.?!" or not after or after in _ENDS:
                return at, at + len(sign)
            fallback = fallback or (at, at + len(sign))
        at = words.find(sign, at + 1, stop)
    return fallback
