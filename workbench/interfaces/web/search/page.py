"""The Search page: full-text search in everything stored, with filters and links."""

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components import ASSETS
from workbench.interfaces.web.search.text import (
    FIRST,
    KIND_HEADS,
    PAGE,
    PARAMS,
    SearchRequest,
    asked_of,
    hits_data,
    narrowed_text,
    queue_address,
    review_address,
)
from workbench.presentation.citation_card import KIND_TEXT
from workbench.presentation.escape import escape_markdown, run_label, truncate
from workbench.presentation.verdicts import ERROR_TEXT, STYLES
from workbench.records import HIT_KINDS, ItemFilter, SearchResults
from workbench.services.database import Database
from workbench.services.runs import recent_runs
from workbench.services.search import SearchFilters, search_filters, search_texts

_HITS = st.components.v2.component(
    "workbench_search_hits",
    html='<div class="hits"></div>',
    css=(ASSETS / "search_hits.css").read_text("utf-8"),
    js=(ASSETS / "search_hits.js").read_text("utf-8"),
)
_REVIEW, _QUEUES = "pages/review.py", "pages/queues.py"
_HEADS = {
    "verdict": "Judge's verdict",
    "label": "Label",
    "reviewer": "Reviewer",
    "run": "Run",
    "host": "Source host",
    "cited": "Cited as",
    "error": "Reason for no verdict",
}


def render_search() -> None:
    """Draw the page."""
    st.html('<div class="wb-head"><h1>Search</h1></div>')
    store = session.database()
    request = asked_of({name: st.query_params.get_all(name) for name in st.query_params})
    _field(request)
    names = {run.id: run_label(run.name) for run in recent_runs(store)}
    if not names:
        st.info("No runs yet, so there is nothing to search.")
        st.page_link(_REVIEW, label="Check an answer, or open a demo")
        return
    _narrow(store, request, names)
    if not request.query:
        st.caption(
            "Searches outputs, claims, rationales, notes, tags, comments and source texts. All "
            "words must occur; put a phrase in quotation marks. Case and accents do not matter."
        )
        return
    _results(store, request)


def _field(request: SearchRequest) -> None:
    st.session_state["search-words"] = request.query

    def search() -> None:
        _set_param("q", [str(st.session_state["search-words"]).strip()])

    st.text_input(
        "Search terms",
        key="search-words",
        on_change=search,
        placeholder='All words must occur; or a "phrase"',
        label_visibility="collapsed",
        icon=":material/search:",
    )


def _narrow(store: Database, request: SearchRequest, names: Mapping[str, str]) -> None:
    # a constant label, or the expander would be another one each time and close
    with st.expander("Filters", key="search-narrow", on_change="rerun") as box:
        if box.open:
            options = _options(search_filters(store, request.query), names)
            preset = _selected_values(request.chosen)
            for columns in (("verdict", "label", "reviewer"), ("run", "host", "cited"), ("error",)):
                for column, name in zip(st.columns(3), columns, strict=False):
                    with column:
                        _several(name, options[name], preset[name])
    filter_text = narrowed_text(request.chosen, names)
    with st.container(key="search-narrowed", horizontal=True, vertical_alignment="center"):
        if filter_text:
            st.text(f"Filters: {truncate(filter_text, 160)}", width="content")
            st.button("Clear filters", key="search-clear", on_click=_clear)


