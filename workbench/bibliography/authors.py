"""Are these the same people? The authors that an entry lists beside those of a record."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.bibliography.keys import title_key
from workbench.bibliography.titles import script_of
from workbench.records.bibliography import Author

_SPELLINGS = tuple(
    str.maketrans(
        {
            letter: spelled
            for pair in pairs.split()
            for letter, spelled in (
                (pair[0], pair[1:]),
                (pair[0].upper(), pair[1:].capitalize()),
            )
        }
    )
    for pairs in (
        "äae öoe üue øoe åaa đdj",
        "äae öoe üue øoe åaa đdj šsh čch žzh şsh çch ñny ðdh",
        "ōoh üv ūuu",
        "ōou üyu",
    )
)
"""Letters that are written with two others where a keyboard has no such letter."""
_LONG = {"mc": "Mac", "st": "Saint", "organisation": "Organization", "collab": "Collaboration"}
_WRITTEN_OUT = re.compile(r"\bMc(?=[A-Z])|\bSt\.?(?=\s)|\bOrganisation\b|\bCollab\b\.?")
_APOSTROPHE = re.compile(r"\A[dl]['’]\s?(?=\w)|\s[dl]['’]\Z", re.IGNORECASE)
"""A particle that an apostrophe ties to its name: `d’Roe`, filed as `Roe, A. d’`."""
_ROMANISED = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("schtsch|shch|šč", "5"),
        ("tsch|tch|ch|č", "4"),
        ("sch|sh|š", "3"),
        ("zh|ž", "2"),
        ("w", "v"),
        ("[yj](?=e)", ""),
        ("[yj]", "i"),
        ("i+", "i"),
    )
)
"""How Cyrillic letters are romanised in English, German, French and by scholars, one sound each."""
_SOUND = frozenset("2345")
_GROUP = re.compile(
    r"\b(?:groups?|investigators|consorti(?:um|a)|collaborat(?:ion|ors)|committee|network|team|society"
    r"|trialists|task force|working party|association|council|initiative|programme|program|project"
    r"|university|institute|department|ministry|agency|organi[sz]ation|foundation|alliance)\b|组|委员会|协会",
    re.IGNORECASE,
)
"""What shows that an author is a group of people, named beside its members or left out."""
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SUFFIX = re.compile(r"[\s,]+(?:jr|sr|ii|iii|iv|2nd|3rd|ph\.?d|m\.?d)\.?\Z", re.IGNORECASE)
_NUMBERED = re.compile(r"\s\d{4}\Z")
"""DBLP tells people of one name apart by a number: `Wei Wang 0001`."""
_PARTICLES = frozenset(
    "van von der den de da di del della du la le ter ten zu zur al el bin ibn dos das af av".split()
)
_ET_AL = re.compile(r"\bet\s+al\b|\band others\b|等|\bu\.\s?a\.", re.IGNORECASE)
_PLACEHOLDERS = frozenset(
    "anonymous anon unknown author authors firstauthor secondauthor thirdauthor nn noauthor "
    "authora authorb authorc authorone authortwo johndoe janedoe doejohn doejane unknownauthor "
    "lastname firstname namefirst surname authorname anonymousauthor anonymousauthors tba tbd "
    "variousauthors 佚名 作者 张三 李四 某某".split()
)
"""Folded names that stand where an author's name should."""


class AuthorsComparison(NamedTuple):
    """Whether two lists of authors agree."""

    agrees: bool | None
    """None where one of them names nobody."""
    why: str
    shared: float
    """Share of the entry's authors whose family name the record lists, from 0 to 1."""


def compare_authors(
    authors: Sequence[Author], complete: bool, registered: Sequence[Author], listed_all: bool = True
) -> AuthorsComparison:
    """How the authors of an entry compare with those of a record.

    Initials agree with the first names that they begin; the order of family and first name, of
    accents and of particles does not count. A list that an entry calls complete has to name
    everybody; one with “et al.” has to name people of the record and begin with its first author.

    Args:
        authors: Those of the entry.
        complete: Whether the entry says that these are all.
        registered: Those of the record.
        listed_all: Whether the record names all of its authors.
    """
    placeholders = [author.name for author in authors if is_placeholder_name(author)]
    if placeholders:
        return AuthorsComparison(False, f"“{placeholders[0]}” is a placeholder, not a name.", 0.0)
    if not authors or not registered:
        return AuthorsComparison(None, "", 0.0)
    partners, first_names_differ = _pair(authors, registered)
    matched = {at for at in partners if at is not None}
    unmatched = [author for author, at in zip(authors, partners, strict=True) if at is None]
    missing = [other for at, other in enumerate(registered) if at not in matched]
    if matched:
        # the group that people wrote for is named beside them or left out
        unmatched = [author for author in unmatched if not _is_group(author)]
        missing = [other for other in missing if not _is_group(other)]
    shared = 1 - len(unmatched) / len(authors)
    if first_names_differ and len(unmatched) < len(authors):
        author, other = first_names_differ[0]
        return AuthorsComparison(
            False, f"The first name differs: “{author.name}” here, “{other.name}” there.", shared
        )
    if unmatched and len(missing) >= len(unmatched) and _in_other_scripts(unmatched, missing):
        return AuthorsComparison(None, "The names are in different scripts.", shared)
    names = [author.name for author in unmatched]
    if len(unmatched) == len(authors):
        return AuthorsComparison(False, "No author is the same.", 0.0)
    if unmatched and (listed_all or len(authors) <= len(registered)):
        return AuthorsComparison(
            False, f"Not among the record's authors: {_listed(names)}.", shared
        )
    if complete and missing:
        names = [other.name for other in missing]
        return AuthorsComparison(False, f"Not named in the entry: {_listed(names)}.", shared)
    if (
        partners[0] not in (0, None)
        and not _alphabetical(registered)
        and not _alphabetical(authors)
        and not any(_is_group(other) for other in registered[: partners[0]])
    ):
        return AuthorsComparison(
            False, f"The first author is {registered[0].name}, not {authors[0].name}.", shared
        )
    return AuthorsComparison(True, "", shared)


