"""A list written as BibTeX, RIS or CSL-JSON reads back as the same records."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.bibliography.formats import LIST_FORMATS, read_record_list, write_record_list
from workbench.bibliography.record_list import escape_latex, plain_text
from workbench.records.text import JsonDict

_ENDINGS = {"bibtex": "list.bib", "ris": "list.ris", "csl-json": "list.json"}
_TEXT = (
    st.text(
        st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=40
    )
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)
_WORDS = st.text(string.ascii_letters + "äöéøßŁ", min_size=2, max_size=12)
_NAME = st.one_of(
    st.fixed_dictionaries(
        {"family": _WORDS.map(str.capitalize), "given": _WORDS.map(str.capitalize)}
    ),
    st.fixed_dictionaries(
        {
            "family": _WORDS.map(str.capitalize),
            "given": _WORDS.map(str.capitalize),
            "suffix": st.sampled_from(["Jr.", "III"]),
        }
    ),
    st.builds(lambda one, two: {"literal": f"{one} {two}"}, _WORDS, _WORDS),
)
_DATE = st.one_of(
    st.integers(1500, 2099).map(lambda year: [[year]]),
    st.tuples(st.integers(1500, 2099), st.integers(1, 12)).map(lambda parts: [list(parts)]),
)
_RECORD = st.fixed_dictionaries(
    {
        "id": st.text(string.ascii_letters + string.digits + ":-_", min_size=1, max_size=12),
        "type": st.sampled_from(["article-journal", "paper-conference", "book", "report"]),
        "title": _TEXT,
        "container-title": _TEXT,
    },
    optional={
        "author": st.lists(_NAME, min_size=1, max_size=4),
        "issued": _DATE.map(lambda parts: {"date-parts": parts}),
        "publisher": _TEXT,
        "volume": st.integers(1, 999).map(str),
        "page": st.tuples(st.integers(1, 499), st.integers(500, 999)).map(
            lambda pages: f"{pages[0]}-{pages[1]}"
        ),
        "DOI": st.text(string.ascii_lowercase + "_().;/<>", min_size=1, max_size=12).map(
            lambda suffix: f"10.1234/{suffix}"
        ),
        "PMID": st.integers(1, 10**8).map(str),
        "custom": st.integers(0, 99999).map(lambda number: {"arxiv": f"2104.{number:05}"}),
    },
)


@pytest.mark.parametrize("kind", LIST_FORMATS)
@given(records=st.lists(_RECORD, min_size=1, max_size=4, unique_by=lambda record: record["id"]))
def test_what_is_written_reads_back_the_same(kind: str, records: list[JsonDict]) -> None:
    written = write_record_list(records, kind)  # type: ignore[arg-type]
    read = read_record_list(written, _ENDINGS[kind])
    assert read.records == records
    assert not read.problems
    assert write_record_list(read.records, kind) == written  # type: ignore[arg-type]


@given(_TEXT)
def test_every_text_is_escaped_for_latex_so_that_it_comes_back(text: str) -> None:
    assert plain_text(escape_latex(text)) == text
