"""A file of labelled items into the database: each item once, bad lines with their reason."""

import hashlib
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workbench.datasets.entries import Annotation, ImportEntry, Skipped, contradiction, guess_label
from workbench.datasets.import_run import ITEMS_A_RUN, compose, make_label
from workbench.datasets.read import IMPORT_FORMATS, guess_format, read_entries
from workbench.datasets.read_csv import FIELDS, CsvDialect, sniff_csv
from workbench.records.text import JsonDict
from workbench.records.transfer import ImportRecord
from workbench.records.verdict import HumanLabel
from workbench.store.labels.imports import Imports
from workbench.store.store import Store

__all__ = [
    "CsvDialect", "FIELDS", "IMPORT_FORMATS", "ImportEntry", "Skipped", "guess_format",
    "guess_label", "sniff_csv",
]  # fmt: skip

MOST_LABEL_WORDS = 1_000
"""So many different words for labels are counted: a column of free text is no column of labels."""
SKIPS_TOLD = 10_000
"""So many left-out lines are listed; those after them are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """What an import brought."""

    imported: int
    """New items."""
    labels: int
    """New labels, those of items that were there already included."""
    known: int
    """Items that were there already; they stay as they are."""
    skipped: tuple[Skipped, ...]
    more_skipped: int = 0
    """Left out beyond those listed."""
    run_ids: tuple[str, ...] = ()
    """The runs that the new items are in."""
    import_id: str = ""
    """Of the data set that the new items make up."""
    words: Mapping[str, tuple[HumanLabel | None, int]] = field(default_factory=dict)
    """As `Survey.words`: how each word of the file for a label was read."""

    def to_dict(self) -> JsonDict:
        """The published JSON of `workbench import`; `runs` are the new items' runs."""
        document: JsonDict = {
            "imported": self.imported,
            "skipped": [skip.to_dict() for skip in self.skipped],
            "labels": self.labels,
            "known": self.known,
            "runs": list(self.run_ids),
            "label_words": {
                word: {"label": label, "count": number}
                for word, (label, number) in self.words.items()
            },
        }
        if self.more_skipped:
            document["more_skipped"] = self.more_skipped
        return document


def import_file(
    store: Store,
    format_name: str,
    path: Path,
    *,
    name: str = "",
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    origin: str = "",
    licence: str = "",
    reviewer: str = "",
    on_progress: Callable[[int], None] | None = None,
) -> ImportResult:
    """What came in of a file, kept as it goes; a second time nothing does.

    Args:
        store: Where to.
        format_name: One of `datasets.IMPORT_FORMATS`.
        path: The file, also compressed with gzip.
        name: Of the data set where its items name none; the file's own unless given.
        columns: For CSV the column, for Label Studio the data's key, of each field.
        labels: What the file's own labels mean.
        origin: Of items that name none.
        licence: Of items that name none.
        reviewer: Who imports.
        on_progress: Called with the number of items read so far.

    Raises:
        UsageError: As `datasets.read_entries`, and StoreError when the database cannot be used.
    """
    dataset_name = name or stem_of(path)
    taking = _Importer(Imports(store), dataset_name, format_name)
    for entry in read_entries(format_name, path, columns=columns, labels=labels):
        if isinstance(entry, Skipped):
            taking.skip(entry)
            continue
        taking.take(replace(entry, origin=entry.origin or origin, licence=entry.licence or licence))
        if on_progress and taking.read % ITEMS_A_RUN == 0:
            on_progress(taking.read)
    taking.flush()
    result = taking.done()
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    Imports(store).remember(
        ImportRecord(
            id=taking.id,
            format=format_name,
            name=dataset_name,
            sha256=sha256,
            imported=result.imported,
            labels=result.labels,
            known=result.known,
            skipped=len(result.skipped) + result.more_skipped,
            reviewer=reviewer,
            created_at=taking.now,
        )
    )
    return result


def stem_of(path: Path) -> str:
    """A file's name without its endings."""
    name = path.name.removesuffix(".gz")
    return name.rsplit(".", 1)[0] or name


@dataclass(slots=True)
class LabelWords:
    """A file's own words for labels: what each is read as, and how often it comes."""

    read_as: dict[str, HumanLabel | None] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, word: str, label: HumanLabel | None) -> None:
        """Count a word, unless it is empty; None for an unknown word."""
        if word and (word in self.read_as or len(self.read_as) < MOST_LABEL_WORDS):
            self.read_as[word] = self.read_as.get(word) or label
            self.counts[word] += 1

    def most_first(self) -> dict[str, tuple[HumanLabel | None, int]]:
        """As `Survey.words`."""
        return {word: (self.read_as[word], number) for word, number in self.counts.most_common()}


