"""The files of reference managers: which format one has, its records, and records as a file."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from workbench.bibliography.bibtex import read_bibtex, to_bibtex
from workbench.bibliography.csl import arxiv_of_record
from workbench.bibliography.record_list import (
    LineNumbers,
    RecordList,
    arxiv_within,
    date_parts,
    issued,
    names_of_ris,
    ris_of_names,
)
from workbench.errors import UnreadableInput
from workbench.records.bibliography import csl_text
from workbench.records.registries import SkippedRecord
from workbench.records.text import Json, JsonDict, Span

_TELLING = ("title", "DOI", "author", "URL", "ISBN", "PMID")
_CSL_TYPES = frozenset(
    "article article-journal article-magazine article-newspaper bill book broadcast chapter "
    "classic collection dataset document entry entry-dictionary entry-encyclopedia event figure "
    "graphic hearing interview legal_case legislation manuscript map motion_picture musical_score "
    "pamphlet paper-conference patent performance periodical personal_communication post "
    "post-weblog regulation report review review-book software song speech standard thesis treaty "
    "webpage journal-article proceedings-article book-chapter posted-content monograph "
    "dissertation".split()
)
_NAMES = ("author", "editor", "translator", "container-author", "collection-editor")
_ITEMS = re.compile(r'"(?:items|references)"\s*:\s*\[')
_OPENING = re.compile(r"[{\[]")
_MAX_RETRIES = 2_000
"""How many braces are tried after broken ones; what comes then is told as one problem."""
_REREAD = 4
"""How often its own length, at most, a text is read in these tries."""
_ZOTERO_FIELDS = {
    "publicationTitle": "container-title",
    "proceedingsTitle": "container-title",
    "bookTitle": "container-title",
    "url": "URL",
    "pages": "page",
    "extra": "note",
    "place": "publisher-place",
}
_ZOTERO_TYPES = {
    "journalArticle": "article-journal",
    "conferencePaper": "paper-conference",
    "bookSection": "chapter",
    "preprint": "article",
    "computerProgram": "software",
    "blogPost": "post-weblog",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "case": "legal_case",
}


class _Found(NamedTuple):
    """A JSON object at its place, or a stretch that is none."""

    start: int
    end: int
    value: Mapping[str, Json] | None
    reason: str = ""


def read_csl_json(text: str) -> RecordList:
    """The items of CSL-JSON: a list, one object, `{"items": [...]}`, or one object a line.

    An item that is broken or says nothing of a work is told with its line; the others are taken.
    Zotero's own JSON (`itemType`, `creators`) is read as what it stands for.
    """
    lines = LineNumbers(text)
    records: list[JsonDict] = []
    problems: list[SkippedRecord] = []
    spans: list[Span] = []
    for item in _objects(text):
        place = lines.place(item.start)
        if item.value is None:
            problems.append(SkippedRecord(place, item.reason))
            continue
        record, reason = _item(item.value)
        if record is None or reason:
            problems.append(SkippedRecord(place, reason))
        if record is not None:
            records.append(record)
            spans.append(Span(item.start, item.end))
    return RecordList(records, problems, spans)


def is_csl_json(text: str) -> bool:
    """Whether JSON holds items of CSL or of Zotero: its first object is one by its fields.

    What a provider or a chat product returned has other fields.
    """
    first = next(_objects(text), None)
    value = first.value if first else None
    if value is None:
        return False
    data = value.get("data")
    if "itemType" in value or (isinstance(data, Mapping) and "itemType" in data):
        return True
    kind = value.get("type")
    named = any(name in value for name in ("title", "DOI", "issued", "container-title"))
    return isinstance(kind, str) and kind in _CSL_TYPES and named


def to_csl_json(records: list[JsonDict]) -> str:
    """The items as CSL-JSON that every reference manager reads, in their order."""
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"


def _objects(text: str) -> Iterator[_Found]:
    """Every item of the outermost list, or every object where there is no list."""
    opening = _OPENING.search(text)
    if opening is None:
        return
    place = opening.start()
    if text[place] == "{":
        listed = _ITEMS.search(text, place, place + 100_000)
        if listed and not _is_item_before(text, place, listed.start()):
            place = listed.end()
    else:
        place += 1
    tries = _Tries(text)
    recovered = False
    while True:
        start = text.find("{", place)
        if start < 0:
            return
        skipped = text[place:start].strip(" \t\r\n,\ufeff")
        if skipped.strip("[]}") and not recovered:
            yield _Found(place, start, None, f"This is no item: {_shortened(skipped)}")
        value, place = tries.decode(start)
        recovered = place < 0
        if not recovered:
            yield _Found(start, place, value)
            continue
        reason = f"This item is no valid JSON and left out: {tries.reason}."
        resumed = _next_item(text, start + 1, tries)
        if tries.spent:
            reason += " So is the rest of the file, in which too much is broken."
        yield _Found(start, start + 1, None, reason)
        if resumed < 0:
            return
        place = resumed


class _Tries:
    """Objects of a text decoded one by one; what broken ones cost is limited."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._failures = 0
        self._reread = 0
        self.reason = ""
        """Why the last object is none."""

    @property
    def spent(self) -> bool:
        """Whether no more objects are tried."""
        return self._failures >= _MAX_RETRIES or self._reread > _REREAD * len(self._text)

    def decode(self, place: int) -> tuple[dict[str, Json] | None, int]:
        """The object that begins at a place and where it ends; -1 where there is none."""
        try:
            return self._decoder.raw_decode(self._text, place)
        except json.JSONDecodeError as error:
            self.reason = error.msg
            self._reread += error.pos - place
        except (ValueError, RecursionError):  # nobody says how far it was read
            self.reason = "it is nested too deeply"
            self._reread += len(self._text) - place
        self._failures += 1
        return None, -1


