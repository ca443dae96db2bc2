"""Texts of the Data sets page: formats, licences, results, unmapped words; pure."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Literal

from workbench.presentation.escape import file_stem, truncate
from workbench.presentation.verdicts import STYLES
from workbench.records.export_formats import ASKED, FORMATS
from workbench.records.format import count_of, word_for
from workbench.records.verdict import HUMAN_LABELS
from workbench.services.imports import ImportEntry, Skipped, Survey

EXAMPLES_INSTEAD_HELP = (
    "Off: exports contain your own work. On: they contain only the example workspace."
)
TABLES = {"csv": "csv", "parquet": "csv", "huggingface": "csv"} | dict.fromkeys(
    ("references-csv", "references-parquet"), "references-csv"
)
"""Formats whose first rows are shown as a table, with the format that they are read from."""
MORE_ROWS = "A quote or a figure is a row of its own; a run's count of citations leaves them out."
NO_LABELLED_EXAMPLES = (
    "No labelled examples match. Choose another run or queue, or switch off “Labelled examples "
    "only”."
)
ONLY_EXAMPLES = (
    "You have not labelled anything yet, and exports leave the example workspace out. Label "
    "citations on the Review page or in a queue, or turn on “Export the examples instead” to see "
    "what an export contains."
)
NO_LABELLED_REFERENCES = (
    "No labelled references match. Decide on entries in the References view of a run, or switch "
    "off “Labelled examples only”."
)
NO_REFERENCES = "No checked references match. Look up the references of an output first."
LICENCE = "Licence, if the file states none"

Side = Literal["out", "in"]
SIDES: dict[Side, str] = {"out": "Export", "in": "Import"}
IMPORT_TEXT: dict[str, str] = {
    "pairs": "Labelled pairs, JSONL",
    "expertqa": "ExpertQA",
    "wice": "WiCE",
    "label-studio": "Label Studio export",
    "csv": "CSV",
}
FIELD_TEXT: dict[str, str] = {
    "claim": "Claim", "source": "Source text", "label": "Label", "id": "Id",
    "group": "Group (question, page)", "annotator": "Annotator", "note": "Note", "url": "Address",
    "context": "Text before the claim", "title": "Heading or question of the claim",
    "question": "Question that is answered", "table_header": "Header of its table",
    "table_row": "Label of its table row", "written": "Date of the text",
    "source_title": "Title of the source", "source_site": "Publisher or site of the source",
    "source_author": "Author of the source", "source_published": "Date of the source",
    "origin": "Origin", "licence": "Licence",
}  # fmt: skip
PART_TEXT = {"train": "Train", "dev": "Dev", "test": "Test (locked)"}
MOST_WORDS = 24
"""Maximum number of a file's words that can be mapped on the page."""
PLAN_TEXT = {"train": "Train", "dev": "Dev", "test": "Test", "none": "Unassigned"}


def survey_text(survey: Survey) -> str:
    """How much of a file can be used."""
    total = survey.usable + survey.excluded
    if not total:
        return "The file is empty."
    if total == 1 and survey.usable:
        return "1 entry can be used."
    skipped = f", {survey.excluded:,} would be skipped" if survey.excluded else ""
    return f"Of {total:,} entries {survey.usable:,} can be used{skipped}."


def label_word_rows(survey: Survey) -> list[dict[str, str | int]]:
    """Every label word of a file as a row: what it is read as, and how often it occurs."""
    return [
        {
            "Label in the file": truncate(word, 60),
            "Read as": STYLES[label].word if label else "unknown: skipped",
            "Entries": number,
        }
        for word, (label, number) in survey.label_words.items()
    ]


def table_rows(lines: Sequence[str], most: int = 120) -> list[dict[str, str]]:
    """The first lines of a CSV file as rows of a table, long cells cut."""
    rows = csv.DictReader(io.StringIO("".join(lines), newline=""))
    return [{name: truncate(cell or "", most) for name, cell in row.items()} for row in rows]


def default_parts(format_name: str) -> list[str]:
    """The default parts: training data leaves the test part out."""
    return ["train", "dev"] if format_name in ASKED else []


def licence_texts(terms: Mapping[tuple[str | None, str | None], int]) -> list[str]:
    """A line for each origin and licence, most items first."""
    return [
        f"{count_of(number, 'example')} from "
        + ("runs of this workbench" if origin is None else f"{origin or 'a file without a name'}")
        + f": {_licence(licence)}"
        for (origin, licence), number in terms.items()
    ]


def _licence(licence: str | None) -> str:
    if licence is None:
        return "licence not stated, sources stay under the terms of their publishers"
    return licence or "licence not stated"


def file_name(format_name: str, name: str) -> str:
    """The download's file name."""
    return f"{file_stem(name)}-{format_name}.{FORMATS[format_name].ending}"


def unmapped_label_words(survey: Survey) -> list[str]:
    """The words of a file that can be mapped: all except our own labels."""
    return [word for word in survey.label_words if word not in HUMAN_LABELS][:MOST_WORDS]


LONGEST_PREVIEW = 240
"""Characters of a claim or source in the preview, over several lines; an ellipsis ends a longer one."""


def entry_rows(entries: Sequence[ImportEntry], most: int = 5) -> list[dict[str, str]]:
    """The first entries as rows of a table, their labels first."""
    return [
        {
            "Labels": ", ".join(
                f"{truncate(opinion.annotator, 40)}: {STYLES[opinion.label].word}"
                if opinion.annotator
                else STYLES[opinion.label].word
                for opinion in entry.opinions
            )
            or "none",
            "Claim": truncate(entry.claim, LONGEST_PREVIEW),
            "Source": truncate(entry.source, LONGEST_PREVIEW),
            "Line": f"{entry.line}",
            "Group": truncate(entry.group, 60),
        }
        for entry in entries[:most]
    ]


def skipped_rows(skipped: Sequence[Skipped], most: int = 200) -> list[dict[str, str | int]]:
    """Lines that were left out as rows of a table."""
    return [{"Line": line.line, "Reason": truncate(line.reason, 300)} for line in skipped[:most]]


def parts_text(parts: Mapping[str, int]) -> str:
    """How new examples were dealt into the parts, in a sentence; empty without any."""
    if not any(parts.values()):
        return ""
    dealt = ", ".join(
        f"{parts[part]:,} {word.lower()}" for part, word in PLAN_TEXT.items() if parts.get(part)
    )
    return f"Split: {dealt}. The next calibration makes this final; the test set stays locked."


def column_order(columns: Sequence[str], first: Sequence[str]) -> list[str]:
    """The columns of a file with some of them first; what is no column is left out."""
    return list(dict.fromkeys([*(name for name in first if name in columns), *columns]))


def import_result_text(imported: int, labels: int, known: int, left_out: int) -> str:
    """The result of an import, in a sentence."""
    if not imported and not known:
        return f"Nothing was imported: {left_out:,} entries were skipped."
    sentence = f"{imported:,} new {word_for(imported, 'example')} with {labels:,} new labels"
    if not imported:
        sentence = f"No new examples, {labels:,} new labels"
    if known:
        sentence += f"; {known:,} {word_for(known, 'was', 'were')} already present"
    if left_out:
        sentence += f"; {left_out:,} skipped"
    return f"{sentence}."
