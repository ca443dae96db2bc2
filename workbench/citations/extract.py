"""Text in, citations, references and claims out: the order of this room's stages."""

from workbench.citations.addresses import find_links
from workbench.citations.claims import Placed, asserts, place_marks
from workbench.citations.find import find_marks
from workbench.citations.lines import Line, read_lines
from workbench.citations.link import Linked, link_marks
from workbench.citations.references import Listed, find_references
from workbench.citations.segment import Sentence, cut_sentences
from workbench.records import Citation, Claim, Excerpt, Extraction, Reference, Span

CONTEXT = 200
"""Code points on each side of a citation that its context shows."""


def extract(text: str) -> Extraction:
    """The citations, reference entries and claims of a text, each in text order.

    Offsets count code points of the text as given, and `text[start:end]` is what was matched, for
    any string. Reference entries are neither citations nor claims, and code is neither. Never
    raises.
    """
    lines = read_lines(text)
    links = find_links(text)
    lists = find_references(text, lines, links)
    marks = find_marks(text, lines, links, lists)
    linked = link_marks(marks, lists.listed)
    sentences = cut_sentences(text, _outside(lines, lists.spans), marks)
    placed = place_marks(text, sentences, marks)
    citations = _citations(text, linked, placed)
    return Extraction(
        text=text,
        citations=citations,
        references=tuple(_reference(text, one, number) for number, one in enumerate(lists.listed)),
        claims=_claims(text, sentences, placed, citations),
    )


def _outside(lines: list[Line], spans: list[tuple[int, int]]) -> list[Line]:
    """The lines that are in none of the spans."""
    kept: list[Line] = []
    at, cut = 0, False
    ordered = sorted(spans)
    for line in lines:
        while at < len(ordered) and ordered[at][1] <= line.start:
            at += 1
        if at == len(ordered) or line.end <= ordered[at][0]:
            kept.append(line if not cut else line._replace(gap=True))
            cut = False
        else:
            cut = True
    return kept


def _citations(text: str, linked: list[Linked], placed: Placed) -> tuple[Citation, ...]:
    size = len(text)
    citations = []
    for number, (one, part) in enumerate(zip(linked, placed.parts, strict=True), start=1):
        mark = one.mark
        claim = None
        if part and part.end > part.start:
            claim = Excerpt(span=Span(part.start, part.end), text=text[part.start : part.end])
        citations.append(
            Citation(
                id=f"c{number}",
                kind=mark.kind,
                raw=text[mark.start : mark.end],
                span=Span(mark.start, mark.end),
                identifier=mark.identifier,
                context=Span(max(0, mark.start - CONTEXT), min(size, mark.end + CONTEXT)),
                claim=claim,
                target=one.target,
                unlinked=one.unlinked,
                reference=one.reference,
            )
        )
    return tuple(citations)


def _claims(
    text: str, sentences: list[Sentence], placed: Placed, citations: tuple[Citation, ...]
) -> tuple[Claim, ...]:
    claims: list[Claim] = []
    for sentence, span, cited in zip(sentences, placed.spans, placed.cited, strict=True):
        start, end = span
        if end <= start or not (cited or asserts(text, start, end, sentence.kind)):
            continue
        claims.append(
            Claim(
                id=f"k{len(claims) + 1}",
                span=Span(start, end),
                text=text[start:end],
                citations=tuple(citations[member].id for member in cited),
            )
        )
    return tuple(claims)


def _reference(text: str, one: Listed, number: int) -> Reference:
    entry = one.entry
    target = entry.target
    return Reference(
        label=one.label,
        span=Span(one.start, one.end),
        text=text[one.start : one.end],
        title=entry.title,
        authors=entry.authors,
        year=entry.year,
        doi=entry.doi,
        target=target,
    )
