"""RIS: the records of a `.ris` file as CSL-JSON items, and items as records."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.bibliography.names import names_of_ris, ris_of_names
from workbench.bibliography.record_list import (
    LineNumbers,
    RecordList,
    arxiv_within,
    date_parts,
    issued,
)
from workbench.records.bibliography import csl_text
from workbench.records.registries import SkippedRecord
from workbench.records.text import Json, JsonDict, Span

_CSL_TYPES = {
    "ABST": "article-journal",
    "BLOG": "post-weblog",
    "BOOK": "book",
    "CASE": "legal_case",
    "CHAP": "chapter",
    "COMP": "software",
    "CONF": "paper-conference",
    "CPAPER": "paper-conference",
    "DATA": "dataset",
    "DBASE": "dataset",
    "EBOOK": "book",
    "ECHAP": "chapter",
    "EDBOOK": "book",
    "EJOUR": "article-journal",
    "ELEC": "webpage",
    "INPR": "article-journal",
    "JFULL": "article-journal",
    "JOUR": "article-journal",
    "MGZN": "article-magazine",
    "NEWS": "article-newspaper",
    "PAT": "patent",
    "RPRT": "report",
    "STAND": "standard",
    "THES": "thesis",
    "UNPB": "article",
}
_RIS_TYPES = {
    "article": "UNPB",
    "article-journal": "JOUR",
    "article-magazine": "MGZN",
    "article-newspaper": "NEWS",
    "book": "BOOK",
    "chapter": "CHAP",
    "dataset": "DATA",
    "legal_case": "CASE",
    "paper-conference": "CPAPER",
    "patent": "PAT",
    "post-weblog": "BLOG",
    "report": "RPRT",
    "software": "COMP",
    "standard": "STAND",
    "thesis": "THES",
    "webpage": "ELEC",
}
_TAG = re.compile(r"([A-Z][A-Z0-9])\s{0,3}-(?:\s|$)[ \t]*")
_BOOK_PARTS = frozenset(["BOOK", "EBOOK", "EDBOOK", "THES", "RPRT", "PAT"])
_PMID_NOTE = re.compile(r"\bPMID\s*:?\s*(\d+)")


class _Chunk(NamedTuple):
    start: int
    end: int
    lines: list[str]
    closed: bool


def read_ris(text: str) -> RecordList:
    """The records of a `.ris` file, which begin with `TY` and end with `ER`.

    A record without `ER` is taken up to the next one. Lines that stand outside of a record, and
    records that say nothing, are told with their line and left out.
    """
    from rispy import RisParser

    problems: list[SkippedRecord] = []
    records: list[JsonDict] = []
    spans: list[Span] = []
    lines = LineNumbers(text)
    parser = RisParser()
    for chunk in _chunks(text, problems):
        place = lines.place(chunk.start)
        parsed = parser.parse("\n".join(chunk.lines))
        fields = parsed[0] if parsed else {}
        record = _record(fields)
        if not any(name in record for name in ("title", "DOI", "author", "URL")):
            problems.append(SkippedRecord(place, "This record has no title, author or address."))
            continue
        if not chunk.closed:
            problems.append(
                SkippedRecord(place, "This record has no closing ER line; it is taken as it is.")
            )
        records.append(record)
        spans.append(Span(chunk.start, chunk.end))
    problems.sort(key=lambda problem: int(problem.place.split()[1]))
    return RecordList(records, problems, spans)


def to_ris(records: list[JsonDict]) -> str:
    """The items as RIS that `read_ris` reads back, in their order."""
    return "\n".join(_record_text(record) for record in records)


def _chunks(text: str, problems: list[SkippedRecord]) -> list[_Chunk]:
    """The records of a text with their tags in the spelling that the parser knows."""
    chunks: list[_Chunk] = []
    lines: list[str] = []
    start, end, offset = -1, 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        tag = _TAG.match(line.lstrip(" \t\ufeff"))
        name = tag[1] if tag else ""
        value = line.lstrip(" \t\ufeff")[tag.end() :].rstrip() if tag else line.strip()
        if name == "TY":
            if start >= 0:
                chunks.append(_Chunk(start, end, [*lines, "ER  - "], closed=False))
            start, lines = offset + len(line) - len(line.lstrip(" \t\ufeff")), []
        if start < 0:
            if line.strip():
                problems.append(
                    SkippedRecord(
                        f"line {number}", "This line stands outside of a record (TY … ER)."
                    )
                )
        else:
            if tag or line.strip():
                lines.append(f"{name}  - {value}" if tag else value)
                end = offset + len(line.rstrip())
            if name == "ER":
                chunks.append(_Chunk(start, end, lines, closed=True))
                start, lines = -1, []
        offset += len(line) + 1
    if start >= 0:
        chunks.append(_Chunk(start, end, [*lines, "ER  - "], closed=False))
    return chunks


def _record(fields: Mapping[str, object]) -> JsonDict:
    """The CSL-JSON item of a record."""

    def values(*names: str) -> list[str]:
        for name in names:
            value = fields.get(name)
            texts = value if isinstance(value, list) else [value or ""]
            plain = [" ".join(str(item).split()) for item in texts]
            if any(plain):
                return [item for item in plain if item]
        return []

    def text(*names: str) -> str:
        return next(iter(values(*names)), "")

    kind = text("type_of_reference").upper()
    pages = [page for page in (text("start_page"), text("end_page")) if page]
    if len(pages) == 2 and pages[0] == pages[1]:
        pages.pop()
    notes = " ".join([*values("notes"), text("note"), text("custom2")])
    container = text("journal_name", "alternate_title3", "secondary_title", "alternate_title2")
    items: dict[str, Json] = {
        "title": text("title", "primary_title"),
        "author": names_of_ris(values("authors", "first_authors")),
        "editor": names_of_ris(values("secondary_authors")) if kind == "CHAP" else None,
        "issued": _issued(text("year", "publication_year"), text("date")),
        "container-title": container,
        "container-title-short": text("alternate_title2")
        if text("alternate_title2") != container
        else "",
        "publisher": text("publisher"),
        "publisher-place": text("place_published"),
        "volume": text("volume"),
        "issue": text("number"),
        "page": "-".join(pages),
        "edition": text("edition"),
        "DOI": text("doi").removeprefix("https://doi.org/").removeprefix("doi:"),
        "URL": text("urls"),
        "language": text("language"),
        "abstract": text("abstract", "notes_abstract"),
        "note": " ".join(values("notes")),
    }
    serial = text("issn")
    items["ISBN" if kind in _BOOK_PARTS or kind == "CHAP" else "ISSN"] = serial
    pmid = _PMID_NOTE.search(f"{notes} PMID {text('accession_number')}")
    if pmid and (_PMID_NOTE.search(notes) or "pubmed" in text("name_of_database").lower()):
        items["PMID"] = pmid[1]
    arxiv = arxiv_within(
        f"{text('type_of_work')} {text('accession_number')} {notes} {container} {text('urls')} "
        f"{text('publisher')} {text('custom1')}"
    )
    if arxiv:
        items["custom"] = {"arxiv": arxiv}
    record: JsonDict = {
        "id": text("id", "label"),
        "type": "article"
        if arxiv and kind in ("JOUR", "GEN") and not container
        else (_CSL_TYPES.get(kind, "document")),
    }
    record.update({name: value for name, value in items.items() if value})
    return record


def _issued(year: str, date: str) -> JsonDict | None:
    """The date; the fuller of the two fields, whose parts may be parted by slashes."""
    full = (date or year).strip("/ ")
    return issued(full) if full and any(sign.isdigit() for sign in full) else issued(year or date)


def _record_text(record: JsonDict) -> str:
    def text(name: str) -> str:
        return csl_text(record, name) or ""

    custom = record.get("custom")
    arxiv = csl_text(custom, "arxiv") if isinstance(custom, dict) else None
    kind = _RIS_TYPES.get(text("type"), "GEN")
    date = record.get("issued")
    literal = csl_text(date, "literal") or csl_text(date, "raw") if isinstance(date, dict) else None
    parts = date_parts(record)
    first, _, last = text("page").partition("-")
    lines: list[tuple[str, str | None]] = [
        ("TY", kind),
        ("ID", text("id")),
        *(("AU", name) for name in ris_of_names(record.get("author"))),
        *(("A2", name) for name in ris_of_names(record.get("editor"))),
        ("TI", text("title")),
        ("T2", text("container-title")),
        ("J2", text("container-title-short")),
        ("PY", f"{parts[0]:04}" if parts else literal),
        ("DA", "/".join(f"{part:02}" for part in parts) if len(parts) > 1 else ""),
        ("VL", text("volume")),
        ("IS", text("issue") or text("number")),
        ("SP", first),
        ("EP", last),
        ("ET", text("edition")),
        ("PB", text("publisher")),
        ("CY", text("publisher-place")),
        ("SN", text("ISBN") or text("ISSN")),
        ("DO", text("DOI")),
        ("UR", "".join(text("URL").split()).replace(";", "%3B")),
        ("LA", text("language")),
        ("AB", text("abstract")),
        ("N1", text("note")),
        ("C2", f"PMID: {text('PMID')}" if text("PMID") else ""),
        ("C1", f"arXiv:{arxiv}" if arxiv else ""),
    ]
    written = [f"{tag}  - {_one_line(value)}" for tag, value in lines if value]
    return "\n".join([*written, "ER  - ", ""])


def _one_line(value: str) -> str:
    return " ".join(value.split())


def is_ris(lines: Sequence[str]) -> bool:
    """Whether the first line with words begins a RIS record."""
    first = next((line for line in lines if line.strip(" \t\ufeff")), "")
    tag = _TAG.match(first.lstrip(" \t\ufeff"))
    return bool(tag and tag[1] == "TY")
