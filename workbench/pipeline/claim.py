"""The words of a claim without the markers that stand in it, and what they refer to; pure."""

import re

from workbench.records import NO_CONTEXT, Citation, Extraction, JudgeContext

_LINK = re.compile(r"!?\[([^\[\]]*[^\[\]\d\s^,;–-][^\[\]]*)\]\(\S*\)")


_MARK = re.compile(r"[\[(【（［\ue200].*[\])】）］\ue201]|https?://\S+|www\.\S+", re.DOTALL)
"""What a provider's citation covers where that is a mark, and not the words it vouches for."""


def claim_for_judge(extraction: Extraction, citation: Citation) -> str:
    """The claim of a citation with every marker in it blanked, so that offsets still hold.

    A Markdown link keeps its words and loses its address. Without a claim the surrounding text
    stands in. Same length as the claim's text.
    """
    span = citation.claim.span if citation.claim else citation.context
    letters = list(span.of(extraction.text))
    for other in extraction.citations:
        if other.start >= span.end:
            break
        if other.end <= span.start or other.kind in ("quote", "statistic"):
            continue
        words = _LINK.fullmatch(other.raw)
        kept = range(
            other.start + words.start(1) if words else other.end,
            other.start + words.end(1) if words else other.end,
        )
        narrative = _says(other)
        for place in range(max(other.start, span.start), min(other.end, span.end)):
            if place not in kept and not narrative:
                letters[place - span.start] = " "
    return "".join(letters)


def context_for_judge(extraction: Extraction, citation: Citation) -> JudgeContext:
    """What a judge is told of where a citation's claim stands; the source's part is empty."""
    known = citation.claim_context
    if known is None:
        return NO_CONTEXT
    table = known.table
    return JudgeContext(
        headings=tuple(heading.text for heading in known.headings),
        before=known.before.of(extraction.text) if known.before else "",
        table_header=table.header.text if table and table.header else None,
        table_row=table.row.text if table and table.row else None,
        question=known.question,
        date=known.date,
    )


def _says(citation: Citation) -> bool:
    """Whether a citation's own words are part of what is claimed."""
    if citation.kind == "native":
        return not _MARK.fullmatch(citation.raw)
    return citation.kind in ("author_year", "case_law") and not citation.raw.startswith("(")
