"""The References view of a run: does each reference exist, and is it described right?

It has the same two columns as the citations: the list on the left, the card with the decisions on
the right. Which entry is selected and what is shown stand in the URL.
"""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from workbench.errors import NotFoundError
from workbench.interfaces.web import session
from workbench.interfaces.web.components import citations
from workbench.interfaces.web.components.references import entries as entries_component
from workbench.interfaces.web.components.references import entry_card
from workbench.interfaces.web.components.source import widget_keys
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.guide.page import render_guide_button, render_open_guide
from workbench.interfaces.web.review import reference_text as texts
from workbench.interfaces.web.review.reference_checking import (
    render_checking,
    render_checking_state,
)
from workbench.interfaces.web.reviewer_identity import show_question, with_name
from workbench.interfaces.web.run_cache import load_entries, load_review
from workbench.presentation.escape import escape_html, file_stem
from workbench.presentation.reference_card import entry_card_data
from workbench.presentation.reference_list import (
    ENTRY_FILTERS,
    EntryFilter,
    EntryList,
    entry_filters,
    filter_text,
    list_data,
    list_facts,
    page_of,
    step_entry,
)
from workbench.presentation.reference_styles import finding_style
from workbench.presentation.run_view import ReviewState, headline
from workbench.presentation.text_pages import window_of
from workbench.records.bibliography import ReferenceCheck
from workbench.records.reference_labels import (
    EntryLabel,
    OverrideReason,
    ReferenceDecision,
    agreed_decision,
)
from workbench.services.references.checking import (
    ListFormat,
    corrected_list,
    corrected_reference,
    with_spans,
)
from workbench.services.references.labels import override_reference
from workbench.services.repositories import EntryLabelRepository


def render_references(run_id: str, live: bool) -> None:
    """Draw the references of a run; `live` redraws them while checks come in."""
    fragment(_draw, run_every=1.5 if live else None, key="references")(run_id, live)


def _draw(run_id: str, live: bool) -> None:
    show_question()
    if session.view() != "references":
        st.rerun()
    database, reviewer = session.database(), session.reviewer()
    review = load_review(database, run_id, reviewer)
    entries = load_entries(database, run_id)
    own_labels, others = _split(EntryLabelRepository(database).listed(run_id), reviewer)
    shown = _shown()
    order = entries.order(shown, own_labels)
    selected = _selected(entries, order)
    with st.container(key="desk-top"):
        _top(entries, review, own_labels, shown, live)
    with st.container(key="desk"):
        left, right = st.columns([50, 50], gap="medium")
        with left, st.container(key="reading"):
            page = st.session_state.get(session.ENTRIES_PAGE)
            entries_component(
                list_data(
                    entries,
                    review,
                    shown,
                    selected,
                    own_labels,
                    page_of(order, selected) if page is None else page,
                    with_spans,
                ),
                "reference-list",
                on_entry=session.open_reference,
                on_citation=_open_citation,
                on_page=_turn,
            )
        if selected is not None:
            with right, st.container(key="deciding", gap="xsmall"):
                _card(
                    entries,
                    review,
                    selected,
                    order,
                    own_labels.get(selected),
                    others.get(selected, ()),
                    live,
                )
    if selected is not None:
        _jumpbar(entries, selected)


def _split(
    labels: list[EntryLabel], reviewer: str
) -> tuple[dict[int, EntryLabel], dict[int, tuple[EntryLabel, ...]]]:
    """The reviewer's own decision by position, and those of others, oldest first."""
    own_labels = {label.position: label for label in labels if label.reviewer == reviewer}
    others: dict[int, tuple[EntryLabel, ...]] = {}
    for label in labels:
        if label.reviewer != reviewer:
            others[label.position] = (*others.get(label.position, ()), label)
    return own_labels, others


def _shown() -> EntryFilter:
    requested = st.query_params.get("entries", "all")
    return next((name for name in ENTRY_FILTERS if name == requested), "all")


def _selected(entries: EntryList, order: tuple[int, ...]) -> int | None:
    """The entry in the URL, else the first of the filter, else none."""
    requested = st.query_params.get("ref", "")
    if requested.isdecimal() and int(requested) < len(entries.references):
        return int(requested)
    return next(iter(order), None)


def _turn(page: int) -> None:
    st.session_state[session.ENTRIES_PAGE] = page


def _open_citation(citation: str) -> None:
    session.show_view("citations")
    session.select(citation)


