"""Label Studio: tasks with annotations, as it exports them and as we hand them to it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.datasets.context_fields import CONTEXT_FIELDS, read_context
from workbench.datasets.entries import (
    Annotation,
    ImportEntry,
    InvalidEntryError,
    Skipped,
    checked,
    skipped,
)
from workbench.datasets.label_names import label_of, word_of
from workbench.datasets.line_reader import json_entries
from workbench.datasets.read_pairs import moment_of, text_of
from workbench.records import HumanLabel, Json, JsonDict, Role, Span

FIELDS = ("id", "claim", "source", "group", "url", *CONTEXT_FIELDS, "origin", "licence")
_DEFAULT_NAMES: Mapping[str, tuple[str, ...]] = {
    "claim": ("claim", "hypothesis", "statement", "sentence"),
    "source": ("source", "source_text", "evidence", "passage", "document", "premise", "text"),
}


def read_label_studio(
    path: Path,
    names: Mapping[str, HumanLabel] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Iterator[ImportEntry | Skipped]:
    """The tasks of a JSON export with the labels of each annotator, in the file's order.

    A label is a choice, or a text of a region named `verdict`; marked pieces of the source are its
    evidence; cancelled annotations and predictions are not read. Numbers count the tasks.

    Args:
        path: A JSON list of tasks, or one task a line.
        names: What the project's own choices stand for.
        columns: Which key of a task's data holds the claim, the source, …

    Raises:
        UnreadableInput: The file is missing, empty, binary or damaged.
    """
    for entry in json_entries(path):
        if isinstance(entry, Skipped):
            yield entry
            continue
        number, task = entry
        try:
            yield checked(_entry(number, task, names, columns or {}))
        except InvalidEntryError as error:
            yield skipped(number, error)


def _entry(
    number: int,
    task: JsonDict,
    names: Mapping[str, HumanLabel] | None,
    columns: Mapping[str, str],
) -> ImportEntry:
    data = task.get("data")
    if not isinstance(data, dict):
        raise InvalidEntryError("it is not a task: it has no data")
    claim, source = (_text(data, field, columns) for field in ("claim", "source"))
    short = {field: text_of(data, columns.get(field, field)) for field in FIELDS}
    annotations = task.get("annotations") or task.get("completions") or []
    if not isinstance(annotations, list):
        raise InvalidEntryError("its annotations are not a list")
    opinions = tuple(
        _opinion(annotation, source, names)
        for annotation in annotations
        if isinstance(annotation, dict) and not annotation.get("was_cancelled")
    )
    if "slices" in data and isinstance(data["slices"], dict):
        slices = tuple((str(name), str(value)) for name, value in data["slices"].items())
    else:
        slices = ()
    return ImportEntry(
        line=number,
        id=short["id"],
        claim=claim,
        source=source,
        opinions=opinions,
        group=short["group"],
        context=read_context(_context_values(data, columns)),
        url=short["url"],
        origin=short["origin"],
        licence=short["licence"],
        slices=slices,
    )


def _context_values(data: Mapping[str, Json], columns: Mapping[str, str]) -> dict[str, Json]:
    """The fields of the context that a task has, each by its own name."""
    values = {name: data.get(columns.get(name, name)) for name in CONTEXT_FIELDS}
    if "source_sha256" in data and "source_title" not in data and "title" not in columns:
        # a task that an earlier version wrote: its title is the source's
        values |= {"title": None, "source_title": data.get("title")}
    return values


def _text(data: Mapping[str, Json], field: str, columns: Mapping[str, str]) -> str:
    keys = (columns[field],) if field in columns else _DEFAULT_NAMES[field]
    for key in keys:
        value = data.get(key)
        if isinstance(value, str):
            return value
    raise InvalidEntryError(
        f"its data has no {' or '.join(keys)}; choose the key that contains the {field}"
    )


def _opinion(
    annotation: JsonDict, source: str, names: Mapping[str, HumanLabel] | None
) -> Annotation:
    regions = annotation.get("result")
    label: HumanLabel | None = None
    word = ""
    evidence: list[Span] = []
    texts: dict[str, str] = {}
    for region in regions if isinstance(regions, list) else ():
        if not isinstance(region, dict) or not isinstance(region.get("value"), dict):
            continue
        value, name = region["value"], str(region.get("from_name") or "")
        assert isinstance(value, dict)
        if region.get("type") == "choices" and label is None:
            choices = value.get("choices")
            choice = choices[0] if isinstance(choices, list) and choices else None
            label, word = label_of(choice, names), word_of(choice)
        elif region.get("type") == "labels" and region.get("to_name") != "claim":
            evidence += _span(value, source)
        elif region.get("type") == "textarea":
            text = value.get("text")
            texts[name] = " ".join(map(str, text)) if isinstance(text, list) else str(text or "")
    if label is None:
        raise InvalidEntryError("one of its annotations has no choice")
    role: Role = "adjudication" if annotation.get("ground_truth") is True else "review"
    if "role" in texts:
        role = "adjudication" if texts["role"] == "adjudication" else "review"
    return Annotation(
        annotator=texts.get("reviewer") or _annotator_name(annotation.get("completed_by")),
        label=label,
        word=word,
        note=texts.get("note", ""),
        role=role,
        created_at=moment_of(annotation.get("created_at")),
        evidence=tuple(evidence),
    )


def _annotator_name(value: Json) -> str:
    if isinstance(value, dict):
        full = f"{text_of(value, 'first_name')} {text_of(value, 'last_name')}".strip()
        return text_of(value, "email") or full or f"Label Studio user {text_of(value, 'id')}"
    return f"Label Studio user {value}" if isinstance(value, int | str) and value else ""


def _span(value: Mapping[str, Json], source: str) -> list[Span]:
    """A marked piece; where its offsets count UTF-16 units, they are those of its words."""
    start, end, text = value.get("start"), value.get("end"), value.get("text")
    if not isinstance(start, int) or not isinstance(end, int):
        return []
    if isinstance(text, str) and source[start:end] != text:
        units = source.encode("utf-16-le", "surrogatepass")
        start = len(units[: 2 * start].decode("utf-16-le", "replace"))
        end = start + len(text)
        if source[start:end] != text:
            return []
    return [Span(start, end)] if 0 <= start < end <= len(source) else []
