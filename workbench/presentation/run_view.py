"""A run prepared for review: marks, order, filter, and the browser's data; pure."""

import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal
from zlib import crc32

from workbench.presentation.coverage import SENTENCE_WORDS, suggestion_text
from workbench.presentation.escape import marker_text, truncate
from workbench.presentation.text_layout import text_layout
from workbench.presentation.text_pages import Window, cut_windows, segment_text, window_of
from workbench.presentation.verdicts import MARKS, STYLES, Mark, counts, mark_of
from workbench.records.citation import UNCOUNTED_KINDS, Extraction, Sentence, SentenceSuggestion
from workbench.records.comments import CitationComment
from workbench.records.corrections import CorrectionDecision
from workbench.records.review import Label
from workbench.records.text import Json, JsonDict, replace_surrogates
from workbench.records.verdict import CitationResult, Judgment, Run

Show = Mark | Literal["reviewed", "unreviewed", "asides"]
"""A filter over the citations of a run; `asides` are quotes and statistics, which accompany the
marker that cites for them and are skipped otherwise."""

KIND_SIGNS = {
    "numbered": "#",
    "author_year": "@",
    "key": "k",
    "url": "↗",
    "doi": "d",
    "arxiv": "x",
    "pmid": "p",
    "case_law": "§",
    "quote": "“",
    "statistic": "%",
    "provenance": "⌂",
    "native": "n",
}
"""A small sign before each mark, so that the kinds are distinguishable without colour."""

SHOWS: tuple[Show, ...] = (*MARKS, "reviewed", "unreviewed", "asides")
SEARCHED_FOR_TITLE = 20_000
"""Characters of an output in which its title is looked for."""
_HEADING = re.compile(r" {0,3}#{1,6}\s+(\S.*)")


@dataclass(frozen=True, kw_only=True)
class ReviewState:
    """One run under review."""

    run: Run
    """Contains all its citations, in text order; those not judged yet are in `pending`."""
    text: str
    name: str = ""
    pending: frozenset[str] = frozenset()
    labels: Mapping[str, Label]
    """The human label that a mark shows, of each citation id that has one."""
    own_labels: Mapping[str, Label] = field(default_factory=dict)
    """The reviewer's own current label of each citation id that has one."""
    active: Mapping[str, Label] | None = None
    """The labels that count, where `labels` has the reviewer's own in their place."""
    others: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)
    """Other reviewers' labels of a citation, oldest first."""
    corrections: Mapping[str, CorrectionDecision] = field(default_factory=dict)
    """What was decided about the proposed correction of a citation."""
    own_corrections: Mapping[str, CorrectionDecision] = field(default_factory=dict)
    """The reviewer's own decisions of these."""
    hidden: frozenset[str] = frozenset()
    """Citations in `pending` whose verdict is still hidden from this reviewer."""
    questions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """What labels' answers are to, by queue and field."""
    comments: Mapping[str, tuple[CitationComment, ...]] = field(default_factory=dict)
    """On each citation id that has any, oldest first."""
    suggestions: Mapping[int, SentenceSuggestion] = field(default_factory=dict)
    """What sources of the run say of sentences without a citation, by where these begin."""
    beside: Mapping[str, tuple[Judgment, ...]] = field(default_factory=dict)
    """What chats said of a citation beside the run's own judge."""

    @cached_property
    def results(self) -> dict[str, CitationResult]:
        """The results by citation id, in text order."""
        ordered = sorted(self.run.citations, key=lambda r: (r.citation.start, r.citation.end))
        return {result.citation.id: result for result in ordered}

    @cached_property
    def cited(self) -> Extraction:
        """The text with its citations, in text order."""
        citations = tuple(result.citation for result in self.results.values())
        return Extraction(text=self.text, citations=citations)

    @cached_property
    def marks(self) -> dict[str, Mark]:
        """The judge's mark of each citation, in text order."""
        return {
            name: mark_of(result, name in self.pending) for name, result in self.results.items()
        }

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """The parts of the text."""
        return cut_windows(self.text, [result.citation for result in self.results.values()])

    @cached_property
    def secondary(self) -> frozenset[str]:
        """The quotes and statistics, which totals leave out; empty if there is nothing else."""
        uncounted = frozenset(
            name for name, result in self.results.items() if result.citation.kind in UNCOUNTED_KINDS
        )
        return uncounted if len(uncounted) < len(self.results) else frozenset()

    def counts(self) -> dict[Mark, int]:
        """Number of citations of each mark that occurs, asides left out."""
        return counts({n: mark for n, mark in self.marks.items() if n not in self.secondary})

    def order(self, shows: Collection[Show] = ()) -> list[str]:
        """Ids of the citations that match a filter, in text order.

        Without a filter all except the asides.
        """
        selected = set(shows)
        marks = selected.intersection(STYLES)
        review = selected & {"reviewed", "unreviewed"}
        return [
            name
            for name, mark in self.marks.items()
            if (name in self.secondary) == ("asides" in selected)
            and (not marks or mark in marks)
            and (not review or ("reviewed" if name in self.labels else "unreviewed") in review)
        ]

    def left_after(self, name: str) -> int:
        """Number of citations without a label once one of them has its own, asides left out."""
        return sum(other not in self.labels and other != name for other in self.order())

    def window_of(self, citation_id: str | None) -> int:
        """The part that contains a citation; the first for none or an unknown one."""
        if citation_id not in self.results:
            return 0
        return window_of(self.windows, self.results[citation_id].citation.start)

    def first_choice(self, shows: Collection[Show] = ()) -> str | None:
        """The citation to start with: the first that is not pending, else the first."""
        order = self.order(shows)
        return next((name for name in order if name not in self.pending), next(iter(order), None))


