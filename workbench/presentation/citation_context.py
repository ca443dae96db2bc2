"""The context of a claim and a quote, which a card shows without a click; pure."""

from workbench.presentation.escape import truncate
from workbench.presentation.markdown_inline import plain_words
from workbench.records import (
    CitationResult,
    ClaimContext,
    Json,
    JsonDict,
    Passage,
    Source,
    Span,
    replace_surrogates,
)
from workbench.records.source_headings import with_headings

LONGEST_BEFORE = 150
"""Number of characters shown of the text before a claim."""
LONGEST_FACT = 140
LONGEST_SCOPE = 600


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
    """The parts of a list or a paragraph that a citation covers; None for a sentence.

    Args:
        result: Of the citation.
        text: The output that its spans refer to.
        hidden: Whether the judge is hidden from the reviewer: then no part has a verdict.
    """
    scope, judgment = result.citation.scope, result.judgment
    if scope is None or scope.kind == "sentence":
        return None
    parts: list[Json] = [
        [_flat(part.span.of(text)), None if hidden else part.label]
        for part in (judgment.parts if judgment else ())
    ]
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
