"""What holds for any string: offsets, ids, and no exception."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.citations import ClaimWords, document_of, extract
from workbench.records.citation import Claim, Extraction
from workbench.records.text import Excerpt

PIECES = [
    *("[1]", "[1, 2]", "[1-3]", "【1†source】", "［１］", "[^1]", "[^1]: ", "¹²", "<sup>1</sup>"),
    *("[[1]](", "[1](", "http://", "https://example.com/a_(b)", "10.1000/abc", "doi:", "ibid."),
    *("arXiv:2301.12345", "PMID: 123456", "(Smith, 2019)", "Smith et al. (2020)", "(2019)"),
    *("（王小明，2019）", "## References\n", "参考文献：\n", "[1] https://example.org - Title\n"),
    *("1. Title. https://example.org\n", "| a | b |\n", "|---|---|\n", "```\n", "`", '"', "“"),
    *("”", "(", ")", "[", "]", "。", ". ", "? ", "\n", "\n\n", "- ", "\u200f", "e\u0301"),
    *("\ud800", "\udfff", "\u202e", "word ", "Words are here ", "中文句子", "日本語。", "\x00"),
    *("Roe v. Wade, 410 U.S. 113 (1973)", "Id. at 5", "45%", "file:src/a.py:3", "[@smith2019]"),
    *("<co>", "</co: 0:[1]>", "\ue200cite\ue202turn0search1\ue201", "##1$$", "[web:3]", "\ue203"),
    *('<cite id="1">', "</cite>", "\r\n", "\t", "according to", "**", "Smith, J. (2019). Title. "),
]

texts = st.one_of(
    st.text(st.characters(), max_size=200),
    st.lists(
        st.one_of(st.sampled_from(PIECES), st.text(st.characters(), max_size=5)), max_size=40
    ).map("".join),
)


def check_words(words: ClaimWords, text: str, claim: Excerpt | Claim) -> None:
    """The clean words of a claim stand in its span, in their order, each at the place told."""
    assert claim.text
    places = words.places(claim.start, claim.end)
    assert len(places) == len(claim.text)
    assert all(a < b for a, b in zip(places, places[1:], strict=False))
    assert claim.start <= places[0] and places[-1] < claim.end
    for sign, place in zip(claim.text, places, strict=True):
        assert sign in (text[place], " ")


def check(extraction: Extraction) -> None:
    text = extraction.text
    words = document_of(extraction).claim_words
    words = document_of(extraction).claim_words
    ids = [c.id for c in extraction.citations] + [k.id for k in extraction.claims]
    assert len(set(ids)) == len(ids)
    for citation in extraction.citations:
        assert text[citation.start : citation.end] == citation.raw != ""
        assert 0 <= citation.context.start <= citation.start
        assert citation.end <= citation.context.end <= len(text)
        assert (citation.target is None) == (citation.unlinked is not None)
        if citation.claim:
            check_words(words, text, citation.claim)
        if citation.claim and citation.kind not in ("quote", "statistic"):
            assert any(
                k.start <= citation.claim.start
                and citation.claim.end <= k.end
                and citation.id in k.citations
                for k in extraction.claims
            )
        if citation.target and citation.target.reference is not None:
            assert 0 <= citation.target.reference < len(extraction.references)
    for claim in extraction.claims:
        check_words(words, text, claim)
        assert set(claim.citations) <= set(ids)
    for reference in extraction.references:
        assert text[reference.start : reference.end] == reference.text != ""
        for citation in extraction.citations:
            assert citation.end <= reference.start or reference.end <= citation.start
        for claim in extraction.claims:
            assert claim.end <= reference.start or reference.end <= claim.start
    starts = [(c.start, -c.end) for c in extraction.citations]
    assert starts == sorted(starts)
    assert [k.start for k in extraction.claims] == sorted(k.start for k in extraction.claims)


@settings(max_examples=400, deadline=None)
@given(texts)
@example("0:1 U.S. 0:Ibid")
@example(":0[1]")
@example("0:)0[1]")
@example("0\x85>")
def test_offsets_hold_for_any_text(text: str) -> None:
    check(extract(text))
