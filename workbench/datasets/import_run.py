"""Imported items as a run: a text that lists their claims, a citation for each, and its source.

The run has no judge and its citations no verdict yet: status `skipped` without an error. A judge
can look at them later, since their sources' texts are kept.
"""

import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from workbench.datasets.entries import Annotation, ImportEntry, line_of
from workbench.records.citation import Citation, Claim, Target
from workbench.records.context import ClaimContext, TableCell
from workbench.records.export_formats import ImportedFacts
from workbench.records.review import Label
from workbench.records.source import Source
from workbench.records.text import Excerpt, Span, replace_surrogates, text_sha256
from workbench.records.verdict import CitationResult, Evidence, Run

ITEMS_A_RUN = 250
"""More would make a text that nobody can look through."""
UNNAMED = "annotators"
"""Ends the name that stands for a file's annotators where it names none: they count as nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRun:
    """A run of imported items, ready to be kept."""

    run: Run
    """Its sources come with their text."""
    text: str
    labels: tuple[Label, ...]
    items: tuple[tuple[str, str, ImportedFacts], ...]
    """Key of the item, id of its citation, and what else the file says of it."""


def compose(
    entries: Sequence[ImportEntry], *, name: str, now: datetime, config: str = ""
) -> ImportedRun:
    """A run of items in their order; the ids of its labels follow from their content.

    Args:
        entries: Items with different keys.
        name: Of the data set: its file, where an entry names no origin.
        now: When it is imported.
        config: The format, to be kept with the run.
    """
    run_id = str(uuid.uuid4())
    text, places = _text(entries, name)
    results, labels, items = [], [], []
    for number, (entry, place) in enumerate(zip(entries, places, strict=True), 1):
        citation = _citation(number, entry, place, text)
        results.append(
            CitationResult(
                citation=citation,
                status="skipped",
                verdict="unverifiable",
                source=_source(entry),
            )
        )
        labels += [
            make_label(entry, opinion, run_id, citation.id, name, now) for opinion in entry.opinions
        ]
        items.append((entry.key, citation.id, facts_of(entry, name)))
    return ImportedRun(
        run=Run(
            id=run_id,
            output_sha256=text_sha256(text),
            created_at=now,
            judge=(),
            config={"imported": name, "format": config},
            citations=tuple(results),
            claims=tuple(
                Claim(
                    id=f"k{number}",
                    span=place.claim,
                    text=place.claim.of(text),
                    citations=(f"c{number}",),
                )
                for number, place in enumerate(places, 1)
            ),
        ),
        text=text,
        labels=tuple(labels),
        items=tuple(items),
    )


def make_label(
    entry: ImportEntry, opinion: Annotation, run_id: str, citation_id: str, name: str, now: datetime
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


def facts_of(entry: ImportEntry, name: str) -> ImportedFacts:
    """What the file says of an item besides its claim, source and labels."""
    return ImportedFacts(
        item=entry.id or entry.key,
        group=entry.group,
        origin=entry.origin or name,
        licence=entry.licence,
        slices=entry.slices,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where an item stands in the text that is made of the items."""

    claim: Span
    context: ClaimContext


class _TextBuilder:
    """The text that is being built, with the place of each piece."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0

    def add(self, before: str, words: str, after: str) -> Span:
        """Where the words stand."""
        self.parts += [before, words, after]
        start = self.length + len(before)
        self.length = start + len(words) + len(after)
        return Span(start, start + len(words))

    def headings(self, names: Sequence[str], above: Sequence[Excerpt]) -> tuple[Excerpt, ...]:
        """Headings, each a level below the one before it; those that stand `above` are kept."""
        lines = [line for line in map(line_of, names) if line]
        if len(lines) < len(above):
            above = ()  # what stands under a section now stands under its page alone
        headings: list[Excerpt] = []
        for depth, line in enumerate(lines):
            if depth < len(above) and above[depth].text == line:
                headings.append(above[depth])
                continue
            above = ()
            span = self.add("#" * min(depth + 2, 6) + " ", line, "\n\n")
            headings.append(Excerpt(span=span, text=line))
        return tuple(headings)


def _text(entries: Sequence[ImportEntry], name: str) -> tuple[str, list[_Place]]:
    """The items in order: under their headings the text before each claim, the claim, its number.

    A heading that an item shares with the one before it is not repeated.
    """
    builder = _TextBuilder()
    builder.add("# ", line_of(name), "\n\n")
    places: list[_Place] = []
    headings: tuple[Excerpt, ...] = ()
    for number, entry in enumerate(entries, 1):
        context = entry.context
        # a question is shown as a heading, and must be distinguished from those
        names = context.headings or tuple(filter(None, [context.question]))
        if names:
            headings = builder.headings(names, headings)
        header = _piece(builder, context.table_header, "\n\n")
        row = _piece(builder, context.table_row, ": ")
        before = builder.add("", context.before, " ") if context.before.strip() else None
        places.append(
            _Place(
                claim=builder.add("", entry.claim, f" [{number}]\n\n"),
                context=ClaimContext(
                    headings=headings if context.headings else (),
                    before=before,
                    table=TableCell(header=header, row=row) if header or row else None,
                    question=context.question,
                    date=context.date,
                ),
            )
        )
    return "".join(builder.parts), places


def _piece(builder: _TextBuilder, words: str | None, after: str) -> Excerpt | None:
    """A part of a table, written before the claim."""
    line = line_of(words or "")
    return Excerpt(span=builder.add("", line, after), text=line) if line else None


def _citation(number: int, entry: ImportEntry, place: _Place, text: str) -> Citation:
    raw = f"[{number}]"
    mark = Span(place.claim.end + 1, place.claim.end + 1 + len(raw))
    return Citation(
        id=f"c{number}",
        kind="numbered",
        raw=raw,
        span=mark,
        identifier=str(number),
        context=Span(place.claim.start, mark.end),
        claim=Excerpt(span=place.claim, text=place.claim.of(text)),
        target=Target(form="url", value=entry.url) if entry.url else None,
        claim_context=place.context,
    )


def _source(entry: ImportEntry) -> Source:
    body = replace_surrogates(entry.source).encode("utf-8")
    return Source(
        url=entry.url,
        final_url=entry.url,
        status=None,
        content_type="text/plain; charset=utf-8",
        bytes=len(body),
        sha256=hashlib.sha256(body).hexdigest(),
        title=entry.context.source.title,
        fetched_at=None,
        truncated=False,
        text=entry.source,
        author=entry.context.source.author,
        published=entry.context.source.published,
        site=entry.context.source.site,
    )
