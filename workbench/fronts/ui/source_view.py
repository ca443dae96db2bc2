"""The whole text of a source as the judge had it, opened at the quote."""

import streamlit as st

from workbench.fronts.ui import components, session
from workbench.fronts.ui.card import host_of, source_facts
from workbench.fronts.ui.desk import Desk
from workbench.fronts.ui.escape import cut
from workbench.fronts.ui.verdicts import STYLES
from workbench.fronts.ui.windows import Window, cut_pieces, cut_windows, window_of
from workbench.records import Citation, Evidence, JsonDict, Source, Span


def show_source(desk: Desk, citation_id: str, source: Source, quote_at: int) -> None:
    """Open the source of a citation in a window over the page."""
    st.dialog("Source as it was judged", width=960, on_dismiss=_dismissed)(_draw)(
        desk, citation_id, source, quote_at
    )


def source_data(
    source: Source, quotes: tuple[Evidence, ...], mark: str, part: int | None, quote_at: int = 0
) -> JsonDict:
    """What the text pane draws of a source: its quotes marked, the chosen one in view.

    Args:
        source: The source with its text.
        quotes: The evidence in it.
        mark: The verdict whose colour the quotes take.
        part: The part to show; None for the one with the chosen quote.
        quote_at: Number of the chosen quote; past the last it counts from the first again.
    """
    marked = tuple(_marked(number, quote) for number, quote in enumerate(quotes))
    windows = cut_windows(source.text, marked)
    chosen = marked[quote_at % len(marked)] if marked else None
    if part is None:
        part = window_of(windows, chosen.start) if chosen else 0
    window = windows[min(part, len(windows) - 1)]
    return {
        "doc": f"{source.sha256}:{window.index}",
        "pieces": [piece.to_dict() for piece in cut_pieces(source.text, window, ())],
        "marks": {
            one.id: {"m": mark, "h": None, "d": "Quoted as evidence", "off": False}
            for one in window.citations
        },
        "styles": {name: style.to_dict() for name, style in STYLES.items()},
        "selected": chosen.id if chosen else None,
        "part": window.index,
        "parts": len(windows),
        "where": _where(source, window),
        "tall": True,
    }


def _draw(desk: Desk, citation_id: str, source: Source, quote_at: int) -> None:
    judgment = desk.results[citation_id].judgment
    facts = source_facts(source) or {}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(cut(source.title or host_of(source.final_url) or source.url, 160))
        address = facts.get("address")
        if isinstance(address, str):
            st.link_button("Original page", address, icon=":material/open_in_new:")

    def turn(part: int) -> None:
        st.session_state["source_part"] = part

    components.document(
        source_data(
            source,
            judgment.evidence if judgment else (),
            desk.marks[citation_id],
            st.session_state.get("source_part"),
            quote_at,
        ),
        "source-text",
        _nothing,
        turn,
    )
    st.caption(f"Snapshot sha256 {source.sha256}")


def _marked(number: int, quote: Evidence) -> Citation:
    """A quote in the guise of a citation, so that the text pane marks it."""
    return Citation(
        id=f"quote-{number}",
        kind="native",
        raw=quote.quote,
        span=quote.span,
        identifier="",
        context=Span(quote.start, quote.end),
    )


def _where(source: Source, window: Window) -> str:
    first, last = source.page_at(window.start), source.page_at(max(window.end - 1, window.start))
    if first is None or last is None:
        return f"{window.start:,}–{window.end:,} of {len(source.text):,} characters"
    return f"page {first}" if first == last else f"pages {first}–{last}"


def _dismissed() -> None:
    st.session_state.pop("source_open", None)


def _nothing(_: str) -> None:
    session.select(None)
