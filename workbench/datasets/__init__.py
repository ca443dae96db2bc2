"""How do labels come in and go out? Importers and exporters."""

from workbench.datasets.export import FORMATS, Exported, export_rows, to_csv, to_jsonl

__all__ = ["Exported", "FORMATS", "export_rows", "to_csv", "to_jsonl"]
