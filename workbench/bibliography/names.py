"""Names of authors as BibTeX and RIS write them, as names of a CSL-JSON item and back."""

import re
from collections.abc import Mapping, Sequence

from workbench.bibliography.latex import escape_latex, plain_text
from workbench.records.text import Json, JsonDict

_PLAIN_NAME = re.compile(r"(?P<family>[^\s,{}\\~][^,{}\\~]*?)\s*,\s*(?P<given>[^,{}\\~]+)")
_OTHERS = frozenset(["others", "et al", "et al."])
_SUFFIX = re.compile(r"(?:jr|sr|[ivx]+)\.?", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_BODY = re.compile(r"\{[^{}]*\}")
OTHERS: JsonDict = {"literal": "others"}
"""What stands in an item for the authors that are not named."""


def names_of_bibtex(value: str) -> list[JsonDict]:
    """The names of a BibTeX field `A and B`: a name in braces is a body, `others` are `OTHERS`."""
    value = " ".join(value.split())
    if not value:
        return []
    if "{" in value:
        from bibtexparser.middlewares.names import split_multiple_persons_names

        persons: Sequence[str] = split_multiple_persons_names(value)
    else:
        persons = _AND.split(value)
    names = [_name_of_bibtex(person.strip()) for person in persons if person.strip(" ,{}")]
    return [name for name in names if name]


def names_of_ris(values: Sequence[str]) -> list[JsonDict]:
    """The names of the lines `Family, Given, Suffix`; one without a comma is the whole name."""
    names: list[JsonDict] = []
    for value in values:
        parts = [part.strip() for part in " ".join(value.split()).split(",")]
        if not parts[0]:
            continue
        if parts[0].lower() in _OTHERS and len(parts) == 1:
            names.append(dict(OTHERS))
        elif len(parts) == 1:
            names.append({"literal": parts[0]} if " " in parts[0] else {"family": parts[0]})
        else:
            suffix = parts[2] if len(parts) > 2 else ""
            names.append(_person(parts[0], parts[1], suffix))
    return names


def bibtex_of_names(names: Json) -> str:
    """The names of a CSL-JSON item as a field of BibTeX, escaped."""
    return " and ".join(filter(None, map(_bibtex_of_name, _mappings(names))))


def ris_of_names(names: Json) -> list[str]:
    """The names of a CSL-JSON item as values of `AU` lines."""
    values = []
    for name in _mappings(names):
        literal = _text(name, "literal")
        if literal:
            values.append(literal.replace(",", " "))
            continue
        family = " ".join(
            filter(None, (_text(name, "non-dropping-particle"), _text(name, "family")))
        )
        parts = [family.replace(",", " "), _text(name, "given").replace(",", " ")]
        if suffix := _text(name, "suffix"):
            parts.append(suffix)
        values.append(", ".join(parts) if any(parts[1:]) else parts[0])
    return [" ".join(value.split()) for value in values if value.strip()]


def _name_of_bibtex(person: str) -> JsonDict:
    if person.lower() in _OTHERS:
        return dict(OTHERS)
    if _BODY.fullmatch(person):
        return {"literal": plain_text(person)}
    plain = _PLAIN_NAME.fullmatch(person)
    if plain and not plain["family"][0].islower():
        return {"family": " ".join(plain["family"].split()), "given": plain["given"].strip()}
    from bibtexparser.middlewares.names import parse_single_name_into_parts

    parts = parse_single_name_into_parts(person, strict=False)
    family, given, particle, suffix = (
        plain_text(" ".join(words)) for words in (parts.last, parts.first, parts.von, parts.jr)
    )
    if not family:
        whole = plain_text(person)
        return {"literal": whole} if whole else {}
    return _person(family, given, suffix, particle)


def _person(family: str, given: str, suffix: str = "", particle: str = "") -> JsonDict:
    name: JsonDict = {"family": family}
    if given:
        name["given"] = given
    if particle:
        name["non-dropping-particle"] = particle
    if suffix:
        name["suffix"] = suffix
    return name


def _bibtex_of_name(name: Mapping[str, Json]) -> str:
    literal = _text(name, "literal")
    if literal:
        return literal if literal in _OTHERS else "{" + escape_latex(literal) + "}"
    particle, family, suffix, given = (
        _text(name, key) for key in ("non-dropping-particle", "family", "suffix", "given")
    )
    if not family:
        return "{" + escape_latex(given) + "}" if given else ""
    whole = " ".join(filter(None, (particle, _guarded(family))))
    if not given and not suffix and not particle:
        return _guarded(family, alone=True)
    return ", ".join(part for part in (whole, _guarded(suffix), _guarded(given)) if part)


def _guarded(words: str, alone: bool = False) -> str:
    """Part of a name; in braces where a comma, an `and` or a lower first letter would part it."""
    escaped = escape_latex(words)
    parts = "," in words or " and " in f" {words.lower()} " or words[:1].islower()
    return "{" + escaped + "}" if parts or (alone and " " in words) else escaped


def _mappings(names: Json) -> list[Mapping[str, Json]]:
    if not isinstance(names, Sequence) or isinstance(names, str):
        return []
    return [name for name in names if isinstance(name, Mapping)]


def _text(name: Mapping[str, Json], key: str) -> str:
    value = name.get(key)
    return " ".join(value.split()) if isinstance(value, str) else ""
