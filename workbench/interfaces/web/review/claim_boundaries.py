"""A claim corrected by a reviewer, in its boundaries or its wording, and judged again."""

from collections.abc import Callable

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components.source import picker
from workbench.interfaces.web.components.text_selection import (
    PickPart,
    TextHighlight,
    picking_data,
    selected_span,
)
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.progress import reread_once
from workbench.interfaces.web.review import claim_wording
from workbench.interfaces.web.review import text as texts
from workbench.interfaces.web.review.claim_wording import claim_place
from workbench.interfaces.web.review.decision_details import DecisionItem
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.interfaces.web.sources import jobs
from workbench.presentation.escape import escape_html, escape_markdown, truncate
from workbench.presentation.text_layout import text_layout
from workbench.presentation.text_pages import cut_windows, window_of
from workbench.presentation.verdicts import ERROR_TEXT, STYLES
from workbench.records.citation import Citation, Extraction, ScopeKind
from workbench.records.format import format_timestamp
from workbench.records.review import ClaimSpanCorrection
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import CitationResult
from workbench.services.cached_views import cached_view
from workbench.services.claim_corrections import correct_claim, corrected_claims, judge_claim_again
from workbench.services.database import Database
from workbench.services.inputs import Scopes
from workbench.services.runs import earlier_verdicts
from workbench.services.sources.actions import ActionResult, Tell

_OPEN = "claim_open"
_FINISHED = "claim_taken"
_PART = "claim_part"
_LONGEST_CLAIM = 300


def render_claim_button(item: DecisionItem, cited: Extraction) -> None:
    """Draw the buttons that set the claim's boundaries, its wording and its scope.

    `cited` is the output with the citations of the run.
    """

    def open_it(_name: str) -> None:
        session.open_dialog(_OPEN, (item.run_id, item.citation_id))
        st.session_state.pop(_PART, None)

    st.button(
        "Correct claim",
        key="claim-correct",
        shortcut="m",
        on_click=with_name,
        args=(open_it,),
        help="Set where the claim starts and ends in the output.",
    )
    correction = corrected_claims(item.database, item.run_id).get(item.citation_id)
    claim_wording.render_wording_button(item, correction)
    render_scope_button(item, correction, cited)


def render_claim(
    item: DecisionItem, text: str, *, hidden: bool = False, judged: Callable[[], None] | None = None
) -> None:
    """Draw the correction and its result, and the dialog while it is open.

    Args:
        item: The item under review.
        text: The output that contains the claim.
        hidden: Whether the judge is hidden from the reviewer: then no verdict is shown.
        judged: Called when the citation was judged again, before the page is redrawn.
    """
    correction = corrected_claims(item.database, item.run_id).get(item.citation_id)
    # the container is there without a correction too, so that the buttons below do not move
    with st.container(key="claim-place"):
        if correction:
            with st.container(key="claim-state", gap="xsmall"):
                _state(item, correction, text, hidden, judged)
    claim_wording.render_wording(item, correction)
    if st.session_state.get(_OPEN) == (item.run_id, item.citation_id):
        st.dialog("Correct the claim", width=960, on_dismiss=_dismissed)(_draw)(
            item, correction, text
        )


def claim_data(
    item: DecisionItem, correction: ClaimSpanCorrection | None, text: str, part: int | None = None
) -> JsonDict:
    """The component's data of the output: the claim selected, the citation marked.

    Args:
        item: The item under review.
        correction: The current correction of the boundaries, if any.
        text: The output.
        part: The part to show; None for the one with the claim, or else with the citation.
    """
    citation = item.result.citation
    claim = correction.span if correction else citation.claim.span if citation.claim else None
    windows = cut_windows(text, [citation])
    if part is None:
        part = window_of(windows, claim.start if claim else citation.start)
    window = windows[min(max(part, 0), len(windows) - 1)]
    marks = [TextHighlight(id="cite", span=citation.span, kind="cite", who="citation")]
    if claim:
        marks.append(TextHighlight(id="claim", span=claim, kind="claim", who="claim"))
    within_window = claim and claim.start >= window.start and claim.end <= window.end
    return picking_data(
        text,
        PickPart(
            span=window.span,
            index=window.index,
            of=len(windows),
            where=f"{window.start:,}–{window.end:,} of {len(text):,} characters",
        ),
        marks,
        doc=f"{item.run_id}:{item.citation_id}:{window.index}",
        act="Use as the claim",
        name="Text of the output; arrow keys select words and sentences, Enter uses them",
        hint="Select the claim's words with the mouse, or with the arrow keys: left and right by "
        "word, up and down by sentence, Shift extends. Enter uses them, Escape changes nothing.",
        chosen="claim" if claim else "cite",
        preset=claim if within_window else None,
        layout=text_layout(text, window.span),
    )


def _draw(item: DecisionItem, correction: ClaimSpanCorrection | None, text: str) -> None:
    def take(picked: str) -> None:
        span = selected_span(picked, text)
        if span is None:
            return
        current_span = correction.span if correction else _claim_span(item.result)
        if span != current_span:
            try:
                correct_claim(item.database, item.run_id, item.citation_id, span, item.reviewer)
            except UsageError as error:
                st.toast(escape_markdown(str(error)))
                return
        st.session_state[_FINISHED] = True

    def show_part(part: int) -> None:
        st.session_state[_PART] = part

    picker(
        claim_data(item, correction, text, st.session_state.get(_PART)),
        "claim-text",
        on_take=take,
        on_part=show_part,
    )
    if st.session_state.pop(_FINISHED, False):
        _dismissed()
        st.rerun()


def _dismissed() -> None:
    for name in (_OPEN, _PART):
        st.session_state.pop(name, None)


