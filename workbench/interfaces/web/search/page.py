"""The Search page: full-text search in everything stored, with filters and links."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast, get_args
from urllib.parse import urlencode

import streamlit as st

from workbench.errors import ERROR_KINDS, ErrorKind
from workbench.interfaces.web import session
from workbench.interfaces.web.components import asset, when_sent
from workbench.interfaces.web.folds import fold
from workbench.interfaces.web.links import queue_link
from workbench.presentation.citation_card import KIND_TEXT
from workbench.presentation.escape import escape_markdown, run_label, truncate
from workbench.presentation.verdicts import ERROR_TEXT, STYLES
from workbench.records.citation import CitationKind
from workbench.records.format import format_timestamp
from workbench.records.queue import ItemFilter
from workbench.records.run_listing import HIT_KINDS, HitKind, SearchHit, SearchResults
from workbench.records.text import Json, JsonDict, replace_surrogates
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS, HumanLabel, VerdictLabel
from workbench.services.database import Database
from workbench.services.runs import SearchFilters, recent_runs, search_filters, search_texts

KIND_HEADS: Mapping[HitKind, str] = {
    "output": "Outputs",
    "claim": "Claims",
    "rationale": "Rationales",
    "note": "Notes and tags",
    "comment": "Comments",
    "source": "Sources",
}
PARAMS = ("verdict", "label", "reviewer", "run", "host", "cited", "error")
"""The filters of a search by their name in the URL; each may occur several times."""
PAGE = 50
FIRST = 5
"""Hits of each kind while no kind is chosen."""
_HITS = st.components.v2.component(
    "workbench_search_hits",
    html='<div class="hits"></div>',
    css=asset("search_hits.css"),
    js=asset("search_hits.js"),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A search request from the URL."""

    query: str = ""
    kind: HitKind | None = None
    """None for the first hits of every kind."""
    page: int = 1
    chosen: ItemFilter = field(default_factory=ItemFilter)


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
    def fields() -> None:
        options = _options(search_filters(store, request.query), names)
        preset = _selected_values(request.chosen)
        for columns in (("verdict", "label", "reviewer"), ("run", "host", "cited"), ("error",)):
            for column, name in zip(st.columns(3), columns, strict=False):
                with column:
                    _several(name, options[name], preset[name])

    fold("Filters", "search-narrow", fields)
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
    def opened(number: int) -> None:
        session.leave_run()
        st.session_state["search-opened"] = review_address(results.hits[number])

    _HITS(
        data=hits_data(results, session.url_reviewer_name()),
        key="search-hits",
        on_opened_change=when_sent("search-hits", "opened", int, opened),
        on_more_change=when_sent("search-hits", "more", str, lambda kind: _set_param("in", [kind])),
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


def asked_of(address: Mapping[str, Sequence[str]]) -> SearchRequest:
    """The search request in a URL; unknown values are left out."""

    def several(name: str, allowed: Sequence[str] | None = None) -> tuple[str, ...]:
        values = [
            replace_surrogates(value) for value in address.get(name, ()) if value or name == "host"
        ]
        return tuple(
            dict.fromkeys(value for value in values if allowed is None or value in allowed)
        )

    def single(name: str) -> str:
        return replace_surrogates(next(iter(address.get(name, ())), ""))

    kind, page = single("in"), single("page")
    return SearchRequest(
        query=single("q").strip(),
        kind=kind if kind in HIT_KINDS else None,
        page=max(int(page), 1) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
        chosen=ItemFilter(
            verdicts=cast(tuple[VerdictLabel, ...], several("verdict", VERDICT_LABELS)),
            labels=cast(tuple[HumanLabel, ...], several("label", HUMAN_LABELS)),
            reviewers=several("reviewer"),
            runs=several("run"),
            hosts=several("host"),
            kinds=cast(tuple[CitationKind, ...], several("cited", get_args(CitationKind))),
            error_kinds=cast(tuple[ErrorKind, ...], several("error", ERROR_KINDS)),
        ),
    )


def queue_address(request: SearchRequest) -> dict[str, str]:
    """The query parameters of the form that creates a queue of the citations found.

    These are the ones whose claim or rationale contains the words.
    """
    return dict(queue_link(replace(request.chosen, words=request.query)).query)


def review_address(hit: SearchHit) -> dict[str, str]:
    """A hit's address on the Review page; empty for a source that no citation uses."""
    if hit.run_id is None:
        return {}
    return {"run": hit.run_id} | ({"c": hit.citation_id} if hit.citation_id else {})


def hits_data(results: SearchResults, who: str = "") -> JsonDict:
    """Data for the browser: the hits grouped by kind, with the words marked."""
    groups: list[Json] = []
    for kind, total in results.counts.items():
        rows: list[Json] = [
            _row(number, hit, who) for number, hit in enumerate(results.hits) if hit.kind == kind
        ]
        if rows:
            groups.append(
                {"kind": kind, "head": f"{KIND_HEADS[kind]} {total:,}", "hits": rows}
                | ({"more": f"All {total:,}"} if total > len(rows) else {})
            )
    return {"groups": groups}


def _row(number: int, hit: SearchHit, who: str) -> JsonDict:
    row: JsonDict = {
        "n": number,
        "name": truncate(hit.name or "Untitled", 90),
        "parts": _parts(hit),
        "facts": " · ".join(filter(None, (truncate(hit.author, 40), format_timestamp(hit.at)))),
    }
    address = review_address(hit)
    if address:
        row["href"] = "./?" + urlencode({**address, **({"who": who} if who else {})})
    if hit.verdict:
        style = STYLES[hit.verdict]
        row["verdict"] = {"word": style.word, "glyph": style.glyph, "colour": style.colour}
    return row


def _parts(hit: SearchHit) -> list[Json]:
    """The excerpt in pieces, each with whether it matches; matches may overlap."""
    words, at = hit.excerpt.text, 0
    parts: list[Json] = [["… ", 0]] if hit.excerpt.span.start else []
    for span in hit.matches:
        if span.end <= at:
            continue
        start = max(span.start, at)
        if start > at:
            parts.append([replace_surrogates(words[at:start]), 0])
        parts.append([replace_surrogates(words[start : span.end]), 1])
        at = span.end
    if at < len(words):
        parts.append([replace_surrogates(words[at:]), 0])
    return parts


def narrowed_text(chosen: ItemFilter, names: Mapping[str, str]) -> str:
    """The filters of a search in a few words; empty without filters."""
    parts = [STYLES[verdict].word.lower() for verdict in chosen.verdicts]
    parts += [f"labelled {STYLES[label].word.lower()}" for label in chosen.labels]
    parts += [f"by {truncate(reviewer, 30)}" for reviewer in chosen.reviewers]
    parts += [f"in {run_label(names.get(run, ''), 40)}" for run in chosen.runs]
    parts += [f"from {truncate(host, 40) or 'no address'}" for host in chosen.hosts]
    parts += [kind.replace("_", " ") for kind in (*chosen.kinds, *chosen.error_kinds)]
    return ", ".join(parts)