def _show_in_text(entries: EntryList, review: ReviewState, position: int) -> None:
    if position >= len(review.run.references):
        # a court decision stands where the text cites it
        _open_citation(entries.cited[position][0])
        return
    request = st.session_state.get("entry", (0, 0))[1] + 1
    st.session_state["entry"] = (position, request)
    st.session_state["part"] = window_of(review.windows, review.run.references[position].start)
    session.show_view("citations")


def _top(
    entries: EntryList,
    review: ReviewState,
    decided: dict[int, EntryLabel],
    shown: EntryFilter,
    live: bool,
) -> None:
    with st.container(key="two-references-top"):
        filters, acts = st.columns([74, 26], gap="small", vertical_alignment="center")
    with filters:
        _filter(entries, decided, shown)
    with acts, st.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        if entries.checks:
            _downloads(entries, review)
        if entries.references and not live:
            render_checking(review.run.id, bool(entries.looked_up))
    render_checking_state(review.run.id)
    facts = [list_facts(entries)]
    if entries.references and not entries.checks and not live:
        facts.append(
            "These references have not been looked up yet. “Check references” searches your own "
            "library, imported registries and, if you allow it, public indexes."
        )
    words = " · ".join(filter(None, facts)) if entries.references else texts.NO_REFERENCES
    if words:
        st.html(f'<p class="wb-quiet">{escape_html(words)}</p>')


def _downloads(entries: EntryList, review: ReviewState) -> None:
    stem = file_stem(headline(review)) + "-references"
    with st.popover("Corrected list", help=texts.CORRECTED_LIST_HELP):
        for kind, suffix, words, mime in texts.FORMATS:
            st.download_button(
                words,
                data=_list_of(entries, kind),
                file_name=f"{stem}.{suffix}",
                mime=mime,
                key=f"corrected-{suffix}",
                on_click="ignore",
                width="stretch",
            )


def _list_of(entries: EntryList, kind: ListFormat) -> Callable[[], bytes]:
    """Writes the corrected list when it is asked for."""
    return lambda: corrected_list(entries.checks, kind).encode()


def _filter(entries: EntryList, decided: dict[int, EntryLabel], shown: EntryFilter) -> None:
    numbers = entry_filters(entries, decided)
    if len(numbers) == 1:
        return
    options: list[EntryFilter] = [*numbers, *([] if shown in numbers else [shown])]

    def choose() -> None:
        chosen: EntryFilter = st.session_state["entries"] or "all"
        st.query_params["entries"] = chosen
        st.session_state.pop(session.ENTRIES_PAGE, None)
        order = entries.order(chosen, decided)
        if order and _selected(entries, order) not in order:
            session.open_reference(order[0])

    # the URL decides, so that a link and a reload agree
    st.session_state["entries"] = shown
    st.pills(
        "Show references",
        options,
        format_func=lambda name: filter_text(name, numbers.get(name, 0)),
        key="entries",
        on_change=choose,
        label_visibility="collapsed",
    )


def _card(
    entries: EntryList,
    review: ReviewState,
    selected: int,
    order: tuple[int, ...],
    label: EntryLabel | None,
    others: tuple[EntryLabel, ...],
    live: bool,
) -> None:
    check = entries.check(selected)
    entry_card(
        entry_card_data(
            entries,
            review,
            selected,
            with_spans=with_spans,
            corrected=corrected_reference(check) if check else None,
            own_label=label,
            others=others,
        ),
        "reference-card",
        _open_citation,
    )
    waiting = live and check is not None and check.status == "not_checked"
    item = EntryDecision(
        run_id=review.run.id, position=selected, check=check, label=label, ready=not waiting
    )
    with render_decisions(item):
        _moves(order, selected)
    reference = entries.references[selected]
    with st.container(key="mending", horizontal=True, gap="xsmall"):
        st.button(
            "In the text",
            key="entry-in-text",
            shortcut="t",
            on_click=_show_in_text,
            args=(entries, review, selected),
            # an entry that is not in the text has nothing to jump to
            disabled=reference.start >= reference.end
            or (selected >= len(review.run.references) and selected not in entries.cited),
            help="Shows the entry in the text, in the Citations view.",
        )
        render_guide_button()
    render_open_guide()


def _moves(order: tuple[int, ...], selected: int) -> None:
    def go(by: int) -> None:
        session.open_reference(step_entry(order, selected, by))

    with st.container(key="moves", horizontal=True, gap="xsmall"):
        st.button("Previous", key="entry-previous", shortcut="k", on_click=go, args=(-1,))
        st.button("Next", key="entry-next", shortcut="j", on_click=go, args=(1,))


