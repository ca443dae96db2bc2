"""The whole text of a source as the judge saw it, with its quotes and reviewers' evidence."""

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.interfaces.web.components.source import picker
from workbench.interfaces.web.components.text_selection import (
    PickPart,
    PickRow,
    TextHighlight,
    picking_data,
    selected_span,
    span_id,
)
from workbench.interfaces.web.page_images import (
    SourceLook,
    can_draw,
    choose_look,
    draw,
    page_data,
    page_windows,
)
from workbench.interfaces.web.review.decision_details import (
    DecisionItem,
    change_details,
    details_of,
)
from workbench.interfaces.web.text_structure import structure_data, structure_of
from workbench.presentation.citation_card import source_facts
from workbench.presentation.escape import escape_html, truncate
from workbench.presentation.text_pages import Window, cut_windows, window_of
from workbench.presentation.verdicts import STYLES
from workbench.records.citation import Citation
from workbench.records.format import host_of
from workbench.records.source import Source
from workbench.records.text import JsonDict, Span
from workbench.services.labels import DecisionDetails, fitting
from workbench.services.sources.page_images import SourcePage
from workbench.services.sources.passages import bibliography_spans
from workbench.services.sources.structure import SourceBlock

_LONGEST_CLAIM = 400
_TEXT_WIDTH = 960
_PAGES_WIDTH = 1360
"""Pixels, for a page's image beside its text."""


def show_source(
    item: DecisionItem,
    source: Source,
    quote_at: int,
    keep: Callable[[], None],
    closed: Callable[[], None] | None = None,
) -> None:
    """Open the source of an item in a dialog, to select evidence.

    Args:
        item: The item under review.
        source: Its source with the text.
        quote_at: Number of the initial quote; it wraps around after the last.
        keep: Called after each change; it stores the current label again, or does nothing.
        closed: Called when the dialog is closed.
    """

    def dismissed() -> None:
        st.session_state.pop("source_open", None)
        st.session_state.pop("source_part", None)
        if closed:
            closed()

    width = _PAGES_WIDTH if can_draw(source) else _TEXT_WIDTH
    st.dialog("Source as judged", width=width, on_dismiss=dismissed)(_draw)(
        item, source, quote_at, keep
    )


def source_data(
    source: Source,
    item: DecisionItem,
    details: DecisionDetails,
    part: int | None = None,
    quote_at: int = 0,
    look: SourceLook = "text",
    draw_page: Callable[[Source, int], SourcePage] = draw,
    structure: Sequence[SourceBlock] = (),
) -> JsonDict:
    """The component's data of a source: quotes, evidence, reference lists, the chosen quote.

    Args:
        source: The source with its text.
        item: The item under review; its judge's quotes and others' evidence are marked.
        details: The reviewer's own evidence and marks.
        part: The part to show; None for the one with the chosen quote, else the first evidence.
        quote_at: Number of the chosen quote; it wraps around after the last.
        look: Whether the page's image is shown; the parts are the pages then.
        draw_page: Draws a page, counted from 1; the one of the part is drawn and no other.
        structure: The text's headings, list items and tables.
    """
    quotes = [
        TextHighlight(
            id=f"quote-{span_id(quote.span)}",
            span=quote.span,
            kind="quote",
            who="judge",
            wrong=quote.span in details.wrong_evidence,
        )
        for quote in item.quotes
        if quote.start < quote.end
    ]
    own_evidence = [
        TextHighlight(id=f"mine-{span_id(span)}", span=span, kind="mine", who="you")
        for span in details.evidence
    ]
    others = [
        TextHighlight(
            id=f"other-{number}-{span_id(evidence.span)}",
            span=evidence.span,
            kind="other",
            who=truncate(label.reviewer, 30),
        )
        for number, label in enumerate(item.others)
        for evidence in fitting(label.evidence, source)
    ]
    listed = [
        TextHighlight(
            id=f"listed-{span_id(span)}",
            span=span,
            kind="listed",
            who="reference list: not usable as evidence",
        )
        for span in bibliography_spans(source.text)
    ]
    windows = windows_of(source, look, (*quotes, *own_evidence))
    chosen = (quotes[quote_at % len(quotes)] if quotes else None) or next(iter(own_evidence), None)
    if part is None:
        part = window_of(windows, chosen.start) if chosen else 0
    window = windows[min(max(part, 0), len(windows) - 1)]
    marks = [*listed, *quotes, *own_evidence, *others]

    def rows(marks: list[TextHighlight]) -> list[PickRow]:
        return [
            PickRow(mark=mark, part=window_of(windows, mark.start), page=source.page_at(mark.start))
            for mark in marks
        ]

    data = picking_data(
        source.text,
        PickPart(
            span=window.span, index=window.index, of=len(windows), where=where_of(source, window)
        ),
        marks,
        doc=f"{source.sha256}:{look}:{window.index}",
        act="Use as evidence",
        name="Text of the source; arrow keys select sentences and words, Enter uses them",
        colour=STYLES[item.result.verdict].colour,
        chosen=chosen.id if chosen else None,
        pages=source.pages,
        lists=[
            ("Your evidence", rows(own_evidence)),
            ("The judge's quotes", rows(quotes)),
            ("Other reviewers' evidence", rows(others)),
            ("Reference lists of the source: not used by the judge", rows(listed)),
        ],
    )
    data["look"] = look
    data["structure"] = structure_data(structure, window.span)
    if look != "text":
        spans = {mark.id: mark.span for mark in marks if mark.kind != "listed"}
        data["page"] = page_data(draw_page(source, window.index + 1), source, spans)
    return data


