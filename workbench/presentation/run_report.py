"""A run as one page of HTML: the output with its marks, and every citation with its evidence.

The page is self-contained (it loads no script and no address) and readable in light, dark and print.
All foreign text is escaped, and only http and https addresses become links.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from workbench.presentation.added_words import standing_alone
from workbench.presentation.citation_card import (
    KIND_WORDS,
    judged_by,
    quote_context,
    source_facts,
    split_at,
)
from workbench.presentation.escape import escape_html, truncate, web_address
from workbench.presentation.run_totals import figures, legend, origin, state_of
from workbench.presentation.run_view import ReviewState, headline
from workbench.presentation.text_pages import TextSegment, Window, segment_text
from workbench.presentation.verdicts import (
    ERROR_WORDS,
    STYLES,
    Mark,
    VerdictStyle,
    confidence_label,
    worst,
)
from workbench.records import CitationResult, Evidence, Label, Run, Source, Span, active_labels
from workbench.records.format import format_timestamp

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def annotated_html(run: Run, text: str, labels: Iterable[Label] = (), name: str = "") -> str:
    """The report of a run as a complete HTML document.

    Args:
        run: The run; sources with text provide the context of the quotes.
        text: The output that the run is about.
        labels: Human labels; the newest of each citation is shown beside the verdict.
        name: The name of the output; its first words if there is none.
    """
    desk = ReviewState(run=run, text=text, name=name, labels=active_labels(labels))
    ordered = [*desk.order(), *(key for key in desk.results if key in desk.asides)]
    numbers = {key: place for place, key in enumerate(ordered, start=1)}
    title = escape_html(headline(desk))
    state = state_of(desk, live=False)
    cards, asides = (
        "".join(_card(desk, key, n) for key, n in numbers.items() if (key in desk.asides) == aside)
        for aside in (False, True)
    )
    if asides:
        cards += f"<h2>Quotes and figures</h2>{asides}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{title}</title><style>{_css()}</style></head><body>"
        f'<header class="wb-head"><h1 dir="auto">{title}</h1>'
        f'<p class="wb-quiet">{escape_html(origin(run))}</p>{figures(desk)}'
        f"{f'<p class=state>{escape_html(state)}</p>' if state else ''}{legend()}</header>"
        f'<main><section class="text" dir="auto" aria-label="The output">{_text(desk, numbers)}'
        f'</section><section class="cards" aria-label="Citations"><h2>Citations</h2>{cards}'
        f"</section></main><footer>{_footer(run)}</footer></body></html>\n"
    )


@cache
def _css() -> str:
    return (Path(__file__).parent / "assets" / "report.css").read_text("utf-8")


def _text(desk: ReviewState, numbers: dict[str, int]) -> str:
    window = Window(
        index=0,
        span=Span(0, len(desk.text)),
        citations=tuple(result.citation for result in desk.results.values()),
    )
    pieces = segment_text(desk.text, window, desk.run.references)
    return "".join(_piece(desk, piece, numbers) for piece in pieces)


def _piece(desk: ReviewState, piece: TextSegment, numbers: dict[str, int]) -> str:
    words = escape_html(piece.text)
    if piece.marks:
        style = STYLES[worst([desk.marks[key] for key in piece.marks])]
        first = numbers[piece.marks[0]]
        words = f'<a class="mark" href="#c{first}" style="{_verdict(style)}">{words}</a>'
        words += "".join(_glyph(desk, key, numbers[key]) for key in piece.opens)
    names = [
        name
        for name, on in (("ref", piece.reference), ("head", piece.heading), ("wide", piece.wide))
        if on
    ]
    return f'<span class="{" ".join(names)}">{words}</span>' if names else words


def _glyph(desk: ReviewState, key: str, number: int) -> str:
    style = STYLES[desk.marks[key]]
    label = desk.labels.get(key)
    human = STYLES[label.label] if label else None
    signs = style.glyph
    if human and human.mark != style.mark:
        signs += f"\u2192{human.glyph}"
    description = style.word + (f"; reviewer: {human.word}" if human else "")
    return (
        f'<a class="glyph{" ring" if human else ""}" id="m{number}" href="#c{number}" '
        f'style="{_verdict(style)}" title="{description}" aria-label="Citation {number}: {description}">'
        f"{signs}</a>"
    )


def _card(desk: ReviewState, key: str, number: int) -> str:
    result = desk.results[key]
    style = STYLES[desk.marks[key]]
    return (
        f'<article class="card" id="c{number}" style="{_verdict(style)}">'
        f'<h3><a href="#m{number}" aria-label="Back to the text">{number}</a> '
        f'<span class="quiet">{KIND_WORDS[result.citation.kind]}</span> '
        f"<code>{escape_html(truncate(result.citation.raw, 160))}</code></h3>"
        f"{_claim(result)}{_decision(result, style)}{_label(desk.labels.get(key))}"
        f"{_error(result)}{_evidence(result)}{_rationale(result)}{_source(desk.run, result)}"
        "</article>"
    )


def _claim(result: CitationResult) -> str:
    claim = result.citation.claim
    if claim is None:
        return '<p class="quiet">This citation has no claim.</p>'
    spans = result.judgment.uncovered if result.judgment else ()
    parts = (
        f"<u>{escape_html(text)}</u>" if uncovered else escape_html(text)
        for text, uncovered in split_at(claim.text, spans)
    )
    return f'<blockquote class="claim" dir="auto">{"".join(parts)}</blockquote>{_standalone_claim(result)}'


def _standalone_claim(result: CitationResult) -> str:
    """The standalone claim, with its added words marked."""
    standalone = standing_alone(result)
    if standalone is None:
        return ""
    words = "".join(
        f"<ins>{escape_html(text)}</ins>" if added else escape_html(text)
        for text, added in standalone.parts
    )
    return f'<p class="quiet">{standalone.name}</p><p class="alone" dir="auto">{words}</p>'


def _decision(result: CitationResult, style: VerdictStyle) -> str:
    judgment = result.judgment
    confidence = (
        f'<span class="quiet">{confidence_label(judgment.confidence)}, {judgment.confidence:.2f} · '
        f"{escape_html(judged_by(judgment))}</span>"
        if judgment
        else ""
    )
    return f'<p class="decision">{_pill(style.mark)}{confidence}</p>{_panel(result)}'


def _panel(result: CitationResult) -> str:
    if len(result.judgments) < 2:
        return ""
    rows = "".join(
        f"<li>{escape_html(truncate(judgment.judge, 60))} {_pill(judgment.label)} {judgment.confidence:.2f}</li>"
        for judgment in result.judgments
    )
    return f'<ul class="panel">{rows}</ul>'


def _label(label: Label | None) -> str:
    if label is None:
        return ""
    note = f'<p class="note" dir="auto">{escape_html(label.note)}</p>' if label.note else ""
    return (
        f'<p class="decision"><span class="quiet">Reviewer:</span>{_pill(label.label, ring=True)}'
        f'<span class="quiet">{escape_html(label.author)}, {format_timestamp(label.created_at)}</span></p>{note}'
    )


def _error(result: CitationResult) -> str:
    if result.error is None:
        return ""
    return (
        f'<p class="error" dir="auto"><b>{ERROR_WORDS[result.error.kind]}.</b> '
        f"{escape_html(result.error.message)}</p>"
    )


def _evidence(result: CitationResult) -> str:
    if result.judgment is None:
        return ""
    if not result.judgment.evidence:
        return '<p class="quiet">Not found in the source.</p>' if result.status == "ok" else ""
    return "".join(_quote(quote, result.source) for quote in result.judgment.evidence)


def _quote(quote: Evidence, source: Source | None) -> str:
    before = after = ""
    words = quote.quote
    if source and source.text:
        before, words, after = quote_context(source.text, quote.span)
    page = f' <span class="quiet">page {quote.page}</span>' if quote.page else ""
    return (
        f'<blockquote class="evidence" dir="auto">{escape_html(before)}<mark>{escape_html(words)}</mark>'
        f"{escape_html(after)}{page}</blockquote>"
    )


def _rationale(result: CitationResult) -> str:
    if result.judgment is None or not result.judgment.rationale:
        return ""
    return f'<p class="rationale" dir="auto">{escape_html(result.judgment.rationale)}</p>'


def _source(run: Run, result: CitationResult) -> str:
    lines = []
    facts = source_facts(result.source)
    target = result.citation.target
    if facts and result.source:
        words = [str(facts["title"] or facts["host"] or "Source")]
        if facts["title"] and facts["host"]:
            words.append(str(facts["host"]))
        details = facts["facts"]
        words += [str(detail) for detail in details] if isinstance(details, list) else []
        words.append(f"sha256 {result.source.sha256[:16]}")
        first = _linked(words[0], result.source.final_url or result.source.url)
        lines.append(" · ".join([first, *map(escape_html, words[1:])]))
    elif target:
        lines.append(_linked(truncate(target.value, 200), target.value))
    if target and target.reference is not None and target.reference < len(run.references):
        lines.append(escape_html(truncate(run.references[target.reference].text, 400)))
    if result.citation.unlinked:
        lines.append(escape_html(result.citation.unlinked))
    return "".join(f'<p class="quiet source" dir="auto">{line}</p>' for line in lines)


def _linked(words: str, address: str) -> str:
    safe = web_address(address)
    if safe is None:
        return escape_html(words)
    return (
        f'<a href="{escape_html(safe)}" rel="noopener noreferrer nofollow">{escape_html(words)}</a>'
    )


def _pill(mark: Mark, ring: bool = False) -> str:
    style = STYLES[mark]
    return (
        f'<span class="pill{" ring" if ring else ""}" style="{_verdict(style)}">'
        f"<span>{style.glyph}</span> {style.word}</span>"
    )


def _verdict(style: VerdictStyle) -> str:
    return f"--verdict:{style.colour};--line:{style.line}"


def _footer(run: Run) -> str:
    return (
        f"<p>Run {escape_html(run.id)} · output sha256 {escape_html(run.output_sha256)} · judge "
        f"{escape_html(' + '.join(run.judge))} · {format_timestamp(run.created_at)} UTC</p>"
    )
