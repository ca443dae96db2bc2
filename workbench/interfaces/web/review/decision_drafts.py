"""What a reviewer says of an item besides its label, kept while it is being decided; pure.

Drafts live in the process, not in a page: closing a tab or reloading it loses none. They go into
the store with the label, and no draft is left then.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.records import (
    CitationResult,
    Evidence,
    Fault,
    HumanLabel,
    Label,
    LabelDecision,
    Source,
    Span,
)

DRAFTS_KEPT = 5_000
"""In one process; the oldest go first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDetails:
    """Evidence chosen by hand, what is wrong with the judge's, where the fault lies, tags."""

    evidence: tuple[Span, ...] = ()
    """In the text of the item's source, in text order, apart from one another."""
    wrong_evidence: tuple[Span, ...] = ()
    """Spans of the judge's own evidence."""
    fault: Fault | None = None
    tags: tuple[str, ...] = ()

    def with_piece(self, span: Span) -> "DecisionDetails":
        """With one more piece of evidence; pieces that touch or overlap become one."""
        apart = [
            piece for piece in self.evidence if piece.end < span.start or piece.start > span.end
        ]
        joined = [piece for piece in self.evidence if piece not in apart]
        start = min([span.start, *(piece.start for piece in joined)])
        end = max([span.end, *(piece.end for piece in joined)])
        return replace(self, evidence=tuple(sorted([*apart, Span(start, end)])))

    def without_piece(self, span: Span) -> "DecisionDetails":
        """Without one piece of evidence; the same where there is no such piece."""
        return replace(self, evidence=tuple(piece for piece in self.evidence if piece != span))

    def with_wrong(self, span: Span, wrong: bool) -> "DecisionDetails":
        """With a quote of the judge marked as wrong, or no longer."""
        others = tuple(quote for quote in self.wrong_evidence if quote != span)
        return replace(self, wrong_evidence=tuple(sorted((*others, span))) if wrong else others)

    def decision(
        self, label: HumanLabel, note: str = "", label_id: str | None = None
    ) -> LabelDecision:
        """The details with a label and a note: what the store takes."""
        return LabelDecision(
            label=label,
            note=note,
            evidence=self.evidence,
            wrong_evidence=self.wrong_evidence,
            fault=self.fault,
            tags=self.tags,
            id=label_id,
        )


def details_of_label(
    label: Label | None, result: CitationResult, source: Source | None
) -> DecisionDetails:
    """What a label says besides its verdict, as far as it still fits the item.

    Evidence whose words no longer stand at its place, and marks on quotes that the judge no longer
    gives, belong to an earlier verdict: they stay with that label in its history.
    """
    if label is None:
        return DecisionDetails()
    judged = {evidence.span for evidence in result.judgment.evidence} if result.judgment else set()
    return DecisionDetails(
        evidence=tuple(piece.span for piece in fitting(label.evidence, source)),
        wrong_evidence=tuple(span for span in label.wrong_evidence if span in judged),
        fault=label.fault,
        tags=label.tags,
    )


def fitting(evidence: Sequence[Evidence], source: Source | None) -> tuple[Evidence, ...]:
    """The pieces whose words stand at their place in the source's text, in text order."""
    if source is None or not source.text:
        return ()
    pieces = [
        piece for piece in evidence if piece.quote and piece.span.of(source.text) == piece.quote
    ]
    return tuple(sorted(pieces, key=lambda piece: piece.span))


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPlace:
    """Whose draft on which item of which database."""

    database: Path
    run_id: str
    citation_id: str
    reviewer: str


_DRAFTS: OrderedDict[DraftPlace, DecisionDetails] = OrderedDict()
_LOCK = threading.Lock()


def find_draft(place: DraftPlace) -> DecisionDetails | None:
    """What was said there and is not in the store yet."""
    with _LOCK:
        return _DRAFTS.get(place)


def keep_draft(place: DraftPlace, details: DecisionDetails) -> None:
    """Keep what was said until a label takes it along."""
    with _LOCK:
        _DRAFTS[place] = details
        _DRAFTS.move_to_end(place)
        while len(_DRAFTS) > DRAFTS_KEPT:
            _DRAFTS.popitem(last=False)


def drop_draft(place: DraftPlace) -> None:
    """Forget what was said: it went into the store, or was taken back."""
    with _LOCK:
        _DRAFTS.pop(place, None)
