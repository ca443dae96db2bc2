"""The review of citations: filter, minimap, text, card and buttons, redrawn alone on a click."""

from collections.abc import Callable

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components import citations
from workbench.interfaces.web.error_boundary import error_boundary
from workbench.interfaces.web.guide.page import render_guide_button
from workbench.interfaces.web.review import text as texts
from workbench.interfaces.web.review.claim_boundaries import render_claim, render_claim_button
from workbench.interfaces.web.review.decision_details import (
    DecisionItem,
    details_of,
    discard_draft,
    render_details,
    render_error_source,
)
from workbench.interfaces.web.review.proposed_correction import render_correction
from workbench.interfaces.web.review.source_view import show_source
from workbench.interfaces.web.reviewer_identity import show_question, with_name
from workbench.interfaces.web.run_cache import load_entries, load_review, open_source
from workbench.presentation.citation_card import card_data, position_label
from workbench.presentation.reference_styles import finding_style
from workbench.presentation.run_view import (
    SHOWS,
    ReviewState,
    Show,
    document_data,
    minimap_data,
    step,
)
from workbench.presentation.verdicts import STYLES
from workbench.records import HUMAN_LABELS, HumanLabel
from workbench.services.labels import give_label, withdraw_label

_OTHER_TEXT = {
    "reviewed": texts.REVIEWED,
    "unreviewed": texts.TO_REVIEW,
    "asides": texts.ASIDES,
}


def render_workspace(run_id: str, live: bool) -> None:
    """Draw the citations of a run; `live` redraws them while the run is in progress."""
    st.fragment(error_boundary(_draw_run), run_every=1.5 if live else None, key="desk")(run_id)


