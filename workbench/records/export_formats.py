"""The formats of data sets: a further one is an entry here and its writer in `datasets`."""

from dataclasses import dataclass
from typing import Literal

_CONTENT_TYPES = {
    "jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "json": "application/json",
    "parquet": "application/vnd.apache.parquet", "zip": "application/zip",
    "md": "text/markdown; charset=utf-8",
}  # fmt: skip
_IN_COLUMNS = "`answer_NAME` is the active answer, `answers_NAME` has those of all reviewers."
_IN_ROWS = "`answers` has the active answer by field, each of `labels` its own."
_LEFT_OUT = "Lines of this format do not contain them."


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format and what has to be known of it everywhere."""

    title: str
    ending: str
    """Of its file, without a period; a folder is downloaded as a zip file."""
    says: str
    """What is in it, in a sentence."""
    of: Literal["citations", "references", "corrections"] = "citations"
    answers: str = _IN_COLUMNS
    """Where the card says that answers to questions of queues are."""
    paired: bool = False
    """Whether it needs a gold label and the source's text."""
    asked: bool = False
    """Whether it is made with the judge's prompt."""

    @property
    def content_type(self) -> str:
        """Of a download over HTTP."""
        return _CONTENT_TYPES[self.ending]


FORMATS = {
    "jsonl": ExportFormat(
        "JSONL",
        "jsonl",
        "All fields of each citation, one JSON object per line.",
        answers=_IN_ROWS,
    ),
    "csv": ExportFormat(
        "CSV", "csv", "One row per citation, for spreadsheets; cells never contain formulas."
    ),
    "parquet": ExportFormat("Parquet", "parquet", "Typed columns, for DuckDB and pandas."),
    "huggingface": ExportFormat(
        "Hugging Face folder",
        "zip",
        "Train, validation and test as Parquet with a data card; `load_dataset` reads it.",
    ),
    "label-studio": ExportFormat(
        "Label Studio tasks",
        "json",
        "The judge's verdicts as predictions, labels as annotations.",
        answers="Annotations contain them as regions `answer_NAME`.",
    ),
    "chat-anthropic": ExportFormat(
        "Fine-tuning, Anthropic",
        "jsonl",
        "The judge's prompts with human answers.",
        answers=_LEFT_OUT,
        paired=True,
        asked=True,
    ),
    "chat-openai": ExportFormat(
        "Fine-tuning, OpenAI",
        "jsonl",
        "The judge's prompts with human answers.",
        answers=_LEFT_OUT,
        paired=True,
        asked=True,
    ),
    "preference": ExportFormat(
        "Preference pairs",
        "jsonl",
        "Human corrections preferred over the judge's answers.",
        answers="`answers` has the active answer by field.",
        paired=True,
        asked=True,
    ),
    "pairs": ExportFormat(
        "Labelled pairs",
        "jsonl",
        "Claim, source and active label.",
        answers=_IN_ROWS,
        paired=True,
    ),
    "references": ExportFormat(
        "References, JSONL",
        "jsonl",
        "Entries of reference lists: the check, the record, what reviewers decided.",
        "references",
    ),
    "references-csv": ExportFormat(
        "References, CSV",
        "csv",
        "One row per entry, for spreadsheets; cells never contain formulas.",
        "references",
    ),
    "references-parquet": ExportFormat(
        "References, Parquet", "parquet", "Typed columns of the same rows.", "references"
    ),
    "correction-pairs": ExportFormat(
        "Corrections as preference pairs",
        "jsonl",
        "Corrections that were taken or edited are preferred over the claim; refused ones are "
        "rejected.",
        "corrections",
    ),
    "corrected-markdown": ExportFormat(
        "Corrected output, Markdown",
        "md",
        "The text of a run with the corrections that were taken, and a list of the changes.",
        "corrections",
    ),
}
EXPORT_FORMATS = tuple(FORMATS)


def _names(of: str) -> tuple[str, ...]:
    return tuple(name for name, export_format in FORMATS.items() if export_format.of == of)


CITATION_FORMATS, REFERENCE_FORMATS = _names("citations"), _names("references")
CORRECTION_FORMATS = _names("corrections")
ASKED = tuple(name for name, export_format in FORMATS.items() if export_format.asked)
"""Formats that are made with the judge's prompt."""
PAIRED = tuple(name for name, export_format in FORMATS.items() if export_format.paired)
"""Formats that need a gold label and the source's text."""
