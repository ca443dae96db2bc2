"""An entry of a reference list, or a sentence, before its reviewer in a queue, within a unit of work."""

import json
import threading
from collections import OrderedDict
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import StoreError
from workbench.records.bibliography import ReferenceCheck
from workbench.records.citation import Reference, with_corrections
from workbench.records.queue import Queue, QueueItem, ReferenceTask, ReviewTask, SentenceTask
from workbench.records.reference_labels import EntryLabel, EntryLabelDecision
from workbench.store.bibliography.checks import read_checks
from workbench.store.bibliography.labels import (
    EntrySeat,
    add_decision,
    own_entry_label,
    read_current_labels,
)
from workbench.store.connection import rewrite_stamp
from workbench.store.rows import read_column, read_sentence_corrections, stored_text
from workbench.store.runs.sentences import read_sentences, read_suggestions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


MOST_CHARS = 24_000_000
"""Of all texts together; the one read longest ago goes first."""


class _TextCache:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Path, str], str] = OrderedDict()
        self._written: dict[Path, int] = {}
        self._chars = 0

    def find(self, path: Path, sha256: str) -> str | None:
        written = rewrite_stamp(path)
        with self._lock:
            if self._written.setdefault(path, written) != written:
                # something went out of the file: it may have been one of these
                self._written[path] = written
                self._kept.clear()
                self._chars = 0
            text = self._kept.get((path, sha256))
            if text is not None:
                self._kept.move_to_end((path, sha256))
            return text

    def keep(self, path: Path, sha256: str, text: str) -> None:
        with self._lock:
            if (path, sha256) in self._kept or len(text) > MOST_CHARS:
                return
            self._kept[path, sha256] = text
            self._chars += len(text)
            while self._chars > MOST_CHARS:
                self._chars -= len(self._kept.popitem(last=False)[1])


_BODIES = _TextCache()


def read_output_text(connection: "DuckDBPyConnection", path: Path, sha256: str) -> str:
    """The text of an output that is there, within a unit of work on the database at a path."""
    text = _BODIES.find(path, sha256)
    if text is None:
        # by its key and alone: within a join the bodies of the whole table would be read
        ((body,),) = connection.execute(
            "select body from outputs where sha256 = ?", [sha256]
        ).fetchall()
        text = stored_text(body)
        _BODIES.keep(path, sha256, text)
    return text


def load_reference_task(
    connection: "DuckDBPyConnection", path: Path, task: ReviewTask, *, content: bool
) -> ReviewTask:
    """A task with the entry of its item and what its reviewer may see of it.

    The finding and the other reviewers are hidden in a blind queue until the reviewer has decided
    there; an erased entry is None.
    """
    item, queue = task.item, task.queue
    assert item is not None and item.entry_position is not None
    check = read_checks(connection, item.run_id, item.entry_position).get(item.entry_position)
    shown = with_output(connection, path, task, content=content)
    if check is None or shown is None:
        return task
    labels = read_current_labels(connection, item.run_id, item.entry_position)
    mine = own_entry_label(labels, EntrySeat(reviewer=task.reviewer, role=queue.role))
    hidden = is_hidden(queue, mine)
    others = tuple(label for label in labels if label is not mine)
    return replace(
        shown,
        judge_hidden=hidden,
        reference=ReferenceTask(
            check=hide_finding(check) if hidden else check,
            mine=None if hidden else mine,
            others=() if hidden and queue.role == "review" else others,
        ),
    )


def load_sentence_task(
    connection: "DuckDBPyConnection", path: Path, task: ReviewTask, *, content: bool
) -> ReviewTask:
    """A task with the sentence of its item; without one where it was erased."""
    item = task.item
    assert item is not None and item.sentence is not None
    shown = with_output(connection, path, task, content=content)
    if shown is None:
        return task
    span, run_id = item.sentence, item.run_id
    corrections = read_sentence_corrections(
        connection, "current_sentence_corrections where run_id = ?", [run_id]
    )
    sentences = with_corrections(read_sentences(connection, path, run_id), corrections)
    sentence = next((sentence for sentence in sentences if sentence.span == span), None)
    if sentence is None:
        return task
    mine = read_sentence_corrections(
        connection,
        "active_sentence_corrections where queue_id = ? and queue_position = ? and reviewer = ?",
        [task.queue.id, item.position, task.reviewer],
    )
    found = [one for one in read_suggestions(connection, run_id) if one.span == span]
    cited = ""
    if found:
        (placeholders,) = read_column(
            connection, "select placeholders from runs where id = ?", [run_id]
        )
        citations = {str(raw["id"]): str(raw["raw"]) for raw in json.loads(placeholders)}
        cited = citations.get(found[0].citation_id, found[0].citation_id)
    return replace(
        shown,
        sentence=SentenceTask(
            sentence=sentence,
            suggestion=found[0] if found else None,
            cited=cited,
            mine=max(mine, key=lambda correction: correction.created_at, default=None),
        ),
    )


def with_output(
    connection: "DuckDBPyConnection", path: Path, task: ReviewTask, *, content: bool
) -> ReviewTask | None:
    """A task with the output of its item, its text and references with `content`; None if erased."""
    assert task.item is not None
    rows = connection.execute(
        "select name, output_sha256, reference_list, exists (from imported_items i "
        "where i.run_id = r.id) from runs r where id = ?", [task.item.run_id]
    ).fetchall()  # fmt: skip
    if not rows:
        return None
    name, sha256, references, imported = rows[0]
    task = replace(task, name=name, output_sha256=sha256, imported=imported)
    if content:
        entries = tuple(Reference.from_dict(entry) for entry in json.loads(references))
        task = replace(task, text=read_output_text(connection, path, sha256), references=entries)
    return task


def is_hidden(queue: Queue, own: EntryLabel | None) -> bool:
    """Whether the finding is hidden from a reviewer whose current label this is."""
    return queue.blind and (own is None or own.queue_id != queue.id)


def hide_finding(check: ReferenceCheck) -> ReferenceCheck:
    """The entry as if nobody had looked it up."""
    return ReferenceCheck(
        label=check.label,
        span=check.span,
        text=check.text,
        entry=check.entry,
        status="not_checked",
    )


def decide_queued_entry(
    connection: "DuckDBPyConnection",
    queue: Queue,
    item: QueueItem,
    decision: EntryLabelDecision,
    reviewer: str,
    now: datetime,
    seconds: float | None,
) -> EntryLabel | None:
    """The label that was added; None where the same decision was made there already.

    Raises:
        StoreError: The entry was erased.
    """
    position = item.entry_position
    assert position is not None
    if position not in read_checks(connection, item.run_id, position):
        raise StoreError(
            f"Item {item.position + 1} of the queue {queue.name!r} was erased; take the next one."
        )
    seat = EntrySeat(
        reviewer=reviewer,
        role=queue.role,
        queue_id=queue.id,
        queue_position=item.position,
        seconds=seconds,
    )
    own = own_entry_label(read_current_labels(connection, item.run_id, position), seat)
    seat = replace(seat, finding_hidden=is_hidden(queue, own))
    return add_decision(connection, item.run_id, position, decision, seat, now)
