"""Extractions, runs, claim reports and labels as a notebook shows them; pure."""

from collections.abc import Mapping, Sequence

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
    table,
)
from workbench.presentation.citation_card import KIND_TEXT
from workbench.presentation.escape import escape_markdown, truncate
from workbench.presentation.run_totals import origin, score_text, state_of
from workbench.presentation.run_view import ReviewState
from workbench.presentation.verdicts import ERROR_TEXT, STYLES, Mark, mark_of
from workbench.records import Citation, CitationResult, Extraction, Label, Run, format_cost
from workbench.records.format import format_timestamp, host_of
from workbench.services.verification import ClaimReport, GroundVerdict

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
    counts = ", ".join(f"{n:,} {KIND_TEXT[kind].lower()}" for kind, n in _kinds(extraction))
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
        f"{run.total_citations_found:,} citations found, {run.total_resolved:,} resolved, "
        f"{run.total_supported:,} supported · {score} {word} · {format_cost(run.spending)}"
    )
    state = state_of(review, live=False)
    citations = [result.citation for result in review.results.values()]
    marks = {name: mark_of(result) for name, result in review.results.items()}
    if run.text:
        text, until = marked_text(run.text, citations, run.references, marks, labels)
    else:
        text, until = marked_claims(run.claims, citations, marks, labels), 0
    results = [review.results[name] for name in review.order()]
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
        ),
        markdown=f"**{escape_markdown(title)}**\n\n{markdown_table(head, rows)}",
        plain=f"Run {run.id[:8]}: {title}",
    )


def render_claims(report: ClaimReport) -> RichOutput:
    """Claims without citations and what the sources say of each."""
    head = ["Verdict", "Claim", "Closest in the sources", "Source", "Confidence"]
    rows: list[Sequence[Cell]] = [
        (
            badge(GROUND_MARKS[claim.verdict]),
            claim.text,
            claim.source_snippet or "",
            linked(truncate(claim.source_ref or "", 60), claim.source_ref or ""),
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


def _kinds(extraction: Extraction) -> list[tuple[str, int]]:
    return sorted(extraction.counts().items(), key=lambda item: -item[1])


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
    if result.error:
        evidence = f"{ERROR_TEXT[result.error.kind]}. {result.error.message}"
    address = (source.final_url or source.url) if source else ""
    words = (source.title or host_of(address) or address) if source else ""
    return (
        verdict,
        truncate(result.citation.raw, 60),
        truncate(result.citation.claim.text, 240) if result.citation.claim else "",
        truncate(evidence, 240),
        linked(truncate(words, 60), address),
        f"{judgment.confidence:.2f}" if judgment else "",
    )


def _cut_notes(until: int, chars: int, citations: int, all_of: str) -> str:
    """What is omitted, and where to find it."""
    notes = []
    if until < chars:
        notes.append(f"The text goes on for {chars - until:,} characters.")
    if citations > MOST_ROWS:
        notes.append(f"The table shows {MOST_ROWS:,} of {citations:,} citations; {all_of} has all.")
    return caption(" ".join(notes)) if notes else ""
