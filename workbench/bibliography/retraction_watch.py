"""The table of Retraction Watch, a CSV file that Crossref publishes."""

import csv
import re
from collections.abc import Mapping
from typing import Literal

from workbench.bibliography.keys import entry_keys
from workbench.records.bibliography import Author, ReferenceEntry, RetractionKind
from workbench.records.registries import RecordKeys, RetractionRow, SkippedRecord

_NATURES: dict[str, RetractionKind | Literal["reinstated"]] = {
    "retraction": "retracted",
    "expression of concern": "concern",
    "correction": "corrected",
    "reinstatement": "reinstated",
}
_AMERICAN_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_NEEDED = frozenset(["OriginalPaperDOI", "RetractionNature"])
_MAX_FIELD = 1_000_000


def is_retraction_table(text: str) -> bool:
    """Whether the first line of a text names the columns of that table."""
    header = text.lstrip("\ufeff")[:4_000].split("\n", 1)[0]
    return all(name in header for name in _NEEDED)


def read_retraction_table(text: str) -> tuple[list[RetractionRow], list[SkippedRecord]]:
    """The lines of the table, and those that cannot be used, with their line numbers.

    A line needs a nature that is known, and a DOI, a PubMed identifier or a title of the work.
    """
    rows: list[RetractionRow] = []
    problems: list[SkippedRecord] = []
    csv.field_size_limit(_MAX_FIELD)
    reader = csv.DictReader(text.lstrip("\ufeff").splitlines(keepends=True))
    while True:
        try:
            line = next(reader, None)
        except csv.Error as error:
            problems.append(SkippedRecord(f"line {reader.line_num}", f"No valid CSV: {error}."))
            continue
        if line is None:
            return rows, problems
        row, reason = _row({name or "": value or "" for name, value in line.items()})
        if row is None:
            problems.append(SkippedRecord(f"line {reader.line_num}", reason))
        else:
            rows.append(row)


def _row(line: Mapping[str, str]) -> tuple[RetractionRow | None, str]:
    nature = str(line.get("RetractionNature", "")).strip()
    kind = _NATURES.get(nature.lower())
    if kind is None:
        return None, f"The nature of the notice, {nature[:60]!r}, is not known."
    author = str(line.get("Author", "")).split(";")[0].split()
    keys = entry_keys(
        ReferenceEntry(
            title=str(line.get("Title", "")) or None,
            authors=(Author(family=author[-1]),) if author else (),
            doi=str(line.get("OriginalPaperDOI", "")),
            pmid=_identifier(line.get("OriginalPaperPubMedID", "")),
        )
    )
    if not (keys.doi or keys.pmid or keys.title):
        return None, "This line names no work: no DOI, PubMed identifier or title."
    return RetractionRow(
        keys=RecordKeys(title=keys.title, author=keys.author, doi=keys.doi, pmid=keys.pmid),
        kind=kind,
        notice=_identifier(line.get("RetractionDOI", "")),
        date=_iso(str(line.get("RetractionDate", ""))),
        reason="; ".join(
            part.strip(" +") for part in str(line.get("Reason", "")).split(";") if part.strip(" +")
        ),
    ), ""


def _identifier(value: str) -> str | None:
    """An identifier; None for the words that stand for none in this table."""
    value = str(value).strip()
    return None if value.lower() in ("", "0", "unavailable", "n/a", "none") else value


def _iso(date: str) -> str | None:
    """The day in ISO 8601 of a date that is written `month/day/year`; None for anything else."""
    american = _AMERICAN_DATE.search(date)
    if american:
        return f"{american[3]}-{int(american[1]):02}-{int(american[2]):02}"
    iso = _ISO_DATE.search(date)
    return iso[0] if iso else None
