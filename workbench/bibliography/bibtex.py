"""BibTeX and BibLaTeX: the entries of a `.bib` file as CSL-JSON items, and items as entries."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.bibliography.record_list import (
    LineNumbers,
    RecordList,
    arxiv_within,
    bibtex_of_names,
    date_parts,
    escape_latex,
    issued,
    names_of_bibtex,
    plain_address,
    plain_text,
)
from workbench.errors import UnreadableInput
from workbench.records.bibliography import csl_text
from workbench.records.registries import SkippedRecord
from workbench.records.text import Json, JsonDict, Span

if TYPE_CHECKING:
    from bibtexparser.library import Library
    from bibtexparser.model import Block, Entry

_CSL_TYPES = {
    "article": "article-journal",
    "artwork": "graphic",
    "book": "book",
    "booklet": "book",
    "collection": "book",
    "conference": "paper-conference",
    "dataset": "dataset",
    "electronic": "webpage",
    "inbook": "chapter",
    "incollection": "chapter",
    "inproceedings": "paper-conference",
    "inreference": "chapter",
    "jurisdiction": "legal_case",
    "legal": "legal_case",
    "manual": "book",
    "mastersthesis": "thesis",
    "mvbook": "book",
    "online": "webpage",
    "patent": "patent",
    "phdthesis": "thesis",
    "proceedings": "book",
    "report": "report",
    "software": "software",
    "standard": "standard",
    "techreport": "report",
    "thesis": "thesis",
    "unpublished": "manuscript",
    "www": "webpage",
}
_ENTRY_TYPES = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "book": "book",
    "chapter": "incollection",
    "dataset": "dataset",
    "legal_case": "jurisdiction",
    "manuscript": "unpublished",
    "paper-conference": "inproceedings",
    "patent": "patent",
    "report": "techreport",
    "software": "software",
    "standard": "standard",
    "thesis": "phdthesis",
    "webpage": "online",
}
_TEXT_FIELDS = {
    "volume": "volume",
    "edition": "edition",
    "publisher-place": "address location",
    "collection-title": "series",
    "language": "langid language",
    "note": "note",
    "abstract": "abstract",
    "keyword": "keywords",
    "genre": "type",
    "container-title-short": "shortjournal",
}
"""Fields of an item that are one of the fields of an entry, the first that is there."""
_PREPRINT_KINDS = frozenset(["article", "misc", "online", "unpublished"])
_MACRO = re.compile(r"[^\s\"#%'(),={}]+")
_INHERITED = [
    ("booktitle", "title"),
    *((name, name) for name in "booktitle editor publisher series volume year date".split()),
]
"""The fields that an entry takes over by `crossref`, and which of the other's they are."""
_MONTHS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())
_BAD_IN_KEY = re.compile(r"[\s\"#%'(),={}\\~^]+")
_BAD_IN_ADDRESS = {"{": "%7B", "}": "%7D", "\\": "%5C", '"': "%22"}
_ENTRY_SIGN = re.compile(r"^[ \t]*@", re.MULTILINE)
EXPANSION_FLOOR = 1_000_000
EXPANSION_RATE = 4
"""What abbreviations and `crossref` may add to a file, in characters: the floor, and so many times
the file's own length. Journals by abbreviation and proceedings by `crossref` add less than once."""


def read_bibtex(text: str) -> RecordList:
    """The entries of a `.bib` file; macros and `crossref` are filled in, LaTeX is plain text.

    An entry that is broken is told with its line and the others are taken. Of two entries with one
    key both are taken, of two fields with one name the first, and each is told.

    Raises:
        UnreadableInput: Abbreviations or `crossref` fields make far more of the file than it holds.
    """
    library = _split(text)
    reader = _Reader(text, library)
    for block in library.blocks:
        reader.add(block)
    reader.inherit()
    records = [_record(kind, key, fields) for kind, key, fields in reader.entries]
    return RecordList(records, reader.problems, reader.spans)


def to_bibtex(records: list[JsonDict]) -> str:
    """The items as BibTeX that `read_bibtex` reads back, in their order; UTF-8, LaTeX escaped."""
    return "\n".join(_entry_text(record, number) for number, record in enumerate(records, 1))


def _split(text: str) -> "Library":
    import logging

    from bibtexparser.splitter import Splitter

    # what it logs is told by the problems, with the line of this file
    logging.getLogger("bibtexparser.splitter").setLevel(logging.CRITICAL)
    return Splitter(text).split()