def _draw_run(run_id: str) -> None:
    show_question()
    if session.view() != "citations":
        st.rerun()
    review = load_review(session.database(), run_id, session.reviewer())
    with st.container(key="desk-said"):
        if not review.results:
            st.info(texts.NO_CITATIONS)
    shows = session.active_filters()
    selected = session.selected()
    if selected not in review.results:
        selected = review.first_choice(shows)
    part = min(st.session_state.get("part", review.window_of(selected)), len(review.windows) - 1)

    with st.container(key="desk-top"):
        _filter(review)
        citations.minimap(minimap_data(review, part, selected, shows), "minimap", session.select)
    with st.container(key="desk"):
        left, right = st.columns([58, 42], gap="medium")
        with left, st.container(key="reading"):
            citations.document(
                document_data(review, part, selected, shows, st.session_state.get("entry")),
                "document",
                session.select,
                _go_to_part,
            )
        with right, st.container(key="deciding", gap="xsmall"):
            if selected:
                _decision(review, selected, shows)
    if selected:
        with st.container(key="jumpbar"):
            mark = STYLES[review.marks[selected]]
            citations.jumps(
                {
                    "glyph": mark.glyph,
                    "colour": mark.colour,
                    "said": position_label(review, selected),
                    "focus": st.session_state.get("focus_note", 0),
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
        show
        for show in SHOWS
        if show not in ("cannot_tell", "pending", "asides") or numbers.get(show)
    ]

    def label(show: Show) -> str:
        if show in _OTHER_TEXT:
            return f"{_OTHER_TEXT[show]} {numbers[show]}"
        style = STYLES[show]
        return f":{style.tone}[**{style.glyph}**] {style.short} {numbers.get(show, 0)}"

    def choose() -> None:
        session.show(st.session_state["show"])

    # the URL decides, so that a link, a reload and a click on a chart agree
    st.session_state["show"] = [show for show in session.active_filters() if show in options]
    st.pills(
        texts.SHOW,
        options,
        selection_mode="multi",
        format_func=label,
        key="show",
        on_change=choose,
        label_visibility="collapsed",
        help=texts.SHOW_HELP,
    )


def _previous_and_next(review: ReviewState, shows: list[Show], selected: str) -> None:
    order = review.order(shows)

    def go(by: int) -> None:
        session.select(step(order, review.marks, selected, by))

    with st.container(key="moves", horizontal=True, gap="xsmall"):
        st.button(texts.PREVIOUS, key="previous", shortcut="k", on_click=go, args=(-1,))
        st.button(texts.NEXT, key="next", shortcut="j", on_click=go, args=(1,))


def _decision(review: ReviewState, selected: str, shows: list[Show]) -> None:
    database = session.database()
    source = open_source(database, review, selected)
    quote_at = st.session_state.get("quote_at", 0)
    citations.card(card_data(review, selected, source, quote_at), "card")
    judged = selected not in review.pending
    reviewer = session.reviewer()
    note_key = f"note-{review.run.id}-{selected}"
    label = review.own_labels.get(selected)
    item = DecisionItem(
        database=database,
        run_id=review.run.id,
        result=review.results[selected],
        source=source,
        reviewer=reviewer,
        label=label,
        others=review.others.get(selected, ()),
    )
    drafts: dict[str, str] = st.session_state.setdefault("note-drafts", {})
    if note_key not in st.session_state:
        # Streamlit forgets a field that is not on screen: its text is kept separately
        st.session_state[note_key] = drafts.get(note_key, label.note if label else "")

    def give(value: HumanLabel) -> None:
        note = str(st.session_state[note_key])

        def keep(name: str) -> None:
            decision = details_of(item).decision(value, note)
            give_label(database, review.run.id, selected, name, decision)
            discard_draft(item)
            drafts.pop(note_key, None)

        with_name(keep)

    def noted() -> None:
        drafts[note_key] = str(st.session_state[note_key])
        if label:
            give(label.label)

    def undo() -> None:
        withdraw_label(database, review.run.id, selected, reviewer)
        discard_draft(item)
        st.session_state.pop(note_key, None)

    render_claim(item, review.text)
    with st.container(key="labels"), st.grid(3, gap="xsmall", min_column_width=100):
        for value in HUMAN_LABELS:
            style = STYLES[value]
            st.button(
                f"{style.glyph} {style.short}",
                key=f"label-{value}",
                shortcut=style.key,
                on_click=give,
                args=(value,),
                disabled=not judged,
                type="primary" if label and label.label == value else "secondary",
                width="stretch",
                help=style.meaning,
            )
    agreed = review.results[selected].verdict
    with st.container(key="acts", horizontal=True, gap="xsmall"):
        st.button(
            texts.AGREE,
            key="agree",
            shortcut="a",
            on_click=give,
            args=(agreed,),
            disabled=not judged or review.results[selected].unjudged,
        )
        st.button(texts.UNDO, key="undo", shortcut="u", on_click=undo, disabled=label is None)
        _reading_buttons(review, selected, source is not None)
    note, moves = st.columns([52, 48], gap="xsmall", vertical_alignment="center")
    with note:
        st.text_input(
            texts.NOTE,
            key=note_key,
            on_change=noted,
            label_visibility="collapsed",
            placeholder=texts.NOTE_PLACEHOLDER,
        )
    with moves:
        _previous_and_next(review, shows, selected)
    with st.container(key="mending", horizontal=True, gap="xsmall"):
        render_error_source(item, keep=noted, quote_at=quote_at)
        render_claim_button(item, review.cited)
        _reference_button(review, selected)
        render_guide_button()
    render_correction(item, review.own_corrections.get(selected))
    render_details(item, keep=noted, quote_at=quote_at, disabled=not judged)
    if st.session_state.get("source_open") == selected and source:
        show_source(item, source, quote_at, noted)


def _reading_buttons(review: ReviewState, selected: str, readable: bool) -> None:
    judgment = review.results[selected].judgment
    quotes = len(judgment.evidence) if judgment else 0
    st.button(
        texts.NEXT_QUOTE,
        key="quote",
        shortcut="e",
        on_click=_counter_of("quote_at"),
        disabled=quotes < 2,
    )
    st.button(
        texts.OPEN_SOURCE,
        key="source",
        shortcut="o",
        on_click=_open_source,
        args=(selected,),
        disabled=not readable,
    )
    st.button(texts.NOTE, key="focus", shortcut="n", on_click=_counter_of("focus_note"))


def _reference_button(review: ReviewState, selected: str) -> None:
    """The button to the citation's entry in the list, with the glyph of what was found of it."""
    entries = load_entries(session.database(), review.run.id)
    position = entries.position_of.get(selected)
    check = None if position is None else entries.check(position)
    glyph = finding_style(check).glyph + " " if check else ""
    st.button(
        f"{glyph}{texts.REFERENCE}",
        key="reference",
        shortcut="v",
        on_click=session.open_reference,
        args=(position,),
        disabled=position is None,
        help=texts.NO_REFERENCE_HELP if position is None else texts.REFERENCE_HELP,
    )


def _counter_of(name: str) -> Callable[[], None]:
    def bump() -> None:
        st.session_state[name] = st.session_state.get(name, 0) + 1

    return bump


def _open_source(selected: str) -> None:
    st.session_state["source_open"] = selected
    for other in ("claim_open", "wording_open", "correction_open"):
        st.session_state.pop(other, None)
    st.session_state.pop("source_part", None)


def _go_to_part(part: int) -> None:
    st.session_state["part"] = part
