"""Text in, citations, references and claims out: read the document, make the published records."""

import gc
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from workbench.citations.claims.assign import AssignedPart, asserts
from workbench.citations.claims.quotes_and_statistics import (
    SecondaryCitation,
    find_quotes_and_statistics,
)
from workbench.citations.claims.sentences import TextSentence
from workbench.citations.context.claim_context import ClaimContexts
from workbench.citations.context.scope import ScopeReader
from workbench.citations.context.sentence_kinds import SentenceReader, with_question
from workbench.citations.document import Document, document_of
from workbench.citations.marks.find import unknown_marks
from workbench.citations.references.entry.parse import parse_entry
from workbench.citations.references.link import LinkedMark, link_marks
from workbench.citations.references.lists import ListedEntry
from workbench.records.citation import Citation, Claim, Extraction, Reference
from workbench.records.text import Excerpt, Span

CONTEXT = 200
"""Code points on each side of a citation that its context shows."""
_UNMARKED_SOURCE = "The sentence names its source only in words, without a marker."


def extract(text: str, question: str | None = None) -> Extraction:
    """The citations, reference entries, claims and sentences of a text, each in text order.

    Offsets count code points of the text as given, and `text[start:end]` is what was matched, for
    any string; the words of a claim are those of its span as a clean sentence. Reference entries
    are neither citations nor claims, and code is neither. What a sentence repeats of the question is
    `given`. Never raises.
    """
    return with_question(extract_document(Document(text)), question)


def extract_document(document: Document) -> Extraction:
    """The same for a document, whose provider may have returned something beside its text.

    A stretch that a provider ties to a source is a citation of kind `native`. One that is a mark
    (`([page](https://…))`) takes the place of any mark found there; one that covers the words it
    supports lies outside the overlap rule, and is its own claim.
    """
    with _without_collection():
        document.read()
        extraction = _Composer(document).extraction()
        del document  # while the collector is held: it would go through all of it
        return extraction


