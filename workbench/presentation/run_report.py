"""A run as one page of HTML: the output with its marks, and every citation with its evidence.

The page is self-contained (it loads no script and no address) and readable in light, dark and print.
All foreign text is escaped, and only http and https addresses become links.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from workbench.presentation.citation_card import (
    KIND_TEXT,
    judged_by,
    quote_context,
    source_facts,
    split_at,
)
from workbench.presentation.corrections import correction_view, standalone_claim
from workbench.presentation.coverage import uncited_sentences
from workbench.presentation.escape import marker_text, markup, render, truncate, web_address
from workbench.presentation.markdown_inline import plain_words
from workbench.presentation.matrix import matrix_sections
from workbench.presentation.reference_card import entry_card_data
from workbench.presentation.reference_list import SpanReader, entry_list
from workbench.presentation.reference_styles import index_name
from workbench.presentation.run_totals import figures, legend, origin, state_of
from workbench.presentation.run_view import ReviewState, headline
from workbench.presentation.text_layout import BLOCKS_CSS, block_steps, text_layout
from workbench.presentation.text_pages import TextSegment, Window, segment_text
from workbench.presentation.verdicts import (
    ERROR_TEXT,
    STYLES,
    citation_sign,
    confidence_text,
    leaning,
    limits_text,
    worst,
)
from workbench.records.bibliography import ReferenceReport
from workbench.records.corrections import CorrectionDecision
from workbench.records.format import format_timestamp
from workbench.records.matrix import Matrix
from workbench.records.reference_labels import EntryLabel, newest_labels
from workbench.records.review import Label, active_labels
from workbench.records.source import Source
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import CitationResult, Evidence, Run

Values = dict[str, object]


def annotated_html(
    run: Run,
    text: str,
    labels: Iterable[Label] = (),
    name: str = "",
    *,
    corrections: Mapping[str, CorrectionDecision] | None = None,
    corrected: Mapping[int, str] | None = None,
    entry_labels: Iterable[EntryLabel] = (),
    with_spans: SpanReader = lambda check: check,
    matrix: Matrix | None = None,
) -> str:
    """The report of a run as a complete HTML document.

    Args:
        run: The run; sources with text provide the context of the quotes.
        text: The output that the run is about.
        labels: Human labels; the newest of each citation is shown beside the verdict.
        name: The name of the output; its first words if there is none.
        corrections: What was decided about proposed corrections, by citation.
        corrected: Entries of the reference list as their records have them, by position.
        entry_labels: Human decisions on the entries.
        with_spans: Adds the places of an entry's fields to its check.
        matrix: What each source says about each statement; left out where there is nothing to tell.
    """
    review = ReviewState(
        run=run, text=text, name=name, labels=active_labels(labels), corrections=corrections or {}
    )
    ordered = [*review.order(), *(key for key in review.results if key in review.secondary)]
    numbers = {key: number for number, key in enumerate(ordered, start=1)}
    cards = {key: _card(review, key, number) for key, number in numbers.items()}
    return render(
        "run_report.html.jinja",
        title=headline(review),
        css=markup(_css()),
        run=run,
        origin=origin(run),
        figures=markup(figures(review)),
        state=state_of(review, live=False),
        legend=markup(legend()),
        segments=_segments(review, numbers),
        citations=[card for key, card in cards.items() if key not in review.secondary],
        secondary=[card for key, card in cards.items() if key in review.secondary],
        numbers=numbers,
        uncited=uncited_sentences(run.sentences, text),
        references=_references(review, corrected or {}, entry_labels, with_spans),
        indexes=index_lines(ReferenceReport(checks=run.reference_checks)),
        matrix=matrix_sections(matrix) if matrix and matrix.cells else [],
        styles=STYLES,
        error_text=ERROR_TEXT,
        confidence_text=confidence_text,
        leaning=leaning,
        format_timestamp=format_timestamp,
        judged_by=judged_by,
        truncate=truncate,
    )


def looks_at_references(run: Run) -> bool:
    """Whether there is anything to tell of a run's reference list: somebody was asked about it."""
    return "references" in run.config or any(
        check.status != "not_checked" or check.retraction for check in run.reference_checks
    )


def index_lines(report: ReferenceReport) -> list[str]:
    """Who was asked about how many entries, a line for each that was."""
    return [
        f"{index_name(str(index['name']))}: asked about {index['asked']}, answered "
        f"{index['answered']}, failed {index['failed']}"
        for index in report.indexes()
        if index["asked"]
    ]


