"""What holds for the context of any claim of any text: its spans, and no exception."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.citations.contexts import without_context
from workbench.citations import extract, from_native, with_claim_context
from workbench.records.citation import Citation, Extraction
from workbench.records.context import LONGEST_BEFORE, ClaimContext

PIECES = [
    *("[1]", "[2] ", "# ", "## ", "**Rain**\n", "===\n", "---\n", "- ", "  - ", "1. ", "一、"),
    *("（一）", "| ", " | b |\n", "|---|---|\n", "a | b\n", "\n", "\n\n", "\r\n", "\t", "    "),
    *("It fell. ", "It fell [3]. ", "它下了雨[4]。", "Rain and snow fell in the far north [5]; "),
    *("```\n", "\\|", "\ud800", "\u202e", "الجسر ", "title", ":", "：", "**", "> ", "|", "x" * 500),
    *("References\n[1] https://example.org/a - b\n", "and more words come here without an end "),
]
TEXTS = st.lists(
    st.one_of(st.sampled_from(PIECES), st.text(st.characters(), max_size=4)), max_size=40
).map("".join)


def check(extraction: Extraction) -> None:
    for citation in extraction.citations:
        assert (citation.claim is None) == (citation.claim_context is None)
        if citation.claim_context is not None:
            check_context(extraction.text, citation, citation.claim_context)


def check_context(text: str, citation: Citation, context: ClaimContext) -> None:
    assert citation.claim is not None
    for heading in context.headings:
        assert heading.text == text[heading.start : heading.end] != ""
        assert heading.end <= citation.claim.start
    if context.before is not None:
        assert 0 <= context.before.start < context.before.end <= citation.claim.start
        assert context.before.end - context.before.start <= LONGEST_BEFORE
        assert context.before.of(text) == context.before.of(text).strip()
    cell = context.table
    if cell is not None:
        for part in (cell.header, cell.row):
            assert part is None or part.text == text[part.start : part.end] != ""
            # a claim that is a whole row holds its own label
            assert part is None or part.start <= citation.claim.end
            assert part is None or part.span != citation.claim.span


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_every_span_holds_for_any_text(text: str) -> None:
    extraction = extract(text)
    check(extraction)
    check(with_claim_context(without_context(extraction)))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.booleans(), TEXTS), max_size=6))
def test_every_span_holds_for_any_transcript(messages: list[tuple[bool, str]]) -> None:
    value = [{"role": "user" if asks else "assistant", "content": text} for asks, text in messages]
    if not any(text.strip() for asks, text in messages if not asks):
        return
    check(from_native(value))
