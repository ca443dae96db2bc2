"""Checked references as a notebook shows them: state, what differs, the record, who was asked; pure."""

from collections.abc import Sequence

from workbench.interfaces.notebook.html import (
    Cell,
    Html,
    RichOutput,
    caption,
    frame,
    heading,
    linked,
    markdown_table,
    notebook_macro,
    table,
)
from workbench.presentation.escape import escape_markdown, truncate
from workbench.presentation.reference_card import doi_address
from workbench.presentation.reference_styles import (
    FIELD_NAMES,
    LEAD,
    NOTICES,
    finding_style,
    index_name,
    without_prefixes,
)
from workbench.presentation.run_report import index_lines
from workbench.records.bibliography import ReferenceCheck, ReferenceReport, csl_text
from workbench.records.format import count_of

MOST_ROWS = 100
"""A longer table is cut; the frame of the report has every row."""
HEAD = ["Finding", "Reference", "What differs", "Record", "Likely to exist"]


def render_references(report: ReferenceReport) -> RichOutput:
    """Every entry with its finding."""
    title, rows = title_of(report), reference_rows(report)
    return RichOutput(
        html=frame(heading(title), *reference_notes(report), table(HEAD, rows, right=1)),
        markdown=f"**{escape_markdown(title)}**\n\n{markdown_table(HEAD, rows)}",
        plain=title,
    )


def title_of(report: ReferenceReport) -> str:
    """The number of entries and how many have each finding."""
    counts = ", ".join(
        f"{number:,} {status.replace('_', ' ')}" for status, number in report.counts().items()
    )
    retracted = len(report.retracted())
    return (
        count_of(len(report.checks), "reference")
        + (f": {counts}" if counts else "")
        + (f" · {retracted:,} retracted" if retracted else "")
    )


def reference_rows(report: ReferenceReport) -> list[Sequence[Cell]]:
    """A row for each entry, up to `MOST_ROWS`."""
    return [_row(check) for check in report.checks[:MOST_ROWS]]


def reference_notes(report: ReferenceReport) -> list[str]:
    """Who was asked, what a finding is worth, and what the table leaves out."""
    notes = [" · ".join(index_lines(report))]
    if not report.passed:
        notes.append(LEAD)
    if len(report.checks) > MOST_ROWS:
        notes.append(
            f"The table shows {MOST_ROWS:,} of {len(report.checks):,} references; to_frame() has "
            "all."
        )
    return [caption(note) for note in notes if note]


def _row(check: ReferenceCheck) -> Sequence[Cell]:
    style = finding_style(check)
    words = f"{style.glyph} {style.word}"
    notice = NOTICES[check.retraction.kind] if check.retraction else None
    if notice:
        words += f"; {notice.glyph} {notice.word}"
    badges = [style, *([notice] if notice else [])]
    finding = Html(
        text="<br>".join(notebook_macro("finding", badge.to_dict()) for badge in badges),
        words=words,
    )
    return (
        finding,
        truncate(check.text, 240),
        truncate(_differing(check) or without_prefixes(check.why), 300),
        _record(check),
        "" if check.score is None else f"{check.score:.2f}",
    )


def _differing(check: ReferenceCheck) -> str:
    return "; ".join(
        f"{FIELD_NAMES.get(field.field, field.field)}: {field.entry_value or '–'} ↔ "
        f"{field.record_value or '–'}"
        for field in check.fields
        if field.agrees is False
    )


def _record(check: ReferenceCheck) -> Cell:
    if check.record is None:
        return ""
    title = truncate(csl_text(check.record, "title") or "", 120)
    words = f"{title} ({index_name(check.record_from or '')})"
    address = doi_address(csl_text(check.record, "DOI")) or csl_text(check.record, "URL") or ""
    return linked(words, address)