def windows_of(
    source: Source, look: SourceLook, marks: Sequence[TextHighlight] = ()
) -> tuple[Window, ...]:
    """The parts of a source's text: its pages beside their images, else as much as is shown at once."""
    if look != "text":
        return page_windows(source)
    return cut_windows(source.text, [_as_citation(mark) for mark in marks])


def where_of(source: Source, window: Window) -> str:
    """The pages of a part of a source; its character range if there are no pages."""
    first, last = source.page_at(window.start), source.page_at(max(window.end - 1, window.start))
    if first is None or last is None:
        return f"{window.start:,}–{window.end:,} of {len(source.text):,} characters"
    return f"page {first}" if first == last else f"pages {first}–{last}"


def _draw(item: DecisionItem, source: Source, quote_at: int, keep: Callable[[], None]) -> None:
    part = st.session_state.get("source_part")

    def keep_place(before: SourceLook, after: SourceLook) -> None:
        if part is not None:
            windows = windows_of(source, before)
            place = windows[min(part, len(windows) - 1)].start
            st.session_state["source_part"] = window_of(windows_of(source, after), place)

    look = _head(item, source, keep_place)

    def show_part(part: int) -> None:
        st.session_state["source_part"] = part

    def take(picked: str) -> None:
        span = selected_span(picked, source.text)
        if span:
            change_details(item, details_of(item).with_piece(span), keep)

    def drop(picked: str) -> None:
        for span in details_of(item).evidence:
            if picked == f"mine-{span_id(span)}":
                change_details(item, details_of(item).without_piece(span), keep)

    def wrong(picked: str) -> None:
        for quote in item.quotes:
            if picked == f"quote-{span_id(quote.span)}":
                current = details_of(item)
                marked = quote.span in current.wrong_evidence
                change_details(item, current.with_wrong(quote.span, not marked), keep)

    picker(
        source_data(
            source, item, details_of(item), part, quote_at, look, structure=structure_of(source)
        ),
        "source-text",
        on_take=take,
        on_drop=drop,
        on_part=show_part,
        on_wrong=wrong,
    )
    st.caption(f"Snapshot sha256 {source.sha256}")


def _head(
    item: DecisionItem, source: Source, keep_place: Callable[[SourceLook, SourceLook], None]
) -> SourceLook:
    facts = source_facts(source) or {}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(truncate(source.title or host_of(source.final_url) or source.url, 160))
        address = facts.get("address")
        if isinstance(address, str):
            st.link_button("Original page", address, icon=":material/open_in_new:")
        look = choose_look(source, keep_place, "both")
    claim = item.result.citation.claim
    if claim:
        words = escape_html(truncate(claim.text, _LONGEST_CLAIM))
        st.html(f'<p class="wb-claim" dir="auto"><b>Claim</b> {words}</p>')
    return look


def _as_citation(mark: TextHighlight) -> Citation:
    """A mark as a citation, so that no part of the text splits it."""
    return Citation(
        id=mark.id,
        kind="native",
        raw="",
        span=mark.span,
        identifier="",
        context=Span(mark.start, mark.end),
    )
