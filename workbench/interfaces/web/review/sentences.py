"""What a sentence is there for, said by a reviewer; and those without a citation, checked at once."""

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.presentation.coverage import SENTENCE_WORDS, coverage_text, suggestion_text
from workbench.presentation.escape import escape_html, escape_markdown, truncate
from workbench.presentation.run_view import ReviewState
from workbench.records.citation import SENTENCE_KINDS, Sentence, SentenceKind
from workbench.records.format import count_of
from workbench.records.options import CAP_USD
from workbench.records.verdict import Run
from workbench.services.repositories import SentenceKinds
from workbench.services.uncited import (
    check_uncited,
    estimate_text,
    estimate_uncited,
    judge_of_uncited,
)
from workbench.services.verification import VerifyOptions

_OPEN, _UNCITED, _CHECKED = "sentence_open", "uncited_open", "uncited-checked"


def open_sentence(run_id: str, start: int) -> None:
    """Ask what the sentence of a run is there for that begins at a code point of its text."""
    session.open_dialog(_OPEN, (run_id, start))


def render_sentence(review: ReviewState) -> None:
    """Draw the choice of a sentence's kind while it is open."""
    run_id, start = st.session_state.get(_OPEN) or ("", 0)
    at = [sentence.start for sentence in review.run.sentences]
    if run_id == review.run.id and start in at:
        title = f"Sentence {at.index(start) + 1:,} of {len(at):,}"
        st.dialog(title, width="medium", on_dismiss=session.close_dialogs)(_choose)(
            review, at.index(start)
        )


def _choose(review: ReviewState, number: int) -> None:
    sentences = review.run.sentences
    sentence, run_id = sentences[number], review.run.id
    if st.session_state.get(_OPEN) != (run_id, sentence.start):
        st.rerun()
    st.html(f'<p dir="auto">{escape_html(truncate(sentence.span.of(review.text), 1000))}</p>')
    if sentence.corrected_by:
        st.caption(f"Its kind was corrected by {escape_markdown(sentence.corrected_by, 80)}.")
    suggestion = review.suggestions.get(sentence.start)
    if suggestion and sentence.is_uncited:
        names = {name: result.citation.raw for name, result in review.results.items()}
        st.info(escape_markdown(suggestion_text(suggestion, names)))
        with st.container(horizontal=True, gap="xsmall"):
            if suggestion.label == "supported":
                _button("Take it as cited", "take", "a", run_id, sentence, "cited",
                        stated_in=suggestion.citation_id)  # fmt: skip
            _button("Refuse", "refuse", None, run_id, sentence, sentence.kind)
    for digit, kind in enumerate(SENTENCE_KINDS, start=1):
        word, meaning = SENTENCE_WORDS[kind]
        _button(f"{word}: {meaning}", kind, str(digit), run_id, sentence, kind)
    with st.container(horizontal=True, gap="xsmall"):
        for word, key, to in (("Previous", "k", number - 1), ("Next", "j", number + 1)):
            known = 0 <= to < len(sentences)
            st.button(
                f"{word} sentence",
                key=f"sentence-{word}",
                shortcut=key,
                on_click=open_sentence,
                args=(run_id, sentences[to].start if known else 0),
                disabled=not known,
            )
        st.button(
            "Undo your correction",
            key="sentence-undo",
            shortcut="u",
            on_click=_undo,
            args=(run_id, sentence),
        )


def _button(
    words: str,
    name: str,
    key: str | None,
    run_id: str,
    sentence: Sentence,
    kind: SentenceKind,
    stated_in: str | None = None,
) -> None:
    st.button(
        words,
        key=f"sentence-{name}",
        shortcut=key,
        on_click=_correct,
        args=(run_id, sentence, kind, stated_in),
        type="primary" if name == sentence.kind else "secondary",
        width="content" if name in ("take", "refuse") else "stretch",
    )


def _correct(run_id: str, sentence: Sentence, kind: SentenceKind, stated_in: str | None) -> None:
    def correct(name: str) -> None:
        session.close_dialogs()
        try:
            SentenceKinds(session.database()).correct(
                run_id, sentence.span, kind, name, stated_in=stated_in
            )
        except WorkbenchError as error:
            st.toast(escape_markdown(str(error)))

    with_name(correct)


def _undo(run_id: str, sentence: Sentence) -> None:
    session.close_dialogs()
    kinds = SentenceKinds(session.database())
    if kinds.withdraw(run_id, session.reviewer(), sentence.span) is None:
        st.toast("You have not corrected this sentence.")


def render_uncited_button(run: Run) -> None:
    """Draw the button that checks a run's sentences without a citation, where there are some."""
    if run.coverage.uncited:
        st.button(
            f"Check {count_of(run.coverage.uncited, 'uncited sentence')}",
            key="uncited",
            on_click=session.open_dialog,
            args=(_UNCITED, run.id),
            width="stretch",
            help="Asks whether a source of this run states them, though it is not cited there.",
        )


def render_uncited(run: Run) -> None:
    """Draw what that check would cost, and what it found, while it is open."""
    if st.session_state.get(_UNCITED) == run.id:
        st.dialog("Sentences without a citation", width="medium", on_dismiss=_close)(_check)(run)


def _check(run: Run) -> None:
    if st.session_state.get(_UNCITED) != run.id:
        st.rerun()
    found = st.session_state.get(_CHECKED)
    if found:
        st.success(found)
        st.button("Close", key="uncited-close", on_click=_close)
        return
    database, judge = session.database(), judge_of_uncited(run)
    st.markdown(escape_markdown(coverage_text(run.coverage)))
    try:
        guess, cap = estimate_uncited(database, run.id, judge), None
        st.markdown(escape_markdown(estimate_text(guess, judge)))
        if guess.cost_usd != 0:
            known = None if guess.cost_usd is None else CAP_USD
            cap = st.number_input(
                "Cost cap, USD", 0.0, value=known, step=0.5, key="uncited-cap", placeholder="none"
            )
        if st.button("Check them", key="uncited-run", type="primary", shortcut="Ctrl+Enter"):
            allowed = session.permissions(allow_fetch=False, domains=(), max_cost_usd=cap)
            with st.spinner("Comparing them with the sources"):
                options = allowed.applied_to(VerifyOptions(judge=judge))
                check = check_uncited(database, run.id, options)
            found_labels = [suggestion.label for suggestion in check.suggestions]
            unsure = sum(not suggestion.sure for suggestion in check.suggestions)
            unjudged = sum(claim.error is not None for claim in check.report.claims)
            st.session_state[_CHECKED] = (
                f"{count_of(len(check.report.claims), 'sentence')} compared: the judge finds "
                f"{found_labels.count('supported'):,} stated in a source, "
                f"{found_labels.count('contradicted'):,} contradicted"
                + (f" ({unsure:,} of these unsure)" if unsure else "")
                + (f"; {unjudged:,} not judged" if unjudged else "")
                + ". Key 9 goes from one to the next, Enter opens it."
            )
            st.rerun()
    except WorkbenchError as error:
        st.error(escape_markdown(str(error)))


def _close() -> None:
    session.close_dialogs()
    st.session_state.pop(_CHECKED, None)
