"""Items out of the database as a data set: chosen, put into parts, written with its card."""

import io
import tempfile
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from workbench.calibration.agreement import agreement
from workbench.datasets.chat_format import PromptFormat
from workbench.datasets.dataset_card import CardMetadata
from workbench.datasets.export import needs_source_text, takes_all, to_csv, to_jsonl
from workbench.datasets.line_writers import ExportOptions
from workbench.datasets.references import preview_reference_lines
from workbench.datasets.write import (
    Dataset,
    count_rows,
    preview_lines,
    refuse_format,
    write_dataset,
    write_references,
)
from workbench.errors import UsageError
from workbench.experiments.judge_items import asked_of
from workbench.judging.passages import select_passages
from workbench.judging.prompts import ask, find_prompt
from workbench.pipeline.claim import StoredClaims
from workbench.records.context import JudgeContext
from workbench.records.evaluation import ExampleKey
from workbench.records.export_formats import (
    ASKED,
    CORRECTION_FORMATS,
    REFERENCE_FORMATS,
    Example,
    PartName,
)
from workbench.records.format import count_of, word_for
from workbench.records.queue import ItemFilter
from workbench.records.source import Passage
from workbench.records.text import JsonDict
from workbench.services.cached_views import cached_view
from workbench.services.calibration.measurement import current_split
from workbench.services.correction_export import (
    correction_lines,
    count_corrections,
    export_corrections,
)
from workbench.services.references.labels import (
    ReferenceSelection,
    about_references,
    count_references,
    labelled_references,
)
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.labels.agreement import AgreementQueries, LabelSelection
from workbench.store.labels.examples import Examples
from workbench.store.labels.label_rules import LabelScope
from workbench.store.labels.repository import Guides
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

__all__ = ["Dataset", "to_csv", "to_jsonl"]

