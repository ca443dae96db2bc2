"""A text with everything that is read from it once: the stages take it whole."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from workbench.citations.claims.assign import ClaimAssignments, assign_marks
from workbench.citations.claims.sentences import TextSentence, cut_sentences
from workbench.citations.claims.words import ClaimWords
from workbench.citations.layout import (
    Line,
    Outline,
    TextBlock,
    outside,
    read_blocks,
    read_contents,
    read_lines,
    read_outline,
)
from workbench.citations.marks import Mark
from workbench.citations.marks.addresses import TextLink, find_links
from workbench.citations.marks.author_year import find_backward
from workbench.citations.marks.find import find_marks
from workbench.citations.marks.products import ProductMarks, find_product_marks
from workbench.citations.native.answer import ProviderAnswer
from workbench.citations.references.link import EntryIndex
from workbench.citations.references.lists import (
    ListedEntry,
    ReferenceLists,
    find_references,
)
from workbench.records.citation import UNCOUNTED_KINDS, Citation, Extraction

_ORDER = (
    *("lines", "links", "reference_lists", "entry_index", "marks", "sentences", "assignments"),
    *("outline", "blocks"),
)
"""The parts that others are read from, each after those that it needs."""


class Document:
    """A text as it is read; offsets count its code points. Each part is read on first use."""

    def __init__(
        self,
        text: str,
        provider: ProviderAnswer | None = None,
        marks: Sequence[Mark] | None = None,
    ) -> None:
        """Take a text, with what its provider returned beside it or with its marks, if known."""
        self.text = text
        self.provider = provider or ProviderAnswer(text)
        self._known_marks = marks

    def read(self) -> None:
        """Read its parts now and not when they are first asked, which is in another order."""
        for part in _ORDER:
            getattr(self, part)

    @cached_property
    def lines(self) -> list[Line]:
        """Its lines that are not blank."""
        return read_lines(self.text)

    @cached_property
    def links(self) -> list[TextLink]:
        """Its Markdown links, images and HTML anchors, in order."""
        return find_links(self.text)

    @cached_property
    def product_marks(self) -> ProductMarks:
        """What products write beside its words: marks of their own forms, and markup."""
        return find_product_marks(self.text)

    @cached_property
    def reference_lists(self) -> ReferenceLists:
        """The reference lists that stand in it."""
        return find_references(self)

    @cached_property
    def entries(self) -> list[ListedEntry]:
        """The entries of its lists, and then the sources that its provider lists."""
        entries = self.reference_lists.entries
        return entries + self.provider.entries() if self.provider.sources else entries

    @cached_property
    def entry_index(self) -> EntryIndex:
        """The entries by what a mark can name."""
        return EntryIndex(self.entries)

    @cached_property
    def entry_labels(self) -> frozenset[str]:
        """The labels of the entries: they settle what is a mark and what is not."""
        return frozenset(entry.label for entry in self.entries if entry.label)

    @cached_property
    def provider_marks(self) -> list[Mark]:
        """The marks that its provider made beside the words."""
        return self._native_marks(covers=False)

    @cached_property
    def covering_marks(self) -> list[Mark]:
        """The marks that its provider made and that cover the words they support."""
        return self._native_marks(covers=True)

    def _native_marks(self, *, covers: bool) -> list[Mark]:
        if not self.provider.marks:
            return []
        return self.provider.native_marks(len(self.reference_lists.entries), covers=covers)

    @cached_property
    def marks(self) -> Sequence[Mark]:
        """Its settled marks in order, without those that cover the words they support."""
        return find_marks(self) if self._known_marks is None else self._known_marks

    @cached_property
    def quiet_spans(self) -> list[tuple[int, int]]:
        """Where its reference lists and tables of contents stand, which make no claim."""
        return [*self.reference_lists.spans, *read_contents(self.text, self.lines)]

    @cached_property
    def sentences(self) -> list[TextSentence]:
        """The sentences, list items and table rows that can be claims."""
        markup = [Mark(*span, "key", "", style="markup") for span in self.product_marks.markup]
        marks = (
            sorted([*self.marks, *markup], key=lambda mark: mark.start) if markup else self.marks
        )
        return cut_sentences(self.text, list(outside(self.lines, self.quiet_spans)), marks)

    @cached_property
    def assignments(self) -> ClaimAssignments:
        """The sentences as claims, and what each mark stands for."""
        return assign_marks(self.text, self.sentences, self.marks)

    @cached_property
    def claim_words(self) -> ClaimWords:
        """The clean words of its claims."""
        return ClaimWords(self.text, self.marks, self.product_marks.markup)

    @cached_property
    def outline(self) -> Outline:
        """Its headings."""
        titles = {sentence.start for sentence in self.sentences if sentence.kind == "title"}
        return read_outline(self.text, self.lines, titles, self.answer_starts)

    @cached_property
    def blocks(self) -> list[TextBlock]:
        """Its paragraphs, lists and tables, in order."""
        headings = [number for number in self.outline.lines if number >= 0]
        return read_blocks(self.text, self.lines, headings, self.answer_starts)

    @cached_property
    def block_starts(self) -> list[int]:
        """Where each block begins."""
        return [block.start for block in self.blocks]

    @cached_property
    def line_starts(self) -> list[int]:
        """Where each line begins."""
        return [line.start for line in self.lines]

    @cached_property
    def sentence_starts(self) -> list[int]:
        """Where each sentence begins."""
        return [sentence.start for sentence in self.sentences]

    @cached_property
    def answer_starts(self) -> list[int]:
        """Where each answer of a transcript begins."""
        return [answer.start for answer in self.provider.answered]

    def line_at(self, place: int) -> int:
        """The number of the line that holds a place; -1 before the first."""
        return bisect_right(self.line_starts, place) - 1

    def block_at(self, place: int) -> int:
        """The number of the block that holds a place; -1 before the first."""
        return bisect_right(self.block_starts, place) - 1

    def sentence_at(self, place: int) -> int:
        """The number of the last sentence that begins at a place or before; -1 for none."""
        return bisect_right(self.sentence_starts, place) - 1


def document_of(extraction: Extraction) -> Document:
    """The document of a text whose citations are known: what `extract` read, its marks as given."""
    marks = [
        _mark(citation)
        for citation in extraction.citations
        if citation.kind not in UNCOUNTED_KINDS and not covers_claim(citation)
    ]
    return Document(extraction.text, marks=marks)


def covers_claim(citation: Citation) -> bool:
    """Whether a citation is the words that it supports, and no mark beside them."""
    return citation.claim is not None and citation.claim.span == citation.span


def _mark(citation: Citation) -> Mark:
    """A citation as the mark that it was, as far as sentences are cut by it."""
    raw, claim = citation.raw, citation.claim
    narrative = citation.kind == "author_year" and raw[:1] not in "([（" and raw[-1:] in ")）"
    wraps = claim is not None and (
        (raw.startswith("<") and claim.start >= citation.end)
        or (citation.start < claim.start and claim.end < citation.end)
    )
    return Mark(
        citation.start,
        citation.end,
        "author_year" if find_backward(raw) else citation.kind,  # `ibid.` has the kind it repeats
        citation.identifier,
        style="narrative" if narrative else "",
        covers=(claim.start, claim.end) if claim is not None and wraps else None,
    )
