"""The scopes of citations whose text is known: what can be chosen, and the parts to judge."""

from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from typing import Literal

from workbench.citations.claims import place_marks
from workbench.citations.complete import read_layout
from workbench.citations.context import ClaimContexts
from workbench.citations.layout import Layout
from workbench.citations.marks import Mark
from workbench.citations.scope_reader import ScopeReader
from workbench.citations.stretches import MOST_PARTS
from workbench.records import (
    Citation,
    ClaimContext,
    ClaimScope,
    Excerpt,
    Extraction,
    ScopeKind,
    Span,
)

__all__ = ["MOST_PARTS", "Scopes", "with_scope"]


class Scopes:
    """The scopes of the citations of one text; offsets count code points of the text as given.

    Making it costs nothing; the text is read once, when something is first asked. Never raises.
    """

    def __init__(self, extraction: Extraction) -> None:
        self._extraction = extraction

    def choices(self, citation: Citation) -> tuple[ClaimScope, ...]:
        """The scopes that can be chosen for a citation: its sentence first, then wider ones.

        Empty for a citation without a claim. The one that the rules guess is marked as a guess.
        """
        if citation.claim is None:
            return ()
        guess = self._reader.guess(citation)
        spans: dict[ScopeKind, Span] = {"sentence": citation.claim.span}
        spans |= {kind: stretch.span for kind, stretch in self._reader.wider(citation).items()}
        guessed = guess.kind if guess else "sentence"
        return tuple(
            ClaimScope(
                kind=kind,
                span=span,
                text=span.of(self._extraction.text),
                guess=kind == guessed,
            )
            for kind, span in spans.items()
        )

    def guess(self, citation: Citation) -> ClaimScope | None:
        """The wider scope that the rules guess for a citation; None for its sentence."""
        return self._reader.guess(citation)

    def parts(self, citation: Citation) -> tuple[Span, ...]:
        """The claims that make up the scope of a citation, in text order, `MOST_PARTS` at most.

        Empty for a citation without a claim.
        """
        if citation.claim is None:
            return ()
        kind = citation.scope.kind if citation.scope else "sentence"
        stretch = None if kind == "sentence" else self._reader.wider(citation).get(kind)
        return stretch.parts if stretch else (citation.claim.span,)

    def part_citations(self, citation: Citation) -> tuple[Citation, ...]:
        """The citation once per part of its scope, each with that part as its claim.

        Each has its part's own context, the same id and target, and neither scope nor wording. A
        citation whose scope is its sentence, or has one part, comes back as it is.
        """
        parts = self.parts(citation)
        if len(parts) < 2:
            return (citation,)
        text = self._extraction.text
        return tuple(
            replace(
                citation,
                claim=Excerpt(span=part, text=part.of(text)),
                claim_context=self._context(part, citation.claim_context),
                wording=None,
                scope=None,
            )
            for part in parts
        )

    def with_kind(self, citation: Citation, kind: ScopeKind) -> Citation:
        """The citation with a chosen scope; with its sentence where it has no scope of the kind.

        A citation without a claim comes back without a scope.
        """
        if citation.claim is None:
            return replace(citation, scope=None)
        stretch = None if kind == "sentence" else self._reader.wider(citation).get(kind)
        scope = ClaimScope(
            kind=kind if stretch else "sentence",
            span=(stretch or citation.claim).span,
            text=(stretch or citation.claim).span.of(self._extraction.text),
            guess=False,
        )
        return replace(citation, scope=scope)

    @cached_property
    def _reader(self) -> ScopeReader:
        layout, marks = self._read
        spans = place_marks(layout.text, layout.sentences, marks).spans
        return ScopeReader(layout, spans, self._extraction.citations)

    @cached_property
    def _read(self) -> tuple[Layout, list[Mark]]:
        return read_layout(self._extraction)

    @cached_property
    def _contexts(self) -> ClaimContexts:
        return ClaimContexts(self._read[0])

    def _context(self, part: Span, known: ClaimContext | None) -> ClaimContext:
        """The context of a part, with what is known of the claim's question and date."""
        context = self._contexts.get(part.start, part.end)
        return replace(context, question=known.question, date=known.date) if known else context


def with_scope(
    extraction: Extraction,
    kind: ScopeKind | Literal["guess"],
    ids: Collection[str] | None = None,
) -> Extraction:
    """The extraction with a scope for its citations, or for those of `ids`; offsets stay.

    Args:
        extraction: What a text cites.
        kind: The scope to choose, where it can be chosen: else the sentence. `guess` guesses those
            that nobody chose, and anew those of `ids`.
        ids: The citations meant; left out: all.
    """
    scopes = Scopes(extraction)
    return replace(
        extraction,
        citations=tuple(
            _scoped(scopes, citation, kind, ids is not None)
            if ids is None or citation.id in ids
            else citation
            for citation in extraction.citations
        ),
    )


def _scoped(
    scopes: Scopes, citation: Citation, kind: ScopeKind | Literal["guess"], anew: bool
) -> Citation:
    if kind != "guess":
        return scopes.with_kind(citation, kind)
    if citation.scope and not citation.scope.guess and not anew:
        return citation
    return replace(citation, scope=scopes.guess(citation))
