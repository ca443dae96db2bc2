"""What the files of reference managers share: records and their places, names, LaTeX."""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from workbench.records.registries import SkippedRecord
from workbench.records.text import Json, JsonDict, Span

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text


class RecordList(NamedTuple):
    """The records of a file as CSL-JSON items."""

    records: list[JsonDict]
    problems: list[SkippedRecord]
    spans: list[Span]
    """Where each record stands, in code points of the file's text; as many as records."""


class LineNumbers:
    """The number of the line of a text in which an offset stands; offsets rise."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0
        self._line = 1

    def place(self, offset: int) -> str:
        """`line N` of an offset not before the last one."""
        self._line += self._text.count("\n", self._offset, offset)
        self._offset = max(offset, self._offset)
        return f"line {self._line}"


_ISO_DATE = re.compile(r"\s*(\d{4})(?:[-/](\d{1,2}))?(?:[-/](\d{1,2}))?(?![\d])")
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ARXIV = re.compile(
    r"arxiv(?:\s+preprint)?(?:\s+arxiv)?\s*[:/ ]\s*(?:abs/)?(\d{4}\.\d{4,5}|[a-z-]+/\d{7})",
    re.IGNORECASE,
)


def issued(date: str, month: str = "") -> JsonDict | None:
    """A CSL date of what a field says: `2019`, `2019-05-02`, `May 2019`, `in press`."""
    if not date.strip():
        return None
    exact = _ISO_DATE.match(date)
    if exact and (exact[2] or not month):
        parts = [int(part) for part in exact.groups() if part]
        if len(parts) < 2 or 1 <= parts[1] <= 12:
            return {"date-parts": [parts]}
    year = _YEAR.search(date)
    if year is None:
        return {"literal": date.strip()}
    number = month_number(month or date.replace(year[0], ""))
    return {"date-parts": [[int(year[0]), number] if number else [int(year[0])]]}


def month_number(month: str) -> int | None:
    """The number of a month by its number or its English name; None for anything else."""
    word = month.strip().strip(".,/").lower()
    if word.isdecimal():
        return int(word) if 1 <= int(word) <= 12 else None
    return _MONTHS.index(word[:3]) + 1 if word[:3] in _MONTHS else None


def date_parts(item: JsonDict) -> list[int]:
    """Year, month and day of an item as far as they are given; empty without a year."""
    date: Json = item.get("issued")
    parts = date.get("date-parts") if isinstance(date, dict) else None
    first = parts[0] if isinstance(parts, list) and parts else None
    if not isinstance(first, list):
        return []
    numbers: list[int] = []
    for part in first[:3]:
        if not isinstance(part, int | str) or not str(part).isdecimal():
            break
        numbers.append(int(part))
    return numbers


def arxiv_within(text: str) -> str:
    """The arXiv identifier that a text names after the word arXiv; empty without one."""
    match = _ARXIV.search(text)
    return match[1] if match else ""


_MAX_LATEX = 20_000
"""A longer field is stripped of its commands and not parsed: it is no title."""
_COMMENT_SIGN = re.compile(r"(?<!\\)%")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?|\\.")
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
}
_SPECIAL = re.compile(r"[\\{}$&%#_^~`]|-(?=-)|'(?=')")
_SIGNIFICANT = re.compile(r"[\\{}$~]|--|``|''|[?!]`")
_LETTER = re.compile(
    r"\{\\[`'^\"~=.]\s?\{?\\?[A-Za-z]\}?\}|\\[`'^\"~=.](?:\{\\?[A-Za-z]\}|[A-Za-z])"
    r"|\{\\(?:[uvHcdbrk] ?\{[A-Za-z]\}|[uvHcdbrk] [A-Za-z]|ss|ae|AE|oe|OE|aa|AA|[oOlLij])\}"
    r"|\\[uvHcdbrk]\{[A-Za-z]\}|\\[&%_#]"
)
"""One letter with its accent, or an escaped sign: parsed once for all fields."""
_URL_ESCAPE = re.compile(r"\\([_%&#~{}$])(?:\{\})?")


def plain_text(value: str) -> str:
    r"""The text that a field of BibTeX shows, on one line.

    >>> plain_text(r"G{\"o}del \& \textit{Escher}")
    'Gödel & Escher'
    """
    if not _SIGNIFICANT.search(value):
        return " ".join(value.split())
    simple = (
        _LETTER.sub(lambda match: _converted_letter(match[0]), value) if "\\" in value else value
    )
    if "\\" not in simple and "$" not in simple:
        value = simple
        value = value.replace("---", "—").replace("--", "–")  # `-{}-` is two hyphens
        value = value.replace("``", "“").replace("''", "”").replace("~", " ")
        value = value.replace("{", "").replace("}", "")
        return " ".join(value.split())
    if len(value) <= _MAX_LATEX:
        try:
            text = _converter().latex_to_text(_COMMENT_SIGN.sub(r"\\%", value))
            return " ".join(text.split())
        except Exception:  # a field is text before it is LaTeX: none is refused
            pass
    stripped = _COMMAND.sub(" ", value)
    return " ".join(stripped.replace("{", "").replace("}", "").split())


def plain_address(value: str) -> str:
    r"""A web address or identifier as it is meant: `\_` is `_`, and `\url{…}` its argument."""
    value = value.strip()
    if value.startswith("\\url{") and value.endswith("}"):
        value = value[5:-1]
    value = _URL_ESCAPE.sub(r"\1", value)
    value = "".join(value.strip("{}").split())
    return value[1:-1] if value.startswith("<") and value.endswith(">") else value


def escape_latex(text: str) -> str:
    r"""The text so that `plain_text` gives it back, on one line; letters stay as they are.

    >>> escape_latex("R&D_1 -- 5 %")
    'R\\&D\\_1 -{}- 5 \\%'
    """
    return _SPECIAL.sub(lambda sign: _ESCAPES.get(sign[0], sign[0] + "{}"), " ".join(text.split()))


@lru_cache(maxsize=10_000)
def _converted_letter(latex: str) -> str:
    text: str = _converter().latex_to_text(latex)
    return text


@cache
def _converter() -> "LatexNodes2Text":
    from pylatexenc.latex2text import (
        LatexNodes2Text,
        MacroTextSpec,
        get_default_latex_context_db,
    )

    signs = {
        "textasciicircum": "^",
        "textasciitilde": "~",
        "textasciigrave": "`",
        "textbraceleft": "{",
        "textbraceright": "}",
    }
    context = get_default_latex_context_db()
    context.add_context_category(
        "signs",
        prepend=True,  # the default writes the letters that look like them
        macros=[MacroTextSpec(name, sign) for name, sign in signs.items()],
    )
    return LatexNodes2Text(latex_context=context, math_mode="text", keep_comments=True)


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
