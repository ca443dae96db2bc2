"""What a marker stands for: its sentence, unless the text shows that it is a list or a paragraph.

Rules, in this order; what none of them names stays with its sentence:

1. A line of markers alone (`[2]`, `Sources: [2]`) below a list or paragraph without another marker
   stands for that list or paragraph.
2. A marker at the end of a line that leads to a list (`It had these effects [2]:`) stands for the
   list when no item has a marker.
3. A marker at the end of a list's last item stands for the list when it is the only one there, and
   its own item is too short to need a source; or when a line with a colon leads to the list, and
   the items are short or no full stop shuts the marker into the last.

A marker behind a paragraph's last full stop keeps the sentence: that is where most styles put the
marker of a single sentence, so it says nothing of the rest. A reviewer can choose the paragraph.

Markers that stand together count as one. Markers that are words of their sentence (`see [2]`, a
link's label, `Smith (2019)`), quotations, figures and what a provider ties to a source keep the
sentence.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

from workbench.citations.context.claim_context import ClaimContexts
from workbench.citations.context.stretches import Home, ListStretch, Stretch, Stretches
from workbench.citations.document import Document, covers_claim, document_of
from workbench.citations.lexicon import CJK_LEADS_TO_MARK, LEADS_TO_MARK
from workbench.records.citation import (
    UNCOUNTED_KINDS,
    Citation,
    CitationKind,
    ClaimScope,
    Extraction,
    ScopeKind,
)
from workbench.records.context import ClaimContext
from workbench.records.text import Excerpt, Span

_BETWEEN = re.compile(
    r"[ \t\u3000,;，；、&()（）\[\]^*_]*(?:and|和|与|及)?[ \t\u3000(（\[]*", re.IGNORECASE
)
_LONGEST_BETWEEN = 12
_BLANK = " \t\u3000\xa0*_"
_OPEN = "([（【［〔"
_STOPS = ".!?。！？…｡"
_ALL_STOPS = tuple(_STOPS)
_CLOSERS = "\"'”’)）」』】]»"
_REST = re.compile(r"[\s.,;:!?。，；：！？…*_)\]）】］〕」』»”’\"'>|]*")
_LONGEST_REST = 20
_WORD_BEFORE = re.compile(r"[^\W\d_]+(?:\.[a-z])?\Z")
_LONGEST_WORD = 20
_MARKER_KINDS: frozenset[CitationKind] = frozenset({"numbered", "key", "native"})
"""Kinds that are a sign beside the words, and never words themselves."""


_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,2}|[^\W_]+(?:['’.-][^\W_]+)*")
"""A word; two Chinese letters count as one."""
_TOO_SHORT = 4
"""An item of fewer words needs no source of its own."""
_SHORT = 12
"""Items of at most this many words are short."""


class ScopeReader:
    """The scopes that citations of one text can have; offsets count its code points."""

    def __init__(self, document: Document, citations: Sequence[Citation]) -> None:
        """Take a document and its citations; the text is read when something is first asked."""
        self._document = document
        self._groups = MarkGroups(document.text, citations)
        self._stretches = Stretches(document, self._groups.behind)

    def wider(self, citation: Citation) -> dict[ScopeKind, Stretch]:
        """The list and the paragraph that a citation may stand for, where they hold its claim."""
        home = self._stretches.home(citation)
        if home is None or citation.claim is None:
            return {}
        listed = self._stretches.list_at(home)
        stretches: dict[ScopeKind, Stretch | None] = {
            "list": listed.stretch if listed else None,
            "paragraph": self._stretches.paragraph_at(home),
        }
        claim = citation.claim.span
        return {
            kind: stretch
            for kind, stretch in stretches.items()
            if stretch and _holds(stretch, claim)
        }

    def guess(self, citation: Citation) -> ClaimScope | None:
        """The list or paragraph that a citation stands for by the rules; None: its sentence."""
        home = self._stretches.home(citation)
        if home is None or citation.claim is None:
            return None
        group = self._groups.number_of(citation)
        if group < 0 or not (home.below or self._ends_line(group)):
            return None
        listed = self._stretches.list_at(home)
        kind: ScopeKind = "list"
        stretch = listed.stretch if listed else None
        if listed is None or not self._stands_for_list(home, listed, group):
            kind = "paragraph"
            leads = listed is not None and listed.leading
            stretch = None if leads else self._paragraph_above(home, group)
        if stretch is None or not _holds(stretch, citation.claim.span):
            return None
        return ClaimScope(
            kind=kind, span=stretch.span, text=stretch.span.of(self._document.text), guess=True
        )

    def with_guesses(self, citations: Iterable[Citation]) -> tuple[Citation, ...]:
        """The citations with their scope as guessed, whatever they have."""
        guessed = []
        for citation in citations:
            guess = self.guess(citation)
            same = citation.scope == guess
            guessed.append(citation if same else replace(citation, scope=guess))
        return tuple(guessed)

    def _ends_line(self, group: int) -> bool:
        """Whether markers stand at the end of a line, beside its words."""
        document, groups = self._document, self._groups
        line = document.lines[document.line_at(groups.starts[group])]
        return groups.closes(group, line.end) and groups.is_beside(group)

    def _stands_for_list(self, home: Home, listed: ListStretch, group: int) -> bool:
        """Rules 1 to 3."""
        groups, stretch = self._groups, listed.stretch
        if not self._is_alone(stretch, group):
            return False
        if home.below:
            return True
        if listed.leading:
            assert listed.lead_end is not None  # it stands in that line
            return listed.colon and groups.closes(group, listed.lead_end)
        if groups.starts[group] < listed.last_item or not groups.closes(group, stretch.end):
            return False
        last_part = stretch.parts[-1]
        if self._words(last_part.start, min(last_part.end, groups.starts[group])) < _TOO_SHORT:
            return True
        short = all(self._words(part.start, part.end) <= _SHORT for part in stretch.parts)
        return listed.colon and (short or not groups.is_shut_in(group))

    def _paragraph_above(self, home: Home, group: int) -> Stretch | None:
        """The paragraph that a line of markers alone stands for, by rule 1."""
        if not home.below:
            return None
        stretch = self._stretches.paragraph_at(home)
        return stretch if stretch and self._is_alone(stretch, group) else None

    def _is_alone(self, stretch: Stretch, group: int) -> bool:
        """Whether no other marker stands in a stretch."""
        own = stretch.span.start <= self._groups.starts[group] < stretch.end
        return self._groups.count(stretch.span.start, stretch.end) == int(own)

    def _words(self, start: int, end: int) -> int:
        """How many words a part has, up to one more than a short item."""
        count = 0
        for _ in _WORD.finditer(self._document.text, start, end):
            count += 1
            if count > _SHORT:
                break
        return count


def _holds(stretch: Stretch, claim: Span) -> bool:
    """Whether a claim stands within a stretch."""
    return stretch.span.start <= claim.start and claim.end <= stretch.span.end


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
        citation whose scope is its sentence, or has one part, is returned unchanged.
        """
        parts = self.parts(citation)
        if len(parts) < 2:
            return (citation,)
        words = self._document.claim_words
        return tuple(
            replace(
                citation,
                claim=Excerpt(span=part, text=words.clean(part.start, part.end)),
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
    def _document(self) -> Document:
        return document_of(self._extraction)

    @cached_property
    def _reader(self) -> ScopeReader:
        return ScopeReader(self._document, self._extraction.citations)

    @cached_property
    def _contexts(self) -> ClaimContexts:
        return ClaimContexts(self._document)

    def _context(self, part: Span, previous: ClaimContext | None) -> ClaimContext:
        """The context of a part, with what is known of the claim's question and date."""
        context = self._contexts.get(part.start, part.end)
        return (
            replace(context, question=previous.question, date=previous.date)
            if previous
            else context
        )


def with_scope(
    extraction: Extraction,
    kind: ScopeKind | Literal["guess"],
    ids: Collection[str] | None = None,
) -> Extraction:
    """The extraction with a scope for its citations, or for those of `ids`; offsets stay.

    Args:
        extraction: What a text cites.
        kind: The scope to choose, where it can be chosen: else the sentence. `guess` guesses those
            that nobody chose, and again those of `ids`.
        ids: The citations to include; default: all.
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


class MarkGroups:
    """The groups of markers of one text, in text order; quotations and figures are left out."""

    def __init__(self, text: str, citations: Sequence[Citation]) -> None:
        self._text = text
        self._first: list[Citation] = []
        self.starts: list[int] = []
        """Where each group begins, in code points of the text."""
        self.ends: list[int] = []
        """Where each group ends."""
        self._covered: list[int] = []
        for citation in citations:
            if citation.kind in UNCOUNTED_KINDS:
                continue
            if covers_claim(citation):
                self._covered.append(citation.start)
            elif self.starts and self._joins(citation.start):
                self.ends[-1] = max(self.ends[-1], citation.end)
            else:
                self._first.append(citation)
                self.starts.append(citation.start)
                self.ends.append(citation.end)
        self.behind = dict(zip(self.ends, self.starts, strict=True))
        """For the end of each group, where it begins."""

    def _joins(self, start: int) -> bool:
        """Whether a marker that begins at `start` belongs to the last group."""
        end = self.ends[-1]
        if start < end:
            return True
        close = start - end <= _LONGEST_BETWEEN
        return close and _BETWEEN.fullmatch(self._text, end, start) is not None

    def number_of(self, citation: Citation) -> int:
        """The number of the group that a marker belongs to."""
        return bisect_right(self.starts, citation.start) - 1

    def count(self, start: int, end: int) -> int:
        """How many groups, and stretches that a provider tied to a source, begin in a stretch."""
        return sum(
            bisect_left(places, end) - bisect_left(places, start)
            for places in (self.starts, self._covered)
        )

    def closes(self, group: int, end: int) -> bool:
        """Whether nothing but closing signs stands between a group and `end`."""
        begin = self.ends[group]
        close = begin <= end <= begin + _LONGEST_REST
        return close and _REST.fullmatch(self._text, begin, end) is not None

    def is_apart(self, group: int) -> bool:
        """Whether a group follows a full stop, and none follows it."""
        at = self._before(group, _BLANK + _OPEN)
        while at and self._text[at - 1] in _CLOSERS:
            at -= 1
        follows_stop = at > 0 and self._text[at - 1] in _STOPS
        return follows_stop and not self.is_shut_in(group)

    def is_shut_in(self, group: int) -> bool:
        """Whether a full stop follows a group, so that it belongs to the sentence which ends."""
        end = self.ends[group]
        return self._text[end : end + _LONGEST_REST].lstrip(_BLANK + _CLOSERS)[:1] in _ALL_STOPS

    def is_beside(self, group: int) -> bool:
        """Whether a group is separate from the words of its sentence."""
        if self.is_apart(group):
            return True
        text, start, first = self._text, self.starts[group], self._first[group]
        at = self._before(group, _BLANK)
        signed = (
            first.kind in _MARKER_KINDS
            or (at > 0 and text[at - 1] in _OPEN)
            or (first.kind != "url" and first.raw[0] in _OPEN)
        )
        if not signed:
            return False
        at = self._before(group, _BLANK + _OPEN)
        piece = text[max(0, at - _LONGEST_WORD) : at] if at else text[:start]
        word = _WORD_BEFORE.search(piece)
        if word is None:
            return True
        leads = word[0].lower() in LEADS_TO_MARK or word[0].endswith(tuple(CJK_LEADS_TO_MARK))
        return not leads

    def _before(self, group: int, signs: str) -> int:
        """The end of what stands before a group, leaving out some signs; few of them are read."""
        at = self.starts[group]
        lowest = max(0, at - _LONGEST_REST)
        while at > lowest and self._text[at - 1] in signs:
            at -= 1
        return at
