"""The references of a run as a list: counts, filters, pages, and the browser's data; pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

from workbench.presentation.citation_card import KIND_TEXT
from workbench.presentation.escape import marker_text, truncate
from workbench.presentation.reference_styles import (
    DECISIONS,
    FINDING_ORDER,
    FINDINGS,
    NOTICES,
    finding_style,
)
from workbench.presentation.run_view import KIND_SIGNS, ReviewState, describe_citation
from workbench.presentation.verdicts import STYLES
from workbench.records.bibliography import ReferenceCheck, ReferenceStatus
from workbench.records.citation import UNCOUNTED_KINDS, Reference
from workbench.records.format import count_of
from workbench.records.reference_labels import EntryLabel
from workbench.records.text import Json, JsonDict, Span, replace_surrogates
from workbench.records.verdict import Run

EntryFilter = Literal["all", "problems", "notices", "undecided"] | ReferenceStatus
"""A filter over the entries of a list; `notices` are works retracted, in doubt or corrected."""
ENTRY_FILTERS: tuple[EntryFilter, ...] = (
    "all", "problems", *FINDING_ORDER, "notices", "undecided",
)  # fmt: skip
PROBLEMS: frozenset[ReferenceStatus] = frozenset({"differs", "other_work", "not_found"})
PAGE_SIZE = 50
"""Entries on a page of the list."""
LONG_ENTRY = 600
"""Characters of an entry that the list shows."""
_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|\w+|[^\w\s]")
_MOST_WORDS = 200
"""Words of a value that are compared with those of the other one."""
SpanReader = Callable[[ReferenceCheck], ReferenceCheck]
"""Adds the places of an entry's fields to a check."""


@dataclass(frozen=True, kw_only=True)
class EntryList:
    """The references of a run with what was found about them, prepared once for many redraws."""

    references: tuple[Reference, ...]
    checks: tuple[ReferenceCheck, ...]
    """By the entries' order; empty for a run that was not looked up."""
    cited: Mapping[int, tuple[str, ...]]
    """Ids of the citations that point at an entry."""
    unlisted: tuple[str, ...]
    """Ids of the citations that point at no entry and no address, in text order."""

    @cached_property
    def matching(self) -> dict[EntryFilter, tuple[int, ...]]:
        """The entries of each filter but `undecided`, which depends on who looks."""
        positions: dict[EntryFilter, list[int]] = {name: [] for name in ENTRY_FILTERS}
        positions["all"] = list(range(len(self.references)))
        for position, check in enumerate(self.checks):
            positions[check.status].append(position)
            if check.retraction is not None:
                positions["notices"].append(position)
            if is_problem(check):
                positions["problems"].append(position)
        return {name: tuple(places) for name, places in positions.items()}

    @cached_property
    def position_of(self) -> dict[str, int]:
        """The entry that each citation points at, by the citation's id."""
        return {name: position for position, names in self.cited.items() for name in names}

    @cached_property
    def looked_up(self) -> int:
        """Number of entries that somebody was asked about."""
        return len(self.checks) - len(self.matching["not_checked"])

    def order(self, shown: EntryFilter, decided: Mapping[int, EntryLabel]) -> tuple[int, ...]:
        """Positions of the entries that match a filter, in the list's order."""
        if shown == "undecided":
            return tuple(at for at in range(len(self.checks)) if at not in decided)
        return self.matching[shown]

    def check(self, position: int) -> ReferenceCheck | None:
        """The check of an entry; None where nobody looked."""
        return self.checks[position] if position < len(self.checks) else None


def is_problem(check: ReferenceCheck) -> bool:
    """Whether a finding asks for a look: the entry or its work is not as it should be."""
    notice = check.retraction
    return check.status in PROBLEMS or (notice is not None and notice.kind != "corrected")


def entry_list(run: Run) -> EntryList:
    """The list of a run; time grows with its citations and entries."""
    ordered = sorted(run.citations, key=lambda result: result.citation.span)
    counted = [result for result in ordered if result.citation.kind not in UNCOUNTED_KINDS]
    cited: dict[int, list[str]] = {}
    unlisted = []
    works = run.cited_works
    decisions = {
        work.target: len(run.references) + number
        for number, work in enumerate(works[len(run.references) :])
    }
    for result in counted or ordered:
        citation = result.citation
        position = citation.target.reference if citation.target else citation.reference
        if position is None:
            position = decisions.get(citation.target)
        if position is not None:
            cited.setdefault(position, []).append(citation.id)
        elif citation.target is None:
            unlisted.append(citation.id)
    return EntryList(
        references=works,
        checks=run.reference_checks,
        cited={position: tuple(names) for position, names in cited.items()},
        unlisted=tuple(unlisted),
    )


