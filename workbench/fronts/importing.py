"""A file of labelled items into the database: each item once, bad lines told with their reason."""

import hashlib
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from workbench.datasets import (
    ITEMS_A_RUN,
    Entry,
    Opinion,
    Skipped,
    compose,
    make_label,
    read_entries,
)
from workbench.records import JsonDict
from workbench.store import ImportRecord, Imports, Store

SKIPS_TOLD = 10_000
"""So many left-out lines are listed; those after them are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportDone:
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

    def to_dict(self) -> JsonDict:
        """The published JSON of `workbench import`; `runs` are the new items' runs."""
        found: JsonDict = {
            "imported": self.imported,
            "skipped": [one.to_dict() for one in self.skipped],
            "labels": self.labels,
            "known": self.known,
            "runs": list(self.run_ids),
        }
        if self.more_skipped:
            found["more_skipped"] = self.more_skipped
        return found


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
) -> ImportDone:
    """What came in of a file, kept as it goes; a second time nothing does.

    Args:
        store: Where to.
        format_name: One of `datasets.IMPORT_FORMATS`.
        path: The file, also compressed with gzip.
        name: Of the data set where its items name none; the file's own unless given.
        columns: For CSV the column, for Label Studio the data's key, of each field.
        labels: What the file's own labels stand for.
        origin: Of items that name none.
        licence: Of items that name none.
        reviewer: Who imports.
        on_progress: Called with the number of items read so far.

    Raises:
        UsageError: As `datasets.read_entries`, and StoreError when the database cannot be used.
    """
    named = name or stem_of(path)
    taking = _Taking(Imports(store), named, format_name)
    for one in read_entries(format_name, path, columns=columns, labels=labels):
        if isinstance(one, Skipped):
            taking.skip(one)
            continue
        taking.take(replace(one, origin=one.origin or origin, licence=one.licence or licence))
        if on_progress and taking.read % ITEMS_A_RUN == 0:
            on_progress(taking.read)
    taking.flush()
    done = taking.done()
    Imports(store).remember(
        ImportRecord(
            id=taking.id,
            format=format_name,
            name=named,
            sha256=_sha256(path),
            imported=done.imported,
            labels=done.labels,
            known=done.known,
            skipped=len(done.skipped) + done.more_skipped,
            reviewer=reviewer,
            created_at=taking.now,
        )
    )
    return done


def stem_of(path: Path) -> str:
    """A file's name without its endings."""
    name = path.name.removesuffix(".gz")
    return name.rsplit(".", 1)[0] or name


@dataclass(slots=True)
class _Taking:
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
    waiting: dict[str, Entry] = field(default_factory=dict)
    said: dict[tuple[str, str, str], tuple[int, str]] = field(default_factory=dict)
    """Who said what of which item, and on which line."""
    seen: set[str] = field(default_factory=set)
    """Keys of the items of this file that were counted."""

    def skip(self, one: Skipped) -> None:
        if len(self.skipped) < SKIPS_TOLD:
            self.skipped.append(one)
        else:
            self.more_skipped += 1

    def take(self, entry: Entry) -> None:
        self.read += 1
        key = entry.key
        opinions: dict[tuple[str, str], Opinion] = {}
        for opinion in entry.opinions:
            who = (key, opinion.annotator, opinion.role)
            line, label = self.said.setdefault(who, (entry.line, opinion.label))
            if label != opinion.label and line != entry.line:
                self.skip(
                    Skipped(
                        line=entry.line,
                        reason=f"it labels the item of line {line} as {opinion.label}, and that "
                        f"line as {label}",
                    )
                )
                return
            opinions[opinion.annotator, opinion.role] = opinion
        before = self.waiting.get(key)
        if before:
            known = {(one.annotator, one.role): one for one in before.opinions}
            opinions = known | opinions
            entry = before
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

    def _add(self, new: list[Entry]) -> bool:
        number = len(self.run_ids)
        made = compose(
            new,
            name=self.name,
            # runs are listed by their moment: it keeps the file's order
            now=self.now + timedelta(microseconds=number),
            config=self.format,
        )
        first = self.imported + 1
        last = self.imported + len(new)
        whole = number == 0 and len(new) < ITEMS_A_RUN
        name = self.name if whole else f"{self.name}, {first}–{last}"
        kept = self.imports.add(self.id, made.run, made.text, name, made.labels, made.items)
        if kept:
            self.run_ids.append(made.run.id)
            self.imported += len(new)
            self.labels += len(made.labels)
        return kept

    def done(self) -> ImportDone:
        return ImportDone(
            imported=self.imported,
            labels=self.labels,
            known=self.known,
            skipped=tuple(self.skipped),
            more_skipped=self.more_skipped,
            run_ids=tuple(self.run_ids),
        )


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def entries_of(
    format_name: str,
    path: Path,
    most: int,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Iterator[Entry | Skipped]:
    """The first few entries of a file, for a look before it is imported.

    Raises:
        UsageError: As `datasets.read_entries`.
    """
    found = read_entries(format_name, path, columns=columns, labels=labels)
    yield from (one for one, _ in zip(found, range(most), strict=False))
