"""Extractions, runs, claim reports and labels as a notebook shows them; pure."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.interfaces.notebook.annotated_text import marked_claims, marked_text
from workbench.interfaces.notebook.html import (
    Cell,
    Html,
    RichOutput,
    badge,
    caption,
    frame,
    heading,
    linked,
    markdown_table,
    notebook_macro,
    table,
)
from workbench.interfaces.notebook.references import (
    HEAD,
    reference_notes,
    reference_rows,
    title_of,
)
from workbench.presentation.citation_card import KIND_TEXT
from workbench.presentation.corrections import correction_view, diff_text
from workbench.presentation.escape import escape_markdown, truncate
from workbench.presentation.matrix import matrix_sections, matrix_text
from workbench.presentation.run_report import looks_at_references
from workbench.presentation.run_totals import origin, outcome_text, score_text, state_of
from workbench.presentation.run_view import ReviewState
from workbench.presentation.verdicts import ERROR_TEXT, STYLES, Mark, limits_text, mark_of
from workbench.records.bibliography import ReferenceReport
from workbench.records.citation import Citation, Extraction
from workbench.records.format import format_timestamp, host_of
from workbench.records.matrix import Matrix
from workbench.records.review import Label
from workbench.records.spending import format_cost
from workbench.records.verdict import CitationResult, Run
from workbench.services.verification import ClaimReport, GroundedClaim, GroundVerdict

MOST_ROWS = 100
"""A longer table is cut; the frame of the record has every row."""
GROUND_MARKS: Mapping[GroundVerdict, Mark] = {
    "supported": "supported",
    "weak": "partially_supported",
    "unverifiable": "unverifiable",
    "contradicted": "contradicted",
}


def render_extraction(extraction: Extraction) -> RichOutput:
    """The text with its marks, and the target of each citation."""
    marks: dict[str, Mark] = {citation.id: "pending" for citation in extraction.citations}
    kinds = sorted(extraction.counts().items(), key=lambda item: -item[1])
    counts = ", ".join(f"{n:,} {KIND_TEXT[kind].lower()}" for kind, n in kinds)
    title = f"{len(extraction.citations):,} citations" + (f": {counts}" if counts else "")
    text, until = marked_text(
        extraction.text, extraction.citations, extraction.references, marks, {}
    )
    citations = extraction.citations[:MOST_ROWS]
    head = ["Citation", "Kind", "Points at", "Claim"]
    rows = [_pointing(citation) for citation in citations]
    return RichOutput(
        html=frame(
            heading(title),
            text,
            _cut_notes(
                until, len(extraction.text), len(extraction.citations), "extraction.to_frame()"
            ),
            table(head, rows) if rows else "",
        ),
        markdown=f"**{escape_markdown(title)}**\n\n{markdown_table(head, rows)}",
        plain=f"Extraction of {title}, {len(extraction.claims):,} claims",
    )


def render_run(run: Run, labels: Mapping[str, Label]) -> RichOutput:
    """The output with its verdicts, then every citation with its evidence and source."""
    review = ReviewState(run=run, text=run.text, labels=labels)
    score, word = score_text(run)
    title = (
        f"{outcome_text(review)}. Judge: {run.total_resolved:,} resolved, {run.total_supported:,} "
        f"supported · {score} {word} · {format_cost(run.spending)}"
    )
    state = state_of(review, live=False)
    citations = [result.citation for result in review.results.values()]
    marks = {name: mark_of(result) for name, result in review.results.items()}
    if run.text:
        text, until = marked_text(run.text, citations, run.references, marks, labels)
    else:
        text, until = marked_claims(run.claims, citations, marks, labels), 0
    results = [review.results[name] for name in review.order()]
    listed = _reference_part(run)
    head = ["Verdict", "Citation", "Claim", "Evidence", "Source", "Confidence"]
    rows = [_result(result, labels.get(result.citation.id)) for result in results[:MOST_ROWS]]
    return RichOutput(
        html=frame(
            heading(title),
            caption(origin(run)),
            caption(state) if state else "",
            text,
            _cut_notes(until, len(run.text), len(results), "run.to_frame()"),
            table(head, rows, right=1) if rows else "",
            *listed.html,
        ),
        markdown=f"**{escape_markdown(title)}**\n\n{markdown_table(head, rows)}{listed.markdown}",
        plain=f"Run {run.id[:8]}: {title}",
    )


def render_matrix(matrix: Matrix) -> RichOutput:
    """What rests on what, the contradictions, and a sign for each statement and source."""
    html, markdown = [heading("Statements and sources")], ["**Statements and sources**"]
    for section in matrix_sections(matrix):
        html += map(caption, section.before)
        markdown += map(escape_markdown, section.before)
        if section.table:
            html.append(table(section.table.head, section.table.lines[:MOST_ROWS]))
            markdown.append(markdown_table(section.table.head, section.table.lines[:MOST_ROWS]))
    return RichOutput(html=frame(*html), markdown="\n\n".join(markdown), plain=matrix_text(matrix))


class _ReferencePart(NamedTuple):
    """What is added to a run of its reference list."""

    html: tuple[str, ...] = ()
    markdown: str = ""


def _reference_part(run: Run) -> _ReferencePart:
    """The entries with their findings; nothing where nobody was asked about them."""
    if not looks_at_references(run):
        return _ReferencePart()
    report = ReferenceReport(checks=run.reference_checks)
    title, rows = title_of(report), reference_rows(report)
    return _ReferencePart(
        (heading(title), *reference_notes(report), table(HEAD, rows, right=1)),
        f"\n\n**{escape_markdown(title)}**\n\n{markdown_table(HEAD, rows)}",
    )


def render_claims(report: ClaimReport) -> RichOutput:
    """Claims without citations and what the sources say of each."""
    head = ["Verdict", "Claim", "Closest in the sources", "Source", "Confidence"]
    rows: list[Sequence[Cell]] = [
        (
            badge(GROUND_MARKS[claim.verdict]),
            claim.text,
            sides_text(claim) or claim.source_snippet or "",
            linked(
                f"{claim.web_search or 'web'}: " * claim.web_verified
                + truncate(claim.source_ref or "", 60),
                claim.source_ref or "",
            ),
            f"{claim.confidence:.2f}",
        )
        for claim in report.claims[:MOST_ROWS]
    ]
    notes = "".join(map(caption, report.notes))
    return RichOutput(
        html=frame(heading(report.summary), notes, table(head, rows, right=1) if rows else ""),
        markdown=f"**{escape_markdown(report.summary)}**\n\n{markdown_table(head, rows)}",
        plain=report.summary,
    )


def sides_text(claim: GroundedClaim) -> str:
    """Who supports a claim and who contradicts it, each with its quote; empty without sides."""
    return " · ".join(
        f"{side.stance} ({truncate(side.source_ref or 'source', 60)}): “{side.quote or ''}”"
        for side in claim.sides
    )


def render_label(label: Label) -> RichOutput:
    """A label with its author, citation and date."""
    style = STYLES[label.label]
    signature = (
        f"{label.author}, {format_timestamp(label.created_at)} UTC · citation {label.citation_id}"
    )
    note = caption(label.note) if label.note else ""
    return RichOutput(
        html=frame(f"<p>{badge(label.label, ring=True).text}</p>", caption(signature), note),
        markdown=f"{style.glyph} **{style.word}** {escape_markdown(signature)}",
        plain=f"{style.glyph} {style.word} · {signature}",
    )


def _pointing(citation: Citation) -> Sequence[Cell]:
    target = citation.target
    where: Cell = citation.unlinked or ""
    if target:
        where = linked(truncate(target.value, 80), target.value)
    claim = truncate(citation.claim.text, 160) if citation.claim else ""
    return (truncate(citation.raw, 60), KIND_TEXT[citation.kind], where, claim)


def _result(result: CitationResult, label: Label | None) -> Sequence[Cell]:
    judgment, source = result.judgment, result.source
    verdict = badge(mark_of(result))
    if label:
        human = badge(label.label, ring=True)
        verdict = Html(
            text=f"{verdict.text}<br>{human.text}", words=f"{verdict.words}; {human.words}"
        )
    quotes = " … ".join(piece.quote for piece in judgment.evidence) if judgment else ""
    evidence = quotes or (judgment.rationale if judgment else "")
    if judgment and judgment.calculation:
        evidence = f"{judgment.calculation.line} · {evidence}"
    if limits := limits_text(judgment):
        evidence = f"{limits} {evidence}"
    if result.error:
        evidence = f"{ERROR_TEXT[result.error.kind]}. {result.error.message}"
    address = (source.final_url or source.url) if source else ""
    words = (source.title or host_of(address) or address) if source else ""
    return (
        verdict,
        truncate(result.citation.raw, 60),
        _claim(result),
        truncate(evidence, 240),
        linked(truncate(words, 60), address),
        f"{judgment.confidence:.2f}" if judgment else "",
    )


def _claim(result: CitationResult) -> Cell:
    """The claim, and below it how the source bears it out where a judge proposes that."""
    claim = result.citation.claim
    if claim is None:
        return ""
    words, view = truncate(claim.text, 240), correction_view(result)
    if view is None:
        return words
    return Html(
        text=notebook_macro("plain", words) + notebook_macro("diff", view.segments),
        words=f"{words} → {diff_text(view.segments)}",
    )


def _cut_notes(until: int, chars: int, citations: int, all_of: str) -> str:
    """What is omitted, and where to find it."""
    notes = []
    if until < chars:
        notes.append(f"The text continues for {chars - until:,} characters.")
    if citations > MOST_ROWS:
        notes.append(f"The table shows {MOST_ROWS:,} of {citations:,} citations; {all_of} has all.")
    return caption(" ".join(notes)) if notes else ""