def _is_group(author: Author) -> bool:
    return not author.given and _GROUP.search(author.family) is not None


def _in_other_scripts(authors: Sequence[Author], others: Sequence[Author]) -> bool:
    """Whether all of some names are written in another script than all of the others."""
    scripts = {script_of(author.name) for author in authors}
    other_scripts = {script_of(other.name) for other in others}
    return len(scripts) == len(other_scripts) == 1 and scripts != other_scripts


def authors_in_text(registered: Sequence[Author], text: str) -> AuthorsComparison:
    """Whether a record's authors stand in an entry whose names could not be told apart.

    Agrees where the family names of all stand there, or that of the first beside “et al.”; else
    this cannot be told.
    """
    words = {fold_name(word) for word in re.split(r"[\s,;.&()\[\]]+", text)}
    squeezed = fold_name(text)
    shown = [
        fold_name(author.family) in words
        or (len(fold_name(author.family)) > 4 and fold_name(author.family) in squeezed)
        or (_WIDE.search(author.name) is not None and fold_name(author.name) in squeezed)
        for author in registered
    ]
    if not shown:
        return AuthorsComparison(None, "", 0.0)
    cut = _ET_AL.search(text) is not None
    share = sum(shown) / len(shown)
    return AuthorsComparison(True if all(shown) or (cut and shown[0]) else None, "", share)


def is_placeholder_name(author: Author) -> bool:
    """Whether a name stands for nobody: `Anonymous`, `Author One`, `John Doe`."""
    whole = fold_name(f"{author.given}{author.family}")
    return whole in _PLACEHOLDERS or (
        fold_name(author.family) in ("author", "lastname", "surname", "anonymous")
    )


@lru_cache(maxsize=8192)
def fold_name(name: str) -> str:
    """A name's letters alone, lower case, without accents: `Müller-Ø.` is `mullero`."""
    return title_key(name)


def _pair(
    authors: Sequence[Author], registered: Sequence[Author]
) -> tuple[list[int | None], list[tuple[Author, Author]]]:
    """For each author the index of that person in the record, and pairs whose first names differ.

    Linear where both lists are in the same order; people of one family name are looked up by it.
    """
    by_family: dict[str, list[int]] = {}
    for at, other in enumerate(registered):
        for key in _family_keys(other):
            by_family.setdefault(key, []).append(at)
    taken: set[int] = set()
    partners: list[int | None] = []
    differing: list[tuple[Author, Author]] = []
    for position, author in enumerate(authors):
        candidates = [position] if position < len(registered) else []
        for key in _family_keys(author):
            candidates += by_family.get(key, [])[:50]
        same = next(
            (at for at in candidates if at not in taken and _same_person(author, registered[at])),
            None,
        )
        if same is None:
            namesake = next(
                (
                    at
                    for at in candidates
                    if at not in taken and _same_family(author, registered[at])
                ),
                None,
            )
            if namesake is not None:
                differing.append((author, registered[namesake]))
            same = namesake
        if same is not None:
            taken.add(same)
        partners.append(same)
    return partners, differing


def _family_keys(author: Author) -> set[str]:
    """The folded words by which a person may be filed, so that swapped names are met too."""
    keys = {fold_name(author.family)}
    for word in f"{author.family} {author.given}".replace("-", " ").split():
        folded = fold_name(word)
        if len(folded) > 1 and folded not in _PARTICLES:
            keys.add(folded)
    for part in (author.family, author.given, _bare(author.family)):
        keys |= _spellings(part)
    keys.add(_romanised(author.family))
    whole = f"{author.family}{author.given}"
    if _WIDE.search(whole):
        keys |= {fold_name(whole), fold_name(f"{author.given}{author.family}")}
    keys.discard("")
    return keys


