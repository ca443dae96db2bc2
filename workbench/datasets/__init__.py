"""How do labels come in and go out? Importers and exporters."""

from workbench.datasets.asking import Prompting
from workbench.datasets.card import About
from workbench.datasets.compose import ITEMS_A_RUN, Composed, compose, make_label
from workbench.datasets.context_fields import CONTEXT_FIELDS, read_context
from workbench.datasets.entries import Entry, Opinion, Skipped, contradiction
from workbench.datasets.export import to_csv, to_jsonl
from workbench.datasets.fit import needs_source_text, takes_all
from workbench.datasets.label_names import guess_label
from workbench.datasets.lines_out import LABEL_STUDIO_CONFIG, Shape
from workbench.datasets.read import IMPORT_FORMATS, guess_format, read_entries
from workbench.datasets.read_csv import FIELDS, Sniffed, sniff_csv
from workbench.datasets.write import (
    ASKED,
    EXPORT_FORMATS,
    Dataset,
    count_rows,
    preview_lines,
    refuse_format,
    write_dataset,
)

__all__ = [
    "ASKED",
    "About",
    "CONTEXT_FIELDS",
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
    "contradiction",
    "count_rows",
    "guess_format",
    "guess_label",
    "make_label",
    "needs_source_text",
    "preview_lines",
    "read_context",
    "read_entries",
    "refuse_format",
    "sniff_csv",
    "takes_all",
    "to_csv",
    "to_jsonl",
    "write_dataset",
]