def view_label(entries: EntryList) -> str:
    """The name of the view with its counts.

    >>> view_label(EntryList(references=(), checks=(), cited={}, unlisted=()))
    'References 0'
    """
    words = f"References {len(entries.references):,}"
    problems = len(entries.matching["problems"])
    return words + (f" · {count_of(problems, 'problem')}" if problems else "")


def list_facts(entries: EntryList) -> str:
    """What the counts of the filters do not say of the list, in a line; empty for nothing."""
    total, parts = len(entries.references), []
    uncited = sum(position not in entries.cited for position in range(total))
    if uncited:
        parts.append(f"{uncited:,} never cited")
    if total and entries.unlisted:
        parts.append(f"{count_of(len(entries.unlisted), 'citation')} missing from the list")
    return " · ".join(parts)


def page_of(order: Sequence[int], selected: int | None) -> int:
    """The page that contains an entry; the first for none."""
    return order.index(selected) // PAGE_SIZE if selected in order else 0


def step_entry(order: Sequence[int], selected: int | None, by: int) -> int | None:
    """The entry `by` places on in a filter's order, clamped; None for an empty order."""
    if not order:
        return None
    if selected in order:
        return order[min(max(order.index(selected) + by, 0), len(order) - 1)]
    before = [place for place, position in enumerate(order) if position < (selected or 0)]
    after = len(before) if by > 0 else len(before) - 1
    return order[min(max(after, 0), len(order) - 1)]


