"""The correction that a judge proposes, which the card shows: taken, edited or refused by key."""

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.review import text as texts
from workbench.interfaces.web.review.decision_details import DecisionItem
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.records.corrections import (
    LONGEST_CORRECTION,
    CorrectionChoice,
    CorrectionDecision,
    ProposedCorrection,
)
from workbench.records.text import replace_surrogates
from workbench.services.repositories import CorrectionDecisionRepository

_OPEN = "correction_open"
_WORDS = "correction-words"


def render_correction(
    item: DecisionItem, decision: CorrectionDecision | None, *, hidden: bool = False
) -> None:
    """Draw the buttons, the reason of a refusal, and the dialog while it is open."""
    proposal = item.result.judgment.proposed_correction if item.result.judgment else None
    # the container is there without a proposal too, so that the buttons below do not move
    with st.container(key="correction-place", horizontal=True, gap="xsmall"):
        if hidden or proposal is None or item.result.citation.claim is None:
            return
        _buttons(item, proposal, decision)
        if decision and decision.choice == "refused":
            _reason(item, decision)
    if st.session_state.get(_OPEN) == (item.run_id, item.citation_id):
        st.dialog("Edit the correction", width="medium", on_dismiss=session.close_dialogs)(_draw)(
            item
        )


def _buttons(
    item: DecisionItem, proposal: ProposedCorrection, decision: CorrectionDecision | None
) -> None:
    def open_it(_name: str) -> None:
        session.open_dialog(_OPEN, (item.run_id, item.citation_id))
        words = decision.text if decision and decision.text else proposal.text
        st.session_state[_WORDS] = replace_surrogates(words)[:LONGEST_CORRECTION]

    for choice, words, name, key, told in (
        ("taken", "Take correction", "take", "d", texts.TAKE_HELP),
        ("edited", "Edit correction", "edit", "i", texts.EDIT_HELP),
        ("refused", "Refuse correction", "refuse", "q", texts.REFUSE_HELP),
    ):
        st.button(
            words,
            key=f"correction-{name}",
            shortcut=key,
            on_click=with_name if choice == "edited" else _decide,
            args=(open_it,) if choice == "edited" else (item, choice),
            type="primary" if decision and decision.choice == choice else "secondary",
            help=told,
        )
    st.button(
        "Undo correction",
        key="correction-undo",
        shortcut="z",
        on_click=_undo,
        args=(item,),
        disabled=decision is None,
    )


def _reason(item: DecisionItem, decision: CorrectionDecision) -> None:
    key = f"correction-reason-{item.run_id}-{item.citation_id}"

    def told() -> None:
        _decide(item, "refused", reason=str(st.session_state[key]))

    if key not in st.session_state:
        st.session_state[key] = decision.reason
    st.text_input(
        texts.REFUSAL_REASON,
        key=key,
        on_change=told,
        label_visibility="collapsed",
        placeholder=texts.REFUSAL_REASON,
    )


def _draw(item: DecisionItem) -> None:
    claim = item.result.citation.claim
    if claim:
        st.html(
            f'<p class="wb-quiet">In the text</p><p dir="auto">{escape_html(claim.text[:1000])}</p>'
        )
    words = st.text_area("Corrected claim", key=_WORDS, height=140, max_chars=LONGEST_CORRECTION)
    if st.button("Save correction", key="correction-save", type="primary", shortcut="Ctrl+Enter"):
        problem = _keep(item, item.reviewer, "edited", text=str(words or ""))
        if problem:
            st.error(problem)
            return
        session.close_dialogs()
        st.rerun()


def _decide(item: DecisionItem, choice: CorrectionChoice, reason: str = "") -> None:
    def decide(name: str) -> None:
        problem = _keep(item, name, choice, reason=reason)
        if problem:
            st.toast(problem)

    with_name(decide)


def _keep(
    item: DecisionItem,
    reviewer: str,
    choice: CorrectionChoice,
    *,
    text: str | None = None,
    reason: str = "",
) -> str:
    """Add the decision; what stopped it, as Markdown, or nothing."""
    try:
        CorrectionDecisionRepository(item.database).give(
            item.run_id, item.citation_id, reviewer, choice, text=text, reason=reason
        )
    except WorkbenchError as error:
        return escape_markdown(str(error))
    return ""


def _undo(item: DecisionItem) -> None:
    CorrectionDecisionRepository(item.database).withdraw(
        item.run_id, item.citation_id, item.reviewer
    )
    st.session_state.pop(f"correction-reason-{item.run_id}-{item.citation_id}", None)