def step(order: Sequence[str], marks: Mapping[str, Mark], at: str | None, by: int) -> str | None:
    """The id `by` places after `at` in the order, clamped to its ends.

    From a citation outside the filter, the nearest one in that direction; None for an
    empty order.
    """
    if not order:
        return None
    if at in order:
        return order[min(max(order.index(at) + by, 0), len(order) - 1)]
    names = list(marks)
    place = {name: number for number, name in enumerate(names)}
    position = place.get(at or "", -1)
    after = bisect_right([place[name] for name in order], position)
    return order[min(max(after if by > 0 else after - 1, 0), len(order) - 1)]


def describe_citation(review: ReviewState, name: str) -> str:
    """A citation in words, for those who cannot see its mark."""
    result = review.results[name]
    words = f"Citation {marker_text(result.citation.raw, 80)}: {STYLES[review.marks[name]].word.lower()}"
    if name in review.hidden:
        words = f"Citation {marker_text(result.citation.raw, 80)}: the judge is hidden"
    label = review.labels.get(name)
    if label is None:
        return words
    who = "you say" if name not in review.others or name in review.own_labels else "others say"
    return f"{words}; {who} {STYLES[label.label].word.lower()}"


def document_data(
    review: ReviewState,
    part: int,
    selected: str | None,
    shows: Collection[Show] = (),
    entry: tuple[int, int] | None = None,
) -> JsonDict:
    """Data of the text pane: one part of the text in pieces, and the style of each mark.

    `entry` is a reference entry to scroll to, with a number that differs for each request.
    """
    window = review.windows[part]
    layout = text_layout(review.text, window.span)
    matching = set(review.order(shows)) if shows else None
    marks: dict[str, Json] = {}
    for citation in window.citations:
        label = review.labels.get(citation.id)
        marks[citation.id] = {
            "m": review.marks[citation.id],
            "k": KIND_SIGNS[citation.kind],
            "h": label.label if label else None,
            "d": describe_citation(review, citation.id),
            "off": matching is not None and citation.id not in matching,
        }
    said: dict[str, Json] = {
        str(sentence.start): _describe_sentence(review, sentence)
        for sentence in review.run.sentences
        if sentence.is_uncited or sentence.corrected_by
    }
    return {
        # a corrected claim or sentence changes the pieces, so the text pane needs another key
        "doc": f"{review.run.id}:{part}:{len(review.run.citations)}:{_claims_key(window, said)}",
        "blocks": [[block.tag, block.parent] for block in layout.blocks],
        "pieces": [
            piece.to_dict()
            for piece in segment_text(
                review.text, window, review.run.references, layout, review.run.sentences
            )
        ],
        "marks": marks,
        "sentences": said,
        "styles": {mark: style.to_dict() for mark, style in STYLES.items()},
        "selected": selected,
        "entry": list(entry) if entry else None,
        "part": part,
        "parts": len(review.windows),
        "where": f"{window.start:,}–{window.end:,} of {len(review.text):,} characters",
    }


def _claims_key(window: Window, said: Mapping[str, Json]) -> str:
    places = [
        (citation.id, citation.claim.start, citation.claim.end)
        for citation in window.citations
        if citation.claim
    ]
    return f"{crc32(repr((places, said)).encode()):x}"


def _describe_sentence(review: ReviewState, sentence: Sentence) -> str:
    """Why a sentence is marked, in words."""
    if sentence.corrected_by:
        word = SENTENCE_WORDS[sentence.kind][0]
        return f"{word}, says {truncate(sentence.corrected_by, 40)}"
    suggestion = review.suggestions.get(sentence.start)
    if suggestion is None:
        return "No citation"
    names = {name: result.citation.raw for name, result in review.results.items()}
    return suggestion_text(suggestion, names)


def minimap_data(
    review: ReviewState, part: int, selected: str | None, shows: Collection[Show] = ()
) -> JsonDict:
    """Data of the minimap: a tick for each citation, at its place in the text, 0 to 1."""
    length = max(len(review.text), 1)
    matching = set(review.order(shows)) if shows else None
    window = review.windows[part]
    numbers = {mark: number for number, mark in enumerate(MARKS)}
    return {
        "ticks": [
            [
                name,
                round(result.citation.start / length, 5),
                numbers[review.marks[name]],
                1 if matching is None or name in matching else 0,
            ]
            for name, result in review.results.items()
            if name not in review.secondary or name in (matching or ())
        ],
        "styles": [STYLES[mark].to_dict() for mark in MARKS],
        "window": [round(window.start / length, 5), round(window.end / length, 5)]
        if len(review.windows) > 1
        else None,
        "selected": selected,
        "said": describe_citation(review, selected) if selected in review.results else "",
    }


def headline(review: ReviewState) -> str:
    """What the run is about: its name, else its text's title."""
    return truncate(review.name or title_of(review.text), 120)


def title_of(text: str, most: int = 120) -> str:
    """A title for an output: its first Markdown heading, else its first words.

    A model often says what it is about to do before its report begins; the heading is the report's.
    Looked for in the first `SEARCHED_FOR_TITLE` characters.
    """
    lines = replace_surrogates(text[:SEARCHED_FOR_TITLE]).splitlines()
    headings = (match[1] for line in lines if (match := _HEADING.match(line)))
    words = next(headings, None) or next((line for line in lines if line.strip(" #*\t")), "")
    return truncate(words.replace("**", "").strip(" #*\t"), most) or "Untitled"
