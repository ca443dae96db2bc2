"""One citation as a card: the claim, the verdict, the evidence in context; pure."""

import re
from collections.abc import Mapping, Sequence

from workbench.presentation.corrections import correction_view, standalone_claim
from workbench.presentation.escape import marker_text, truncate, web_address
from workbench.presentation.markdown_inline import plain_words
from workbench.presentation.run_view import ReviewState
from workbench.presentation.verdicts import (
    ERROR_TEXT,
    FAULT_TEXT,
    STYLES,
    confidence_text,
    leaning,
    limits_text,
)
from workbench.records.context import ClaimContext
from workbench.records.format import format_timestamp, host_of, usd
from workbench.records.review import Label
from workbench.records.source import Passage, Source
from workbench.records.source_headings import with_headings
from workbench.records.text import Json, JsonDict, Span, replace_surrogates
from workbench.records.verdict import CitationResult, Evidence, Judgment, Layers, Run

LONGEST_BEFORE = 110
"""Number of characters shown of the text before a claim."""
LONGEST_FACT = 140
LONGEST_SCOPE = 600
LONG_WORD = 40
"""A text without a space for this many letters is cut inside a word, as Chinese is."""
_LINE_ENDS = re.compile(r"[^\S\n]*\n\s*")
LONG_QUOTE = 400
"""Letters shown of a reviewer's quote next to the others'."""
BEFORE, AFTER = 100, 300
"""Characters of the source shown before and after a quote: few before it, so that the card shows the
quote itself without scrolling."""
KIND_TEXT = {
    "numbered": "Numbered citation",
    "author_year": "Author and year",
    "key": "Citation key",
    "url": "Web address",
    "doi": "DOI",
    "arxiv": "arXiv paper",
    "pmid": "PubMed article",
    "case_law": "Court case",
    "quote": "Quotation",
    "statistic": "Statistic",
    "provenance": "Provenance note",
    "native": "Provider's citation",
}


def card_data(
    review: ReviewState,
    citation_id: str,
    source: Source | None,
    evidence_at: int = 0,
    passages: Sequence[Span] = (),
) -> JsonDict:
    """The card's data for one citation.

    Args:
        review: The review that it belongs to.
        citation_id: The citation's id.
        source: The source with its text, if it is stored.
        evidence_at: Number of the quote shown; it wraps around after the last.
        passages: Spans of the source to show if the judge quoted nothing.
    """
    result = review.results[citation_id]
    judgment = result.judgment
    facts = source or result.source
    pending = citation_id in review.pending
    people = review.others.get(citation_id, ())
    own_label = review.own_labels.get(citation_id) if people else review.labels.get(citation_id)
    quotes = judgment.evidence if judgment else ()
    by_words = not quotes and bool(passages) and source is not None
    if by_words and source is not None:
        quotes = tuple(Evidence.in_source(source, span) for span in passages)
    at = evidence_at % len(quotes) if quotes else 0
    return {
        "id": citation_id,
        "place": position_label(review, citation_id),
        "raw": marker_text(result.citation.raw, 160),
        "kind": KIND_TEXT[result.citation.kind],
        "claim": claim_parts(result),
        "standalone": _standalone(result),
        "correction": _correction(review, result),
        "scope": scope_data(result, review.text, hidden=citation_id in review.hidden),
        "context": claim_context_data(result.citation.claim_context, review.text),
        "mark": review.marks[citation_id],
        "words": leaning(result) if review.marks[citation_id] == "unsure" else None,
        "confidence": confidence_text(judgment) if judgment else None,
        "comments": [
            {
                "by": truncate(comment.author, 40),
                "when": format_timestamp(comment.created_at),
                "body": replace_surrogates(comment.body),
            }
            for comment in review.comments.get(citation_id, ())
        ],
        "panel": _panel(
            result,
            () if pending or citation_id in review.hidden else review.beside.get(citation_id, ()),
        ),
        "label": _label(own_label) if own_label else None,
        "people": [_label(label) for label in people],
        "answers": answers_table([*people, *([own_label] if own_label else [])], review.questions),
        "error": None
        if pending or not result.error
        else {
            "what": ERROR_TEXT[result.error.kind],
            "why": replace_surrogates(result.error.message),
        },
        "hidden": citation_id in review.hidden,
        "quotes": [_quote(quote, source) for quote in quotes],
        "by_words": by_words,
        "at": at,
        "reason": replace_surrogates(judgment.reason) if judgment else "",
        "rationale": replace_surrogates(judgment.rationale) if judgment else "",
        "calculation": _calculation(review, result),
        "limits": "" if citation_id in review.hidden else replace_surrogates(limits_text(judgment)),
        "judged_by": judged_by(judgment) if judgment and citation_id not in review.hidden else "",
        "layers": _layers(result.layers, bool(quotes) and not by_words),
        "notes": [replace_surrogates(note.message) for note in result.notes],
        "facts": source_facts(facts),
        "wanted": _target_data(review.run, result),
        "styles": {mark: style.to_dict() for mark, style in STYLES.items()},
    }


