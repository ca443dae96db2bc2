"""The parts of a list of names, each with a letter for the kind of each of its words."""

import re
from functools import lru_cache
from typing import NamedTuple

from workbench.citations.lexicon import PARTICLES

_SEPARATOR = re.compile(
    r"[,，、]\s{0,3}(?P<listed>(?:and|&|und|et(?!\s?al\b)|en|og|och|y|e|и)\s{1,3})?"
    r"|\s{1,3}(?P<joint>and|&|und|et(?!\s?al\b)|og|och|и|/)\s{1,3}|(?<=\w)&(?=\w)"
)
_SMALL_JOINT = re.compile(r"\s(?:y|e|en|i)\s")
DOTTED = re.compile(r"(?:[^\W\d_]\.[-‐]?){1,5}[^\W\d_]?\.?|[^\W\d_](?:[-‐][^\W\d_])?\.?")
_SHORT_DOTTED = re.compile(r"(?:[A-ZА-Я][a-zа-я]{1,2}\.[-‐]?){1,2}(?:[A-ZА-Я]\.)?")
_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV|2nd|3rd|Jnr)\.?", re.IGNORECASE)
_DEGREE = re.compile(r"(?:(?:Jr|Sr|II|III|IV|2nd|3rd|Ph\.?D|M\.?D|Esq)\.?\s?){1,2}", re.IGNORECASE)
_HYPHENED = re.compile(r"[^\W\d_]{1,3}[-‐][^\W\d_]{1,3}")
BIG_PARTICLES = frozenset(
    "Van Von De Der Den Del Della Di Da Dos Du La El Al Ter Ten Bin Ibn Abu Vande Ní Nic"
    " Ó Lo St. St Ben Le Freifrau Freiherr".split()
)
_NEVER_GIVEN = frozenset("Ní Nic Ó Lo St. Freifrau Freiherr".split())
_PLAIN_NAME = re.compile(r"[A-Z][a-zà-ÿ]{2,19}|[A-Z][a-z]{1,9}-[A-Z][a-z]{1,9}")
_INNER_CAPITAL = re.compile(r"(?:[a-z]{1,3}['’‘`ʼ-])[^\W\d_]")
_MORE_PARTICLES = frozenset("do e y i den vom zum del san abu binti t s d".split())
_DIGIT = re.compile(r"\d")
_NEVER_IN_NAMES = frozenset(":?!/@=<>%#+&()[]|")


class NamePart(NamedTuple):
    """The words between two separators."""

    words: tuple[str, ...]
    shape: str
    """A letter for each word; `X` alone where they are no name."""
    joint: bool
    """Whether a word like `and` stands before them."""

    @property
    def text(self) -> str:
        """The words as written, single blanks between them."""
        return " ".join(self.words)


def read_parts(head: str) -> list[NamePart]:
    """The parts of a list of names; none when one of them is no name."""
    if " and " not in head and " & " not in head and _SMALL_JOINT.search(head):
        head = _spanish(head)
    parts: list[NamePart] = []
    at, joint = 0, False
    for match in _SEPARATOR.finditer(head):
        if not _add(parts, head[at : match.start()], joint):
            return []
        joint = bool(match["listed"] or match["joint"])
        at = match.end()
    return parts if _add(parts, head[at:], joint) else []


def _spanish(head: str) -> str:
    """A head in which `y`, `e`, `en` and `i` between two people read `&`; in a surname they stay."""
    pieces = _SMALL_JOINT.split(head)
    if "," not in pieces[0] and " " not in pieces[0] and "," in head:
        return head
    inverted = pieces[0].endswith(".")
    if (
        len(pieces) == 2
        and len(pieces[1].split()) > 1
        and (inverted or not pieces[1].split()[0].endswith(","))
    ):
        return " & ".join(pieces)
    return head


def _add(parts: list[NamePart], words: str, joint: bool) -> bool:
    """Whether words between separators are a name; they are then added to the parts."""
    split = tuple(words.split())
    if not split:
        return True
    if len(split) > 9 or len(split) > 1 and split[0] == "A":
        return False
    shape = ""
    for word in split:
        inside = word == "Y" and shape == "W" and len(split) > 3 and split[0].isupper()
        letter = "P" if inside else _letter(word)  # `ORTEGA Y RUIZ I`
        if letter == "X" or shape and _ends(split[len(shape) - 1], shape[-1]):
            return False
        if not shape and letter in "SQ":
            letter = "W" if letter == "Q" and word not in _NEVER_GIVEN else letter
        shape += letter
    if len(shape) > 1 and shape[-1] == "Q":
        shape = shape[:-1] + "W"
    if parts and (shape == "S" or shape[0] in "SCIW" and _DEGREE.fullmatch(words.strip())):
        last = parts[-1]
        parts[-1] = last._replace(words=last.words + split, shape=last.shape + "S")
        return True
    parts.append(NamePart(split, "W" + shape[1:] if shape[0] == "S" else shape, joint))
    return True


def _ends(word: str, letter: str) -> bool:
    """Whether a word ends a sentence, so that no name goes on after it."""
    return letter == "W" and len(word) > 4 and word[-1] == "."


@lru_cache(maxsize=4096)
def _letter(word: str) -> str:
    """I initials, C few capitals, W a name, P a particle, Q a capital one, S a suffix, X no name."""
    if _PLAIN_NAME.fullmatch(word) and word not in BIG_PARTICLES:
        return "W"
    bare = word.strip("*_'’‘\"“”()") if word not in ("St.",) else word
    if bare in ("T", "t") and word[0] in "'’‘":
        return "P"
    if _SUFFIX.fullmatch(bare) and bare.isascii() and bare not in ("JR", "SR"):
        return "S"
    if not bare or not _NEVER_IN_NAMES.isdisjoint(bare) or _DIGIT.search(bare):
        return "X"
    if bare[0].islower():
        lower = bare.rstrip(".")
        if lower in PARTICLES or lower in _MORE_PARTICLES:
            return "P"
        inner = _INNER_CAPITAL.match(bare)
        return "W" if inner and bare[inner.end() - 1].isupper() else "X"
    if not bare[0].isalpha() and bare[0] not in "ʻʿ‘":
        return "X"
    if bare in BIG_PARTICLES:
        return "Q"
    if DOTTED.fullmatch(bare) and bare[0].isupper() and (bare.isupper() or "-" in bare):
        return "I"
    if _SHORT_DOTTED.fullmatch(bare) and bare != "St.":
        return "I"
    if bare.isupper() and (len(bare) <= 4 and bare.isalpha() or _HYPHENED.fullmatch(bare)):
        return "C"
    return "Q" if bare in BIG_PARTICLES else "W"
