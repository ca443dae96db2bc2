"""The list of sources: find, filter, sort, open; all state is in the URL."""

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components import sources
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.sources.data import SourceList, doubts, open_folder
from workbench.interfaces.web.sources.text import (
    FLAG_TEXT,
    SHOWS,
    SORTS,
    STATE_TEXT,
    Show,
    answer_of,
    citations,
    filtered,
    name_of,
    parse_sort,
    path_of,
    show_counts,
    sort_rows,
    state_text,
    type_word,
)
from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import MARKS, STYLES
from workbench.records.format import count_of, file_size, format_timestamp, word_for
from workbench.records.stored_sources import RunVersion
from workbench.records.text import Json, JsonDict
from workbench.services import jobs
from workbench.services.sources.catalog import ParsedVersion, SourceRow

PAGE = 100
"""Sources on one page of the list."""
_WORDS: dict[str, str] = dict([*STATE_TEXT.items(), *FLAG_TEXT.items()])


def render_list(source_list: SourceList, run_id: str | None) -> None:
    """Draw the list of sources; it is updated while a run is in progress."""
    _head(source_list, run_id)
    if not source_list.rows:
        _no_sources(source_list, run_id)
        return
    _filters(source_list.rows)
    rows = chosen_rows(source_list.rows)
    if not rows:
        st.info("No sources match. Remove a filter or change the search.")
        return
    pages = -(-len(rows) // PAGE)
    at = 1
    if pages > 1:
        if st.session_state.get("page", 1) > pages:
            st.session_state["page"] = 1
        at = st.pagination(pages, key="page", bind="query-params", persist_state="session") or 1
    listed = rows[(at - 1) * PAGE : at * PAGE]
    readings, complete = doubts(open_folder(session.settings().snapshots), listed)
    sources.table(table_data(listed, readings), "sources", open_source, _order_by)
    if not complete:
        fragment(_await_reasons, run_every=0.5)(listed)
    if source_list.unlinked:
        st.caption(
            f"{count_of(source_list.unlinked, 'more citation')} "
            f"{word_for(source_list.unlinked, 'names', 'name')} no source that can be looked up; "
            "see the Review page."
        )


def _await_reasons(rows: Sequence[SourceRow]) -> None:
    """Redraw the page when the reasons of all doubts are known."""
    if doubts(open_folder(session.settings().snapshots), rows, wait_s=0.0)[1]:
        st.rerun()


def chosen_rows(rows: Sequence[SourceRow]) -> list[SourceRow]:
    """The sources that match the filters, in the order of the URL."""
    matching = filtered(rows, st.query_params.get("look", ""), _shows())
    by, descending = parse_sort(st.query_params.get("order", ""))
    return sort_rows(matching, by, descending) if by else matching


def _shows() -> list[Show]:
    requested = st.query_params.get_all("state")
    return [show for show in SHOWS if show in requested]


def open_source(source_id: str) -> None:
    """Put a source in the URL."""
    st.query_params["source"] = source_id
    for name in ("source_place", "source_version", "view"):
        st.session_state.pop(name, None)


def table_data(rows: Sequence[SourceRow], readings: Mapping[str, ParsedVersion]) -> JsonDict:
    """The table's data."""
    by, descending = parse_sort(st.query_params.get("order", ""))
    sorted_by = f", sorted by {SORTS[by].lower()}" if by else ""
    return {
        "columns": [[name, word] for name, word in SORTS.items()],
        "sort": by,
        "descending": descending,
        "said": f"Sources{sorted_by}; activate a title to open it",
        "rows": [row_data(row, readings.get(row.id)) for row in rows],
        "styles": {mark: style.to_dict() for mark, style in STYLES.items()},
        "focus": st.session_state.pop("source_last", None),
    }


def row_data(row: SourceRow, reading: ParsedVersion | None = None) -> JsonDict:
    """One line of the table."""
    state, more = state_text(row, reading)
    counts = row.counts()
    marks: list[Json] = [[mark, counts[mark]] for mark in MARKS if mark in counts]
    facts = row.facts
    if facts and facts.truncated:
        more = f"{more}, truncated at the size limit".removeprefix(", ")
    return {
        "id": row.id,
        "name": name_of(row),
        "path": path_of(row),
        "entry": truncate(row.entry, 400),
        "state": state,
        "more": more,
        "tone": row.state,
        "answer": answer_of(row),
        "type": type_word(facts.content_type) if facts else "–",
        "size": file_size(facts.bytes) if facts else "–",
        "pages": f"{facts.page_count:,}" if facts and facts.page_count else "–",
        "when": (
            format_timestamp(row.facts.fetched_at) if row.facts and row.facts.fetched_at else "–"
        ),
        "hash": facts.sha256[:10] if facts else "–",
        "sha256": facts.sha256 if facts else "",
        "counts": marks,
    }


def _head(source_list: SourceList, run_id: str | None) -> None:
    words, run_column = st.columns([58, 42], vertical_alignment="bottom", gap="medium")
    citing = sum(len(row.citing) for row in source_list.rows)
    changed = sum(bool(row.changed) for row in source_list.rows)
    with words:
        st.html(
            '<div class="wb-head"><h1>Sources</h1><p class="wb-quiet">'
            f"{count_of(len(source_list.rows), 'source')}, "
            f"{citations(citing)} on them, {changed or 'none'} changed since judged</p></div>"
        )
    names: dict[str, RunVersion] = {stamp.run_id: stamp for stamp in source_list.runs}
    if not names:
        return

    def say(name: str) -> str:
        if not name:
            return "All runs"
        stamp = names[name]
        return f"{truncate(stamp.name or name, 60)}, {format_timestamp(stamp.created_at)}"

    def choose() -> None:
        chosen = st.session_state["sources-run"]
        if chosen:
            st.query_params["run"] = chosen
        else:
            st.query_params.pop("run", None)

    st.session_state["sources-run"] = run_id if run_id in names else ""
    with run_column:
        st.selectbox("Run", ["", *names], key="sources-run", format_func=say, on_change=choose)


def _filters(rows: Sequence[SourceRow]) -> None:
    numbers = show_counts(rows)
    # the URL contains the filters, so that they survive opening a source and can be shared
    st.session_state["sources-look"] = st.query_params.get("look", "")
    st.session_state["sources-show"] = _shows()

    def search() -> None:
        _set_param("look", str(st.session_state["sources-look"]).strip())

    def show() -> None:
        _set_param("state", list(st.session_state["sources-show"] or []))

    find, state = st.columns([34, 66], gap="medium", vertical_alignment="center")
    with find:
        st.text_input(
            "Find a source",
            key="sources-look",
            on_change=search,
            placeholder="Title, host, address, type or hash",
            label_visibility="collapsed",
            icon=":material/search:",
        )
    with state:
        st.pills(
            "Show",
            [show for show in SHOWS if numbers.get(show) or show in _shows()],
            selection_mode="multi",
            format_func=lambda name: f"{_WORDS[name]} {numbers.get(name, 0)}",
            key="sources-show",
            on_change=show,
            label_visibility="collapsed",
        )


def _set_param(name: str, value: str | list[str]) -> None:
    st.session_state.pop("page", None)
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)


def _no_sources(source_list: SourceList, run_id: str | None) -> None:
    if run_id and jobs.find(run_id):
        st.info("The run has just started; sources appear as citations are found.")
    elif source_list.runs and run_id:
        st.info("The citations of this run name no source that can be looked up.")
    else:
        st.info("No sources yet. Check an answer on the Review page.")
    st.page_link("pages/review.py", label="Go to Review")


def _order_by(order: str) -> None:
    st.query_params["order"] = order
