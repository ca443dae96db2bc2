"""The citations behind a number: the matches of the URL's filter, page by page."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.citations.bulk_labels import (
    render_bulk_bar,
    render_bulk_message,
    row_selection,
    select_rows,
)
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.filters import filter_of, filter_text
from workbench.interfaces.web.links import items_link, queue_link
from workbench.presentation.escape import (
    escape_html,
    escape_markdown,
    marker_text,
    run_label,
    truncate,
)
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.presentation.verdicts import ERROR_TEXT, Mark
from workbench.records.format import count_of
from workbench.records.queue import CitationListItem, ItemFilter
from workbench.records.run_listing import ItemOrder
from workbench.services.repositories import CitationQuery
from workbench.services.runs import recent_runs

_NONE_YET = "No citations yet. Check an answer on the Review page."
_NONE_MATCH = "No citations match. If a number led here, labels or verdicts have changed since."
PAGE = 50
"""Citations on one page of the list."""
ORDERS: dict[ItemOrder, str] = {
    "document": "Document order",
    "newest": "Newest run first",
    "uncertain_first": "Least confident first",
    "certain_first": "Most confident first",
    "host": "Host",
    "random": "Random",
}


def render_citations() -> None:
    """Draw the page."""
    try:
        chosen = filter_of(st.query_params.get("filter", ""))
    except UsageError as error:
        st.warning(escape_markdown(f"{error} All citations are listed."))
        chosen = ItemFilter()
    store = session.database()
    names = {run.id: run.name for run in recent_runs(store, 500) if run.name} if chosen.runs else {}
    number = CitationQuery(store).count(chosen)
    st.html(
        '<div class="wb-head"><h1>Citations</h1>'
        f'<p dir="auto">{escape_html(filter_text(chosen, names))}'
        f' <span class="wb-quiet">· {count_of(number, "citation")}</span></p></div>'
    )
    order = _bar(chosen, number)
    render_bulk_message()
    if not number:
        st.info(_NONE_YET if chosen == ItemFilter() else _NONE_MATCH)
        return
    at = _page(-(-number // PAGE))
    items = CitationQuery(store).find(chosen, order=order, limit=PAGE, offset=(at - 1) * PAGE)
    render_bulk_bar()
    render_table(
        replace(items_table(items), selection=row_selection(items)),
        "items",
        on_select=lambda row_ids: select_rows(items, row_ids),
    )


def _bar(chosen: ItemFilter, number: int) -> ItemOrder:
    requested = st.query_params.get("order", "")
    order: ItemOrder = next((name for name in ORDERS if name == requested), "document")
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="items-bar"):
        st.session_state["items-order"] = order
        st.selectbox(
            "Sort",
            list(ORDERS),
            format_func=lambda name: ORDERS[name],
            key="items-order",
            on_change=_sort,
            label_visibility="collapsed",
            width=220,
        )
        if number:
            queue, query = queue_link(chosen), dict(items_link(chosen).query)
            st.page_link(
                queue.file, label="Create queue from these", query_params=dict(queue.query)
            )
            st.page_link("pages/datasets.py", label="Export these", query_params=query)
        if chosen != ItemFilter():
            st.page_link("pages/items.py", label="All citations", query_params={})
        st.page_link("pages/home.py", label="Open work")
    return order


def _sort() -> None:
    st.query_params["order"] = st.session_state["items-order"]
    st.query_params.pop("page", None)


def _page(pages: int) -> int:
    """The page number in the URL, drawn with a pager if there are several."""
    requested = st.query_params.get("page", "")
    at = min(max(int(requested), 1), pages) if requested.isdecimal() else 1
    if pages > 1:
        # the URL decides: sorting, for example, returns to the first page
        if st.session_state.get("items-page", at) != at:
            st.session_state["items-page"] = at
        st.pagination(pages, key="items-page", default=at, on_change=_turn)
    return at


def _turn() -> None:
    st.query_params["page"] = str(st.session_state["items-page"])


def items_table(items: Sequence[CitationListItem]) -> Table:
    """A row for each citation; its claim links to the Review page."""
    return Table.of(
        accessible_label="Citations; activate a claim to review it",
        columns=(
            "Claim",
            Column(word="Source", width="14rem", spare=True),
            Column(word="Judge", width="14rem"),
            Column(word="Labels", width="11rem"),
            Column(word="Output", width="15rem", spare=True),
        ),
        rows=(_row(item) for item in items),
        prose=True,
    )


def _mark(item: CitationListItem) -> Mark:
    """The judge's mark; pending without a confidence and an error."""
    judged = item.confidence is not None or item.error_kind
    return item.verdict if judged or item.verdict != "unverifiable" else "pending"


def _row(item: CitationListItem) -> tuple[Cell, ...]:
    link = Link(page="review", query={"run": item.run_id, "c": item.citation_id})
    confidence = "" if item.confidence is None else f"confidence {item.confidence:.2f}"
    detail = ERROR_TEXT.get(item.error_kind, item.error_kind) if item.error_kind else confidence
    return (
        Cell(text=truncate(item.claim, 240) or marker_text(item.raw, 120), link=link),
        Cell(text=marker_text(item.raw, 60), more=truncate(item.host or "", 60)),
        Cell(marks=(_mark(item),), more=detail),
        Cell(marks=item.labels) if item.labels else Cell(text="–", accessible_label="not reviewed"),
        Cell(text=run_label(item.name, 80), link=Link(page="review", query={"run": item.run_id})),
    )