def _spellings(name: str) -> set[str]:
    """A folded name, with its accents left out and with its letters written as two."""
    spelled = {fold_name(_WRITTEN_OUT.sub(lambda match: _LONG[match[0].lower().rstrip(".")], name))}
    if name.isascii():
        return {fold_name(name), *spelled}
    tables = (fold_name(name.translate(table)) for table in _SPELLINGS)
    return {fold_name(name), *spelled, *tables}


def _same_person(author: Author, other: Author) -> bool:
    if _same_family(author, other) and _first_names_fit(author.given, other.given):
        return True
    romanised = _romanised(author.family)
    if romanised and romanised == _romanised(other.family):
        first, other_first = fold_name(author.given)[:1], fold_name(other.given)[:1]
        return first == other_first or {first, other_first} <= set("eijy")
    words, others = _words(author), _words(other)
    if words and words == others:
        return True
    whole, whole_other = fold_name(author.name), fold_name(other.name)
    if _WIDE.search(author.name) or _WIDE.search(other.name):
        turned = fold_name(f"{author.family}{author.given}")
        return whole_other in (whole, turned)
    # a given name filed as the family name
    return bool(
        author.given
        and other.given
        and fold_name(author.family) == fold_name(other.given)
        and _first_names_fit(author.given, other.family)
    )


@lru_cache(maxsize=8192)
def _romanised(family: str) -> str:
    """The sounds of a romanised Cyrillic name; empty for one without a sound that is spelled in many ways."""
    sounds = unicodedata.normalize("NFC", family).casefold()
    for pattern, sound in _ROMANISED:
        sounds = pattern.sub(sound, sounds)
    return sounds if len(sounds) > 5 and not _SOUND.isdisjoint(sounds) else ""


def _same_family(author: Author, other: Author) -> bool:
    family, other_family = _bare(author.family), _bare(other.family)
    spellings = _spellings(family) | _spellings(author.family)
    if spellings & (_spellings(other_family) | _spellings(other.family)) - {""}:
        return True
    if not author.given and not other.given and _is_acronym(family, other_family):
        return True
    parts, other_parts = _parts(family), _parts(other_family)
    if not parts or not other_parts:
        return False
    # a particle or one of two family names left out
    shorter, longer = sorted((parts, other_parts), key=len)
    return longer[-len(shorter) :] == shorter or longer[: len(shorter)] == shorter


def _is_acronym(name: str, other: str) -> bool:
    """Whether one of two bodies is named by the initials of the other: `WHO`."""
    short, full = sorted((name, other), key=len)
    initials = "".join(word[0] for word in re.split(r"[\s-]+", full) if word[:1].isupper())
    return len(short) > 1 and short.isupper() and short == initials


def _first_names_fit(first: str, other: str) -> bool:
    """Whether two first names can be those of one person; a missing one fits any."""
    first, other = _bare(first), _bare(other)
    names, others = _parts(first), _parts(other)
    if not names or not others or _spellings(first) & _spellings(other):
        return True
    if any(
        one.startswith(two) or two.startswith(one)
        for one in _spellings(first)
        for two in _spellings(other)
        if min(len(one), len(two)) > 1
    ):
        return True
    if "".join(names) == "".join(others) or set(names) & {name for name in others if len(name) > 1}:
        return True
    initials = _initials(first), _initials(other)
    if _is_initials(first) or _is_initials(other):
        shorter, longer = sorted(initials, key=len)
        return longer.startswith(shorter) or shorter[0] in longer
    short, long = sorted((names[0], others[0]), key=len)
    if long.startswith(short) or any(name in others for name in names):
        return True
    # second names as initials in another order: `J. Robert` and `Robert J.`
    return any(
        len(name) == 1 and initials[1][:1] == name or len(name) > 1 and name in others
        for name in names
    )


def _is_initials(given: str) -> bool:
    letters = [char for char in given if char.isalpha()]
    words = [word for word in re.split(r"[\s.\-‐]+", given) if word]
    return all(len(word) <= 1 for word in words) or (
        len(words) == 1 and len(letters) <= 3 and given.isupper()
    )


def _initials(given: str) -> str:
    if _is_initials(given):
        return fold_name(given)
    return "".join(part[0] for part in _parts(given))


def _bare(family: str) -> str:
    return _APOSTROPHE.sub("", _NUMBERED.sub("", _SUFFIX.sub("", family.strip())))


def _parts(name: str) -> list[str]:
    """Its folded words without particles."""
    folded = [fold_name(word) for word in re.split(r"[\s\-‐.]+", _bare(name))]
    return [word for word in folded if word and word not in _PARTICLES] or [
        word for word in folded if word
    ]


def _words(author: Author) -> list[str]:
    return sorted(_parts(f"{author.family} {author.given}"))


def _alphabetical(authors: Sequence[Author]) -> bool:
    families = [fold_name(author.family) for author in authors]
    return len(families) > 2 and families == sorted(families)


def _listed(names: Sequence[str], most: int = 3) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