def _references(
    review: ReviewState,
    corrected: Mapping[int, str],
    entry_labels: Iterable[EntryLabel],
    with_spans: SpanReader,
) -> list[JsonDict]:
    """The cards of the entries; none where nobody was asked about them."""
    if not looks_at_references(review.run):
        return []
    entries, people = entry_list(review.run), newest_labels(entry_labels)
    return [
        entry_card_data(
            entries,
            review,
            position,
            with_spans=with_spans,
            corrected=corrected.get(position),
            others=[people[position]] if position in people else [],
        )
        for position in range(len(review.run.reference_checks))
        if position < len(entries.references)
    ]


@cache
def _css() -> str:
    report = (Path(__file__).parent / "assets" / "report.css").read_text("utf-8")
    return report + BLOCKS_CSS.read_text("utf-8")


def _segments(review: ReviewState, numbers: Mapping[str, int]) -> list[Values]:
    """The parts of the text in order, each with its block, its verdict and the signs behind it."""
    whole = Window(
        index=0,
        span=Span(0, len(review.text)),
        citations=tuple(result.citation for result in review.results.values()),
    )
    layout = text_layout(review.text, whole.span)
    segments = segment_text(review.text, whole, review.run.references, layout, review.run.sentences)
    *steps, last = block_steps(layout, [segment.block for segment in segments])
    shown = [
        _segment(review, segment, numbers) | {"step": step}
        for segment, step in zip(segments, steps, strict=True)
    ]
    return [*shown, {"text": "", "classes": "", "style": None, "signs": [], "step": last}]


def _segment(review: ReviewState, segment: TextSegment, numbers: Mapping[str, int]) -> Values:
    classes = [
        name
        for name, applies in (
            ("ref", segment.reference is not None),
            ("wide", segment.wide),
            ("syntax", segment.hidden),
            ("uncited", segment.uncited),
        )
        if applies
    ]
    classes += [f"is-{style}" for style in segment.styles]
    marks = segment.marks
    return {
        "text": segment.text,
        "classes": " ".join(classes),
        "address": segment.address,
        "style": STYLES[worst([review.marks[key] for key in marks])] if marks else None,
        "number": numbers[marks[0]] if marks else None,
        "signs": [
            (numbers[key], citation_sign(review.marks[key], review.labels.get(key)))
            for key in segment.opens
        ],
    }


def _card(review: ReviewState, key: str, number: int) -> Values:
    result = review.results[key]
    claim, judgment = result.citation.claim, result.judgment
    return {
        "number": number,
        "result": result,
        "style": STYLES[review.marks[key]],
        "kind": KIND_TEXT[result.citation.kind],
        "marker": marker_text(result.citation.raw, 160),
        "claim": split_at(claim.text, judgment.uncovered if judgment else ()) if claim else None,
        "standalone": standalone_claim(result) if claim else None,
        "correction": correction_view(result, review.corrections.get(key)),
        "parts": [
            (plain_words(" ".join(part.span.of(review.text).split())), STYLES[part.label])
            for part in (judgment.parts if judgment else ())
        ],
        "limits": limits_text(judgment),
        "label": review.labels.get(key),
        "quotes": [_quote(quote, result.source) for quote in judgment.evidence] if judgment else [],
        "source": _source(result),
        "notes": _notes(review.run, result),
    }


def _quote(quote: Evidence, source: Source | None) -> tuple[str, str, str, str]:
    if source and source.text:
        return (*quote_context(source.text, quote.span), quote.place)
    return "", quote.quote, "", quote.place


def _source(result: CitationResult) -> Values | None:
    """The source by name, its address where it is one to follow, and facts about it."""
    source, target = result.source, result.citation.target
    facts = source_facts(source)
    if facts and source:
        title, host, details = facts["title"], facts["host"], facts["facts"]
        return {
            "name": title or host or "Source",
            "address": web_address(source.final_url or source.url),
            "facts": [
                *([host] if title and host else []),
                *(details if isinstance(details, list) else []),
                f"sha256 {source.sha256[:16]}",
            ],
        }
    if target:
        address = web_address(target.value)
        return {"name": truncate(target.value, 200), "address": address, "facts": []}
    return None


def _notes(run: Run, result: CitationResult) -> list[str]:
    """The entry of the reference list, and why a marker has none."""
    target = result.citation.target
    notes = []
    if target and target.reference is not None and target.reference < len(run.references):
        notes.append(truncate(run.references[target.reference].text, 400))
    if result.citation.unlinked:
        notes.append(result.citation.unlinked)
    return notes
