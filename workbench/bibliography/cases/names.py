"""Whether two case names name one case: parties are compared, not captions.

Captions of one case differ with who prints them: abbreviations (Bluebook table T6 and any other
that leaves letters out), `et al.`, first names, offices, `In re` for `Matter of`, the government's
name, and the order of the parties after an appeal. The parties' own names decide.
"""

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

_VERSUS = re.compile(r"\s(?:v|vs|versus|against)\.?\s", re.IGNORECASE)
_SINGLE = re.compile(
    r"(?:in re|in the matter of|ex parte|matter of|(?:petition|application|appeal) of)\b:?\s",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r",?\s(?:et al|et ux|et vir|d/b/a|a/k/a|f/k/a|individually|on behalf of|as (?:executor|executrix"
    r"|administrator|administratrix|trustee|receiver|guardian|next friend))\b.*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['.&][^\W_]+)*['.]?")
_CORPORATE = frozenset(
    ["inc", "incorporated", "corp", "corporation", "co", "cos", "company", "companies", "ltd"]
    + ["limited", "llc", "llp", "lp", "pc", "pa", "plc", "na", "sa", "ag", "gmbh", "nv", "bv"]
)
_EMPTY = frozenset(
    ["the", "of", "and", "for", "a", "an", "in", "on", "at", "by", "to", "et", "al", "jr", "sr"]
    + ["ii", "iii", "iv", "mr", "mrs", "ms", "dr", "de", "ex", "rel", "no"]
)
_SHORT = {
    "am": "america",
    "amer": "america",
    "american": "america",
    "auto": "automobile",
    "automotive": "automobile",
    "bros": "brothers",
    "cty": "county",
    "cnty": "county",
    "cntys": "county",
    "counties": "county",
    "exch": "exchange",
    "ft": "fort",
    "ind": "industry",
    "indus": "industry",
    "industries": "industry",
    "ins": "insurance",
    "mfg": "manufacturing",
    "mfr": "manufacturer",
    "mt": "mount",
    "natl": "national",
    "ry": "railway",
    "rwy": "railway",
    "saint": "st",
    "sys": "system",
    "systems": "system",
    "us": "unitedstates",
    "usa": "unitedstates",
}
"""Abbreviations that leave no letters to go by, and words that only differ in form."""
_GOVERNMENT = frozenset(["unitedstates", "people", "state", "commonwealth", "government"])
_STATES = frozenset(
    "alabama alaska arizona arkansas california colorado connecticut delaware florida georgia "
    "hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts "
    "michigan minnesota mississippi missouri montana nebraska nevada newhampshire newjersey "
    "newmexico newyork northcarolina northdakota ohio oklahoma oregon pennsylvania rhodeisland "
    "southcarolina southdakota tennessee texas utah vermont virginia washington westvirginia "
    "wisconsin wyoming".split()
)
_TWO_WORDS = re.compile(
    r"\b(new (?:hampshire|jersey|mexico|york)|(?:north|south) (?:carolina|dakota)|rhode island"
    r"|west virginia|united states(?: of america)?|rail ?road|u\. ?s\.(?: ?a\.)?|r\. ?r\.)(?!\w)",
    re.IGNORECASE,
)
_PLACE = frozenset(["city", "county", "town", "township", "village", "borough", "university"])
_PLACE_WORDS = _PLACE | {"board", "department", "school", "district"}
_SPELLING = 0.85
"""Likeness of two words (`difflib`'s ratio) from which one may be the other misspelled."""


class _Party(NamedTuple):
    """A party by the words that tell it from others."""

    words: tuple[str, ...]
    government: bool
    """The United States, a state or its people, and nobody beside them."""
    initials: str


def compare_case_names(name: str, other_name: str) -> bool | None:
    """Whether two case names name one case; None where one of them names no party."""
    parties, other_parties = _parties(name), _parties(other_name)
    if not parties or not other_parties:
        return None
    if len(parties) == 2 and len(other_parties) == 2:
        (first, second), (other_first, other_second) = parties, other_parties
        straight = _same(first, other_first) and _same(second, other_second)
        return straight or (_same(first, other_second) and _same(second, other_first))
    return any(
        _same(party, other)
        for party in parties
        for other in other_parties
        if not party.government and not other.government
    )


def share_party(name: str, other_name: str) -> bool:
    """Whether a party of one case name, misspelled perhaps, is one of the other's.

    The government is no such party: half of all cases are against it.
    """
    return any(
        _same(party, other) or _misspelled(party, other)
        for party in _parties(name)
        for other in _parties(other_name)
        if not party.government and not other.government
    )


@lru_cache(maxsize=4096)
def _parties(name: str) -> tuple[_Party, ...]:
    """The parties of a case name: one, or the first two."""
    plain = _folded(name)
    single = _SINGLE.search(f"{plain} ")
    if single and single.start() < 3:
        plain = plain[single.end() :]
    sides = _VERSUS.split(f" {plain} ", maxsplit=1)
    parties = [party for side in sides if (party := _party(side)) is not None]
    return tuple(parties) if len(parties) == len(sides) else ()


