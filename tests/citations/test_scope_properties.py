"""What holds for the scopes of any text: spans, parts in order, and no exception."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.citations.test_context_properties import PIECES
from workbench.citations import MOST_PARTS, Scopes, extract, with_scope
from workbench.records.citation import SCOPE_KINDS, Citation, Extraction

MORE = [
    *("- rain fell [1]\n", "- snow\n", "It had these effects:\n", "It had two [2]:\n", "[1]\n"),
    *("1) It fell. It rose. [1]\n", "Source: [3]\n", "(Lee, 2019)", "有以下好处：\n"),
    *("- 噪音小[1]。\n", "\n\n", "Rain fell in May. ", "Snow fell in June.[4]", "\t- hail [1]\n"),
    *("Lee (2020) found rain. ", '<cite id="1">', "</cite>", "ibid. "),
]
TEXTS = st.lists(
    st.one_of(st.sampled_from(PIECES + MORE), st.text(st.characters(), max_size=4)), max_size=40
).map("".join)


def check(extraction: Extraction) -> None:
    text, scopes = extraction.text, Scopes(extraction)
    for citation in extraction.citations:
        scope = citation.scope
        assert Citation.from_dict(citation.to_dict()) == citation
        choices = scopes.choices(citation)
        assert (choices == ()) == (citation.claim is None)
        assert [choice.kind for choice in choices] in (
            [], ["sentence"], ["sentence", "list"], ["sentence", "paragraph"], [*SCOPE_KINDS],
        )  # fmt: skip
        parts = scopes.parts(citation)
        if citation.claim is None or scope is None:
            assert len(parts) == (citation.claim is not None)
            continue
        assert scope.span in [choice.span for choice in choices if choice.kind == scope.kind]
        assert 0 <= scope.start <= citation.claim.start <= citation.claim.end <= scope.end
        assert scope.end <= len(text)
        if scope.kind == "sentence":
            assert parts == (citation.claim.span,) == (scope.span,)
            continue
        assert 2 <= len(parts) <= MOST_PARTS
        assert scope.start <= parts[0].start
        assert parts[-1].end <= scope.end
        for part, following in zip(parts, parts[1:], strict=False):
            assert part.start < part.end <= following.start < following.end
        for part, part_citation in zip(parts, scopes.part_citations(citation), strict=True):
            assert part_citation.claim is not None
            assert part_citation.claim_context is not None
            assert part_citation.claim.span == part
            assert part_citation.claim.text
            assert (part_citation.id, part_citation.target, part_citation.scope) == (
                citation.id,
                citation.target,
                None,
            )


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_scopes_hold_for_any_text(text: str) -> None:
    extraction = extract(text)
    check(extraction)
    assert [citation.scope for citation in with_scope(extraction, "guess").citations] == [
        citation.scope for citation in extraction.citations
    ]
    for kind in SCOPE_KINDS:
        check(with_scope(extraction, kind))
