"""CSL-JSON items and entries of a bibliography: each from the other, and an entry corrected."""

import re
from collections.abc import Mapping, Sequence
from typing import get_args

from workbench.bibliography.keys import arxiv_of_doi, fold_arxiv, fold_doi, fold_pmid
from workbench.records.bibliography import (
    Author,
    EntryField,
    ReferenceCheck,
    ReferenceEntry,
    WorkType,
    csl_text,
    placeholder_reason,
)
from workbench.records.text import Json, JsonDict, Span

_TYPES: dict[str, WorkType] = {name: name for name in get_args(WorkType)}
_OTHER_TYPES: dict[str, WorkType] = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "posted-content": "article",
    "preprint": "article",
    "book-chapter": "chapter",
    "entry-encyclopedia": "chapter",
    "entry-dictionary": "chapter",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "dissertation": "thesis",
    "manuscript": "article",
    "post": "post-weblog",
}
"""What services write in place of CSL's names."""
_OTHERS = frozenset(["others", "et al", "et al.", "...", "…", "等"])
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d)(?!\d)")
_NOTE_LINE = re.compile(r"^\s*(PMID|arXiv|DOI)\s*:\s*(\S+)", re.IGNORECASE | re.MULTILINE)
_ARXIV_ADDRESS = re.compile(r"arxiv\.org/(?:abs|pdf|html)/(\S+)", re.IGNORECASE)


def entry_of_record(item: JsonDict) -> ReferenceEntry:
    """What a CSL-JSON item says of its work, in the fields of an entry.

    The title holds the subtitle. Of several forms of a date `issued` is read first. An author
    `others` is none: it says that there are more.
    """
    authors, complete = _authors(item.get("author"))
    doi = _identifier(item, "DOI")
    isbn = _first_text(item.get("ISBN")) or ""
    arxiv = arxiv_of_record(item)
    return ReferenceEntry(
        title=_title(item),
        authors=authors,
        authors_complete=complete,
        year=year_of_record(item),
        venue=_venue(item),
        volume=csl_text(item, "volume"),
        issue=csl_text(item, "issue"),
        pages=csl_text(item, "page"),
        doi=_bare_doi(doi) if fold_doi(doi) else _placeholder(doi),
        arxiv=arxiv or None,
        pmid=_pmid(item) or None,
        isbn=re.sub(r"[^0-9Xx]", "", isbn).upper() or None,
        url=csl_text(item, "URL"),
        type=_type(item),
        court=csl_text(item, "authority"),
    )


def record_of_entry(entry: ReferenceEntry, key: str = "") -> JsonDict:
    """An entry as a CSL-JSON item; what it does not say is left out.

    Args:
        entry: An entry.
        key: The item's `id`.
    """
    record: JsonDict = {"id": key, "type": entry.type or "document"}
    values: dict[str, Json] = {
        "title": entry.title,
        "author": [_name(author, entry.type) for author in entry.authors] or None,
        "issued": {"date-parts": [[entry.year]]} if entry.year else None,
        _venue_field(entry): entry.venue,
        "volume": entry.volume,
        "issue": entry.issue,
        "page": entry.pages,
        "DOI": entry.doi,
        "PMID": entry.pmid,
        "ISBN": entry.isbn,
        "URL": entry.url,
        "authority": entry.court,
        "custom": {"arxiv": entry.arxiv} if entry.arxiv else None,
    }
    record.update({name: value for name, value in values.items() if value})
    if entry.authors and not entry.authors_complete:
        names = record["author"]
        assert isinstance(names, list)
        record["author"] = [*names, {"literal": "others"}]
    return record


def year_of_record(item: JsonDict) -> int | None:
    """The year in which a work was issued; None where no date of the item has one."""
    for name in ("issued", "published-print", "published-online", "published", "original-date"):
        year = _year(item.get(name))
        if year:
            return year
    return _year(item.get("year"))


def arxiv_of_record(item: JsonDict) -> str:
    """The arXiv identifier of a CSL-JSON item, without a version; empty where it has none."""
    custom = item.get("custom")
    candidates: list[str | None] = []
    if isinstance(custom, Mapping):
        candidates.append(_first_text(custom.get("arxiv")))
    candidates += [_first_text(item.get("arxiv")), _note_value(item, "arxiv")]
    for candidate in candidates:
        if identifier := fold_arxiv(candidate):
            return identifier
    if identifier := arxiv_of_doi(_identifier(item, "DOI")):
        return identifier
    address = _ARXIV_ADDRESS.search(csl_text(item, "URL") or "")
    if address:
        return fold_arxiv(address[1])
    for name in ("number", "archive_location", "container-title"):
        text = _first_text(item.get(name)) or ""
        if text.lower().startswith("arxiv") and (identifier := fold_arxiv(text)):
            return identifier
    return ""