def _standalone(result: CitationResult) -> JsonDict | None:
    standalone = standalone_claim(result)
    if standalone is None:
        return None
    return {"name": standalone.name, "parts": [[text, added] for text, added in standalone.parts]}


def _calculation(review: ReviewState, result: CitationResult) -> JsonDict | None:
    """The calculation in one line; None for a reviewer who is not to see what judges say."""
    calculation = result.judgment.calculation if result.judgment else None
    if calculation is None or result.citation.id in review.hidden:
        return None
    return {"line": replace_surrogates(calculation.line), "agrees": calculation.agrees}


def _correction(review: ReviewState, result: CitationResult) -> JsonDict | None:
    citation_id = result.citation.id
    if citation_id in review.hidden:
        return None
    view = correction_view(result, review.corrections.get(citation_id))
    return view.to_dict() if view else None


def position_label(review: ReviewState, citation_id: str) -> str:
    """A citation's position, `7 of 22`; asides are counted separately."""
    aside = citation_id in review.secondary
    names = [name for name in review.results if (name in review.secondary) == aside]
    return f"{names.index(citation_id) + 1:,} of {len(names):,}"


def claim_parts(result: CitationResult) -> list[Json]:
    """The claim as `[text, uncovered]` pairs whose texts joined are the claim."""
    claim = result.citation.claim
    if claim is None:
        return []
    spans = result.judgment.uncovered if result.judgment else ()
    return [
        [replace_surrogates(text), uncovered] for text, uncovered in split_at(claim.text, spans)
    ]


def split_at(text: str, spans: tuple[Span, ...]) -> list[tuple[str, bool]]:
    """The text cut at the spans: each part and whether a span covers it."""
    parts: list[tuple[str, bool]] = []
    at = 0
    for span in sorted(spans):
        start, end = max(span.start, at), min(span.end, len(text))
        if start >= end:
            continue
        if start > at:
            parts.append((text[at:start], False))
        parts.append((text[start:end], True))
        at = end
    if at < len(text):
        parts.append((text[at:], False))
    return parts


def quote_context(
    text: str, span: Span, most_before: int = BEFORE, most_after: int = AFTER
) -> tuple[str, str, str]:
    """The text before, in and after a span, cut at words, with an ellipsis where it was cut.

    `most_before` and `most_after` count characters.
    """
    start, end = max(span.start - most_before, 0), min(span.end + most_after, len(text))
    before, after = text[start : span.start], text[span.end : end]
    if start > 0:
        gap = before.find(" ")
        before = "… " + before[gap + 1 :] if 0 <= gap < LONG_WORD else "…" + before
    if end < len(text):
        gap = after.rfind(" ")
        after = after[:gap] + " …" if gap > len(after) - LONG_WORD else after + "…"
    return (
        replace_surrogates(before),
        replace_surrogates(text[span.start : span.end]),
        replace_surrogates(after),
    )


def collapse_line_breaks(text: str) -> str:
    """The text as flowing text: a line break becomes a space, a blank line a line break."""
    return _LINE_ENDS.sub(lambda match: "\n" if match[0].count("\n") > 1 else " ", text)