@dataclass(slots=True)
class _Importer:
    """An import under way: items wait until there are enough for a run."""

    imports: Imports
    name: str
    format: str
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    read: int = 0
    imported: int = 0
    labels: int = 0
    known: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    more_skipped: int = 0
    run_ids: list[str] = field(default_factory=list)
    waiting: dict[str, ImportEntry] = field(default_factory=dict)
    said: dict[tuple[str, str, str], tuple[int, str]] = field(default_factory=dict)
    """Who said what of which item, and on which line."""
    seen: set[str] = field(default_factory=set)
    """Keys of the items of this file that were counted."""
    words: LabelWords = field(default_factory=LabelWords)

    def skip(self, skipped: Skipped) -> None:
        self.words.add(skipped.label_word, None)
        if len(self.skipped) < SKIPS_TOLD:
            self.skipped.append(skipped)
        else:
            self.more_skipped += 1

    def take(self, entry: ImportEntry) -> None:
        self.read += 1
        key = entry.key
        opinions: dict[tuple[str, str], Annotation] = {}
        for opinion in entry.opinions:
            self.words.add(opinion.word, opinion.label)
            opinion_key = (key, opinion.annotator, opinion.role)
            line, label = self.said.setdefault(opinion_key, (entry.line, opinion.label))
            if label != opinion.label and line != entry.line:
                self.skip(
                    Skipped(line=entry.line, reason=contradiction(line, opinion.label, label))
                )
                return
            opinions[opinion.annotator, opinion.role] = opinion
        waiting = self.waiting.get(key)
        if waiting:
            earlier_opinions = {
                (opinion.annotator, opinion.role): opinion for opinion in waiting.opinions
            }
            opinions = earlier_opinions | opinions
            entry = waiting
        self.waiting[key] = replace(entry, opinions=tuple(opinions.values()))
        if len(self.waiting) >= ITEMS_A_RUN:
            self.flush()

    def flush(self) -> None:
        """Keep what waits; another import that runs at the same time may take some of it."""
        while self.waiting:
            places = self.imports.places(self.waiting)
            new = [entry for key, entry in self.waiting.items() if key not in places]
            if new and not self._add(new):
                continue
            self.labels += self.imports.add_labels(
                [
                    make_label(self.waiting[key], opinion, run_id, citation_id, self.name, self.now)
                    for key, (run_id, citation_id) in places.items()
                    for opinion in self.waiting[key].opinions
                ]
            )
            self.known += len(places.keys() - self.seen)
            self.seen |= self.waiting.keys()
            self.waiting = {}

    def _add(self, new: list[ImportEntry]) -> bool:
        number = len(self.run_ids)
        composed = compose(
            new,
            name=self.name,
            # runs are listed by their moment: it keeps the file's order
            now=self.now + timedelta(microseconds=number),
            config=self.format,
        )
        first = self.imported + 1
        last = self.imported + len(new)
        is_whole = number == 0 and len(new) < ITEMS_A_RUN
        name = self.name if is_whole else f"{self.name}, {first}–{last}"
        added = self.imports.add(
            self.id, composed.run, composed.text, name, composed.labels, composed.items
        )
        if added:
            self.run_ids.append(composed.run.id)
            self.imported += len(new)
            self.labels += len(composed.labels)
        return added

    def done(self) -> ImportResult:
        return ImportResult(
            imported=self.imported,
            labels=self.labels,
            known=self.known,
            skipped=tuple(self.skipped),
            more_skipped=self.more_skipped,
            run_ids=tuple(self.run_ids),
            import_id=self.id if self.imported else "",
            words=self.words.most_first(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What an import of a file would bring, and how its labels would be read."""

    entries: tuple[ImportEntry, ...]
    """The first few that can be used."""
    skipped: tuple[Skipped, ...]
    """The first few that would be left out."""
    usable: int
    excluded: int
    label_words: Mapping[str, tuple[HumanLabel | None, int]]
    """For each word of the file the label that it is read as, None where it is unknown, and how
    often it comes; most frequent first."""


def survey_file(
    format_name: str,
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    entries: int = 5,
    skipped: int = 20,
) -> Survey:
    """What is in a file, read whole and kept nowhere; the cost grows with its length.

    Raises:
        UsageError: As `datasets.read_entries`.
    """
    first: list[ImportEntry] = []
    bad: list[Skipped] = []
    usable = left_out = 0
    words = LabelWords()
    for entry in read_entries(format_name, path, columns=columns, labels=labels):
        if isinstance(entry, Skipped):
            left_out += 1
            bad += [entry] if len(bad) < skipped else []
            words.add(entry.label_word, None)
            continue
        usable += 1
        first += [entry] if len(first) < entries else []
        for opinion in entry.opinions:
            words.add(opinion.word, opinion.label)
    return Survey(
        entries=tuple(first),
        skipped=tuple(bad),
        usable=usable,
        excluded=left_out,
        label_words=words.most_first(),
    )