class _Reader:
    """The entries of a split file with their fields resolved."""

    def __init__(self, text: str, library: "Library") -> None:
        self._text = text
        self._lines = LineNumbers(text)
        self._cursor = 0
        self._macros: dict[str, str] = {}
        self._keys: dict[str, int] = {}
        self._expansion_limit = EXPANSION_FLOOR + EXPANSION_RATE * len(text)
        self._expanded = 0
        self.entries: list[tuple[str, str, dict[str, str]]] = []
        self.spans: list[Span] = []
        self.problems: list[SkippedRecord] = []
        for name, macro in library.strings_dict.items():
            self._macros[name.lower()] = self._value(macro.value, "")

    def add(self, block: "Block") -> None:
        """Take one block of the file in."""
        from bibtexparser.model import (
            DuplicateBlockKeyBlock,
            DuplicateFieldKeyBlock,
            Entry,
            ImplicitComment,
            ParsingFailedBlock,
        )

        raw = block.raw or ""
        start = max(self._text.find(raw, self._cursor), self._cursor)
        self._cursor = start + len(raw)
        place = self._lines.place(start)
        if isinstance(block, Entry):
            self._add_entry(block, start, place)
        elif isinstance(block, DuplicateFieldKeyBlock):
            names = ", ".join(sorted(block.duplicate_keys))
            self.problems.append(
                SkippedRecord(place, f"The field {names} stands there twice; the first is taken.")
            )
            if isinstance(block.ignore_error_block, Entry):
                self._add_entry(block.ignore_error_block, start, place)
        elif isinstance(block, DuplicateBlockKeyBlock):
            inner = block.ignore_error_block
            if isinstance(inner, Entry):
                self._add_entry(inner, start, place)
        elif isinstance(block, ParsingFailedBlock):
            reason = " ".join(str(getattr(block.error, "abort_reason", "")).split())
            self.problems.append(
                SkippedRecord(place, f"This entry is broken and left out: {reason or 'unknown.'}")
            )
        elif isinstance(block, ImplicitComment) and _ENTRY_SIGN.search(raw):
            self.problems.append(
                SkippedRecord(place, "This line begins an entry and has no opening brace.")
            )

    def _add_entry(self, entry: "Entry", start: int, place: str) -> None:
        fields: dict[str, str] = {}
        for field in entry.fields:
            name = field.key.lower()
            if name and name not in fields:
                fields[name] = self._value(str(field.value), place)
        if not any(value.strip("{} ") for value in fields.values()):
            self.problems.append(
                SkippedRecord(place, f"The entry {entry.key or 'there'} has no fields.")
            )
            return
        if entry.key in self._keys:
            self.problems.append(
                SkippedRecord(place, f"The key {entry.key} is used before; both entries are taken.")
            )
        self._keys.setdefault(entry.key, len(self.entries))
        self.entries.append((entry.entry_type.strip().lower(), entry.key, fields))
        self.spans.append(Span(start, start + len((entry.raw or "").rstrip())))

    def _value(self, raw: str, place: str) -> str:
        """A field's value: its pieces between `#` without their signs, macros filled in."""
        raw = raw.strip()
        if raw.startswith("{") and raw.endswith("}") and "#" not in raw:
            return raw[1:-1]
        pieces = [_unquoted(piece) for piece in _pieces(raw)]
        return "".join(words if quoted else self._macro(words, place) for words, quoted in pieces)

    def _macro(self, name: str, place: str) -> str:
        known = self._macros.get(name.lower())
        if known is not None:
            self._count(known)
            return known
        is_macro = _MACRO.fullmatch(name) and not name.isdecimal() and name.lower() not in _MONTHS
        if is_macro and place and not name[0].isdecimal():
            self.problems.append(
                SkippedRecord(
                    place, f"The abbreviation {name} is not defined; it is taken as text."
                )
            )
        return name

    def inherit(self) -> None:
        """Fill in what entries leave to the one that their `crossref` names."""
        by_key = {key.lower(): fields for _, key, fields in self.entries}
        for _, key, fields in self.entries:
            parent_key = fields.get("crossref", "").strip()
            if not parent_key or parent_key.lower() == key.lower():
                continue
            parent = by_key.get(parent_key.lower())
            if parent is None:
                self.problems.append(
                    SkippedRecord(key, f"Its crossref {parent_key} is no entry of this file.")
                )
                continue
            for name, source in _INHERITED:
                taken = name in fields or (name == "year" and "date" in fields)
                if source in parent and not taken:
                    self._count(parent[source])
                    fields[name] = parent[source]

    def _count(self, added: str) -> None:
        """Refuse a file whose expansion is out of proportion to it, before memory is filled."""
        self._expanded += len(added)
        if self._expanded > self._expansion_limit:
            raise UnreadableInput(
                f"The BibTeX expands to more than {self._expansion_limit:,} characters by its "
                "@string abbreviations and crossref fields, far more than it holds: write long "
                "values into the entries themselves, or split the file."
            )


def _pieces(raw: str) -> list[str]:
    """The parts of a value between the `#` that stand in neither braces nor quotes."""
    pieces, depth, quoted, begin = [], 0, False, 0
    for place, sign in enumerate(raw):
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
        elif sign == '"' and depth == 0:
            quoted = not quoted
        elif sign == "#" and depth == 0 and not quoted:
            pieces.append(raw[begin:place])
            begin = place + 1
    return [*pieces, raw[begin:]]


def _unquoted(piece: str) -> tuple[str, bool]:
    piece = piece.strip()
    if len(piece) > 1 and (piece[0], piece[-1]) in (("{", "}"), ('"', '"')):
        return piece[1:-1], True
    return piece, False