def _jumpbar(entries: EntryList, selected: int) -> None:
    check = entries.check(selected)
    style = finding_style(check) if check else None
    with st.container(key="jumpbar"):
        citations.jumps(
            {
                "glyph": style.glyph if style else "·",
                "colour": style.colour if style else "#7A7F87",
                "said": f"{selected + 1:,} of {len(entries.references):,}",
                "beside": "List",
            },
            "entry-jumps",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryDecision:
    """The entry under review and the reviewer's current decision on it."""

    run_id: str
    position: int
    check: ReferenceCheck | None
    label: EntryLabel | None
    ready: bool = True
    """False while a check of the entry is not stored yet: a decision would be lost."""


def render_decisions(item: EntryDecision) -> DeltaGenerator:
    """Draw the buttons and the note; each decision is stored at once.

    Returns the place beside the note, for the buttons that lead on.
    """
    note_key = f"entry-note-{item.run_id}-{item.position}"
    drafts: dict[str, str] = st.session_state.setdefault("note-drafts", {})
    if note_key not in st.session_state:
        # Streamlit forgets a field that is not on screen: its text is kept separately
        st.session_state[note_key] = drafts.get(note_key, item.label.note if item.label else "")

    def decide(decision: ReferenceDecision, reason: OverrideReason | None = None) -> None:
        note = str(st.session_state[note_key])

        def keep(name: str) -> None:
            _store(item, name, decision, reason, note)
            drafts.pop(note_key, None)

        with_name(keep)

    def noted() -> None:
        drafts[note_key] = str(st.session_state[note_key])
        if item.label:
            decide(item.label.decision, item.label.reason)

    def undo() -> None:
        EntryLabelRepository(session.database()).withdraw(
            item.run_id, item.position, session.reviewer()
        )
        st.session_state.pop(note_key, None)
        drafts.pop(note_key, None)

    off = item.check is None or not item.ready
    _buttons(item, decide, undo, off)
    note, beside = st.columns([52, 48], gap="xsmall", vertical_alignment="center")
    with note, st.container(key="entry-note"):
        st.text_input(
            "Note",
            key=note_key,
            on_change=noted,
            label_visibility="collapsed",
            placeholder="Note (N), stored with your decision",
            disabled=off,
        )
    widget_keys({"n": "entry-note"}, "entry-keys")
    return beside


def _store(
    item: EntryDecision,
    reviewer: str,
    decision: ReferenceDecision,
    reason: OverrideReason | None,
    note: str,
) -> None:
    database, place = session.database(), (item.run_id, item.position)
    try:
        if reason is None:
            EntryLabelRepository(database).give(*place, reviewer, decision, note=note)
        else:
            override_reference(database, *place, reviewer, reason, note=note)
    except NotFoundError:
        # a check is on disk a moment after it is shown
        st.toast("This reference is still being checked. Try again in a moment.")


def _buttons(
    item: EntryDecision, decide: Callable[..., None], undo: Callable[[], None], off: bool
) -> None:
    label = item.label
    agreed = agreed_decision(item.check) if item.check else None
    agrees = label is not None and label.reason is None and label.decision == agreed
    with st.container(key="entry-agree", horizontal=True, gap="xsmall"):
        st.button(
            "Agree",
            key="entry-agree-button",
            shortcut="a",
            on_click=decide,
            args=(agreed,),
            disabled=off or agreed is None,
            type="primary" if agrees else "secondary",
            help=texts.agree_help(agreed),
        )
        for decision, key, word, meaning in texts.OTHER_DECISIONS:
            chosen = label is not None and label.reason is None and label.decision == decision
            st.button(
                word,
                key=f"entry-decide-{decision}",
                shortcut=key,
                on_click=decide,
                args=(decision,),
                disabled=off,
                type="primary" if chosen and not agrees else "secondary",
                help=meaning,
            )
        st.button("Undo", key="entry-undo", shortcut="u", on_click=undo, disabled=label is None)
    with st.container(key="entry-overrides", horizontal=True, gap="xsmall"):
        for reason, key, word, meaning in texts.OVERRIDES:
            st.button(
                word,
                key=f"entry-override-{reason}",
                shortcut=key,
                on_click=decide,
                args=("fabricated" if reason == "fabricated" else "exists", reason),
                disabled=off,
                type="primary" if label and label.reason == reason else "secondary",
                help=meaning,
            )
