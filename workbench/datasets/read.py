"""Any file of labelled items as entries, by the name of its format."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.datasets.entries import ImportEntry, Skipped, parse_names
from workbench.datasets.line_reader import encoding_of, json_entries, opened
from workbench.datasets.read_csv import read_csv
from workbench.datasets.read_expertqa import read_expertqa
from workbench.datasets.read_label_studio import FIELDS, read_label_studio
from workbench.datasets.read_pairs import read_pairs
from workbench.datasets.read_wice import read_wice
from workbench.errors import UsageError
from workbench.records.text import JsonDict

IMPORT_FORMATS = ("pairs", "expertqa", "wice", "label-studio", "csv")
_PLAIN = {"pairs": read_pairs, "expertqa": read_expertqa, "wice": read_wice}


def read_entries(
    format_name: str,
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Iterator[ImportEntry | Skipped]:
    """The items of a file in its order, one at a time, and what of it was left out.

    Args:
        format_name: One of `IMPORT_FORMATS`.
        path: The file, also compressed with gzip.
        columns: For CSV the column, for Label Studio the key of a task's data, of each field.
        labels: What the file's own labels stand for.

    Raises:
        UsageError: There is no such format, or a column or label cannot be mapped.
        UnreadableInput: The file is missing, empty, binary or damaged.
    """
    if format_name not in IMPORT_FORMATS:
        raise UsageError(
            f"There is no import format {format_name!r}; choose one of {', '.join(IMPORT_FORMATS)}."
        )
    names = parse_names(labels or {})
    if format_name == "csv":
        return read_csv(path, names, columns)
    if format_name == "label-studio":
        for field in columns or {}:
            if field not in FIELDS:
                raise UsageError(f"{field!r} cannot be mapped; the fields are {', '.join(FIELDS)}.")
        return read_label_studio(path, names, columns)
    if columns:
        raise UsageError(f"The format {format_name} has no columns to map; leave out --map.")
    return _PLAIN[format_name](path, names)


def guess_format(path: Path) -> str | None:
    """The format that a file probably has, by its first entry; None where it looks like none.

    Raises:
        UnreadableInput: The file is missing, empty, binary or damaged.
    """
    first = next((entry for entry in json_entries(path)), None) if _opens_as_json(path) else None
    if first is None:
        return "csv" if path.suffix.lower().removesuffix(".gz") in ("", ".csv", ".tsv") else None
    return None if isinstance(first, Skipped) else _by_keys(first[1])


def _by_keys(row: JsonDict) -> str | None:
    if isinstance(row.get("data"), dict):
        return "label-studio"
    if "question" in row and "answers" in row:
        return "expertqa"
    if "claim" in row and isinstance(row.get("evidence"), list):
        return "wice"
    return "pairs" if "claim" in row and "source" in row else None


def _opens_as_json(path: Path) -> bool:
    with opened(path) as file:
        encoding = encoding_of(file)
        head = file.read(1 << 16).decode(encoding, "ignore").lstrip()
    return head.startswith(("{", "["))