def list_data(
    entries: EntryList,
    review: ReviewState,
    shown: EntryFilter,
    selected: int | None,
    decided: Mapping[int, EntryLabel],
    page: int,
    with_spans: SpanReader,
) -> JsonDict:
    """One page of the list, and on its last page the citations that it lacks."""
    order = entries.order(shown, decided)
    pages = max(1, -(-len(order) // PAGE_SIZE))
    page = min(max(page, 0), pages - 1)
    first = page * PAGE_SIZE
    positions = order[first : first + PAGE_SIZE]
    last = page == pages - 1 and shown == "all"
    left: list[Json] = []
    for name in entries.unlisted if last else ():
        why = review.results[name].citation.unlinked or "It names no source."
        left.append({**citation_chip(review, name), "why": replace_surrogates(why)})
    return {
        "list": f"{review.run.id}:{shown}:{page}",
        "entries": [
            _entry(entries, review, position, selected, decided.get(position), with_spans)
            for position in positions
        ],
        "unlisted": left,
        "page": page,
        "pages": pages,
        "where": f"{first + 1:,}–{first + len(positions):,} of {len(order):,}",
        "empty": "The text lists no references."
        if not entries.references
        else "No reference matches this filter.",
        "selected": selected,
    }


def _entry(
    entries: EntryList,
    review: ReviewState,
    position: int,
    selected: int | None,
    label: EntryLabel | None,
    with_spans: SpanReader,
) -> JsonDict:
    reference, check = entries.references[position], entries.check(position)
    name = reference.label or str(position + 1)
    text = reference.text or reference.title or (reference.target.value if reference.target else "")
    plain: list[Json] = [[replace_surrogates(text), False]]
    differs = check is not None and any(field.agrees is False for field in check.fields)
    pieces = marked_text(with_spans(check)) if check and differs else plain
    notice = NOTICES[check.retraction.kind] if check and check.retraction else None
    return {
        "index": position,
        "label": truncate(name, 24),
        "here": position == selected,
        "pieces": _clip(_without_label(pieces, reference.label)),
        "finding": finding_style(check).to_dict() if check else None,
        "notice": notice.to_dict() if notice else None,
        "decision": DECISIONS[label.decision].to_dict() if label else None,
        "said": _described(name, check, label),
        "cites": [citation_chip(review, citation) for citation in entries.cited.get(position, ())],
    }


def _described(name: str, check: ReferenceCheck | None, label: EntryLabel | None) -> str:
    """An entry in words, for those who cannot see its marks."""
    parts = [f"Reference {truncate(name, 24)}"]
    if check:
        parts.append(finding_style(check).word.lower())
        if check.retraction:
            parts.append(NOTICES[check.retraction.kind].word.lower())
    if label:
        parts.append(f"decided: {DECISIONS[label.decision].word.lower()}")
    return parts[0] + (": " + "; ".join(parts[1:]) if parts[1:] else "")


def citation_chip(review: ReviewState, name: str) -> JsonDict:
    """A citation as a small button."""
    style = STYLES[review.marks[name]]
    return {
        "id": name,
        "raw": marker_text(review.results[name].citation.raw, 40),
        "glyph": style.glyph,
        "colour": style.colour,
        "said": describe_citation(review, name),
    }


def marked_text(check: ReferenceCheck) -> list[Json]:
    """The entry's text as `[text, differs]` pairs; their texts joined are the text.

    Of a title only the words that differ are marked.
    """
    places: dict[str, Span] = dict(check.entry.spans)
    spans: list[Span] = []
    for comparison in check.fields:
        value, record = comparison.entry_value, comparison.record_value
        if comparison.agrees is not False or not value:
            continue
        span = places.get(comparison.field)
        if span is None:
            start = check.text.find(value)
            if start < 0:
                continue
            span = Span(start, start + len(value))
        words = differing_words(span.of(check.text), record or "")[0]
        if comparison.field == "title" and words:
            spans += [Span(span.start + word.start, span.start + word.end) for word in words]
        else:
            spans.append(span)
    return split_marked(check.text, spans)


def differing_words(first: str, second: str) -> tuple[list[Span], list[Span]]:
    """The words of each text that the other lacks at that place, in code points of each.

    Case makes no difference; where one is empty, nothing is marked.
    """
    left = list(_WORD.finditer(first))[:_MOST_WORDS]
    right = list(_WORD.finditer(second))[:_MOST_WORDS]
    if not left or not right:
        return [], []
    matcher = SequenceMatcher(
        None,
        [word[0].casefold() for word in left],
        [word[0].casefold() for word in right],
        autojunk=False,
    )
    spans: tuple[list[Span], list[Span]] = ([], [])
    for kind, start, end, other_start, other_end in matcher.get_opcodes():
        if kind == "equal":
            continue
        if end > start:
            spans[0].append(Span(left[start].start(), left[end - 1].end()))
        if other_end > other_start:
            spans[1].append(Span(right[other_start].start(), right[other_end - 1].end()))
    return spans


def split_marked(text: str, spans: Sequence[Span]) -> list[Json]:
    """A text as `[text, marked]` pairs; each character in one pair; offsets are its code points."""
    pieces: list[Json] = []
    at = 0
    for span in sorted(spans):
        start, end = max(span.start, at), min(span.end, len(text))
        if start >= end:
            continue
        if start > at:
            pieces.append([replace_surrogates(text[at:start]), False])
        pieces.append([replace_surrogates(text[start:end]), True])
        at = end
    if at < len(text) or not pieces:
        pieces.append([replace_surrogates(text[at:]), False])
    return pieces


def _without_label(pieces: list[Json], label: str | None) -> list[Json]:
    """The pieces without the entry's label at their start, which stands beside them."""
    first = pieces[0]
    if not label or not isinstance(first, list) or first[1]:
        return pieces
    shorter = re.sub(rf"\A\s*[\[(]?{re.escape(label)}[\])]?[.:]?\s+", "", str(first[0]))
    return [[shorter, False], *pieces[1:]]


def _clip(pieces: list[Json]) -> list[Json]:
    room = LONG_ENTRY
    clipped: list[Json] = []
    for piece in pieces:
        text = str(piece[0]) if isinstance(piece, list) else ""
        marked = isinstance(piece, list) and bool(piece[1])
        text = re.sub(r"\s+", " ", text)
        if len(text) > room:
            return [*clipped, [text[: max(room - 1, 0)] + "…", marked]]
        clipped.append([text, marked])
        room -= len(text)
    return clipped


def kinds_text(review: ReviewState) -> str:
    """The signs before the citations' marks, each with its kind and number, in a line."""
    counts: dict[str, int] = {}
    for result in review.results.values():
        counts[result.citation.kind] = counts.get(result.citation.kind, 0) + 1
    return " · ".join(
        f"{KIND_SIGNS[kind]} {KIND_TEXT[kind]} {counts[kind]:,}"
        for kind in KIND_SIGNS
        if kind in counts
    )


def entry_filters(entries: EntryList, decided: Mapping[int, EntryLabel]) -> dict[EntryFilter, int]:
    """The filters worth offering with their numbers of entries, in their order."""
    counts = {name: len(entries.matching[name]) for name in ENTRY_FILTERS}
    counts["undecided"] = len(entries.checks) - sum(at < len(entries.checks) for at in decided)
    if not entries.checks:
        return {"all": counts["all"]}
    fixed = {"all", "problems", "undecided"}
    return {name: number for name, number in counts.items() if number or name in fixed}


def filter_text(name: EntryFilter, number: int) -> str:
    """A filter as Markdown: the finding's glyph in its colour, the words, the number."""
    plain = {"all": "All", "problems": "Problems", "notices": "⚑ Notices", "undecided": "To decide"}
    if name in plain:
        return f"{plain[name]} {number:,}"
    style = FINDINGS[name]  # type: ignore[index]
    return f":{style.tone}[**{style.glyph}**] {style.short} {number:,}"
