"""Imported items as a run: a text that lists their claims, a citation for each, and its source.

The run has no judge and its citations no verdict yet: status `skipped` without an error. A judge
can look at them later, since their sources' texts are kept.
"""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workbench.datasets.entries import Entry, Opinion
from workbench.records import (
    Citation,
    CitationResult,
    Claim,
    Evidence,
    Excerpt,
    ImportedFacts,
    Label,
    Run,
    Source,
    Span,
    Target,
    shown,
    text_sha256,
)

ITEMS_A_RUN = 250
"""More would make a text that nobody can look through."""
UNNAMED = "annotators"
"""Ends the name that stands for a file's annotators where it names none: they count as nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """A run of imported items, ready to be kept."""

    run: Run
    """Its sources come with their text."""
    text: str
    labels: tuple[Label, ...]
    items: tuple[tuple[str, str, ImportedFacts], ...]
    """Key of the item, id of its citation, and what else the file says of it."""


def compose(entries: Sequence[Entry], *, name: str, now: datetime, config: str = "") -> Composed:
    """A run of items in their order; the ids of its labels follow from their content.

    Args:
        entries: Items with different keys.
        name: Of the data set: its file, where an entry names no origin.
        now: When it is imported.
        config: The format, to be kept with the run.
    """
    run_id = str(uuid.uuid4())
    text, spans = _text(entries, name)
    results, labels, items = [], [], []
    for number, (entry, span) in enumerate(zip(entries, spans, strict=True), 1):
        citation = _citation(number, entry, span, text)
        results.append(
            CitationResult(
                citation=citation,
                status="skipped",
                verdict="unverifiable",
                source=_source(entry),
            )
        )
        labels += [make_label(entry, one, run_id, citation.id, name, now) for one in entry.opinions]
        items.append((entry.key, citation.id, facts_of(entry, name)))
    return Composed(
        run=Run(
            id=run_id,
            output_sha256=text_sha256(text),
            created_at=now,
            judge=(),
            config={"imported": name, "format": config},
            citations=tuple(results),
            claims=tuple(
                Claim(id=f"k{number}", span=span, text=span.of(text), citations=(f"c{number}",))
                for number, span in enumerate(spans, 1)
            ),
        ),
        text=text,
        labels=tuple(labels),
        items=tuple(items),
    )


def make_label(
    entry: Entry, opinion: Opinion, run_id: str, citation_id: str, name: str, now: datetime
) -> Label:
    """An opinion of a file as a label; whether a judge was seen, and by which guide, is unknown."""
    return Label(
        id=entry.label_id(opinion),
        run_id=run_id,
        citation_id=citation_id,
        label=opinion.label,
        reviewer=opinion.annotator or f"{entry.origin or name} {UNNAMED}",
        created_at=opinion.created_at or now,
        note=opinion.note,
        role=opinion.role,
        saw_judge=None,
        verdict_version=1,
        evidence=tuple(
            Evidence(quote=span.of(entry.source), span=span) for span in opinion.evidence
        ),
        tags=("imported",),
        by_person=opinion.by_person and bool(opinion.annotator),
    )


def facts_of(entry: Entry, name: str) -> ImportedFacts:
    """What the file says of an item besides its claim, source and labels."""
    return ImportedFacts(
        item=entry.id or entry.key,
        group=entry.group,
        origin=entry.origin or name,
        licence=entry.licence,
        slices=entry.slices,
    )


def _text(entries: Sequence[Entry], name: str) -> tuple[str, list[Span]]:
    """The claims in order, each with its number, under the headings that the items have."""
    parts, spans, at, heading = [f"# {_line(name)}\n\n"], [], 0, ""
    at = len(parts[0])
    for number, entry in enumerate(entries, 1):
        if entry.heading and entry.heading != heading:
            heading = entry.heading
            parts.append(f"## {_line(heading)}\n\n")
            at += len(parts[-1])
        parts.append(f"{entry.claim} [{number}]\n\n")
        spans.append(Span(at, at + len(entry.claim)))
        at += len(parts[-1])
    return "".join(parts), spans


def _line(text: str) -> str:
    return " ".join(text.split())[:300]


def _citation(number: int, entry: Entry, span: Span, text: str) -> Citation:
    raw = f"[{number}]"
    mark = Span(span.end + 1, span.end + 1 + len(raw))
    return Citation(
        id=f"c{number}",
        kind="numbered",
        raw=raw,
        span=mark,
        identifier=str(number),
        context=Span(span.start, mark.end),
        claim=Excerpt(span=span, text=span.of(text)),
        target=Target(form="url", value=entry.url) if entry.url else None,
    )


def _source(entry: Entry) -> Source:
    body = shown(entry.source).encode("utf-8")
    return Source(
        url=entry.url,
        final_url=entry.url,
        status=None,
        content_type="text/plain; charset=utf-8",
        bytes=len(body),
        sha256=hashlib.sha256(body).hexdigest(),
        title=entry.title or None,
        fetched_at=None,
        truncated=False,
        text=entry.source,
    )
