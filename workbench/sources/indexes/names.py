"""Author names as services write them, taken apart into family and given names."""

import re

from workbench.records.text import JsonDict

_BODY = re.compile(
    r"\b(?:collaborations?|consortium|team|group|network|committee|society|association|institutes?"
    r"|university|universität|université|department|ministry|agency|organi[sz]ation|council|office"
    r"|foundation|initiative|project|investigators|centers?|centre|commission|bureau|authority"
    r"|union|corporation|inc|gmbh|ltd|llc|contributors|developers|authors|members|openai|deepmind)\b",
    re.IGNORECASE,
)
_PARTICLES = frozenset({
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "das", "du", "des", "la",
    "le", "el", "al", "bin", "ibn", "ben", "ter", "ten", "te", "zu", "zur", "af", "av", "do", "'t",
    "st", "st.",
})  # fmt: skip
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|2nd|3rd|4th)\.?", re.IGNORECASE)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af·]+")
_INITIALS = re.compile(r"[A-ZÀ-ÞĀ-Ž]{1,4}")


def person_or_body(name: str) -> JsonDict:
    """A CSL author of a full name: `Given Family`, `Family, Given`, or a body.

    >>> person_or_body("Ludwig van der Berg")
    {'family': 'van der Berg', 'given': 'Ludwig'}
    >>> person_or_body("Survey of Tides Consortium")
    {'literal': 'Survey of Tides Consortium'}
    """
    name = " ".join(name.split())
    if _BODY.search(name) or _WIDE.fullmatch(name.replace(" ", "")):
        return {"literal": name}
    if "," in name:
        family, _, given = name.partition(",")
        return person(family, given)
    words = name.split()
    suffix = f" {words.pop()}" if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    start = len(words) - 1
    while start > 1 and words[start - 1].lower() in _PARTICLES:
        start -= 1
    return person(" ".join(words[start:]) + suffix, " ".join(words[:start]))


def family_with_initials(name: str) -> JsonDict:
    """A CSL author of a name as PubMed writes it: `van der Berg LJ`.

    >>> family_with_initials("van der Berg LJ")
    {'family': 'van der Berg', 'given': 'LJ'}
    """
    words = name.split()
    suffix = f" {words.pop()}" if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    if len(words) > 1 and _INITIALS.fullmatch(words[-1]):
        return person(" ".join(words[:-1]), words[-1] + suffix)
    return {"literal": name} if _BODY.search(name) else person(name, "")


def person(family: str, given: str) -> JsonDict:
    """A CSL author; a name alone is the family name."""
    family, given = " ".join(family.split()), " ".join(given.split())
    if not family:
        return {"family": given}
    return {"family": family, "given": given} if given else {"family": family}
