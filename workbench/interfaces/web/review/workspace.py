"""The review of citations: filter, minimap, text, card and buttons, redrawn alone on a click."""

from functools import partial

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components import citations
from workbench.interfaces.web.components.desk_keys import desk_keys
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.guide.page import render_guide_button, render_open_guide
from workbench.interfaces.web.review.claim_boundaries import render_claim, render_claim_button
from workbench.interfaces.web.review.decision_details import render_details, render_error_source
from workbench.interfaces.web.review.give_source import render_give_source
from workbench.interfaces.web.review.key_actions import (
    decision_item,
    keep_changes,
    keys_data,
    perform_sent,
)
from workbench.interfaces.web.review.proposed_correction import render_correction
from workbench.interfaces.web.review.run_end import render_end, render_summary
from workbench.interfaces.web.review.sentences import open_sentence, render_sentence
from workbench.interfaces.web.review.source_view import show_source
from workbench.interfaces.web.review.text import CARD_MORE, CHECK_CLAIMS_LINK
from workbench.interfaces.web.reviewer_identity import show_question
from workbench.interfaces.web.run_cache import load_entries, load_review
from workbench.presentation.citation_card import card_data, position_label
from workbench.presentation.escape import escape_markdown
from workbench.presentation.reference_styles import finding_style
from workbench.presentation.run_totals import outcome_text
from workbench.presentation.run_view import SHOWS, ReviewState, Show, document_data, minimap_data
from workbench.presentation.verdicts import STYLES

_OTHER_TEXT = {"reviewed": "Reviewed", "unreviewed": "To review", "asides": "Quotes and figures"}


def render_workspace(run_id: str, live: bool) -> None:
    """Draw the citations of a run; `live` redraws them while the run is in progress."""
    fragment(_draw_run, run_every=1.5 if live else None, key="desk")(run_id)


def _draw_run(run_id: str) -> None:
    show_question()
    if session.view() != "citations":
        st.rerun()
    review = load_review(session.database(), run_id, session.reviewer())
    with st.container(key="desk-said"):
        if not review.results:
            st.info("No citations were found in this text, so there is nothing to judge.")
            st.page_link("pages/claims.py", label=CHECK_CLAIMS_LINK)
        for notice in review.run.notices:
            st.warning(escape_markdown(notice))
    shows = session.active_filters()
    selected = session.selected()
    if selected not in review.results:
        selected = review.first_choice(shows)
    part = min(st.session_state.get("part", review.window_of(selected)), len(review.windows) - 1)

    with st.container(key="desk-top"):
        _filter(review)
        with st.container(key="totals", horizontal=True, vertical_alignment="center"):
            citations.minimap(
                minimap_data(review, part, selected, shows), "minimap", session.select
            )
            words = f'<p class="wb-decided" role="status">{outcome_text(review)}</p>'
            st.html(words, width="content")
            render_end(review)
    render_summary(review)
    render_sentence(review)
    with st.container(key="desk"):
        left, right = st.columns([58, 42], gap="medium")
        with left, st.container(key="reading"):
            citations.document(
                document_data(review, part, selected, shows, st.session_state.get("entry")),
                "document",
                session.select,
                _go_to_part,
                partial(open_sentence, review.run.id),
            )
        with right, st.container(key="deciding", gap="xsmall"):
            if selected:
                _decision(review, selected)
    if selected:
        with st.container(key="jumpbar"):
            mark = STYLES[review.marks[selected]]
            citations.jumps(
                {
                    "glyph": mark.glyph,
                    "colour": mark.colour,
                    "said": position_label(review, selected),
                }
            )


def _filter(review: ReviewState) -> None:
    reviewed = sum(name in review.labels for name in review.order())
    numbers: dict[str, int] = {
        **{str(mark): number for mark, number in review.counts().items()},
        "reviewed": reviewed,
        "unreviewed": len(review.order()) - reviewed,
        "asides": len(review.secondary),
    }
    options: list[Show] = [
        show for show in SHOWS if show in ("reviewed", "unreviewed") or numbers.get(show)
    ]

    def label(show: Show) -> str:
        if show in _OTHER_TEXT:
            return f"{_OTHER_TEXT[show]} {numbers[show]:,}"
        style = STYLES[show]
        return f":{style.tone}[**{style.glyph}**] :small[{style.short}] {numbers.get(show, 0):,}"

    def choose() -> None:
        session.show(st.session_state["show"])
        matching = review.order(session.active_filters())
        if matching and session.selected() not in matching:
            session.select(matching[0])

    # the URL decides, so that a link, a reload and a click on a chart agree
    st.session_state["show"] = [show for show in session.active_filters() if show in options]
    st.pills(
        "Show",
        options,
        selection_mode="multi",
        format_func=label,
        key="show",
        on_change=choose,
        label_visibility="collapsed",
        help="Shows only these; others are dimmed and skipped by Next/Previous.",
    )


def _decision(review: ReviewState, selected: str) -> None:
    item = decision_item(review, selected)
    quote_at = st.session_state.get("quote_at", 0)
    citations.card(card_data(review, selected, item.source, quote_at), "card")

    keep = partial(keep_changes, item)
    render_give_source(item)
    render_claim(item, review.text)
    with st.container(key="keys-place"):
        desk_keys(keys_data(review, item), "run-keys", perform_sent)
    render_correction(item, review.own_corrections.get(selected))
    render_open_guide()
    with st.expander(CARD_MORE, key="card-more", on_change="rerun") as more:
        # the buttons are drawn while it is closed, too: they have keys
        with st.container(key="mending", horizontal=True, gap="xsmall"):
            render_error_source(item, keep=keep, quote_at=quote_at)
            render_claim_button(item, review.cited)
            _reference_button(review, selected)
            render_guide_button()
        closed, disabled = "" if more.open else "card-more", selected in review.pending
        render_details(item, keep=keep, disabled=disabled, closed=closed)
    if st.session_state.get("source_open") == selected and item.source:
        show_source(item, item.source, quote_at, keep)


def _reference_button(review: ReviewState, selected: str) -> None:
    """The button to the citation's entry in the list, with the glyph of what was found of it."""
    entries = load_entries(session.database(), review.run.id)
    position = entries.position_of.get(selected)
    check = None if position is None else entries.check(position)
    glyph = finding_style(check).glyph + " " if check else ""
    st.button(
        f"{glyph}Reference",
        key="reference",
        shortcut="v",
        on_click=session.open_reference,
        args=(position,),
        disabled=position is None,
        help="This citation does not point to an entry in a reference list."
        if position is None
        else "Opens its entry in the reference list: does the work exist, and is it described correctly?",
    )


def _go_to_part(part: int) -> None:
    st.session_state["part"] = part
