"""The text of a source in sheets for the browser: PDF pages, else one; quotes marked; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.interfaces.web.text_structure import structure_data
from workbench.presentation.escape import marker_text
from workbench.presentation.text_pages import (
    WINDOW_CHARS,
    Window,
    cut_windows,
    segment_text,
    window_of,
)
from workbench.presentation.verdicts import STYLES, Mark, mark_of
from workbench.records.citation import Citation
from workbench.records.source import Source
from workbench.records.stored_sources import SourceCitation
from workbench.records.text import Json, JsonDict, Span
from workbench.records.verdict import Evidence
from workbench.services.sources.structure import SourceBlock

LONGEST_PAGE = 3 * WINDOW_CHARS
"""A text with a longer page is cut like one without pages: the page would not fit a part."""
MOST_PAGES_NAMED = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A piece of evidence in a source's text, and its citation."""

    id: str
    use: SourceCitation
    evidence: Evidence
    mark: Mark


def quotes_in(uses: Sequence[SourceCitation], source: Source) -> tuple[Quoted, ...]:
    """The evidence of citations that is in this text, in the order of the citations."""
    quotes: list[Quoted] = []
    for use in uses:
        judgment = use.result.judgment
        for evidence in judgment.evidence if judgment else ():
            if evidence.span.of(source.text) == evidence.quote:
                quotes.append(
                    Quoted(
                        id=f"q{len(quotes)}", use=use, evidence=evidence, mark=mark_of(use.result)
                    )
                )
    return tuple(quotes)


def sheets_data(
    source: Source,
    quotes: Sequence[Quoted],
    part: int | None = None,
    selected: str | None = None,
    windows: tuple[Window, ...] = (),
    structure: Sequence[SourceBlock] = (),
) -> JsonDict:
    """The browser's data of a source's text: one part of it, sheet by sheet.

    Args:
        source: The source with its text.
        quotes: The evidence to mark.
        part: Number of the part; None for the one with the chosen quote, else the first.
        selected: Id of the chosen quote, which is scrolled to.
        windows: The parts, of which each quote is marked in all that it touches; `parts_of` those
            quotes where there are none.
        structure: The text's headings, list items and tables.
    """
    marked = tuple(_marked(quote) for quote in quotes)
    windows = _with_citations(windows, marked) or parts_of(source, marked)
    chosen = next((citation for citation in marked if citation.id == selected), None)
    if part is None:
        part = window_of(windows, chosen.start) if chosen else 0
    window = windows[min(max(part, 0), len(windows) - 1)]
    shown_ids = {citation.id for citation in window.citations}
    return {
        "doc": f"{source.sha256}:{len(source.text)}:{window.index}",
        "sheets": _sheets(source, windows, window),
        "structure": structure_data(structure, window.span),
        "marks": {
            quote.id: {"m": quote.mark, "d": _description(quote)}
            for quote in quotes
            if quote.id in shown_ids
        },
        "styles": {mark: style.to_dict() for mark, style in STYLES.items()},
        "selected": chosen.id if chosen else None,
        "part": window.index,
        "parts": len(windows),
        "where": where(source, window),
        "pages": _page_parts(source, windows),
    }


def parts_of(source: Source, marked: Sequence[Citation]) -> tuple[Window, ...]:
    """The parts of a text, at least one; each consists of whole pages if there are pages."""
    longest = max((page.end - page.start for page in source.pages), default=0)
    if not source.pages or longest > LONGEST_PAGE:
        return cut_windows(source.text, marked)
    spans: list[Span] = []
    for page in source.pages:
        if spans and page.end - spans[-1].start <= WINDOW_CHARS:
            spans[-1] = Span(spans[-1].start, page.end)
        else:
            spans.append(Span(page.start, page.end))
    windows = (Window(index=at, span=span, citations=()) for at, span in enumerate(spans))
    return _with_citations(tuple(windows), marked)


def _with_citations(windows: tuple[Window, ...], marked: Sequence[Citation]) -> tuple[Window, ...]:
    return tuple(
        replace(
            window,
            citations=tuple(
                citation
                for citation in marked
                if citation.start < window.end and citation.end > window.start
            ),
        )
        for window in windows
    )


def where(source: Source, window: Window) -> str:
    """The range of a part: its pages, else its characters."""
    first = source.page_at(window.start)
    last = source.page_at(max(window.end - 1, window.start))
    if first is None or last is None:
        return f"{window.start:,}–{window.end:,} of {len(source.text):,} characters"
    total = source.page_count or len(source.pages)
    return f"page {first} of {total}" if first == last else f"pages {first}–{last} of {total}"


def _sheets(source: Source, windows: Sequence[Window], window: Window) -> list[Json]:
    # a page without text, such as a scanned one, is a sheet as well
    pages = [
        page
        for page in source.pages
        if (page.start < window.end and page.end > window.start)
        or (page.start == page.end and window_of(windows, page.start) == window.index)
    ]
    spans: list[tuple[int | None, Span]] = [
        (page.number, Span(max(page.start, window.start), min(page.end, window.end)))
        for page in pages
    ]
    sheets: list[Json] = []
    for number, span in spans or [(None, window.span)]:
        in_sheet = tuple(citation for citation in window.citations if citation.start < span.end)
        sheet = Window(index=window.index, span=span, citations=in_sheet)
        pieces = segment_text(source.text, sheet, ())
        sheets.append({"n": number, "pieces": [piece.to_dict() for piece in pieces]})
    return sheets


def _page_parts(source: Source, windows: Sequence[Window]) -> list[Json]:
    """The part that each page begins in; empty if there is nothing to choose."""
    if len(source.pages) < 2 or len(source.pages) > MOST_PAGES_NAMED:
        return []
    return [window_of(windows, page.start) for page in source.pages]


def _description(quote: Quoted) -> str:
    word = STYLES[quote.mark].word.lower()
    return f"Quoted for {marker_text(quote.use.result.citation.raw, 80)}, {word}"


def _marked(quote: Quoted) -> Citation:
    """A quote as a citation, by which parts and pieces are cut."""
    span = quote.evidence.span
    return Citation(
        id=quote.id, kind="native", raw=quote.evidence.quote, span=span, identifier="", context=span
    )
