"""`PAIRS` files: one labelled pair of claim and source a line."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from workbench.datasets.entries import (
    Annotation,
    ImportEntry,
    InvalidEntryError,
    Skipped,
    checked,
    label_of,
    read_context,
    skipped,
    word_of,
)
from workbench.datasets.line_reader import json_lines
from workbench.records.review import Role
from workbench.records.text import Json, JsonDict, replace_surrogates
from workbench.records.verdict import HumanLabel


def read_pairs(
    path: Path, names: Mapping[str, HumanLabel] | None = None
) -> Iterator[ImportEntry | Skipped]:
    """The pairs of a JSONL file in its order, and the lines that are not pairs.

    Besides `id`, `claim`, `source`, `label` and `group` a line may hold `context` (what stands
    before the claim in its text), `title` (the claim's heading or the question that it answers),
    `source_title` and the other fields of `context_fields`, `url`, `origin`, `licence`,
    `annotator`, and `labels` where several people labelled it: objects with `annotator` and
    `label`, and `role` where one of them settled it; then `label` is not read.

    Raises:
        UnreadableInput: The file is missing, empty, binary or damaged.
    """
    for entry in json_lines(path):
        if isinstance(entry, Skipped):
            yield entry
            continue
        line, row = entry
        try:
            yield checked(_entry(line, row, names))
        except InvalidEntryError as error:
            yield skipped(line, error)


def _entry(line: int, row: JsonDict, names: Mapping[str, HumanLabel] | None) -> ImportEntry:
    labels = row.get("labels")
    several = isinstance(labels, list) and bool(labels)
    return ImportEntry(
        line=line,
        id=text_of(row, "id"),
        claim=needed(row, "claim"),
        source=needed(row, "source"),
        opinions=opinions_of(labels, names) if several else (_opinion(row, names),),
        group=text_of(row, "group"),
        context=read_context(row),
        url=text_of(row, "url"),
        origin=text_of(row, "origin"),
        licence=text_of(row, "licence"),
    )


def _opinion(row: JsonDict, names: Mapping[str, HumanLabel] | None) -> Annotation:
    return Annotation(
        annotator=text_of(row, "annotator"),
        label=label_of(row.get("label"), names),
        word=word_of(row.get("label")),
        note=text_of(row, "note"),
    )


def opinions_of(
    labels: Json, names: Mapping[str, HumanLabel] | None = None
) -> tuple[Annotation, ...]:
    """What several annotators said, as the exports write it.

    Raises:
        InvalidEntryError: The value is not a list of objects, or a label is unknown.
    """
    if not isinstance(labels, list):
        raise InvalidEntryError("its labels are not a list")
    annotations = []
    for entry in labels:
        if not isinstance(entry, dict):
            raise InvalidEntryError("one of its labels is not an object")
        role: Role = "adjudication" if entry.get("role") == "adjudication" else "review"
        annotations.append(
            Annotation(
                annotator=text_of(entry, "annotator"),
                label=label_of(entry.get("label"), names),
                word=word_of(entry.get("label")),
                note=text_of(entry, "note"),
                role=role,
                created_at=moment_of(entry.get("created_at")),
            )
        )
    return tuple(annotations)


def moment_of(value: Json) -> datetime | None:
    """A moment with its time zone; None for anything else."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def needed(row: Mapping[str, Json], name: str) -> str:
    """A text that must be there.

    Raises:
        InvalidEntryError: It is missing or not a text.
    """
    value = row.get(name)
    if value is None:
        raise InvalidEntryError(f"it has no {name}")
    if not isinstance(value, str):
        raise InvalidEntryError(f"its {name} is not text")
    return value


def text_of(row: Mapping[str, Json], name: str) -> str:
    """A short text or a number as text, in one line; empty where there is none."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(replace_surrogates(str(value)).split())[:2000]
