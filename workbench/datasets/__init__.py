"""How do labels come in and go out? Importers and exporters."""

from workbench.datasets.compose import ITEMS_A_RUN, Composed, compose, make_label
from workbench.datasets.entries import Entry, Opinion, Skipped
from workbench.datasets.export import FORMATS, Exported, export_rows, to_csv, to_jsonl
from workbench.datasets.read import IMPORT_FORMATS, guess_format, read_entries
from workbench.datasets.read_csv import FIELDS, Sniffed, sniff_csv

__all__ = [
    "Composed",
    "Entry",
    "Exported",
    "FIELDS",
    "FORMATS",
    "IMPORT_FORMATS",
    "ITEMS_A_RUN",
    "Opinion",
    "Skipped",
    "Sniffed",
    "compose",
    "export_rows",
    "guess_format",
    "make_label",
    "read_entries",
    "sniff_csv",
    "to_csv",
    "to_jsonl",
]