PARTS: tuple[PartName, ...] = ("train", "dev", "test")
ASKED_AT_ONCE = 100
"""So many items are put to a judge's questions in one reading of the database."""
HOW_SPLIT = (
    "As in calibration: examples that share a {ties} are in the same split, so that nothing leaks "
    "from one split into another. Examples without an active label, or that tie several splits "
    "together, are in none."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportSelection:
    """Which items an export is of, and what goes along."""

    run_id: str | None = None
    queue_id: str | None = None
    within: ItemFilter | None = None
    parts: tuple[PartName, ...] = ()
    """Only of these; empty for all but the test part while it is locked."""
    labelled: bool = True
    """Only items that have a label; False includes unlabelled ones."""
    source_text: bool = True
    examples: bool = False
    """The example workspace in place of real work, which is exported without it."""

    @property
    def scope(self) -> LabelScope:
        """Whose labels are exported."""
        return "examples" if self.examples else "real"


def export_dataset(store: Store, format_name: str, path: Path, choice: ExportSelection) -> Dataset:
    """What was written.

    Raises:
        UsageError: The format is unknown, the path cannot be written, or there is no such run,
            queue or part.
    """
    if format_name in REFERENCE_FORMATS:
        entries = _entries(choice)
        rows = labelled_references(store, entries)
        return write_references(rows, format_name, path, about=about_references(store, entries))
    if format_name in CORRECTION_FORMATS:
        return export_corrections(store, format_name, path, _runs_of_corrections(choice))
    return write_dataset(
        _examples(store, format_name, choice),
        format_name,
        path,
        about=about(store, choice),
        shape=shape_of(store, format_name, choice),
    )


def preview(store: Store, format_name: str, choice: ExportSelection, rows: int = 3) -> list[str]:
    """The first lines of an export, as text.

    Raises:
        UsageError: As `export_dataset`.
    """
    if format_name in REFERENCE_FORMATS:
        references = labelled_references(store, _entries(choice))
        return list(islice(preview_reference_lines(references, format_name), rows))
    if format_name in CORRECTION_FORMATS:
        return correction_lines(store, format_name, _runs_of_corrections(choice))[:rows]
    examples = _examples(store, format_name, choice)
    lines = preview_lines(examples, format_name, shape_of(store, format_name, choice))
    return list(islice(lines, rows))


def _entries(choice: ExportSelection) -> ReferenceSelection:
    """The same choice of reference lists; of a filter its runs count."""
    if choice.parts:
        raise UsageError("References are in no split; export them without choosing splits.")
    runs = (choice.run_id,) if choice.run_id else choice.within.runs if choice.within else ()
    return ReferenceSelection(
        runs=runs, queue=choice.queue_id, labelled=choice.labelled, scope=choice.scope
    )


def _runs_of_corrections(choice: ExportSelection) -> tuple[str, ...]:
    """The runs of a choice; empty for all."""
    if choice.parts or choice.queue_id:
        raise UsageError("Corrections are exported by run; leave out splits and queues.")
    return (choice.run_id,) if choice.run_id else choice.within.runs if choice.within else ()


def chosen(store: Store, choice: ExportSelection) -> Iterator[Example]:
    """The items of a choice with their parts, read some at a time.

    Raises:
        UsageError: There is no such run, queue or part.
    """
    keys, _ = _keys(store, choice)
    yield from _read(store, keys, choice.scope)


_Keyed = list[tuple[ExampleKey, PartName | None]]


def _keys(store: Store, choice: ExportSelection) -> tuple[_Keyed, int]:
    """The items of a choice with their parts, and how many of the locked test set stay out."""
    known_parts(choice.parts)
    keys_found = Examples(store, choice.scope).keys(
        run_id=choice.run_id,
        queue_id=choice.queue_id,
        within=choice.within,
        labelled=choice.labelled,
    )
    parts, _ = current_split(store)
    keys: _Keyed = [(key, parts.get(key[:2])) for key in keys_found]
    if choice.parts:
        return [(key, part) for key, part in keys if part in choice.parts], 0
    if test_opened(store):
        return keys, 0
    unlocked: _Keyed = [(key, part) for key, part in keys if part != "test"]
    return unlocked, len(keys) - len(unlocked)


def _read(
    store: Store, keys: _Keyed, scope: LabelScope, *, texts: bool = True
) -> Iterator[Example]:
    parts = {key[:2]: part for key, part in keys}
    for example in Examples(store, scope).read([key for key, _ in keys], texts=texts):
        yield replace(example, part=parts[example.row.run_id, example.row.result.citation.id])


def test_opened(store: Store) -> bool:
    """Whether the test part of the split in use was opened, with a stored reason."""
    splits = Splits(store)
    existing = splits.all()
    return bool(existing and splits.openings(existing[0].id))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportPlan:
    """What an export would write, counted before anything is written."""

    rows: Mapping[str, int]
    """Of each part: `train`, `dev`, `test`, and `none` for what is in no part."""
    locked: int
    """Labelled items of the test part that stay out because it is locked."""
    excluded: Mapping[str, int]
    """Why the format leaves items out, and how many."""

    @property
    def total(self) -> int:
        """All rows."""
        return sum(self.rows.values())

    @property
    def description(self) -> str:
        """The plan in a sentence or two."""
        counts = ", ".join(f"{PART_TEXT[part]} {number:,}" for part, number in self.rows.items())
        sentence = f"{count_of(self.total, 'row')}: {counts}."
        return f"{sentence} {self.locked_text}".strip()

    @property
    def locked_text(self) -> str:
        """What stays out with the test part; empty where nothing does."""
        if not self.locked:
            return ""
        return (
            f"{self.locked:,} labelled {word_for(self.locked, 'item')} of the test set "
            f"{word_for(self.locked, 'stays', 'stay')} out: it is locked until somebody unlocks it "
            f"with a reason (Trust page, or calibrate --open-test), or selects it explicitly."
        )

    def to_dict(self) -> JsonDict:
        """`{"rows", "total", "locked_test_items", "left_out"}`."""
        return {
            "rows": dict(self.rows),
            "total": self.total,
            "locked_test_items": self.locked,
            "left_out": dict(self.excluded),
        }


PART_TEXT = {"train": "train", "dev": "dev", "test": "test", "none": "in no part"}


def exportable(store: Store) -> tuple[dict[str, str], dict[str, str]]:
    """The runs and the queues that an export can be narrowed to: their names by id."""
    runs = {run.id: run.name or run.id for run in store.list_runs()}
    queues = {line.queue.id: line.queue.name for line in Queues(store).list_queues(closed=True)}
    return runs, queues


def export_terms(store: Store, choice: ExportSelection) -> dict[tuple[str | None, str | None], int]:
    """How many items of a choice come from which origin under which licence, most first.

    All parts count.

    Raises:
        StoreError: There is no such run or queue.
    """
    return Examples(store, choice.scope).terms(
        run_id=choice.run_id,
        queue_id=choice.queue_id,
        within=choice.within,
        labelled=choice.labelled,
    )


@cached_view(max_entries=16, state=lambda store: EvaluationRepository(store).state())
def cached_plan(store: Store, format_name: str, choice: ExportSelection) -> ExportPlan:
    """As `plan_export`; the same choice of the same labels is counted once.

    Raises:
        UsageError: As `export_dataset`.
    """
    return plan_export(store, format_name, choice)


def plan_export(store: Store, format_name: str, choice: ExportSelection) -> ExportPlan:
    """How many rows of each part `export_dataset` would write.

    Formats that take every item are counted by one query; the others by reading the items, which
    grows with their number and makes no prompts.

    Raises:
        UsageError: As `export_dataset`.
    """
    refuse_format(format_name)
    if format_name in REFERENCE_FORMATS:
        number = count_references(store, _entries(choice))
        return ExportPlan(
            rows=dict.fromkeys(PART_TEXT, 0) | {"none": number}, locked=0, excluded={}
        )
    if format_name in CORRECTION_FORMATS:
        number = count_corrections(store, format_name, _runs_of_corrections(choice))
        return ExportPlan(
            rows=dict.fromkeys(PART_TEXT, 0) | {"none": number}, locked=0, excluded={}
        )
    keys, locked = _keys(store, choice)
    if takes_all(format_name):
        counted = Counter[str](part or "none" for _, part in keys)
        return ExportPlan(
            rows={part: counted[part] for part in PART_TEXT}, locked=locked, excluded={}
        )
    examples = _read(store, keys, choice.scope, texts=needs_source_text(format_name))
    rows, left_out = count_rows(examples, format_name)
    return ExportPlan(rows=rows, locked=locked, excluded=left_out)


def shape_of(store: Store, format_name: str, choice: ExportSelection) -> ExportOptions:
    """What goes along, which fields labels answer, and for fine-tuning how the judge is asked."""
    fields = tuple(Examples(store).fields(choice.run_id, choice.queue_id))
    if format_name not in ASKED:
        return ExportOptions(source_text=choice.source_text, fields=fields)
    prompt = find_prompt("strict")
    return ExportOptions(
        source_text=choice.source_text,
        fields=fields,
        prompting=PromptFormat(choose=_passages, ask=partial(ask, prompt), prompt=prompt.id),
    )


def _passages(claim: str, text: str, context: JudgeContext) -> list[Passage]:
    return select_passages(claim, text, title=context.source.title, context=context)


def _examples(store: Store, format_name: str, choice: ExportSelection) -> Iterator[Example]:
    """The items of a choice; for fine-tuning with what a judge would be asked about them."""
    examples = chosen(store, choice)
    return as_asked(store, examples) if format_name in ASKED else examples


def as_asked(store: Store, examples: Iterator[Example]) -> Iterator[Example]:
    """The items with claim and context as a judge is asked about them, some at a time."""
    opinions, claims = OfflineJudgmentRepository(store), StoredClaims()
    while batch := list(islice(examples, ASKED_AT_ONCE)):
        examples_asked = {
            (item.run_id, item.result.citation.id): asked_of(item, claims)
            for item in opinions.questions([_key(example) for example in batch])
        }
        for example in batch:
            yield replace(example, judge_input=examples_asked.get(_key(example)))


def _key(example: Example) -> tuple[str, str]:
    return example.row.run_id, example.row.result.citation.id


def about(store: Store, choice: ExportSelection) -> CardMetadata:
    """What the card says besides the rows.

    Raises:
        StoreError: There is no such run or queue.
    """
    guide = Guides(store).current()
    _, ties = current_split(store)
    words = []
    title = "Labelled citations"
    if choice.run_id:
        name = store.get_summary(choice.run_id).name or choice.run_id
        title = f"Labelled citations of {name}"
        words.append(f"of the run {name}")
    if choice.queue_id:
        words.append(f"of the queue {Queues(store).get(choice.queue_id).name}")
    if choice.within and choice.within != ItemFilter():
        words.append(f"within the filter {choice.within.to_dict()}")
    if choice.parts:
        words.append(f"of the parts {', '.join(choice.parts)}")
    elif not test_opened(store):
        words.append("without the locked test set")
    if choice.labelled:
        words.append("labelled items only")
    if choice.examples:
        words.append("the example workspace, which is not real work")
    return CardMetadata(
        title=title,
        selection=", ".join(words) or "everything with a verdict",
        agreement=tuple(agreement_text(store, choice)),
        guide_version=guide.version if guide else None,
        guide=guide.body if guide else "",
        how_split=HOW_SPLIT.format(ties=" or a ".join(ties)) if ties else "",
    )


def agreement_text(store: Store, choice: ExportSelection) -> Iterator[str]:
    """Agreement between people in sentences; none where no item has two labels."""
    people = agreement(
        AgreementQueries(store, choice.scope).ratings(
            LabelSelection(run=choice.run_id, queue=choice.queue_id)
        ),
        rounds=400,
    )
    if not people.items:
        return
    yield (
        f"{people.ratings} labels of {len(people.raters)} people on {people.items} items, each "
        "person's first"
    )
    yield f"Raw agreement {people.raw.text}"
    yield f"Krippendorff's alpha {people.alpha.text}"
    yield f"Krippendorff's alpha, ordinal over the support scale {people.ordinal_alpha.text}"
    for label_agreement in people.labels:
        yield f"Specific agreement on {label_agreement.label} {label_agreement.specific.text}"


def known_parts(names: Collection[str]) -> tuple[PartName, ...]:
    """The parts of these names, in their order.

    Raises:
        UsageError: One of them is none.
    """
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        raise UsageError(f"There is no split {unknown[0]!r}; the splits are {', '.join(PARTS)}.")
    return tuple(part for part in PARTS if part in names)


_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The moment that every member of an archive has, so that the same items give the same bytes."""


def export_title(store: Store, choice: ExportSelection, format_name: str = "") -> str:
    """What a download is named after: the run, or all labelled citations or references."""
    if choice.run_id:
        return store.get_summary(choice.run_id).name
    if format_name in CORRECTION_FORMATS:
        return "corrections"
    return "labelled" if format_name in REFERENCE_FORMATS else "labelled-citations"


def export_bytes(
    store: Store, format_name: str, name: str, choice: ExportSelection, data_dir: Path
) -> bytes:
    """An export as bytes: the file, or a folder of several as a zip archive.

    Raises:
        UsageError: As `export_dataset`.
    """
    with tempfile.TemporaryDirectory(dir=data_dir, prefix=".out-") as folder:
        target = Path(folder) / (name if format_name != "huggingface" else "set")
        export_dataset(store, format_name, target, choice)
        return target.read_bytes() if target.is_file() else zipped(target)


def card_bytes(
    store: Store, format_name: str, name: str, choice: ExportSelection, data_dir: Path
) -> bytes:
    """The data card of an export, in Markdown.

    Raises:
        UsageError: As `export_dataset`.
    """
    with tempfile.TemporaryDirectory(dir=data_dir, prefix=".out-") as folder:
        return export_dataset(store, format_name, Path(folder) / name, choice).card.read_bytes()


def zipped(folder: Path) -> bytes:
    """A folder as a zip archive; the same files give the same bytes."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _EARLIEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, path.read_bytes())
    return data.getvalue()