def _next_item(text: str, place: int, tries: _Tries) -> int:
    """Where the next object stands that can be an item; -1 without one."""
    while not tries.spent and (place := text.find("{", place)) >= 0:
        value, end = tries.decode(place)
        if value is None:
            place += 1
        elif "title" in value or "DOI" in value or "type" in value:
            return place
        else:
            place = end
    return -1


def _is_item_before(text: str, start: int, end: int) -> bool:
    """Whether the object that opens at `start` is an item itself and its `items` a field of it."""
    return '"title"' in text[start:end] or '"itemType"' in text[start:end]


def _item(value: Mapping[str, Json]) -> tuple[JsonDict | None, str]:
    """The item in the forms that CSL names, and what of it was left out."""
    data = value.get("data")
    if isinstance(data, Mapping) and "itemType" in data:
        value = data
    item = _of_zotero(value) if "itemType" in value else dict(value)
    reason = ""
    for name in _NAMES:
        people = item.get(name)
        if people is None:
            continue
        if not isinstance(people, Sequence) or isinstance(people, str):
            item.pop(name)
            reason = f"Its {name} is no list of names and is left out."
    if not any(item.get(name) for name in _TELLING):
        return None, "This item has no title, author, identifier or address."
    for name in ("title", "container-title"):
        texts = item.get(name)
        if isinstance(texts, Sequence) and not isinstance(texts, str):
            item[name] = next((text for text in texts if isinstance(text, str)), "")
    key = item.get("id", item.get("citation-key", ""))
    item["id"] = key if isinstance(key, str) else str(key)
    if "custom" not in item and (arxiv := arxiv_of_record(item)):
        item["custom"] = {"arxiv": arxiv}
    return item, reason


def _of_zotero(value: Mapping[str, Json]) -> JsonDict:
    """An item of CSL out of one of Zotero's own."""
    kind = str(value.get("itemType", ""))
    item: JsonDict = {
        "id": value.get("citationKey") or value.get("citekey") or value.get("key") or "",
        "type": _ZOTERO_TYPES.get(kind, kind),
    }
    creators = value.get("creators")
    people = creators if isinstance(creators, Sequence) and not isinstance(creators, str) else ()
    names: list[Json] = []
    for person in people:
        if not isinstance(person, Mapping) or person.get("creatorType", "author") != "author":
            continue
        if person.get("name"):
            names.append({"literal": person["name"]})
        else:
            names.append({"family": person.get("lastName"), "given": person.get("firstName")})
    if names:
        item["author"] = names
    date = issued(str(value.get("date") or ""))
    if date:
        item["issued"] = date
    for name in ("title", "volume", "issue", "publisher", "DOI", "ISBN", "ISSN", "language"):
        if value.get(name):
            item[name] = value[name]
    for name, csl_name in _ZOTERO_FIELDS.items():
        if value.get(name):
            item[csl_name] = value[name]
    return item


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:59] + "…"


_TYPE_OF_RIS = {
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
        else (_TYPE_OF_RIS.get(kind, "document")),
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


ListFormat = Literal["bibtex", "ris", "csl-json"]
LIST_FORMATS: tuple[ListFormat, ...] = get_args(ListFormat)
_ENDINGS: dict[str, ListFormat] = {
    ".bib": "bibtex",
    ".bibtex": "bibtex",
    ".ris": "ris",
    ".csl": "csl-json",
    ".csljson": "csl-json",
    ".jsonl": "csl-json",
    ".json": "csl-json",
}
_ACCEPTED = "BibTeX (.bib), RIS (.ris) or CSL-JSON (.json)"


def list_format(text: str, name: str) -> ListFormat | None:
    """The format of a file by its ending, else by how it begins; None for any other file."""
    lower = name.lower()
    for ending, kind in _ENDINGS.items():
        if lower.endswith(ending):
            return kind
    head = text.lstrip("\ufeff \t\r\n")
    if is_ris(head[:2_000].split("\n")):
        return "ris"
    if head.startswith("@") and "{" in head[:200]:
        return "bibtex"
    return "csl-json" if head.startswith(("[", "{")) else None


def read_record_list(text: str, name: str) -> RecordList:
    """The records of a `.bib`, `.ris` or CSL-JSON file with what is broken in it.

    Args:
        text: The file's text; its spans count code points of it.
        name: The file's name, for its ending and for messages.

    Raises:
        UnreadableInput: The file is empty, has another format, or holds no record.
    """
    if not text.strip("\ufeff \t\r\n\0"):
        raise UnreadableInput(f"{name} is empty: there are no records in it.")
    kind = list_format(text, name)
    if kind is None:
        raise UnreadableInput(f"{name} is no list of references: give {_ACCEPTED}.")
    read = {"bibtex": read_bibtex, "ris": read_ris, "csl-json": read_csl_json}[kind]
    records = read(text)
    if not records.records:
        first = records.problems[0] if records.problems else None
        why = f" {first.place}: {first.reason}" if first else ""
        raise UnreadableInput(f"{name} holds no record that can be read: give {_ACCEPTED}.{why}")
    return records


def write_record_list(records: list[JsonDict], kind: ListFormat) -> str:
    """The items as the text of a file that `read_record_list` reads back."""
    return {"bibtex": to_bibtex, "ris": to_ris, "csl-json": to_csl_json}[kind](records)