def _record(kind: str, key: str, fields: Mapping[str, str]) -> JsonDict:
    """The CSL-JSON item of an entry."""

    def text(*names: str) -> str:
        for name in names:
            if value := plain_text(fields.get(name, "")):
                return value
        return ""

    title, subtitle = text("title"), text("subtitle")
    number = text("number", "issue")
    is_article = kind in ("article", "periodical")
    values: dict[str, Json] = {
        "title": f"{title}: {subtitle}" if title and subtitle else title or subtitle,
        "author": names_of_bibtex(fields.get("author", "")),
        "editor": names_of_bibtex(fields.get("editor", "")),
        "issued": issued(text("date", "year"), text("month")),
        "container-title": text("journaltitle", "journal", "booktitle", "maintitle"),
        "publisher": text("publisher", "school", "institution", "organization", "howpublished"),
        "issue": number if is_article or kind == "misc" else "",
        "number": "" if is_article or kind == "misc" else number,
        "page": re.sub(r"\s*[-–—]+\s*", "-", text("pages")),
        "DOI": _bare(plain_address(fields.get("doi", ""))),
        "URL": plain_address(fields.get("url", "")),
        "ISBN": text("isbn"),
        "ISSN": text("issn"),
        "PMID": text("pmid"),
        "PMCID": text("pmcid"),
    }
    for name, sources in _TEXT_FIELDS.items():
        values[name] = text(*sources.split())
    values = {name: value for name, value in values.items() if value}
    prefix = (fields.get("archiveprefix") or fields.get("eprinttype") or "").strip("{} ").lower()
    eprint = plain_address(fields.get("eprint", ""))
    if eprint and prefix in ("pubmed", "pmid"):
        values.setdefault("PMID", eprint)
    venue = " ".join(str(values.get(name, "")) for name in ("container-title", "publisher", "note"))
    arxiv = eprint if eprint and prefix in ("arxiv", "") else ""
    arxiv = arxiv.lower().removeprefix("arxiv:") or arxiv_within(f"{venue} {values.get('URL', '')}")
    if arxiv:
        values["custom"] = {"arxiv": arxiv}
    return {"id": key, "type": _csl_type(kind, values), **values}


def _csl_type(kind: str, values: Mapping[str, Json]) -> str:
    venue = str(values.get("container-title", ""))
    is_preprint = not venue or venue.lower().startswith(("arxiv", "corr"))
    if is_preprint and "custom" in values and kind in _PREPRINT_KINDS:
        return "article"
    if kind == "misc":
        return "article-journal" if venue else "webpage" if "URL" in values else "document"
    return _CSL_TYPES.get(kind, "document")


def _bare(doi: str) -> str:
    return doi[doi.find("10.") :] if "10." in doi else doi


def _entry_text(record: JsonDict, number: int) -> str:
    """One entry; a key that BibTeX does not allow is written with `_`."""
    key = _BAD_IN_KEY.sub("_", csl_text(record, "id") or "") or f"entry{number}"
    kind = csl_text(record, "type") or ""
    custom = record.get("custom")
    arxiv = csl_text(custom, "arxiv") if isinstance(custom, dict) else None
    name = _ENTRY_TYPES.get(kind, "misc")
    fields = [(name, value) for name, value in _fields(record, name, arxiv) if value]
    lines = [f"  {name} = {{{value}}}" for name, value in fields]
    return f"@{name}{{{key},\n" + ",\n".join(lines) + "\n}\n"


def _fields(record: JsonDict, kind: str, arxiv: str | None) -> list[tuple[str, str]]:
    def text(name: str) -> str:
        return escape_latex(csl_text(record, name) or "")

    def address(name: str) -> str:
        value = "".join((csl_text(record, name) or "").split())
        return "".join(_BAD_IN_ADDRESS.get(sign, sign) for sign in value)

    parts = date_parts(record)
    date = record.get("issued")
    literal = csl_text(date, "literal") or csl_text(date, "raw") if isinstance(date, dict) else None
    place = "journal" if kind in ("article", "misc", "online", "dataset") else "booktitle"
    issuer = {"phdthesis": "school", "techreport": "institution"}.get(kind, "publisher")
    fields = [
        ("author", bibtex_of_names(record.get("author"))),
        ("title", text("title")),
        (place, text("container-title")),
        ("editor", bibtex_of_names(record.get("editor"))),
        ("year", f"{parts[0]:04}" if parts else escape_latex(literal or "")),
        ("month", str(parts[1]) if len(parts) > 1 else ""),
        ("number", text("issue") or text("number")),
        ("pages", text("page").replace("-{}", "-").replace("-", "--")),
        (issuer, text("publisher")),
        ("doi", address("DOI")),
        ("url", address("URL")),
        ("isbn", text("ISBN")),
        ("issn", text("ISSN")),
        ("pmid", text("PMID")),
        ("pmcid", text("PMCID")),
        ("eprint", escape_latex(arxiv or "")),
        ("archiveprefix", "arXiv" if arxiv else ""),
    ]
    fields += [(names.split()[0], text(name)) for name, names in _TEXT_FIELDS.items()]
    return fields