def _title(item: JsonDict) -> str | None:
    """The title with its subtitle, which Crossref keeps apart."""
    title = _first_text(item.get("title"))
    subtitle = _first_text(item.get("subtitle"))
    if title and subtitle and subtitle.casefold() not in title.casefold():
        joint = " " if title.endswith((":", "?", "!")) else ": "
        return f"{title}{joint}{subtitle}"
    return title or subtitle


def _venue(item: JsonDict) -> str | None:
    for name in ("container-title", "event-title", "event", "publisher", "genre"):
        venue = _first_text(item.get(name))
        if venue:
            return venue
    return None


def _venue_field(entry: ReferenceEntry) -> str:
    return (
        "publisher"
        if entry.type in ("book", "report", "thesis", "software")
        else ("container-title")
    )


def _type(item: JsonDict) -> WorkType | None:
    name = csl_text(item, "type") or ""
    return _TYPES.get(name) or _OTHER_TYPES.get(name)


def _authors(names: Json) -> tuple[tuple[Author, ...], bool]:
    """The authors of an item, and whether they are all."""
    authors: list[Author] = []
    complete = True
    for name in names if isinstance(names, Sequence) and not isinstance(names, str) else ():
        author = _author(name)
        if author is None:
            continue
        if author.family.strip().lower() in _OTHERS and not author.given:
            complete = False
            continue
        authors.append(author)
    return tuple(authors), complete


def _author(name: Json) -> Author | None:
    if isinstance(name, str):
        last, _, first = (part.strip() for part in name.partition(","))
        return Author(family=last, given=first) if last else None
    if not isinstance(name, dict | Mapping):  # `dict` first: the other question is slow
        return None
    literal = _first_text(name.get("literal")) or _first_text(name.get("name"))
    family = _first_text(name.get("family"))
    if not family:
        whole = literal or _first_text(name.get("given"))
        return Author(family=whole) if whole else None
    particles = _first_text(name.get("non-dropping-particle")) or ""
    dropping = _first_text(name.get("dropping-particle")) or ""
    given = _first_text(name.get("given")) or ""
    suffix = _first_text(name.get("suffix")) or ""
    return Author(
        family=f"{particles} {family}".strip(),
        given=" ".join(part for part in (given, dropping, suffix) if part),
    )


def _name(author: Author, work: WorkType | None) -> JsonDict:
    if not author.given:
        return {"literal": author.family} if " " in author.family else {"family": author.family}
    return {"family": author.family, "given": author.given}


def _year(date: Json) -> int | None:
    """The year of a CSL date: `date-parts`, `raw`, `literal`, or the bare value."""
    if isinstance(date, Mapping):
        parts = date.get("date-parts")
        while isinstance(parts, Sequence) and not isinstance(parts, str) and parts:
            parts = parts[0]
        if isinstance(parts, int | str) and str(parts).lstrip("-").isdigit() and int(parts):
            return int(parts)
        return _year(date.get("raw") or date.get("literal"))
    if isinstance(date, int) and not isinstance(date, bool):
        return date if 0 < date < 3000 else None
    match = _YEAR.search(date) if isinstance(date, str) else None
    return int(match[1]) if match else None


def _first_text(value: Json) -> str | None:
    """A text, or the first of a list of texts, on one line; None where there is none."""
    if value is None:
        return None
    if isinstance(value, str):
        return " ".join(value.split()) or None
    if isinstance(value, Sequence) and not isinstance(value, str):
        value = next((item for item in value if isinstance(item, str) and item.strip()), None)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return " ".join(value.split()) or None if isinstance(value, str) else None


def _identifier(item: JsonDict, name: str) -> str:
    return _first_text(item.get(name)) or _note_value(item, name) or ""


def _pmid(item: JsonDict) -> str:
    return fold_pmid(_first_text(item.get("PMID")) or _note_value(item, "PMID"))


def _note_value(item: JsonDict, name: str) -> str | None:
    """What a note says on a line of its own: `PMID: 123`, as Zotero writes it."""
    note = item.get("note")
    if not isinstance(note, str):
        return None
    for match in _NOTE_LINE.finditer(note):
        if match[1].lower() == name.lower():
            return match[2]
    return None


def _placeholder(doi: str) -> str | None:
    """What stands in place of a DOI, so that it is named: `10.xxxx/abc`; None for other words."""
    return doi if doi and placeholder_reason(doi) else None


