"""Text in, citations, references and claims out: the order of this room's stages."""

from workbench.citations.addresses import find_links
from workbench.citations.asides import Aside, find_asides
from workbench.citations.claims import Part, Placed, asserts, place_marks
from workbench.citations.find import find_marks
from workbench.citations.lines import Line, read_lines
from workbench.citations.link import Linked, link_marks
from workbench.citations.references import Listed, find_references
from workbench.citations.segment import Sentence, cut_sentences
from workbench.records import Citation, Claim, Excerpt, Extraction, Reference, Span

CONTEXT = 200
"""Code points on each side of a citation that its context shows."""
_IN_WORDS = "The sentence names its source in words only, with no mark that points to it."


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
    asides = find_asides(text, sentences, marks, placed)
    citations, ids = _citations(text, linked, placed, asides)
    return Extraction(
        text=text,
        citations=citations,
        references=tuple(_reference(text, one) for one in lists.listed),
        claims=_claims(text, sentences, placed, ids),
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


def _citations(
    text: str, linked: list[Linked], placed: Placed, asides: list[Aside]
) -> tuple[tuple[Citation, ...], list[str]]:
    """All citations in text order, and the ids of those that are marks in the order of marks."""
    places = [(one.mark.start, -one.mark.end, number, -1) for number, one in enumerate(linked)]
    places.extend((one.start, -one.end, -1, number) for number, one in enumerate(asides))
    if asides:
        places.sort(key=lambda place: place[:2])
    ids = [""] * len(linked)
    citations = []
    for count, (_, _, number, aside) in enumerate(places, start=1):
        if number >= 0:
            ids[number] = f"c{count}"
            citations.append(_citation(text, ids[number], linked[number], placed.parts[number]))
        else:
            citations.append(_beside(text, f"c{count}", asides[aside], linked, placed))
    return tuple(citations), ids


def _citation(text: str, name: str, one: Linked, part: Part | None) -> Citation:
    """The record of a mark."""
    mark = one.mark
    return Citation(
        id=name,
        kind=mark.kind,
        raw=text[mark.start : mark.end],
        span=Span(mark.start, mark.end),
        identifier=mark.identifier,
        context=_context(text, mark.start, mark.end),
        claim=_excerpt(text, part.start, part.end) if part else None,
        target=one.target,
        unlinked=one.unlinked,
        reference=one.reference,
    )


def _beside(text: str, name: str, aside: Aside, linked: list[Linked], placed: Placed) -> Citation:
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
        claim=_excerpt(text, start, end),
        target=one.target if one else None,
        unlinked=one.unlinked if one else _IN_WORDS,
        reference=one.reference if one else None,
    )


def _context(text: str, start: int, end: int) -> Span:
    return Span(max(0, start - CONTEXT), min(len(text), end + CONTEXT))


def _excerpt(text: str, start: int, end: int) -> Excerpt | None:
    return Excerpt(span=Span(start, end), text=text[start:end]) if end > start else None


def _claims(
    text: str, sentences: list[Sentence], placed: Placed, ids: list[str]
) -> tuple[Claim, ...]:
    """The sentences that a mark stands for, and the others that assert something."""
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
                citations=tuple(ids[member] for member in cited),
            )
        )
    return tuple(claims)


def _reference(text: str, one: Listed) -> Reference:
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
