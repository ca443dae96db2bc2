"""How do labels come in and go out? Importers and exporters."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.datasets.chat_format import PromptFormat
    from workbench.datasets.context_fields import CONTEXT_FIELDS, read_context
    from workbench.datasets.corrections import CORRECTION_FORMATS, DecidedCorrection
    from workbench.datasets.dataset_card import CardMetadata
    from workbench.datasets.entries import Annotation, ImportEntry, Skipped, contradiction
    from workbench.datasets.export import to_csv, to_jsonl
    from workbench.datasets.fit import needs_source_text, takes_all
    from workbench.datasets.import_run import ITEMS_A_RUN, ImportedRun, compose, make_label
    from workbench.datasets.label_names import guess_label
    from workbench.datasets.line_writers import LABEL_STUDIO_CONFIG, ExportOptions
    from workbench.datasets.read import IMPORT_FORMATS, guess_format, read_entries
    from workbench.datasets.read_csv import FIELDS, CsvDialect, sniff_csv
    from workbench.datasets.references import (
        REFERENCE_FORMATS,
        preview_reference_lines,
    )
    from workbench.datasets.write import (
        ASKED,
        EXPORT_FORMATS,
        Dataset,
        count_rows,
        preview_lines,
        refuse_format,
        write_corrections,
        write_dataset,
        write_references,
    )

__all__ = [
    "ASKED",
    "Annotation",
    "CONTEXT_FIELDS",
    "CORRECTION_FORMATS",
    "CardMetadata",
    "CsvDialect",
    "Dataset",
    "DecidedCorrection",
    "EXPORT_FORMATS",
    "ExportOptions",
    "FIELDS",
    "IMPORT_FORMATS",
    "ITEMS_A_RUN",
    "ImportEntry",
    "ImportedRun",
    "LABEL_STUDIO_CONFIG",
    "PromptFormat",
    "REFERENCE_FORMATS",
    "Skipped",
    "compose",
    "contradiction",
    "count_rows",
    "guess_format",
    "guess_label",
    "make_label",
    "needs_source_text",
    "preview_lines",
    "preview_reference_lines",
    "read_context",
    "read_entries",
    "refuse_format",
    "sniff_csv",
    "takes_all",
    "to_csv",
    "to_jsonl",
    "write_corrections",
    "write_dataset",
    "write_references",
]

__getattr__ = lazy_exports(__name__, __file__)