def _bare_doi(doi: str) -> str:
    start = doi.find("10.")
    return doi[start:].split()[0].rstrip(".,;:>")


_INITIALS = re.compile(r"\b(?:[A-Z]\.?[\s-]?){1,4}(?=\W|\Z)")
_ET_AL = re.compile(r"[,;]?\s*(?:et al\.?|and others|等人?|u\.\s?a\.)\s*\.?\Z", re.IGNORECASE)
_LAST_JOINT = re.compile(r"\s*,?\s+(?:and|&|und|et|y)\s+", re.IGNORECASE)
_CORRECTED: tuple[EntryField, ...] = (
    "title", "authors", "year", "venue", "volume", "issue", "pages", "doi", "arxiv", "pmid",
)  # fmt: skip


def corrected_text(check: ReferenceCheck) -> str | None:
    """The entry with each differing field as the record has it, in the entry's own style.

    None where nothing can be corrected: no record of the work, or nothing that differs stands in
    the entry's text. A DOI that the work does not have is taken out.
    """
    if check.record is None or check.status not in ("differs", "other_work"):
        return None
    registered = entry_of_record(check.record)
    spans = dict(check.entry.spans)
    differing = {comparison.field for comparison in check.fields if comparison.agrees is False}
    replacements: list[tuple[Span, str]] = []
    for field in _CORRECTED:
        span = spans.get(field)
        if field not in differing or span is None:
            continue
        if field == "authors":
            words = _authors_like(
                span.of(check.text), check.entry.authors, registered.authors,
                complete=check.entry.authors_complete,
            )  # fmt: skip
        else:
            value = getattr(registered, field)
            words = "" if value is None else str(value)
        if words or field in ("doi", "arxiv", "pmid"):
            replacements.append((span, words))
    if not replacements:
        return None
    text = check.text
    for span, words in sorted(replacements, key=lambda pair: -pair[0].start):
        before, after = text[: span.start], text[span.end :]
        if not words:
            # nothing takes an identifier's place: its address and its name go with it
            before = re.sub(
                r"(?:https?://(?:dx\.)?doi\.org/|doi\s*[:：]?\s*|arxiv\s*:?\s*|pmid\s*:?\s*)\Z",
                "", before, flags=re.IGNORECASE,
            ).rstrip(" ,;")  # fmt: skip
        text = before + words + after
    return text if text != check.text else None


def corrected_record(check: ReferenceCheck) -> JsonDict:
    """The work as a CSL-JSON item: the record where it was found, else what the entry says.

    The item's `note` says where the record comes from, or that nobody confirmed the entry.
    """
    key = check.label or ""
    if check.record is not None and check.status in ("matches", "differs", "other_work"):
        record = {name: value for name, value in check.record.items() if name != "custom"}
        return {**record, "id": key or record.get("id", "")}
    record = dict(record_of_entry(check.entry, key))
    return {**record, "note": f"Not confirmed: {check.why}".strip()}


def _authors_like(
    written: str, listed: Sequence[Author], registered: Sequence[Author], *, complete: bool
) -> str:
    """The record's authors as the entry writes names."""
    if not registered:
        return ""
    shown = list(registered) if complete else list(registered[: max(1, len(listed))])
    ending = _ET_AL.search(written)
    body = written[: ending.start()] if ending else written
    first = listed[0] if listed else Author(family=body)
    inverted = not first.given or body.lstrip().startswith(first.family)
    comma = inverted and f"{first.family}," in body
    initials = (
        bool(first.given) and _INITIALS.fullmatch(first.given.strip() + " ".strip()) is not None
    )
    dotted = "." in first.given
    names = [_corrected_name(author, inverted, comma, initials, dotted) for author in shown]
    separator = "; " if ";" in body else "、" if "、" in body else ", "
    if re.search("[\u4e00-\u9fff]", body) and "，" in body:
        separator = "，"
    joint = _LAST_JOINT.search(body)
    if len(names) > 1 and joint and complete:
        joined = separator.join(names[:-1]) + joint[0] + names[-1]
    else:
        joined = separator.join(names)
    tail = written[ending.start() :] if ending and len(shown) < len(registered) else ""
    return joined + tail


def _corrected_name(
    author: Author, inverted: bool, comma: bool, initials: bool, dotted: bool
) -> str:
    given = author.given
    if not given:
        return author.family
    if initials:
        letters = [part[0] for part in re.split(r"[\s.\-]+", given) if part]
        given = " ".join(f"{letter}." for letter in letters) if dotted else "".join(letters)
    if not inverted:
        return f"{given} {author.family}"
    return f"{author.family}, {given}" if comma else f"{author.family} {given}"
