"""Make the published records of what was found, linked and placed."""

from bisect import bisect_right
from collections.abc import Sequence

from workbench.citations.claims import ClaimAssignments, Part, asserts
from workbench.citations.context import ClaimContexts
from workbench.citations.layout import Layout
from workbench.citations.link import Linked
from workbench.citations.quotes_and_statistics import SecondaryCitation
from workbench.citations.references import ReferenceEntry
from workbench.citations.scope_reader import ScopeReader, with_guesses
from workbench.citations.segment import Sentence
from workbench.records import Citation, Claim, Excerpt, Extraction, Reference, Span

CONTEXT = 200
"""Code points on each side of a citation that its context shows."""
_IN_WORDS = "The sentence names its source in words only, with no mark that points to it."


def compose(
    layout: Layout,
    linked: Sequence[Linked],
    covering: Sequence[Linked],
    listed: Sequence[ReferenceEntry],
    placed: ClaimAssignments,
    asides: Sequence[SecondaryCitation],
) -> Extraction:
    """The extraction: citations in text order with their ids, references, claims.

    Args:
        layout: The layout of the text; its sentences are what can be a claim.
        linked: Its marks with their sources; `placed` has their parts in the same order.
        covering: A provider's stretches of words, each its own claim.
        listed: Reference entries.
        placed: Where the marks belong.
        asides: Quotations and figures.
    """
    text, sentences = layout.text, layout.sentences
    contexts = ClaimContexts(layout)
    entries = [(one.mark.start, -one.mark.end, 0, n) for n, one in enumerate(linked)]
    entries.extend((one.mark.start, -one.mark.end, 1, n) for n, one in enumerate(covering))
    entries.extend((one.start, -one.end, 2, n) for n, one in enumerate(asides))
    entries.sort()
    cited: list[list[str]] = [[] for _ in sentences]
    homes = _homes(placed, len(linked))
    citations: list[Citation] = []
    excerpts = _Excerpts(text)
    for count, (_, _, sort, number) in enumerate(entries, start=1):
        name = f"c{count}"
        if sort == 0:
            one = linked[number]
            citations.append(_citation(text, name, one, placed.parts[number], excerpts, contexts))
            if homes[number] >= 0:
                cited[homes[number]].append(name)
        elif sort == 1:
            one = covering[number]
            part = Part(one.mark.start, one.mark.end, -1)
            citations.append(_citation(text, name, one, part, excerpts, contexts))
            for home in _under(sentences, one.mark.start, one.mark.end):
                cited[home].append(name)
        else:
            citations.append(
                _beside(text, name, asides[number], linked, placed, excerpts, contexts)
            )
    return Extraction(
        text=text,
        citations=with_guesses(ScopeReader(layout, placed.spans, citations), citations),
        references=tuple(_reference(text, one) for one in listed),
        claims=_claims(text, sentences, placed, cited),
    )


def _homes(placed: ClaimAssignments, count: int) -> list[int]:
    """For each mark the sentence it is tied to; -1 for none."""
    homes = [-1] * count
    for number, members in enumerate(placed.cited):
        for member in members:
            homes[member] = number
    return homes


def _under(sentences: Sequence[Sentence], start: int, end: int) -> range:
    """The sentences that a stretch covers, in whole or in part."""
    first = bisect_right(sentences, start, key=lambda one: one.end)
    last = first
    while last < len(sentences) and sentences[last].start < end:
        last += 1
    return range(first, last)


class _Excerpts:
    """Excerpts of one text, each made once: marks that stand together share theirs."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._made: dict[tuple[int, int], Excerpt] = {}

    def get(self, start: int, end: int) -> Excerpt | None:
        """The excerpt `start:end`; None where it is empty."""
        if end <= start:
            return None
        found = self._made.get((start, end))
        if found is None:
            found = Excerpt(span=Span(start, end), text=self.text[start:end])
            self._made[start, end] = found
        return found


def _citation(
    text: str,
    name: str,
    one: Linked,
    part: Part | None,
    excerpts: _Excerpts,
    contexts: ClaimContexts,
) -> Citation:
    """The record of a mark."""
    mark = one.mark
    start, end = mark.start, mark.end
    claim = excerpts.get(part.start, part.end) if part else None
    return Citation(
        id=name,
        kind=mark.kind,
        raw=text[start:end],
        span=Span(start, end),
        identifier=mark.identifier,
        context=_context(text, start, end),
        claim=claim,
        target=one.target,
        unlinked=one.unlinked,
        reference=one.reference,
        claim_context=contexts.get(claim.span.start, claim.span.end) if claim else None,
    )


def _beside(
    text: str,
    name: str,
    aside: SecondaryCitation,
    linked: Sequence[Linked],
    placed: ClaimAssignments,
    excerpts: _Excerpts,
    contexts: ClaimContexts,
) -> Citation:
    """The record of a quotation or figure: its target is that of its mark."""
    one = linked[aside.mark] if aside.mark is not None else None
    part = placed.parts[aside.mark] if aside.mark is not None else None
    start, end = placed.spans[aside.sentence]
    if part and part.start <= aside.start and aside.end <= part.end:
        start, end = part.start, part.end
    return Citation(
        id=name,
        kind=aside.kind,
        raw=text[aside.start : aside.end],
        span=Span(aside.start, aside.end),
        identifier=aside.identifier,
        context=_context(text, aside.start, aside.end),
        claim=excerpts.get(start, end),
        claim_context=contexts.get(start, end) if start < end else None,
        target=one.target if one else None,
        unlinked=one.unlinked if one else _IN_WORDS,
        reference=one.reference if one else None,
    )


def _context(text: str, start: int, end: int) -> Span:
    first, last = start - CONTEXT, end + CONTEXT
    return Span(first if first > 0 else 0, last if last < len(text) else len(text))


def _claims(
    text: str, sentences: Sequence[Sentence], placed: ClaimAssignments, cited: list[list[str]]
) -> tuple[Claim, ...]:
    """The sentences that a mark stands for, and the others that assert something."""
    claims: list[Claim] = []
    for sentence, span, names in zip(sentences, placed.spans, cited, strict=True):
        start, end = span
        if end <= start or not (names or asserts(text, start, end, sentence.kind)):
            continue
        claims.append(
            Claim(
                id=f"k{len(claims) + 1}",
                span=Span(start, end),
                text=text[start:end],
                citations=tuple(names),
            )
        )
    return tuple(claims)


def _reference(text: str, one: ReferenceEntry) -> Reference:
    entry = one.entry
    return Reference(
        label=one.label,
        span=Span(one.start, one.end),
        text=text[one.start : one.end],
        title=entry.title,
        authors=entry.authors,
        year=entry.year,
        doi=entry.doi,
        target=entry.target,
    )