@contextmanager
def _without_collection() -> Iterator[None]:
    """Hold the cyclic collector: no cycles are made here, and its passes outgrow the text."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Composer:
    """Makes the records of one document: citations in text order with their ids, and claims."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text
        self.linked = link_marks(document.marks, document)
        self.covering = link_marks(document.covering_marks, document)
        self.secondary = find_quotes_and_statistics(document)
        self.contexts = ClaimContexts(document)
        self.cited: list[list[str]] = [[] for _ in document.sentences]
        """For each sentence, the ids of the citations that stand for it."""
        self._excerpts: dict[tuple[int, int], Excerpt] = {}

    def extraction(self) -> Extraction:
        """The citations, references, claims and sentences of the document."""
        document = self.document
        found = self._citations()
        citations = ScopeReader(document, found).with_guesses(found)
        return Extraction(
            text=self.text,
            citations=citations,
            references=tuple(_reference(self.text, entry) for entry in document.entries),
            claims=self._claims(),
            sentences=SentenceReader(document, citations, self.cited).sentences(),
            notices=(*document.provider.notices, *self._notices()),
        )

    def _notices(self) -> Iterator[str]:
        """What looks like a mark and was not read as one, and a list that no mark cites."""
        listed = sum(
            entry.label is not None and entry.label.isdigit()
            for entry in self.document.reference_lists.entries
        )
        if listed > 1 and not (self.linked or self.covering):
            yield (
                f"The text has a reference list of {listed} numbered entries and no mark that cites "
                "one. Raised numbers are lost when a page is copied as plain text: give the "
                "original file."
            )
        unknown = [self.text[start:end].strip() for start, end in unknown_marks(self.document)]
        if unknown:
            kinds = list(dict.fromkeys(f"“{words[:40]}”" for words in unknown))
            shown = ", ".join(kinds[:5]) + (", …" if len(kinds) > 5 else "")
            count = "1 mark" if len(unknown) == 1 else f"{len(unknown)} marks"
            yield (
                f"{count} of an unknown kind {'was' if len(unknown) == 1 else 'were'} not read as "
                f"citations: {shown}."
            )

    def _citations(self) -> list[Citation]:
        """The records of all marks, quotations and figures; `cited` is filled on the way."""
        parts = self.document.assignments.parts
        order = [
            (link.mark.start, -link.mark.end, 0, index) for index, link in enumerate(self.linked)
        ]
        order += [
            (link.mark.start, -link.mark.end, 1, index) for index, link in enumerate(self.covering)
        ]
        order += [(quote.start, -quote.end, 2, index) for index, quote in enumerate(self.secondary)]
        order.sort()
        homes = self._homes()
        citations: list[Citation] = []
        for count, (_, _, group, number) in enumerate(order, start=1):
            name = f"c{count}"
            if group == 0:
                citations.append(self._citation(name, self.linked[number], parts[number]))
                if homes[number] >= 0:
                    self.cited[homes[number]].append(name)
            elif group == 1:
                link = self.covering[number]
                start, end = link.mark.start, link.mark.end
                citations.append(self._citation(name, link, AssignedPart(start, end, -1)))
                for sentence in _under(self.document.sentences, start, end):
                    self.cited[sentence].append(name)
            else:
                citations.append(self._secondary_citation(name, self.secondary[number]))
        return citations

    def _homes(self) -> list[int]:
        """For each mark the sentence it is tied to; -1 for none."""
        homes = [-1] * len(self.linked)
        for number, members in enumerate(self.document.assignments.cited):
            for member in members:
                homes[member] = number
        return homes

    def _excerpt(self, start: int, end: int) -> Excerpt | None:
        """The claim `start:end`, made once: marks that stand together share theirs."""
        if end <= start:
            return None
        excerpt = self._excerpts.get((start, end))
        if excerpt is None:
            words = self.document.claim_words.clean(start, end)
            excerpt = Excerpt(span=Span(start, end), text=words)
            self._excerpts[start, end] = excerpt
        return excerpt

    def _citation(self, name: str, link: LinkedMark, part: AssignedPart | None) -> Citation:
        """The record of a mark."""
        mark = link.mark
        start, end = mark.start, mark.end
        claim = self._excerpt(part.start, part.end) if part else None
        return Citation(
            id=name,
            kind=mark.kind,
            raw=self.text[start:end],
            span=Span(start, end),
            identifier=mark.identifier,
            context=self._surroundings(start, end),
            claim=claim,
            target=link.target,
            unlinked=link.unlinked,
            reference=link.reference,
            claim_context=self.contexts.get(claim.span.start, claim.span.end) if claim else None,
        )

    def _secondary_citation(self, name: str, secondary: SecondaryCitation) -> Citation:
        """The record of a quotation or figure: its target is that of its mark."""
        assignments = self.document.assignments
        link = self.linked[secondary.mark] if secondary.mark is not None else None
        part = assignments.parts[secondary.mark] if secondary.mark is not None else None
        start, end = assignments.spans[secondary.sentence]
        if part and part.start <= secondary.start and secondary.end <= part.end:
            start, end = part.start, part.end
        return Citation(
            id=name,
            kind=secondary.kind,
            raw=self.text[secondary.start : secondary.end],
            span=Span(secondary.start, secondary.end),
            identifier=secondary.identifier,
            context=self._surroundings(secondary.start, secondary.end),
            claim=self._excerpt(start, end),
            claim_context=self.contexts.get(start, end) if start < end else None,
            target=link.target if link else None,
            unlinked=link.unlinked if link else _UNMARKED_SOURCE,
            reference=link.reference if link else None,
        )

    def _surroundings(self, start: int, end: int) -> Span:
        first, last, size = start - CONTEXT, end + CONTEXT, len(self.text)
        return Span(first if first > 0 else 0, last if last < size else size)

    def _claims(self) -> tuple[Claim, ...]:
        """The sentences that a mark stands for, and the others that assert something."""
        text, document = self.text, self.document
        spans, words = document.assignments.spans, document.claim_words
        claims: list[Claim] = []
        for sentence, span, names in zip(document.sentences, spans, self.cited, strict=True):
            start, end = span
            if end <= start or not (names or asserts(text, start, end, sentence.kind)):
                continue
            claims.append(
                Claim(
                    id=f"k{len(claims) + 1}",
                    span=Span(start, end),
                    text=words.clean(start, end),
                    citations=tuple(names),
                )
            )
        return tuple(claims)


def with_clean_claims(extraction: Extraction) -> Extraction:
    """The extraction with the words of each claim as a clean sentence, as an older one is not."""
    words = document_of(extraction).claim_words
    text = extraction.text

    def cleaned(claim: Excerpt | None) -> Excerpt | None:
        if claim is None or claim.text != claim.span.of(text):
            return claim
        return replace(claim, text=words.clean(claim.start, claim.end))

    return replace(
        extraction,
        citations=tuple(
            replace(citation, claim=cleaned(citation.claim)) for citation in extraction.citations
        ),
    )


def _under(sentences: Sequence[TextSentence], start: int, end: int) -> range:
    """The sentences that a stretch covers, in whole or in part."""
    first = bisect_right(sentences, start, key=lambda sentence: sentence.end)
    last = first
    while last < len(sentences) and sentences[last].start < end:
        last += 1
    return range(first, last)


def _reference(text: str, reference: ListedEntry) -> Reference:
    entry = reference.entry
    return Reference(
        label=reference.label,
        span=Span(reference.start, reference.end),
        text=text[reference.start : reference.end],
        title=entry.title,
        authors=entry.authors,
        year=entry.year,
        doi=entry.doi,
        target=entry.target,
        entry=parse_entry(text[reference.start : reference.end], entry.repeats)
        if entry.repeats
        else None,
    )
