"""The view of a run's statements and sources: what rests on what, contradictions, the matrix."""

import json

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.folds import fold
from workbench.interfaces.web.judging_progress import ask, at_most, render_judging_progress
from workbench.presentation.citation_card import quote_context
from workbench.presentation.escape import escape_html, escape_markdown, file_stem
from workbench.presentation.matrix import (
    FILTERS,
    LEGEND,
    basis_text,
    contradiction_table,
    contradictions_text,
    load_lines,
    matrix_html,
    matrix_table,
    sign_of,
    source_table,
)
from workbench.presentation.run_view import ReviewState, headline
from workbench.presentation.tables import Link
from workbench.records.format import count_of, usd
from workbench.records.matrix import REPORT, Matrix
from workbench.records.options import CAP_USD
from workbench.services.judges import judge_availability
from workbench.services.matrix import (
    estimate_matrix,
    fill_matrix,
    matrix_csv,
    matrix_source,
    open_cells,
    run_matrix,
)

PAGE = 40
"""Statements on one page of the matrix."""
OPEN, ASKING = "matrix_open", "matrix_asking"
"""Session: the cell, as statement and source, and the run, whose dialog is open."""


def render_matrix(review: ReviewState, live: bool) -> None:
    """Draw the view; nothing is asked while the run is in progress."""
    matrix = run_matrix(session.database(), review.run.id)
    lines = "<br>".join(map(escape_html, load_lines(matrix)))
    st.html(f'<p class="wb-load">{lines}</p>')
    name = f"matrix-{matrix.run_id}"
    running = render_judging_progress(name)
    if not matrix.statements:
        return
    with st.container(key="matrix-acts", horizontal=True, vertical_alignment="center"):
        st.button(
            "Ask a judge",
            key="matrix-ask",
            disabled=live or running or not open_cells(matrix, ""),
            on_click=session.open_dialog,
            args=(ASKING, matrix.run_id),
            help="About statements and sources that nobody judged for sure, with an estimate first.",
        )
        with st.popover("Export matrix"):
            _downloads(matrix, headline(review))
    if cell := st.query_params.pop("cell", ""):
        st.session_state[OPEN] = cell
    if st.session_state.get(ASKING) == matrix.run_id:
        st.dialog("Ask a judge", on_dismiss=session.close_dialogs)(_draw_asking)(matrix, name)
    elif OPEN in st.session_state:
        st.dialog("Statement and source", width="large", on_dismiss=session.close_dialogs)(
            _draw_cell
        )(matrix, str(st.session_state[OPEN]))
    st.html('<h2 class="wb-h2">Contradictions</h2>')
    st.markdown(escape_markdown(contradictions_text(matrix)))
    if matrix.contradictions:
        render_table(contradiction_table(matrix), "matrix-contradictions")
    st.html('<h2 class="wb-h2">Statements and sources</h2>')
    _statements(matrix)
    if len(matrix.sources) > 1:
        fold("What rests on each source", "matrix-sources",
             lambda: render_table(source_table(matrix), "matrix-sources-table"))  # fmt: skip


