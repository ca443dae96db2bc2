"""Label Studio: tasks with annotations, as it exports them and as we hand them to it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.datasets.entries import (
    CONTEXT_FIELDS,
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
from workbench.datasets.line_reader import json_entries
from workbench.datasets.read_pairs import moment_of, text_of
from workbench.records.review import Role
from workbench.records.text import Json, JsonDict, Span
from workbench.records.verdict import HumanLabel

FIELDS = ("id", "claim", "source", "label", "group", "url", *CONTEXT_FIELDS, "origin", "licence")
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

    A label is the choice of one control, the one whose choices are most often known labels; marked
    pieces of the source are its evidence; cancelled annotations and predictions are not read. An
    annotation without a label is told, and the task's others are kept. Numbers count the tasks.

    Args:
        path: A JSON list of tasks, or one task a line.
        names: What the project's own choices stand for.
        columns: Which key of a task's data holds the claim, the source, …; `label` names the control
            that carries the label.

    Raises:
        UnreadableInput: The file is missing, empty, binary or damaged.
    """
    columns = columns or {}
    controls = _controls_of(path, names, columns.get("label", ""))
    for entry in json_entries(path):
        if isinstance(entry, Skipped):
            yield entry
            continue
        number, task = entry
        left_out: list[Skipped] = []
        try:
            yield checked(_entry(number, task, controls, names, columns, left_out))
        except InvalidEntryError as error:
            yield skipped(number, error)
        yield from left_out


@dataclass(frozen=True, slots=True, kw_only=True)
class _Controls:
    """The controls of a labelling interface that are read; an interface may have others."""

    label: str
    """The one whose choice is the label; empty where only one has choices."""
    evidence: str
    """The one that marks the evidence; empty where every marked piece of the source is evidence."""


def _controls_of(path: Path, names: Mapping[str, HumanLabel] | None, label: str) -> _Controls:
    known: Counter[str] = Counter()
    marking: set[str] = set()
    for entry in json_entries(path):
        if isinstance(entry, Skipped):
            continue
        try:
            annotations = _annotations(entry[1])
        except InvalidEntryError:
            continue
        for annotation in annotations:
            for name, kind, value in _regions(annotation):
                if kind == "labels":
                    marking.add(name)
                elif kind == "choices":
                    known[name] += 1 if _is_known(_chosen(value), names) else -1
    best = max(known, key=lambda name: (known[name], name == "verdict"), default="")
    return _Controls(
        label=label or (best if len(known) > 1 else ""),
        evidence="evidence" if "evidence" in marking else "",
    )


def _is_known(choices: Sequence[Json], names: Mapping[str, HumanLabel] | None) -> bool:
    try:
        return bool(choices) and bool(label_of(choices[0], names))
    except InvalidEntryError:
        return False


def _annotations(task: JsonDict) -> list[JsonDict]:
    """Those of a task that were not cancelled."""
    annotations = task.get("annotations") or task.get("completions") or []
    if not isinstance(annotations, list):
        raise InvalidEntryError("its annotations are not a list")
    return [
        annotation
        for annotation in annotations
        if isinstance(annotation, dict) and not annotation.get("was_cancelled")
    ]


def _regions(annotation: JsonDict) -> Iterator[tuple[str, str, JsonDict]]:
    """Control, type and value of each result; marks on the claim are none of ours."""
    regions = annotation.get("result")
    for region in regions if isinstance(regions, list) else ():
        if not isinstance(region, dict) or not isinstance(region.get("value"), dict):
            continue
        value, kind = region["value"], str(region.get("type") or "")
        assert isinstance(value, dict)
        if kind == "labels" and region.get("to_name") == "claim":
            continue
        # a choice about a marked piece is none about the claim
        if kind != "choices" or "start" not in value:
            yield str(region.get("from_name") or ""), kind, value


def _chosen(value: JsonDict) -> Sequence[Json]:
    choices = value.get("choices")
    return choices if isinstance(choices, list) else ()


def _entry(
    number: int,
    task: JsonDict,
    controls: _Controls,
    names: Mapping[str, HumanLabel] | None,
    columns: Mapping[str, str],
    left_out: list[Skipped],
) -> ImportEntry:
    """The task as an item; the annotations without a label are added to `left_out`."""
    data = task.get("data")
    if not isinstance(data, dict):
        raise InvalidEntryError("it is not a task: it has no data")
    claim, source = (_text(data, field, columns) for field in ("claim", "source"))
    short = {field: text_of(data, columns.get(field, field)) for field in FIELDS}
    opinions: list[Annotation] = []
    unlabelled: list[InvalidEntryError] = []
    for annotation in _annotations(task):
        try:
            opinions.append(_opinion(annotation, source, controls, names))
        except InvalidEntryError as error:
            unlabelled.append(error)
    if unlabelled and not opinions:
        raise unlabelled[0]
    left_out += [skipped(number, error) for error in unlabelled]
    if "slices" in data and isinstance(data["slices"], dict):
        slices = tuple((str(name), str(value)) for name, value in data["slices"].items())
    else:
        slices = ()
    return ImportEntry(
        line=number,
        id=short["id"],
        claim=claim,
        source=source,
        opinions=tuple(opinions),
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
    annotation: JsonDict,
    source: str,
    controls: _Controls,
    names: Mapping[str, HumanLabel] | None,
) -> Annotation:
    choices: Sequence[Json] = ()
    evidence: list[Span] = []
    texts: dict[str, str] = {}
    for name, kind, value in _regions(annotation):
        if kind == "choices" and not choices and controls.label in ("", name):
            choices = _chosen(value)
        elif kind == "labels" and controls.evidence in ("", name):
            evidence += _span(value, source)
        elif kind == "textarea":
            text = value.get("text")
            texts[name] = " ".join(map(str, text)) if isinstance(text, list) else str(text or "")
    annotator = texts.get("reviewer") or _annotator_name(annotation.get("completed_by"))
    whose = f"the annotation of {annotator or 'an unnamed annotator'}"
    if len(choices) != 1:
        of_control = f" for {controls.label}" if controls.label else ""
        number = f"{len(choices)} choices" if choices else "no choice"
        raise InvalidEntryError(f"{whose} has {number}{of_control}")
    label, word = label_of(choices[0], names), word_of(choices[0])
    role: Role = "adjudication" if annotation.get("ground_truth") is True else "review"
    if "role" in texts:
        role = "adjudication" if texts["role"] == "adjudication" else "review"
    return Annotation(
        annotator=annotator,
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
