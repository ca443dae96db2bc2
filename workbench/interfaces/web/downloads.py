"""A run as files: JSONL, CSV, annotated page; built on demand."""

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.run_cache import load_review
from workbench.presentation.escape import file_stem
from workbench.presentation.run_report import annotated_html
from workbench.records.format import count_of
from workbench.services.correction_export import correction_lines
from workbench.services.export import to_csv, to_jsonl
from workbench.services.matrix import run_matrix
from workbench.services.references.checking import corrected_reference, with_spans
from workbench.services.repositories import EntryLabelRepository
from workbench.services.runs import labelled_citations


def render_downloads(run_id: str, name: str, place: str) -> None:
    """Draw the download buttons of a run; `place` makes their keys unique on a page."""
    stem = file_stem(name)
    review = load_review(session.database(), run_id)
    if review.secondary:
        rows, asides = len(review.results), len(review.secondary)
        st.caption(
            f"CSV and JSONL have {rows:,} rows: {count_of(rows - asides, 'citation')} and "
            f"{count_of(asides, 'quote or figure', 'quotes and figures')}."
        )

    def jsonl() -> bytes:
        return "".join(to_jsonl(labelled_citations(session.database(), run_id))).encode()

    def csv() -> bytes:
        # the byte order mark tells spreadsheets that this is UTF-8
        return "".join(to_csv(labelled_citations(session.database(), run_id))).encode("utf-8-sig")

    def page() -> bytes:
        corrected = enumerate(map(corrected_reference, review.run.reference_checks))
        return annotated_html(
            review.run,
            review.text,
            review.labels.values(),
            name=review.name,
            corrections=review.corrections,
            corrected={position: text for position, text in corrected if text},
            entry_labels=EntryLabelRepository(session.database()).listed(run_id),
            with_spans=with_spans,
            matrix=run_matrix(session.database(), run_id),
        ).encode()

    def corrected_output() -> bytes:
        lines = correction_lines(session.database(), "corrected-markdown", (run_id,))
        return "".join(lines).encode()

    for words, make, suffix, mime in (
        ("Annotated report, HTML", page, "html", "text/html"),
        ("Corrected output, Markdown", corrected_output, "md", "text/markdown"),
        ("Verdicts and labels, CSV", csv, "csv", "text/csv"),
        ("Verdicts and labels, JSONL", jsonl, "jsonl", "application/jsonl"),
    ):
        st.download_button(
            words,
            data=make,
            file_name=f"{stem}.{suffix}",
            mime=mime,
            key=f"{place}-{suffix}-{run_id}",
            on_click="ignore",
            width="stretch",
        )