def _options(filters: SearchFilters, names: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """For each filter: its values, each with its label and number of hits."""

    def counted(words: Mapping[str, str], numbers: Mapping[str, int]) -> dict[str, str]:
        return {value: f"{word} {numbers.get(value, 0):,}" for value, word in words.items()}

    choices = filters.facets
    words = {label: f"{style.glyph} {style.word}" for label, style in STYLES.items()}
    return {
        "verdict": counted({v: words[v] for v in words if v in choices.verdicts}, choices.verdicts),
        "label": counted({v: words[v] for v in words if v in choices.labels}, choices.labels),
        "reviewer": counted(
            {name: truncate(name, 40) for name in filters.reviewers}, choices.reviewers
        ),
        "run": {run: truncate(name, 60) for run, name in names.items()},
        "host": {host: f"{truncate(host, 50)} {n:,}" for host, n in choices.hosts.items() if host},
        "cited": {kind: f"{KIND_TEXT[kind]} {n:,}" for kind, n in choices.kinds.items()},
        "error": {
            kind: f"{ERROR_TEXT[kind]} {n:,}"  # type: ignore[index]  # as above
            for kind, n in choices.error_kinds.items()
        },
    }


def _selected_values(chosen: ItemFilter) -> dict[str, tuple[str, ...]]:
    return {
        "verdict": chosen.verdicts,
        "label": chosen.labels,
        "reviewer": chosen.reviewers,
        "run": chosen.runs,
        "host": chosen.hosts,
        "cited": chosen.kinds,
        "error": chosen.error_kinds,
    }


def _several(name: str, options: Mapping[str, str], preset: Sequence[str]) -> None:
    key = f"search-{name}"
    st.session_state[key] = list(preset)

    def choose() -> None:
        _set_param(name, list(st.session_state[key]))

    st.multiselect(
        _HEADS[name],
        # a value in the URL may be gone from the list; it is shown so that it can be removed
        list(dict.fromkeys((*options, *preset))),
        key=key,
        format_func=lambda value: truncate(options.get(value, value), 70),
        on_change=choose,
        placeholder="any",
    )


def _results(store: Database, request: SearchRequest) -> None:
    if request.kind is None:
        results = search_texts(store, request.query, within=request.chosen, each=FIRST)
    else:
        results = search_texts(
            store,
            request.query,
            [request.kind],
            within=request.chosen,
            limit=PAGE,
            offset=(request.page - 1) * PAGE,
        )
    if request.kind is None and not results.total:
        _no_results(request)
        return
    _kinds(results, request)
    _make_queue(request)
    if not results.hits:
        st.info("No results of this kind; try all kinds.")
        return
    _draw_hits(results)
    _pages(results, request)


def _kinds(results: SearchResults, request: SearchRequest) -> None:
    st.session_state["search-in"] = request.kind
    counts = results.counts

    def choose() -> None:
        _set_param("in", [st.session_state["search-in"] or ""])

    st.pills(
        "Found in",
        HIT_KINDS,
        format_func=lambda kind: (
            f"{KIND_HEADS[kind]} {counts[kind]:,}" if kind in counts else KIND_HEADS[kind]
        ),
        key="search-in",
        on_change=choose,
        label_visibility="collapsed",
    )


def _draw_hits(results: SearchResults) -> None:
    def opened() -> None:
        hit = results.hits[int(st.session_state["search-hits"].opened)]
        session.leave_run()
        st.session_state["search-opened"] = review_address(hit)

    def more() -> None:
        _set_param("in", [str(st.session_state["search-hits"].more)])

    _HITS(
        data=hits_data(results, session.url_reviewer_name()),
        key="search-hits",
        on_opened_change=opened,
        on_more_change=more,
        height="content",
    )
    address = st.session_state.pop("search-opened", None)
    if address:
        # the reviewer's name stays in the session
        st.switch_page(_REVIEW, query_params=dict(address))


def _pages(results: SearchResults, request: SearchRequest) -> None:
    pages = -(-results.total // PAGE)
    if request.kind is None or pages < 2:
        return
    st.session_state["search-page"] = min(request.page, pages)

    def turn() -> None:
        st.query_params["page"] = str(st.session_state["search-page"])

    st.pagination(pages, key="search-page", on_change=turn)


def _make_queue(request: SearchRequest) -> None:
    if request.kind in (None, "claim", "rationale"):
        st.page_link(
            _QUEUES,
            label="Create a queue of the citations whose claim or rationale contains these words",
            query_params=queue_address(request),
        )


def _no_results(request: SearchRequest) -> None:
    st.info(
        escape_markdown(
            f"No results for: {truncate(request.query, 80)}. Try fewer words, or parts of words."
        )
    )
    if request.chosen != ItemFilter():
        st.button("Search everything", key="search-everywhere", on_click=_clear)


def _set_param(name: str, values: Sequence[str]) -> None:
    """Set a parameter of the URL and return to the first page."""
    nonempty = [value for value in values if value]
    st.query_params.pop("page", None)
    if nonempty:
        st.query_params[name] = nonempty
    else:
        st.query_params.pop(name, None)


def _clear() -> None:
    for name in PARAMS:
        _set_param(name, [])
