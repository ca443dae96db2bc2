"""Details of a label: own evidence, the judge's quotes marked wrong, the fault, tags.

The item's `result` and `label` are what the reviewer may see: a blind queue passes the result
without its judgment, and `others` stays empty there. Choices made before there is a label are kept
in a draft, across reloads; who stores or undoes the label discards it.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from workbench.interfaces.web.components.source import widget_keys
from workbench.interfaces.web.review import text as texts
from workbench.presentation.escape import escape_markdown
from workbench.records.review import FAULTS, Label
from workbench.records.source import Source
from workbench.records.text import Span
from workbench.records.verdict import CitationResult, Evidence
from workbench.services.database import Database
from workbench.services.labels import DecisionDetails, details_of_label, tags_in_use

DRAFTS_KEPT = 5_000
"""In one process; the oldest are dropped first."""
_LOCK = threading.Lock()
MOST_TAGS = 20
_DRAFTS: OrderedDict[tuple[Path, str, str, str], DecisionDetails] = OrderedDict()


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionItem:
    """The item under review, as far as the reviewer may see it."""

    database: Database
    run_id: str
    result: CitationResult
    source: Source | None
    """With its text; None if it cannot be read."""
    reviewer: str
    label: Label | None = None
    """The reviewer's own current label."""
    others: tuple[Label, ...] = ()
    """Labels of others that the reviewer may see."""

    @property
    def citation_id(self) -> str:
        """Id of the citation in its run."""
        return self.result.citation.id

    @property
    def quotes(self) -> tuple[Evidence, ...]:
        """The judge's evidence."""
        return self.result.judgment.evidence if self.result.judgment else ()

    @property
    def place(self) -> tuple[Path, str, str, str]:
        """The key of its draft."""
        return self.database.path, self.run_id, self.citation_id, self.reviewer


def details_of(item: DecisionItem) -> DecisionDetails:
    """The reviewer's details of the item: the draft, else the label's."""
    with _LOCK:
        draft = _DRAFTS.get(item.place)
    return draft or details_of_label(item.label, item.result, item.source)


def change_details(item: DecisionItem, details: DecisionDetails, keep: Callable[[], None]) -> None:
    """Apply a change: to the draft at once, and with `keep` to the current label."""
    with _LOCK:
        _DRAFTS[item.place] = details
        _DRAFTS.move_to_end(item.place)
        while len(_DRAFTS) > DRAFTS_KEPT:
            _DRAFTS.popitem(last=False)
    keep()


def discard_draft(item: DecisionItem) -> None:
    """Discard the draft: it was stored with the label, or the label was undone."""
    with _LOCK:
        _DRAFTS.pop(item.place, None)


def render_details(
    item: DecisionItem, *, keep: Callable[[], None], disabled: bool = False, closed: str = ""
) -> None:
    """Draw fault, tags, own evidence and wrong quotes.

    Args:
        item: The item under review.
        keep: Called after each change; it stores the current label again with `details_of`.
        disabled: While the citation cannot be labelled.
        closed: Key of the closed expander around them, which their keys open: then only the keys are drawn.
    """
    widget_keys({"f": "details-fault", "t": "details-tags"}, "details-keys", closed)
    if closed:
        return
    details = details_of(item)

    def change(changed: DecisionDetails) -> None:
        change_details(item, changed, keep)

    with st.container(key="details", gap="xsmall"):
        with st.container(key="details-line", horizontal=True, gap="xsmall"):
            _fault(item, details, change, disabled)
            _tags(item, details, change, disabled)
        _pieces(item, details, change)


def render_error_source(item: DecisionItem, *, keep: Callable[[], None], quote_at: int = 0) -> None:
    """Draw the button that marks the judge's shown quote as wrong, or removes the mark."""
    details, quotes = details_of(item), item.quotes
    quote_span = quotes[quote_at % len(quotes)].span if quotes else None
    wrong = quote_span in details.wrong_evidence

    def mark() -> None:
        if quote_span:
            current = details_of(item)
            change_details(
                item, current.with_wrong(quote_span, quote_span not in current.wrong_evidence), keep
            )

    st.button(
        "Wrong quote",
        key="quote-wrong",
        shortcut="w",
        on_click=mark,
        disabled=quote_span is None,
        type="primary" if wrong else "secondary",
        help="The quote shown is not about the claim. Press again to undo.",
    )


def _fault(
    item: DecisionItem,
    details: DecisionDetails,
    change: Callable[[DecisionDetails], None],
    disabled: bool,
) -> None:
    key = f"fault-{item.run_id}-{item.citation_id}"

    def chosen() -> None:
        change(replace(details_of(item), fault=st.session_state[key]))

    st.session_state[key] = details.fault
    with st.container(key="details-fault"):
        st.selectbox(
            "Error source",
            FAULTS,
            index=None,
            key=key,
            format_func=texts.FAULT_CHOICES.__getitem__,
            placeholder="Error source · F",
            on_change=chosen,
            disabled=disabled,
            label_visibility="collapsed",
        )


def _tags(
    item: DecisionItem,
    details: DecisionDetails,
    change: Callable[[DecisionDetails], None],
    disabled: bool,
) -> None:
    key = f"tags-{item.run_id}-{item.citation_id}"

    def chosen() -> None:
        change(replace(details_of(item), tags=tuple(map(str, st.session_state[key]))))

    st.session_state[key] = list(details.tags)
    with st.container(key="details-tags"):
        st.multiselect(
            "Tags",
            [
                *details.tags,
                *(tag for tag in tags_in_use(item.database) if tag not in details.tags),
            ],
            key=key,
            accept_new_options=True,
            max_selections=MOST_TAGS,
            select_all=False,
            placeholder="Tags · T",
            on_change=chosen,
            disabled=disabled,
            label_visibility="collapsed",
        )


def _pieces(
    item: DecisionItem, details: DecisionDetails, change: Callable[[DecisionDetails], None]
) -> None:
    """A small button for each piece of evidence and each mark, which removes it."""
    if not details.evidence and not details.wrong_evidence:
        return

    def remove(kind: str, span: Span) -> None:
        now = details_of(item)
        change(now.without_piece(span) if kind == "piece" else now.with_wrong(span, False))

    with st.container(key="details-pieces", horizontal=True, gap="xsmall"):
        for kind, spans, words, told in (
            ("piece", details.evidence, "Evidence", "Your evidence. Press to remove it."),
            ("wrong", details.wrong_evidence, "Wrong quote",
             "The judge's quote, marked as wrong. Press to remove the mark."),
        ):  # fmt: skip
            for span in spans:
                st.button(
                    f"{words}: {_quote_text(item.source, span)} ✕",
                    key=f"{kind}-{span.start}-{span.end}",
                    on_click=remove,
                    args=(kind, span),
                    help=told,
                )


def _quote_text(source: Source | None, span: Span) -> str:
    if source is None or not source.text:
        return "not readable"
    where = Evidence.in_source(source, span).place
    return f"“{escape_markdown(span.of(source.text), 44)}”{where and f', {where}'}"