def _statements(matrix: Matrix) -> None:
    chosen = str(st.segmented_control(
        "Statements", list(FILTERS), key="matrix-filter", default=next(iter(FILTERS)),
        required=True, label_visibility="collapsed",
    ))  # fmt: skip
    shown = [s for s in matrix.statements if FILTERS[chosen](matrix.row(s.number))]
    if not shown:
        st.info("No statement is like that.")
        return
    pages, at = -(-len(shown) // PAGE), 1
    if pages > 1:
        if st.session_state.get("matrix-page", 1) > pages:
            st.session_state["matrix-page"] = 1
        at = st.pagination(pages, key="matrix-page") or 1
    render_table(
        matrix_table(matrix, shown[(at - 1) * PAGE : at * PAGE]), "matrix-table", on_pick=_open
    )
    st.caption(escape_markdown(LEGEND))


def _open(link: Link) -> None:
    session.open_dialog(OPEN, link.query["cell"])


def _draw_cell(matrix: Matrix, name: str) -> None:
    """Draw a statement, what the source says about it, and the quote in its place."""
    statement_number, _, number = name.partition(".")
    try:
        cell = matrix.cell(int(statement_number), int(number))
    except (ValueError, IndexError):
        st.info("The run has no such statement and source any more.")
        return
    statement, source = matrix.statements[cell.statement - 1], matrix.sources[cell.source]
    sign = sign_of(cell)
    parts = [
        f'<blockquote dir="auto">{escape_html(statement.text)}</blockquote>',
        f"<p><b>{escape_html(f'{sign.glyph} {sign.word}')}</b> "
        f'<span class="wb-quiet">{escape_html(basis_text(cell))}</span></p>',
        f'<p dir="auto"><b>{escape_html(source.mark)}</b> {escape_html(source.title)} '
        f'<span class="wb-quiet">{escape_html(source.host)}</span></p>',
    ]
    if cell.reason:
        parts.append(f'<p dir="auto">{escape_html(cell.reason)}</p>')
    text = matrix_source(session.database(), matrix, source.number) if cell.evidence else ""
    for quote in cell.evidence:
        before, words, after = quote_context(text, quote.span)
        place = f"{quote.place + ', ' if quote.place else ''}characters {quote.start:,} to {quote.end:,}"
        parts.append(
            f'<blockquote dir="auto">{escape_html(before)}<mark>{escape_html(words)}</mark>'
            f'{escape_html(after)}<br><span class="wb-quiet">{escape_html(place)}</span></blockquote>'
        )
    st.html("".join(parts))
    if cell.citation and cell.source != REPORT:
        st.button(
            "Open the citation", key="matrix-citation", on_click=_open_citation,
            args=(cell.citation,),
        )  # fmt: skip


def _open_citation(citation: str) -> None:
    session.close_dialogs()
    session.show_view("citations")
    session.select(citation)


def _draw_asking(matrix: Matrix, name: str) -> None:
    """Draw who is to be asked, what that takes, and the button that starts it."""
    specs = [state.spec for state in judge_availability() if state.available and state.is_complete]
    judge = str(st.selectbox("Judge", specs, key="matrix-judge", accept_new_options=True) or "")
    database, number = session.database(), len(open_cells(matrix, judge))
    try:
        with st.spinner("Estimating"):
            guess = estimate_matrix(database, matrix.run_id, judge)
    except UsageError as error:
        st.error(escape_markdown(str(error)))
        return
    usual = f", usually {usd(guess.usual_usd)}" if guess.usual_usd else ""
    st.markdown(
        escape_markdown(
            f"{count_of(guess.items, 'question')} of {count_of(number, 'open pair')}: takes about "
            f"{max(1, round(guess.seconds)):,} s, {at_most(guess.cost_usd)}{usual}."
        )
    )
    cap = st.number_input("Cost cap, USD", 0.0, value=CAP_USD, key="matrix-cap", width=160)
    most = st.number_input(
        "Most questions", 0, value=guess.items, key="matrix-most", width=160,
        help="What is left stays open; ask again to go on.",
    )  # fmt: skip
    if st.button("Ask", key="matrix-start", type="primary", disabled=not number):
        session.close_dialogs()
        allowed = session.permissions(allow_fetch=False, domains=(), max_cost_usd=float(cap))
        ask(
            name,
            f"{judge} on statements and sources",
            min(guess.items, int(most)),
            lambda job: fill_matrix(
                database,
                matrix.run_id,
                judge,
                max_cost_usd=allowed.max_cost_usd,
                max_calls=int(most),
                cancel=job.cancel,
                on_progress=job.tell,
            ),
        )


def _downloads(matrix: Matrix, name: str) -> None:
    stem = file_stem(name)
    for words, suffix, mime, make in (
        ("CSV", "csv", "text/csv", lambda: "".join(matrix_csv(matrix)).encode("utf-8-sig")),
        ("JSON", "json", "application/json", lambda: json.dumps(matrix.to_dict()).encode()),
        ("HTML", "html", "text/html", lambda: matrix_html(matrix, name).encode()),
    ):
        st.download_button(
            words,
            data=make,
            file_name=f"{stem}-matrix.{suffix}",
            mime=mime,
            key=f"matrix-{suffix}-{matrix.run_id}",
            on_click="ignore",
            width="stretch",
        )