def _folded(name: str) -> str:
    """The name without accents, typographic signs, markup and runs of blanks."""
    name = name.replace("\u2019", "'").replace("\u2018", "'").replace("\u00df", "ss")
    name = name.replace("\u00f8", "o").replace("\u0142", "l").replace("*", "").replace("_", " ")
    decomposed = unicodedata.normalize("NFKD", name)
    letters = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return " ".join(letters.lower().split())


def _party(side: str) -> _Party | None:
    side = _TAIL.sub("", side).strip(" ,;:")
    side = _TWO_WORDS.sub(_joined, side)
    marked = _WORD.findall(side)
    words = [_canonical(word) for word in marked]
    named = [word for word in words if word.rstrip(".'") not in _EMPTY]
    distinct = [word for word in named if word.rstrip(".'") not in _CORPORATE] or named
    if not distinct:
        return None
    plain = [word.rstrip(".'") for word in distinct]
    government = set(plain) <= _GOVERNMENT | _STATES | {"america"} and not (
        len(plain) == 1 and plain[0] == "america"
    )
    if not government and len(plain) > 1:
        # A relator is the party: the government lends its name.
        own = [word for word in distinct if word.rstrip(".'") not in _GOVERNMENT]
        distinct = own or distinct
    return _Party(tuple(distinct), government, "".join(word[0] for word in distinct))


def _joined(match: re.Match[str]) -> str:
    letters = re.sub(r"[\s.]", "", match[0])
    known = {"rr": "railroad", "us": "unitedstates", "usa": "unitedstates"}
    return known.get(letters, letters.removesuffix("ofamerica"))


def _canonical(word: str) -> str:
    """A word as it is compared; an abbreviation keeps its sign."""
    if word.endswith("'s"):
        word = word[:-2]
    bare = word.replace(".", "").replace("'", "").replace("&", "")
    if bare in _SHORT:
        return _SHORT[bare]
    if "." in word.rstrip(".") or "&" in word:
        return bare  # initials: A.B.C., AT&T
    # an apostrophe inside stands for letters left out; d'Arc and O'Brien are names
    left_out = "'" in word and word.index("'") > 1
    return f"{bare}'" if left_out else f"{bare}." if word.endswith(".") else bare


def _same(party: _Party, other: _Party) -> bool:
    """Whether two parties are one: all the words of the shorter name are in the longer."""
    if party.government or other.government:
        if not (party.government and other.government):
            return False
        places = {word for word in party.words if word not in _GOVERNMENT - {"unitedstates"}}
        other_places = {word for word in other.words if word not in _GOVERNMENT - {"unitedstates"}}
        return not places or not other_places or bool(places & other_places)
    if _is_initials(party, other) or _is_initials(other, party):
        return True
    shorter, longer = sorted((party.words, other.words), key=len)
    remaining = list(longer)
    for word in shorter:
        match = next((long for long in remaining if _word_agrees(word, long)), None)
        if match is None:
            return False
        remaining.remove(match)
    if not remaining:
        return True
    # York is not New York: where a place is the party, its whole name counts.
    of_place = bool(_PLACE & {word.rstrip(".'") for word in (*shorter, *longer)})
    return not of_place or all(word.rstrip(".'") in _PLACE_WORDS for word in remaining)


def _is_initials(party: _Party, other: _Party) -> bool:
    """Whether a party is the other's initials: NLRB."""
    if len(party.words) != 1 or len(other.initials) < 3:
        return False
    return party.words[0].rstrip(".'") == other.initials


def _word_agrees(word: str, other: str) -> bool:
    plain, other_plain = word.rstrip(".'"), other.rstrip(".'")
    if plain == other_plain or plain.rstrip("s") == other_plain.rstrip("s"):
        return True
    return _abbreviates(word, other_plain) or _abbreviates(other, plain)


def _abbreviates(short: str, full: str) -> bool:
    """Whether a word with a period or apostrophe stands for a longer one."""
    letters = short.rstrip(".'")
    if letters == short or len(letters) >= len(full) or letters[:1] != full[:1]:
        return False
    if len(letters) < 2:
        return True  # an initial
    singular = letters.removesuffix("s") if len(letters) > 3 else letters
    if full.startswith((letters, singular)):
        return True
    place = 0
    for letter in letters:
        place = full.find(letter, place) + 1
        if not place:
            return False
    return letters[-1] == full[-1] or letters[-1] == full.rstrip("s")[-1]


def _misspelled(party: _Party, other: _Party) -> bool:
    """Whether the names differ by letters alone."""
    if len(party.words) != len(other.words):
        return False
    return all(
        _word_agrees(word, other_word)
        or SequenceMatcher(None, word, other_word, autojunk=False).ratio() >= _SPELLING
        for word, other_word in zip(party.words, other.words, strict=True)
    )
