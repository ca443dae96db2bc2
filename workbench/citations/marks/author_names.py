"""Read the names that an author-year mark or a reference entry begins with."""

import re
import unicodedata
from collections.abc import Collection
from typing import Literal

from workbench.citations.lexicon import CJK, JOINTS, NO_AUTHOR, PARTICLES, TAILS, WITHIN

CJK_NAME = re.compile(f"[{CJK}·•]+")
ET_AL = re.compile(r"(?:等人?|ら|他|외)\Z")
NOT_A_NAME = re.compile("[书書报報告法会會局部署院所校司厂廠站网網刊志史论論案年月日]\\Z")
"""What ends Chinese words that name a thing or a body and not a person."""
_CJK_AND = re.compile("和|与|與|及|、|・|＆|&|,|，")
_INITIALS = re.compile(r"(?:[A-Z]\.?-?){1,3}")
_FOLDED_AWAY = re.compile(r"[\s'’.‐-]")
_AROUND = ',.*_"“”'
AROUND_NAME = '.,;:()[]*_"“”&'
"""Signs around the words of a name in a reference entry."""


def fold(name: str) -> str:
    """A name for comparison: lower case, without accents, apostrophes, blanks and hyphens."""
    if name.isascii():
        if name.isalnum():
            return name.lower()
        return _FOLDED_AWAY.sub("", name.lower())
    decomposed = unicodedata.normalize("NFKD", name)
    plain = "".join(
        character for character in decomposed if not unicodedata.combining(character)
    ).casefold()
    return _FOLDED_AWAY.sub("", plain)


def entry_names(authors: tuple[str, ...], lead: str) -> set[str]:
    """The folded names by which an author-year mark finds an entry.

    Args:
        authors: The authors that the entry lists.
        lead: The words in which its author is looked for.
    """
    names = set()
    for author in authors:
        surname = author.split(",")[0]
        names.add(fold(surname))
        names.update(fold(word.strip(AROUND_NAME)) for word in surname.split())
        if not surname.isascii() and CJK_NAME.fullmatch(surname):
            names.update(surname[:size] for size in (1, 2, 3))  # the family name comes first
    words = [word.strip(AROUND_NAME) for word in lead.split()[:16]]
    names.update(fold(word) for word in words if word[:1].isupper() or not word.isascii())
    initials = "".join(word[0] for word in words[:8] if word[:1].isupper())
    names.update(fold(initials[:size]) for size in range(2, len(initials) + 1))
    names.discard("")
    return names


def author_names(who: str, comma: bool, known_names: Collection[str]) -> tuple[str, ...]:
    """The surnames (or the organisation) that `who` names; empty when it names no author.

    Args:
        who: The words before a year.
        comma: Whether a comma stands between them and the year; without one only a single name, or
            names joined by `and`, `&` or `et al.`, are an author.
        known_names: Folded names that the text's reference entries begin with.
    """
    if not who:
        return ()
    if CJK_NAME.search(who):
        latin = ET_AL.sub("", who).strip()
        if CJK_NAME.search(latin) or latin == who:
            return _cjk_names(who, comma)
        who = latin + " et al."
    words = who.replace("&", " & ").split()
    if not words or len(words) > 16:
        return ()
    first = words[0].strip(".,").lower()
    if not is_name(words[0]) and first not in PARTICLES:
        return ()
    if comma and len(words) > 1 and fold(who) in known_names:
        return (who,)  # a body as its entry has it, whatever small words are in its name
    roles = {_role(word, known_names) for word in words}
    if "name" not in roles or "other" in roles:
        return ()
    single = len(words) == 1 or (len(words) == 2 and first in PARTICLES)
    if not (comma or "joint" in roles or single or fold(words[0]) in known_names):
        return ()
    return surnames(words)


def _role(word: str, known_names: Collection[str]) -> Literal["name", "joint", "small", "other"]:
    """What a word is in a list of names; only a `joint` shows by itself that it is one."""
    bare = word.strip(".,'’\"*_").lower()
    if word == "&" or bare in TAILS or bare in ("and", "und", "et"):
        return "joint"
    if bare in JOINTS or bare in PARTICLES or bare in WITHIN:
        return "small"
    if not is_name(word) or (bare in NO_AUTHOR and bare not in known_names):
        return "other"
    return "name"


def is_name(word: str) -> bool:
    """Whether a word can be (part of) a name: it begins with a capital letter."""
    bare = word.lstrip("*_\"“‘'’(").rstrip(".,'’\"”*_")
    if not bare or any(character.isdigit() or character in "=<>%/@#:" for character in bare):
        return False
    if bare[0].isupper():
        return True
    return len(bare) > 2 and bare[1] in "'’" and bare[2].isupper()


def surnames(words: list[str]) -> tuple[str, ...]:
    """First the one who is named first; particles stay with their name, initials go."""
    names: list[str] = []
    current: list[str] = []

    def close() -> None:
        name_words = [
            part for part in current if not _INITIALS.fullmatch(part) or _is_body(current)
        ] or current
        if name_words:
            names.append(" ".join(name_words))
        current.clear()

    for word in words:
        bare = word.strip(_AROUND).removesuffix("'s").removesuffix("’s")
        if "." in bare and _INITIALS.fullmatch(bare + "."):
            bare += "."
        lower = bare.lower()
        if lower in TAILS:
            break
        if word == "&" or lower in JOINTS:
            if lower == "and" and _is_body(current):
                current.append(bare)
            else:
                close()
            continue
        if bare:
            current.append(bare if bare.lower() not in ("jr", "sr") else "")
        if word.endswith(","):
            close()
    close()
    return tuple(name.strip() for name in names if name.strip())


def _is_body(words: list[str]) -> bool:
    """Whether words before an `and` read as a body (`Centers for Disease Control and …`)."""
    return any(word.lower() in WITHIN for word in words) or len(words) > 3


def _cjk_names(who: str, comma: bool) -> tuple[str, ...]:
    """Names in Chinese, Japanese or Korean: `王小明和李强`, `张三等`, `田中・山本`."""
    who = who.strip(" ，,、")
    et_al = ET_AL.search(who)
    if et_al:
        who = who[: et_al.start()]
    names = [name.strip() for name in _CJK_AND.split(who) if name.strip()]
    if not names or any(len(name) > 20 for name in names):
        return ()
    if any(not CJK_NAME.fullmatch(name.replace(" ", "")) for name in names):
        return ()
    if not (comma or et_al or len(names) > 1) and not (2 <= len(names[0]) <= 4):
        return ()
    if NOT_A_NAME.search(names[0]) and not comma:
        return ()
    return tuple(names)
