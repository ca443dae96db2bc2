"""Which spellings name the same source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.records.citation import Target
from workbench.sources.addresses import label_key, same_source_key, target_key, title_key

SAME = [
    ("http://Example.com/a", "https://example.com/a/"),
    ("https://example.com:443/a", "https://example.com/a#part"),
    ("https://example.com/a?utm_source=x&b=1", "https://example.com/a?b=1"),
    ("https://example.com/a?b=1&a=2", "https://example.com/a?a=2&b=1&fbclid=z"),
    ("https://example.com/%7Eme/caf%c3%a9", "https://example.com/~me/café"),
    ("https://bücher.example/", "https://xn--bcher-kva.example"),
    ("https://example.com./a", "https://example.com/a"),
    ("www.example.com/a", "https://www.example.com/a"),
    ("https://example.com/a#:~:text=word", "https://example.com/a"),
    ("10.1000/ABC", "https://doi.org/10.1000/abc"),
    ("doi:10.1000/abc", "http://dx.doi.org/10.1000/abc"),
    ("10.1002/(SICI)1<2::AID>3.0", "https://doi.org/10.1002/%28SICI%291%3C2::AID%3E3.0"),
    ("arXiv:1706.03762v5", "https://arxiv.org/abs/1706.03762"),
    ("1706.03762", "https://arxiv.org/pdf/1706.03762v2.pdf"),
    ("hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001"),
    ("10.48550/arXiv.1706.03762", "https://arxiv.org/abs/1706.03762"),
    ("pmid:31452104", "https://pubmed.ncbi.nlm.nih.gov/31452104/"),
    ("pmid:31452104", "https://www.ncbi.nlm.nih.gov/pubmed/31452104"),
    ("PMC7029759", "https://pmc.ncbi.nlm.nih.gov/articles/PMC7029759/"),
    ("pmid:PMC7029759", "https://www.ncbi.nlm.nih.gov/pmc/articles/pmc7029759"),
]
DIFFERENT = [
    ("https://example.com/a", "https://example.com/b"),
    ("https://example.com/a", "https://example.org/a"),
    ("https://example.com/a?id=1", "https://example.com/a?id=2"),
    ("https://example.com:8080/a", "https://example.com/a"),
    ("https://example.com/A", "https://example.com/a"),
    ("https://example.com/a%2Fb", "https://example.com/a/b"),
    ("10.1000/abc", "10.1000/abd"),
    ("pmid:123", "PMC123"),
    ("1706.03762", "1706.03763"),
]


@pytest.mark.parametrize(("first", "other"), SAME)
def test_spellings_of_one_source(first, other):
    assert same_source_key(first) == same_source_key(other)


@pytest.mark.parametrize(("first", "other"), DIFFERENT)
def test_different_sources(first, other):
    assert same_source_key(first) != same_source_key(other)


@pytest.mark.parametrize(
    ("form", "value", "address"),
    [
        ("doi", "10.1000/ABC", "https://doi.org/10.1000/abc"),
        ("doi", "https://doi.org/10.1000/abc", "10.1000/abc"),
        ("arxiv", "1706.03762v1", "https://arxiv.org/abs/1706.03762"),
        ("arxiv", "arXiv:1706.03762", "https://arxiv.org/abs/1706.03762"),
        ("pmid", "31452104", "https://pubmed.ncbi.nlm.nih.gov/31452104"),
        ("pmid", "PMC7029759", "https://pmc.ncbi.nlm.nih.gov/articles/PMC7029759"),
        ("url", "https://doi.org/10.1000/abc", "10.1000/ABC"),
        ("file", "notes.md:3", "file:notes.md:3"),
        ("memory", "m1", "memory:m1"),
    ],
)
def test_targets_and_addresses_meet(form, value, address):
    assert target_key(Target(form=form, value=value)) == same_source_key(address)


@pytest.mark.parametrize("label", ["3", "[3]", " (3) ", "3.", "【3】"])
def test_labels(label):
    assert label_key(label) == "3"


def test_titles():
    assert title_key("Rain: a survey — Part 2.") == title_key("rain, a Survey part 2")
    assert title_key("北方的雨。") == title_key("北方的雨")


@given(st.text())
def test_any_text_has_a_key_and_the_key_is_stable(text):
    assert same_source_key(text) == same_source_key(text)


@given(st.text(max_size=40))
def test_a_fragment_never_counts(text):
    bare = "https://example.com/" + "".join(text.split()).replace("#", "").replace("?", "")
    assert same_source_key(bare) == same_source_key(bare + "#x")