def _claim_span(result: CitationResult) -> Span | None:
    return result.citation.claim.span if result.citation.claim else None


def _state(
    item: DecisionItem,
    correction: ClaimSpanCorrection,
    text: str,
    hidden: bool,
    ended: Callable[[], None] | None,
) -> None:
    citation = item.result.citation
    judged = (_claim_span(item.result), citation.wording, current_scope(citation, None)) == (
        correction.span,
        correction.wording,
        correction.scope or "sentence",
    )
    act = jobs.find(item.database.path, _act_id(item))
    running = act is not None and not act.ended.is_set()
    if act is not None and not running:
        reread_once(_act_id(item), act)
    author = f"{truncate(correction.reviewer, 40)}, {format_timestamp(correction.created_at)}"
    words = escape_html(truncate(correction.wording or correction.span.of(text), _LONGEST_CLAIM))
    what = (
        "Claim reworded"
        if correction.wording
        else f"Scope: {correction.scope}"
        if correction.scope
        else "Claim corrected"
    )
    not_judged = (
        f'<p class="wb-quiet">{texts.NOT_JUDGED_HIDDEN if hidden else texts.NOT_JUDGED}</p>'
    )
    st.html(
        f'<div class="wb-claim-state" role="status"><p><b>{what}</b> '
        f'<span class="wb-quiet">{escape_html(author)}</span></p><p dir="auto">{words}</p>'
        f"{_earlier(item, hidden) if judged else not_judged}</div>"
    )
    if act is not None and act.error:
        st.error(escape_markdown(act.error))
    if running:
        fragment(_progress, run_every=0.4)(item, ended)
    elif not judged:
        st.button(
            "Judge again",
            key="claim-judge",
            shortcut="y",
            on_click=_start,
            args=(item,),
            help="Runs this run's judge again; its cost cap applies, and nothing is fetched.",
        )


def _earlier(item: DecisionItem, hidden: bool) -> str:
    """The verdicts before the current one, as HTML; without the verdicts if they are hidden."""
    if hidden:
        return f'<p class="wb-quiet">{texts.JUDGED_CORRECTED}</p>'
    earlier = earlier_verdicts(item.database, item.run_id, item.citation_id)
    if not earlier:
        return ""
    heading = f'<p class="wb-quiet">{texts.earlier_text(len(earlier) - 1)}</p>'
    return f"{heading}<p>{_verdict(earlier[-1])}</p>"


def _verdict(result: CitationResult) -> str:
    style = STYLES[result.verdict]
    words = ERROR_TEXT[result.error.kind] if result.error else style.word
    claim = result.citation.claim
    judged_text = result.citation.wording or (claim.text if claim else "")
    about = (
        f' on <span dir="auto">“{escape_html(truncate(judged_text, 120))}”</span>'
        if judged_text
        else ""
    )
    return (
        f'<span class="wb-sign" style="--verdict:{style.colour}" aria-hidden="true">'
        f"{style.glyph}</span>{escape_html(words)}{about}"
    )


def _act_id(item: DecisionItem) -> str:
    return f"claim:{item.run_id}:{item.citation_id}"


def _start(item: DecisionItem) -> None:
    database, snapshots = item.database, session.settings().snapshots
    run_id, citation_id = item.run_id, item.citation_id

    def judge(tell: Tell) -> ActionResult:
        return judge_claim_again(database, snapshots, run_id, citation_id, tell)

    try:
        jobs.start(database.path, _act_id(item), "Judging again", judge)
    except UsageError as error:
        st.toast(escape_markdown(str(error)))


def _progress(item: DecisionItem, ended: Callable[[], None] | None) -> None:
    act = jobs.find(item.database.path, _act_id(item))
    if act is None or act.ended.is_set():
        if ended:
            ended()
        # marked as seen, so that this redraw is not followed by another one
        reread_once(_act_id(item), act)
        st.rerun()
    st.progress(0.5, text="Judging the corrected claim")


def render_scope_button(
    item: DecisionItem, correction: ClaimSpanCorrection | None, cited: Extraction
) -> None:
    """Draw the button that shows the scope and switches to the next; disabled if there is only one.

    `cited` is the output with the citations of the run.
    """
    scopes = _scopes(item.database, item.run_id, cited)
    kinds = [scope.kind for scope in scopes.choices(item.result.citation)]
    current = current_scope(item.result.citation, correction)

    def take(_name: str) -> None:
        span = claim_place(item, correction)
        if span is None:
            return
        next_scope = (
            kinds[(kinds.index(current) + 1) % len(kinds)] if current in kinds else kinds[0]
        )
        try:
            correct_claim(
                item.database, item.run_id, item.citation_id, span, item.reviewer, scope=next_scope
            )
        except UsageError as error:
            st.toast(escape_markdown(str(error)))
            return

    st.button(
        f"Scope: {current}",
        key="claim-scope",
        shortcut="x",
        on_click=with_name,
        args=(take,),
        disabled=len(kinds) < 2,
        help=texts.SCOPE_BUTTON_HELP if len(kinds) > 1 else texts.ONE_SCOPE_HELP,
    )


def current_scope(citation: Citation, correction: ClaimSpanCorrection | None) -> ScopeKind:
    """The current scope: the reviewer's, else the one that was judged."""
    if correction:
        return correction.scope or "sentence"
    return citation.scope.kind if citation.scope else "sentence"


@cached_view(key=lambda run_id, cited: run_id)
def _scopes(database: Database, run_id: str, cited: Extraction) -> Scopes:
    """The scopes in the output of a run; the output is parsed once for all of its cards."""
    return Scopes(cited)
