"""What each sentence of a text is there for: cited, uncited, an absence, a sum, advice, structure.

A sentence with a mark of its own is cited, whatever it says; then come those that a mark elsewhere
stands for. What has none is sorted by its form and by the words that absences, sums, summaries and
advice are written with in English, German, French, Spanish and Chinese. What nothing speaks for is
`uncited` where it asserts something, since an assertion missed costs more than one listed in vain.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set
from dataclasses import replace

from workbench.citations.claims.assign import asserts
from workbench.citations.context.scope import MarkGroups
from workbench.citations.document import Document
from workbench.citations.lexicon import CJK
from workbench.language.assertions import (
    COMMON_WORDS,
    classifier,
    features_of,
    is_calculated,
    is_structure,
    language_of,
)
from workbench.records.citation import Citation, Extraction, Reach, Sentence, SentenceKind
from workbench.records.text import Span

_LEAD_IN = re.compile(r"[:：]\W*\Z")
_QUESTION = re.compile(r"[?？][\s*_\"'”’»)）」』】\]]*\Z")
_FIGURE = re.compile(r"\d")
_MARKUP = str.maketrans("", "", "*_`#|")
_NAME_OR_WORD = re.compile(rf"[{CJK}]|[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_GIVEN_SHARE = 0.55
"""Of a sentence's own words, so many stand in the question that it repeats."""
_CELL = re.compile(r"[^|\s][^|]*")
_BEFORE = 6
"""How many sentences before one hold the figures that it may be calculated from."""


class SentenceReader:
    """Sorts the sentences of one document; linear in its text."""

    def __init__(
        self,
        document: Document,
        citations: Sequence[Citation],
        own: Sequence[Sequence[str]],
    ) -> None:
        """Take a document, its citations with their scopes, and for each sentence its own ids."""
        self._document = document
        self._text = document.text
        self._citations = citations
        self._own = own
        self._language = language_of(document.text)
        self._groups = MarkGroups(document.text, citations)
        self._asked = [
            (answer.start, _words_of(answer.question or ""))
            for answer in document.provider.answered
        ]
        self._reached = self._reach_back()

    def sentences(self) -> tuple[Sentence, ...]:
        """Return the sentences in text order; lines of marks alone are none."""
        found = []
        for number, (start, end) in enumerate(self._document.assignments.spans):
            if start >= end:
                continue
            own = tuple(self._own[number])
            reach: Reach | None = "own"
            if not own:
                reach, own = self._reached.get(number, (None, ()))
            if reach != "own" and self._is_structure(number, start, end):
                kind: SentenceKind = "structure"
                reach, own = None, ()
            else:
                kind = "cited" if reach else self._kind(number, start, end)
            found.append(Sentence(span=Span(start, end), kind=kind, citations=own, reach=reach))
        return tuple(found)

    def _is_structure(self, number: int, start: int, end: int) -> bool:
        """Whether a sentence without a mark of its own asserts nothing, by its form and first words."""
        form = self._document.sentences[number].kind
        if form in ("heading", "title"):
            return True
        piece = self._text[start:end]
        has_figure = _FIGURE.search(piece) is not None
        if form == "row":
            return not has_figure or len(_CELL.findall(piece)) < 2
        return (
            _QUESTION.search(piece) is not None
            or is_structure(piece, self._language)
            or not has_figure
            and (_LEAD_IN.search(piece) is not None or not asserts(self._text, start, end, form))
        )

    def _kind(self, number: int, start: int, end: int) -> SentenceKind:
        """Return what a sentence that asserts something without a mark is there for."""
        if self._document.sentences[number].kind == "row":
            return "uncited"
        piece = self._text[start:end]
        if self._is_given(start, piece):
            return "given"
        features = features_of(piece.translate(_MARKUP), self._language)
        kind = classifier().kind(features)
        if kind == "uncited":
            spans = self._document.assignments.spans[max(0, number - _BEFORE) : number]
            before = (self._text[start:end] for start, end in spans)
            return "derived" if is_calculated(piece, before, features) else kind
        return kind

    def _is_given(self, start: int, piece: str) -> bool:
        """Whether a sentence only repeats what the question that it answers says."""
        at = bisect_right(self._asked, start, key=lambda asked: asked[0]) - 1
        return at >= 0 and _repeats(piece, self._asked[at][1])

    def _reach_back(self) -> dict[int, tuple[Reach, tuple[str, ...]]]:
        """Return, for sentences that a mark elsewhere stands for, how it reaches them, and ids."""
        starts = self._document.sentence_starts
        reached: dict[int, tuple[Reach, tuple[str, ...]]] = {}

        def stand_for(span: Span, reach: Reach, names: tuple[str, ...]) -> None:
            first = bisect_left(starts, span.start)
            for number in range(first, bisect_left(starts, span.end)):
                kept = reached.get(number, (reach, ()))
                reached[number] = (kept[0], (*kept[1], *names))

        for citation in self._citations:
            scope = citation.scope
            if scope is not None and scope.kind != "sentence":
                stand_for(scope.span, scope.kind, (citation.id,))
        for span, reach, names in self._closing_marks():
            stand_for(span, reach, names)
        return reached

    def _closing_marks(self) -> list[tuple[Span, Reach, tuple[str, ...]]]:
        """Return the paragraphs and lists whose only marks stand at their end, with the ids."""
        document, groups, closing = self._document, self._groups, []
        members: dict[int, list[str]] = {}
        for citation in self._citations:
            number = groups.number_of(citation)
            if number >= 0 and citation.start < groups.ends[number]:
                members.setdefault(number, []).append(citation.id)
        for block in document.blocks:
            if block.kind not in ("paragraph", "list"):
                continue
            end = document.lines[block.last - 1].end
            at = bisect_right(groups.starts, end) - 1
            if at < 0 or groups.starts[at] < block.start or groups.count(block.start, end) != 1:
                continue
            if groups.closes(at, end):
                span = Span(block.start, groups.starts[at])
                reach: Reach = "paragraph" if block.kind == "paragraph" else "list"
                closing.append((span, reach, tuple(members.get(at, ()))))
        return closing


def with_question(extraction: Extraction, question: str | None) -> Extraction:
    """Return the extraction of an answer to a question; what only repeats its facts is `given`."""
    asked = _words_of(question or "")
    if not asked:
        return extraction
    return replace(
        extraction,
        sentences=tuple(
            replace(sentence, kind="given")
            if sentence.kind not in ("cited", "structure")
            and _repeats(sentence.span.of(extraction.text), asked)
            else sentence
            for sentence in extraction.sentences
        ),
    )


def _repeats(sentence: str, asked: Set[str]) -> bool:
    """Whether a sentence only says what the words of a question say."""
    words = _words_of(sentence) if asked else frozenset[str]()
    known = words & asked
    return (
        len(words) >= 3
        and len(known) >= _GIVEN_SHARE * len(words)
        and known.issuperset(word for word in words if word[0].isdigit())
    )


def _words_of(text: str) -> frozenset[str]:
    """Return the words and figures of a text that say something, in lower case."""
    return frozenset(_NAME_OR_WORD.findall(text.lower())) - COMMON_WORDS