def source_facts(source: Source | None) -> JsonDict | None:
    """Host, title, how and when it was retrieved, pages and short hash of a source, as texts."""
    if source is None:
        return None
    address = source.final_url or source.url
    facts = []
    if source.status is None:
        facts.append("supplied with the run")
    elif source.fetched_at:
        facts.append(f"fetched {format_timestamp(source.fetched_at)}")
    if source.pages:
        facts.append(f"{len(source.pages)} pages")
    if source.truncated:
        facts.append("cut at the size limit")
    return {
        "host": truncate(host_of(address) or address, 60),
        "title": truncate(source.title or "", 140),
        "about": source_description(source),
        "facts": facts,
        "hash": source.sha256[:10],
        "address": web_address(address),
    }


def _quote(quote: Evidence, source: Source | None) -> JsonDict:
    before, quoted, after = "", replace_surrogates(quote.quote), ""
    if source is not None and source.text:
        before, quoted, after = quote_context(source.text, quote.span)
    return {
        "before": collapse_line_breaks(before),
        "quote": collapse_line_breaks(quoted),
        "after": collapse_line_breaks(after),
        "page": quote.place,
        "under": quote_heading(source, quote.span),
    }


def _panel(result: CitationResult, beside: Sequence[Judgment]) -> list[Json]:
    """Each judge's own verdict where there are several, those of chats after the run's own."""
    judgments = (*result.judgments, *beside)
    if len(judgments) < 2 and not beside:
        return []
    return [
        {
            "judge": truncate(judgment.judge, 60),
            "mark": judgment.label,
            "confidence": f"{judgment.confidence:.2f}",
        }
        for judgment in judgments
    ]


def _label(label: Label) -> JsonDict:
    return {
        "mark": label.label,
        "by": truncate(label.author, 40),
        "when": format_timestamp(label.created_at),
        "note": replace_surrogates(label.note),
        "tags": [replace_surrogates(tag) for tag in label.tags],
        "fault": FAULT_TEXT[label.fault] if label.fault else "",
        "quotes": [_clipped(evidence.quote) for evidence in label.evidence],
        "settles": label.role == "adjudication",
        "blind": label.saw_judge is False,
    }


def _clipped(quote: str) -> str:
    text = collapse_line_breaks(replace_surrogates(quote))
    return text if len(text) <= LONG_QUOTE else text[: LONG_QUOTE - 1].rstrip() + "…"


def _layers(layers: Layers, quoted: bool) -> list[Json]:
    without = "Quote does not support it" if quoted else "No quote found"
    # a source that was provided needs no name to be looked up by
    named = "Source named" if layers.exists else "Source provided"
    checks = (
        (layers.resolves or layers.exists, named, "No source named", "Source not looked for"),
        (layers.resolves, "Source retrieved", "Source not retrieved", "Not attempted"),
        (layers.derivable, "Quote found", without, "Quote not looked for"),
        (layers.in_scope, "Within its scope", "Beyond its scope", "Scope not checked"),
    )
    return [
        [yes if state else unchecked if state is None else no, state]
        for state, yes, no, unchecked in checks
    ]


def _target_data(run: Run, result: CitationResult) -> JsonDict:
    """The citation's target: the reference entry and its address."""
    target = result.citation.target
    entry = ""
    if target and target.reference is not None and target.reference < len(run.references):
        entry = truncate(run.references[target.reference].text, 280)
    value = truncate(target.value, 200) if target else ""
    return {
        "entry": entry,
        "value": value,
        "address": web_address(target.value) if target and target.form == "url" else None,
        "unlinked": replace_surrogates(result.citation.unlinked or ""),
    }


def judged_by(judgment: Judgment) -> str:
    """Who judged, how long it took and what it cost."""
    parts = [truncate(judgment.judge, 60)]
    if judgment.prompt:
        parts.append(truncate(judgment.prompt.partition(":")[0], 60))  # without its hash
    if judgment.latency_ms:
        parts.append(f"{judgment.latency_ms} ms")
    if judgment.price_unknown:
        parts.append("price unknown")
    elif judgment.cost_usd:
        parts.append(usd(judgment.cost_usd))
    return " · ".join(parts)


