"""Asking any chat window about a run: the questions to copy, and the field for its answers.

The button opens a dialog; what became of the last answers stands in it, claim by claim.
"""

import streamlit as st

from workbench.errors import UsageError, WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.review import text as texts
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.records.format import count_of
from workbench.records.verdict import Run
from workbench.services.handoff import (
    LEAST_PART_CHARS,
    PART_CHARS,
    HandoffExport,
    HandoffImport,
    OpenQuestion,
    export_handoff,
    handoff_name,
    import_handoff,
)

_MOST, _STEP = 400_000, 4_000
_SHOWN = 100
"""So many claims are listed; an import on the command line tells all."""
_EXPORTED, _OUTCOME, _PROBLEM = "handoff-questions", "handoff-outcome", "handoff-problem"
"""Session: the questions shown, what became of the last answers, why they could not be read."""


def render_handoff_button(run: Run) -> None:
    """Draw the button that opens the dialog."""
    if st.button("Ask a chat", key="ask-chat", help=texts.ASK_CHAT_HELP):
        for name in (_EXPORTED, _OUTCOME, _PROBLEM):
            st.session_state.pop(name, None)
        st.dialog("Ask a chat", width="large", on_dismiss="rerun")(_draw)(run)


def _draw(run: Run) -> None:
    st.caption(
        "Copy a part into any chat, and paste what it answers below. Nothing is sent anywhere; "
        "each quote is looked up in its source."
    )
    limit = st.number_input(
        "Characters a part",
        min_value=LEAST_PART_CHARS,
        max_value=_MOST,
        value=PART_CHARS,
        step=_STEP,
        key="handoff-limit",
        help="What the chat takes in one message.",
        width=280,
    )
    try:
        exported = _questions(run.id, int(limit))
    except WorkbenchError as error:
        st.info(escape_markdown(str(error)))
        return
    _parts(exported)
    st.text_input("Name of the chat", value=handoff_name(run), key="handoff-name", width=280)
    st.text_area(
        "Answers",
        key="handoff-answers",
        height=160,
        placeholder="The chat's answer, to one part or several, with its JSON",
    )
    st.button(
        "Take the answers", key="handoff-take", type="primary", on_click=_take, args=(run.id,)
    )
    if problem := st.session_state.get(_PROBLEM):
        st.error(escape_markdown(problem))
    outcome = st.session_state.get(_OUTCOME)
    if isinstance(outcome, HandoffImport):
        _outcome(outcome)


def _questions(run_id: str, limit: int) -> HandoffExport:
    """The questions in parts, worked out once while the dialog is open."""
    kept = st.session_state.get(_EXPORTED)
    if kept is None or kept[0] != (run_id, limit):
        kept = ((run_id, limit), export_handoff(session.database(), run_id, limit))
        st.session_state[_EXPORTED] = kept
    exported: HandoffExport = kept[1]
    return exported


def _parts(exported: HandoffExport) -> None:
    many = len(exported.parts)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"{count_of(exported.questions, 'question')} in {count_of(many, 'part')}.")
        st.download_button(
            "Download all",
            data=exported.text.encode(),
            file_name="questions.txt",
            mime="text/plain",
            key="handoff-download",
            on_click="ignore",
        )
    shown = 0
    if many > 1:
        shown = (
            st.selectbox(
                "Part",
                range(many),
                format_func=lambda n: (
                    f"{n + 1} of {many}: {count_of(exported.parts[n].questions, 'question')}, "
                    f"{len(exported.parts[n].text):,} characters"
                ),
                key="handoff-part",
                width=420,
            )
            or 0
        )
    st.code(exported.parts[shown].text, language=None, wrap_lines=True, height=220)


def _take(run_id: str) -> None:
    for name in (_OUTCOME, _PROBLEM):
        st.session_state.pop(name, None)
    try:
        outcome = import_handoff(
            session.database(),
            run_id,
            str(st.session_state.get("handoff-answers") or ""),
            str(st.session_state.get("handoff-name") or ""),
        )
    except UsageError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    st.session_state[_OUTCOME] = outcome
    if outcome.taken:
        st.session_state["handoff-answers"] = ""


def _outcome(outcome: HandoffImport) -> None:
    words = f"{outcome.judge}: {count_of(outcome.taken, 'answer')} taken."
    (st.success if outcome.taken else st.warning)(escape_markdown(words))
    for title, questions in (("Not taken", outcome.refused), ("Still open", outcome.open)):
        if questions:
            st.html(
                f"<h4>{title} {len(questions):,}</h4><ul>{''.join(map(_line, questions[:_SHOWN]))}</ul>"
            )
            if len(questions) > _SHOWN:
                st.caption(
                    f"And {(len(questions) - _SHOWN):,} more; `workbench handoff import` lists all."
                )


def _line(question: OpenQuestion) -> str:
    claim = f'<span dir="auto">{escape_html(question.claim)}</span><br>' if question.claim else ""
    return (
        f"<li>{claim}<small>{escape_html(question.reason)} "
        f"<code>{escape_html(question.key)}</code></small></li>"
    )
