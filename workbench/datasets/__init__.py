"""How do labels come in and go out? Importers and exporters."""

from workbench.datasets.asking import Prompting
from workbench.datasets.card import About
from workbench.datasets.compose import ITEMS_A_RUN, Composed, compose, make_label
from workbench.datasets.entries import Entry, Opinion, Skipped
from workbench.datasets.export import to_csv, to_jsonl
from workbench.datasets.lines_out import LABEL_STUDIO_CONFIG, Shape
from workbench.datasets.read import IMPORT_FORMATS, guess_format, read_entries
from workbench.datasets.read_csv import FIELDS, Sniffed, sniff_csv
from workbench.datasets.write import (
    ASKED,
    EXPORT_FORMATS,
    Dataset,
    preview_lines,
    write_dataset,
)

__all__ = [
    "ASKED",
    "About",
    "Composed",
    "Dataset",
    "EXPORT_FORMATS",
    "Entry",
    "FIELDS",
    "IMPORT_FORMATS",
    "ITEMS_A_RUN",
    "LABEL_STUDIO_CONFIG",
    "Opinion",
    "Prompting",
    "Shape",
    "Skipped",
    "Sniffed",
    "compose",
    "guess_format",
    "make_label",
    "preview_lines",
    "read_entries",
    "sniff_csv",
    "to_csv",
    "to_jsonl",
    "write_dataset",
]