def answers_table(
    labels: Sequence[Label], questions: Mapping[tuple[str, str], str]
) -> JsonDict | None:
    """Questions down, reviewers across, and which questions they differ on; None without answers.

    `questions` has the question of each field by queue and name; without one the name is shown.
    """
    answering = [label for label in labels if label.answers]
    fields = dict.fromkeys(
        (answer.queue_id, answer.name) for label in answering for answer in label.answers
    )
    if not fields:
        return None
    answers_of = [
        {(answer.queue_id, answer.name): answer.text for answer in label.answers}
        for label in answering
    ]
    return {
        "people": [truncate(label.author, 40) for label in answering],
        "rows": [
            {
                "question": questions.get(field, field[1]),
                "answers": [answers.get(field, "") for answers in answers_of],
                "differ": len({answers[field] for answers in answers_of if field in answers}) > 1,
            }
            for field in fields
        ],
    }


def claim_context_data(context: ClaimContext | None, text: str) -> JsonDict | None:
    """What the words of a claim refer to, as texts; None if nothing is known.

    Args:
        context: The claim's.
        text: The output that its spans refer to.
    """
    if context is None:
        return None
    table = context.table
    facts: list[Json] = []
    for name, value in (
        ("Question", context.question),
        ("Date", context.date),
        ("Header", table.header.text if table and table.header else None),
        ("Row", table.row.text if table and table.row else None),
    ):
        if value and value.strip():
            facts.append([name, truncate(plain_words(" ".join(value.split())), LONGEST_FACT)])
    headings: list[Json] = [
        truncate(plain_words(heading.text), LONGEST_FACT) for heading in context.headings
    ]
    before = _last_words(plain_words(context.before.of(text))) if context.before else ""
    if not (facts or headings or before):
        return None
    return {"headings": headings, "before": before, "facts": facts}


def scope_data(result: CitationResult, text: str, *, hidden: bool) -> JsonDict | None:
    """The parts that were judged: of a list or a paragraph that a citation covers, or of its claim.

    None for a claim that was not judged part by part.

    Args:
        result: Of the citation.
        text: The output that its spans refer to.
        hidden: Whether the judge is hidden from the reviewer: then no part has a verdict.
    """
    scope, judgment = result.citation.scope, result.judgment
    parts: list[Json] = [
        [plain_words(_flat(part.span.of(text))), None if hidden else part.label]
        for part in (judgment.parts if judgment else ())
    ]
    if scope is None or scope.kind == "sentence":
        return {"name": "The parts of the claim", "parts": parts} if parts and not hidden else None
    # not judged by parts: the run was interrupted, or a reviewer's wording was judged
    scope_text = _flat(truncate(scope.text, LONGEST_SCOPE))
    guessed = ", guessed from its place" if scope.guess else ""
    return {
        "name": f"The citation covers its whole {scope.kind}{guessed}",
        "parts": parts or [[scope_text, None]],
    }


def source_description(source: Source | None) -> list[Json]:
    """Site, author and date of a source, as far as it states them."""
    if source is None:
        return []
    facts = (source.site, source.author, source.published)
    return [truncate(fact, 80) for fact in facts if fact and fact.strip()]


def quote_heading(source: Source | None, span: Span) -> str:
    """The heading above a quote in its source; empty without one."""
    if source is None or not source.text:
        return ""
    passage = Passage(span=span, text=span.of(source.text))
    (headed,) = with_headings(source.text, [passage])
    return truncate(headed.heading or "", LONGEST_FACT)


def _flat(text: str) -> str:
    return replace_surrogates(" ".join(text.split()))


def _last_words(text: str) -> str:
    """The last words of the text before a claim, with an ellipsis if it was cut."""
    flat = _flat(text)
    if len(flat) <= LONGEST_BEFORE:
        return flat
    tail = flat[-LONGEST_BEFORE:]
    blank = tail.find(" ")
    return "… " + (tail[blank + 1 :] if 0 <= blank < 40 else tail)
