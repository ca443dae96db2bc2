"""The files of reference managers: which format one has, its records, and records as a file."""

from typing import Literal, get_args

from workbench.bibliography.bibtex import read_bibtex, to_bibtex
from workbench.bibliography.csl_json import read_csl_json, to_csl_json
from workbench.bibliography.record_list import RecordList
from workbench.bibliography.ris import is_ris, read_ris, to_ris
from workbench.errors import UnreadableInput
from workbench.records.text import JsonDict

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
