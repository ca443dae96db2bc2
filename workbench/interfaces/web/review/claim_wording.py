"""A claim reworded by a reviewer to be standalone: the button, and its dialog.

The saved wording is shown and judged again with corrected claims (`claim_boundaries`).
"""

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.review.decision_details import DecisionItem
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.records.review import ClaimSpanCorrection
from workbench.records.reviewers import LONGEST_WORDING
from workbench.records.text import Span, replace_surrogates
from workbench.services.claim_corrections import correct_claim

_OPEN = "wording_open"
_WORDS = "wording-words"


def render_wording_button(item: DecisionItem, correction: ClaimSpanCorrection | None) -> None:
    """Draw the button that opens the dialog; disabled for a citation without a claim."""

    def open_it(_name: str) -> None:
        session.open_dialog(_OPEN, (item.run_id, item.citation_id))
        st.session_state[_WORDS] = wording_offered(item, correction)

    st.button(
        "Reword claim",
        key="claim-reword",
        shortcut="p",
        on_click=with_name,
        args=(open_it,),
        disabled=claim_place(item, correction) is None,
        help="Write the claim so that it can be understood without its context. The judge checks "
        "your wording; the text and its offsets do not change.",
    )


def render_wording(item: DecisionItem, correction: ClaimSpanCorrection | None) -> None:
    """Draw the dialog while it is open."""
    if st.session_state.get(_OPEN) == (item.run_id, item.citation_id):
        close = session.close_dialogs
        st.dialog("Reword the claim", width="medium", on_dismiss=close)(_draw)(item, correction)


def wording_offered(item: DecisionItem, correction: ClaimSpanCorrection | None) -> str:
    """The initial text of the field: the reviewer's wording, else a model's, else the claim's own."""
    citation, judgment = item.result.citation, item.result.judgment
    if correction and correction.wording:
        return correction.wording
    wording = citation.wording or (judgment.standalone if judgment else None)
    claim_words = (
        " ".join(replace_surrogates(citation.claim.text).split()) if citation.claim else ""
    )
    return wording or claim_words[:LONGEST_WORDING]


def claim_place(item: DecisionItem, correction: ClaimSpanCorrection | None) -> Span | None:
    """The span of the reworded claim; None if the citation has no claim."""
    if correction:
        return correction.span
    claim = item.result.citation.claim
    return claim.span if claim else None


def _draw(item: DecisionItem, correction: ClaimSpanCorrection | None) -> None:
    claim = item.result.citation.claim
    if claim:
        st.html(
            f'<p class="wb-quiet">In the text</p><p dir="auto">{escape_html(claim.text[:1000])}</p>'
        )
    words = st.text_area(
        "Standalone claim",
        key=_WORDS,
        height=140,
        max_chars=LONGEST_WORDING,
        help="Name what pronouns, “the …” and “that year” refer to; add nothing else.",
    )
    with st.container(horizontal=True, gap="small"):
        save = st.button("Save wording", key="wording-save", type="primary", shortcut="Ctrl+Enter")
        restore = st.button(
            "Use original wording",
            key="wording-none",
            disabled=not (correction and correction.wording),
            help="The judge checks the claim as it is written in the text.",
        )
    if save or restore:
        _save(item, correction, str(words or "") if save else None)


def _save(item: DecisionItem, correction: ClaimSpanCorrection | None, words: str | None) -> None:
    span = claim_place(item, correction)
    if span is None:
        return
    if words != (correction.wording if correction else None):
        try:
            correct_claim(item.database, item.run_id, item.citation_id, span, item.reviewer, words)
        except UsageError as error:
            st.error(escape_markdown(str(error)))
            return
    session.close_dialogs()
    st.rerun()
