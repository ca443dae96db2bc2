"""Details that a reviewer adds to a label, and which of an earlier label still fit its item; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.records.review import Fault, Label, LabelDecision
from workbench.records.source import Source
from workbench.records.text import Span
from workbench.records.verdict import CitationResult, Evidence, HumanLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDetails:
    """Own evidence, the judge's wrong quotes, the fault, tags."""

    evidence: tuple[Span, ...] = ()
    """In the text of the item's source, in text order, not overlapping."""
    wrong_evidence: tuple[Span, ...] = ()
    """Spans of the judge's own evidence."""
    fault: Fault | None = None
    tags: tuple[str, ...] = ()

    def with_piece(self, span: Span) -> "DecisionDetails":
        """With one more piece of evidence; adjacent or overlapping pieces are merged."""
        separate = [
            piece for piece in self.evidence if piece.end < span.start or piece.start > span.end
        ]
        joined = [piece for piece in self.evidence if piece not in separate]
        start = min([span.start, *(piece.start for piece in joined)])
        end = max([span.end, *(piece.end for piece in joined)])
        return replace(self, evidence=tuple(sorted([*separate, Span(start, end)])))

    def without_piece(self, span: Span) -> "DecisionDetails":
        """Without one piece of evidence; unchanged if there is no such piece."""
        return replace(self, evidence=tuple(piece for piece in self.evidence if piece != span))

    def with_wrong(self, span: Span, wrong: bool) -> "DecisionDetails":
        """With a quote of the judge marked as wrong or not."""
        others = tuple(quote for quote in self.wrong_evidence if quote != span)
        return replace(self, wrong_evidence=tuple(sorted((*others, span))) if wrong else others)

    def decision(
        self, label: HumanLabel, note: str = "", label_id: str | None = None
    ) -> LabelDecision:
        """The details with a label and a note, ready to be stored."""
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
    """The details of a label, as far as they still fit the item.

    Evidence whose words are no longer at its place, and marks on quotes that the judge no longer
    gives, belong to an earlier verdict: they stay with the label in its history.
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
    """The pieces whose words are at their place in the source's text, in text order."""
    if source is None or not source.text:
        return ()
    pieces = [
        piece for piece in evidence if piece.quote and piece.span.of(source.text) == piece.quote
    ]
    return tuple(sorted(pieces, key=lambda piece: piece.span))
