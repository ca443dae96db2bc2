"""Lists of reference managers: what they hold, and what is broken in them."""

import pytest

from workbench.bibliography.bibtex import read_bibtex
from workbench.bibliography.csl import entry_of_record, record_of_entry
from workbench.bibliography.formats import list_format, read_csl_json, read_record_list
from workbench.bibliography.record_list import plain_text
from workbench.errors import UnreadableInput
from workbench.records.bibliography import Author, ReferenceEntry
from workbench.records.text import JsonDict

_BIB = r"""A remark of whoever made the list.
@string{jmlr = "Journal of " # {Machine} # " Learning"}
@comment{jabref-meta: databaseType:bibtex;}

@article{berg2019,
  author = {van der Berg, Jan and {World Health Organization} and King, Jr., Martin and others},
  title = {G{\"o}del \& \textit{Escher}: 50% of $n$ nights -- a study},
  journal = jmlr, year = 2019, month = may, volume = 3, number = {4}, pages = {11--20},
  doi = {https://doi.org/10.1000/a\_b},
}
@inproceedings{lee, author = "Lee, A", title = "Small things", crossref = {proc2020}}
@proceedings{proc2020, title = {Proceedings of Things}, year = {2020}, publisher = {Press}}
"""


def _read_one(text: str, name: str) -> JsonDict:
    (record,) = read_record_list(text, name).records
    return record


def test_an_entry_of_bibtex_becomes_an_item() -> None:
    read = read_record_list(_BIB, "list.bib")
    assert read.problems == []
    assert read.records[0] == {
        "id": "berg2019",
        "type": "article-journal",
        "title": "Gödel & Escher: 50% of n nights – a study",
        "author": [
            {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"},
            {"literal": "World Health Organization"},
            {"family": "King", "given": "Martin", "suffix": "Jr."},
            {"literal": "others"},
        ],
        "issued": {"date-parts": [[2019, 5]]},
        "container-title": "Journal of Machine Learning",
        "volume": "3",
        "issue": "4",
        "page": "11-20",
        "DOI": "10.1000/a_b",
    }


def test_a_crossref_lends_what_the_entry_leaves_out() -> None:
    lee = read_record_list(_BIB, "list.bib").records[1]
    assert lee["container-title"] == "Proceedings of Things"
    assert (lee["issued"], lee["publisher"]) == ({"date-parts": [[2020]]}, "Press")
    assert lee["title"] == "Small things"


def test_each_record_says_where_it_stands() -> None:
    read = read_record_list(_BIB, "list.bib")
    starts = [span.of(_BIB) for span in read.spans]
    assert [text.split("{")[0] for text in starts] == ["@article", "@inproceedings", "@proceedings"]
    assert all(text.endswith("}") for text in starts)


@pytest.mark.parametrize(
    ("broken", "place", "reason"),
    [
        pytest.param(
            "@book{a, title = {no end}\n@book{b, title = {B}}", "line 1", "broken", id="no-close"
        ),
        pytest.param(
            "@book{b, title = {B}}\n\n@book{a, title = {x",
            "line 3",
            "end of file",
            id="end-of-file",
        ),
        pytest.param(
            "@book{b, title = {B}}\n@book{b, title = {C}}", "line 2", "key b", id="key-twice"
        ),
        pytest.param(
            "@book{b, title = {B}, title = {C}}", "line 1", "title stands there twice", id="field"
        ),
        pytest.param(
            "@book{b, title = {B}, publisher = acm}", "line 1", "acm is not defined", id="macro"
        ),
        pytest.param("@book{c}\n@book{b, title = {B}}", "line 1", "no fields", id="no-fields"),
        pytest.param("@book{b, title={B}, crossref={q}}", "b", "crossref q", id="no-parent"),
        pytest.param("@book b\n@book{b, title={B}}", "line 1", "opening brace", id="no-brace"),
    ],
)
def test_what_is_broken_in_bibtex_is_told_and_the_rest_taken(
    broken: str, place: str, reason: str
) -> None:
    read = read_record_list(broken, "list.bib")
    assert "B" in [record["title"] for record in read.records]
    (problem,) = read.problems
    assert problem.place == place
    assert reason in problem.reason


@pytest.mark.parametrize(
    ("fields", "arxiv"),
    [
        pytest.param("eprint = {1706.03762}, archivePrefix = {arXiv}", "1706.03762", id="bibtex"),
        pytest.param("eprint = {1706.03762v5}, eprinttype = {arxiv}", "1706.03762", id="biblatex"),
        pytest.param("journal = {arXiv preprint arXiv:1706.03762}", "1706.03762", id="journal"),
        pytest.param("url = {https://arxiv.org/abs/1706.03762}", "1706.03762", id="address"),
        pytest.param("doi = {10.48550/arXiv.1706.03762}", "1706.03762", id="doi"),
    ],
)
def test_an_arxiv_number_is_read_wherever_it_stands(fields: str, arxiv: str) -> None:
    record = _read_one(f"@article{{a, title = {{T}}, year = 2017, {fields}}}", "list.bib")
    assert entry_of_record(record).arxiv == arxiv


_RIS = """Exported by a program
TY  - JOUR
AU  - Müller, Jürgen, Jr
AU  - World Health Organization
TI  - A title that
goes on
PY  - 2019/05/02/
JO  - Journal of Foo
SP  - 1
EP  - 10
SN  - 1234-5678
N1  - PMID: 1234
ER  -

TY - CHAP
T1 - A chapter
T2 - The book
Y1 - 2000
TY  - JOUR
ER  -
"""


def test_records_of_ris_become_items_and_broken_lines_are_told() -> None:
    read = read_record_list(_RIS, "list.ris")
    assert read.records[0] == {
        "id": "",
        "type": "article-journal",
        "title": "A title that goes on",
        "author": [
            {"family": "Müller", "given": "Jürgen", "suffix": "Jr"},
            {"literal": "World Health Organization"},
        ],
        "issued": {"date-parts": [[2019, 5, 2]]},
        "container-title": "Journal of Foo",
        "page": "1-10",
        "ISSN": "1234-5678",
        "PMID": "1234",
        "note": "PMID: 1234",
    }
    assert read.records[1]["title"] == "A chapter"
    assert [problem.place for problem in read.problems] == ["line 1", "line 15", "line 19"]
    assert read.spans[1].of(_RIS).endswith("Y1 - 2000")


def test_items_of_csl_json_are_taken_around_broken_ones() -> None:
    text = (
        '[{"id":1,"title":"a"},\n{"id":2,"title":"b","author":[{"family":"x"}], broken},\n'
        '{"id":3,"title":["c"],"author":"X"}, 5,\n{"x":1},\n{"id":4,"title":"cut of'
    )
    read = read_record_list(text, "list.json")
    assert [record["id"] for record in read.records] == ["1", "3"]
    assert [problem.place for problem in read.problems] == [
        "line 2",
        "line 3",
        "line 3",
        "line 4",
        "line 5",
    ]
    assert read.spans[1].of(text) == '{"id":3,"title":["c"],"author":"X"}'


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"id":"a","title":"T"}', id="one-object"),
        pytest.param('{"items":[{"id":"a","title":"T"}]}', id="items"),
        pytest.param('\ufeff[{"id":"a","title":"T"}]', id="byte-order-mark"),
        pytest.param('{"itemType":"book","citationKey":"a","title":"T"}', id="zotero"),
        pytest.param('[{"data":{"itemType":"book","key":"a","title":"T"}}]', id="zotero-web"),
    ],
)
def test_every_form_of_csl_json_is_read(text: str) -> None:
    record = _read_one(text, "list.json")
    assert (record["id"], record["title"]) == ("a", "T")


def test_a_note_of_zotero_holds_identifiers() -> None:
    record = _read_one(
        '[{"id":"a","title":"T","note":"PMID: 42\\narXiv:1706.03762 [cs]"}]', "list.json"
    )
    entry = entry_of_record(record)
    assert (entry.pmid, entry.arxiv) == ("42", "1706.03762")


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        pytest.param("", "a.bib", "is empty", id="empty"),
        pytest.param(" \ufeff\n", "a.ris", "is empty", id="blank"),
        pytest.param("Just a sentence.", "a.bib", "no record", id="prose"),
        pytest.param("Just a sentence.", "a.txt", "no list of references", id="other-format"),
        pytest.param("[]", "a.json", "no record", id="empty-list"),
        pytest.param('[{"x": 1}]', "a.json", "line 1", id="no-items"),
        pytest.param("{" * 20_000, "a.json", "no record", id="braces"),
    ],
)
def test_a_file_without_records_says_so(text: str, name: str, words: str) -> None:
    with pytest.raises(UnreadableInput, match=words):
        read_record_list(text, name)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("@article{a, title={T}}", "bibtex"),
        ("\nTY  - JOUR\n", "ris"),
        ('{"items": []}', "csl-json"),
        ("# A text", None),
    ],
)
def test_a_list_without_an_ending_is_told_by_how_it_begins(text: str, kind: str | None) -> None:
    assert list_format(text, "pipe") == kind


_DOUBLED = "@string{a0 = {Words of a title}}\n" + "".join(
    f"@string{{a{i + 1} = a{i} # a{i}}}\n" for i in range(40)
)
_LONG = "word " * 40_000


@pytest.mark.parametrize(
    "text",
    [
        _DOUBLED + "@article{a, title = {T}}",
        f"@string{{long = {{{_LONG}}}}}\n" + "@article{a, title = long}\n" * 1_000,
        "".join(f"@article{{k{i}, title = {{T}}, crossref = {{p}}}}\n" for i in range(1_000))
        + f"@proceedings{{p, title = {{{_LONG}}}}}",
    ],
    ids=["abbreviations of abbreviations", "an abbreviation used", "crossref"],
)
def test_bibtex_that_expands_out_of_proportion_is_refused(text: str) -> None:
    with pytest.raises(UnreadableInput, match=r"expands to more than [\d,]+ characters"):
        read_record_list(text, "list.bib")


def test_journals_and_proceedings_by_abbreviation_are_no_bomb() -> None:
    names = "@string{jacs = {Journal of the Examples of Applied Chemistry and of its Neighbors}}\n"
    paper = "@inproceedings{{k{0}, title = {{T{0}}}, journal = jacs, crossref = {{p}}}}\n"
    proceedings = f"@proceedings{{p, title = {{Proceedings {'of things ' * 20}}}}}"
    papers = "".join(paper.format(i) for i in range(5_000))
    assert len(read_record_list(names + papers + proceedings, "list.bib").records) == 5_001


@pytest.mark.parametrize(
    "text",
    [
        '{"k":[' * 900 + "1," * 20_000 + "!",
        ('{"x":{"title":1},"y":"' + "z" * 300 + '","w":') * 3_000,
    ],
)
def test_json_that_is_broken_everywhere_is_not_read_again_and_again(text: str) -> None:
    found = read_csl_json(f'[{{"title": "First"}}, {text}')
    assert [record["title"] for record in found.records][0] == "First"
    assert "the rest of the file" in found.problems[-1].reason


def test_latex_that_is_none_is_text() -> None:
    deep = "{" * 5_000 + r"\x" + "}" * 5_000
    assert plain_text(deep) == ""
    assert plain_text("a~b {C}") == "a b C"


def test_a_list_of_five_megabytes_is_read() -> None:
    entry = "@article{k%d, title = {A title of some length %d}, abstract = {%s}, author = {Lee, A and Ray, B}}\n"
    text = "".join(entry % (number, number, "Much is said. " * 30) for number in range(10_000))
    assert len(text) > 5_000_000
    assert len(read_bibtex(text).records) == 10_000


def test_an_entry_becomes_an_item_and_back() -> None:
    entry = ReferenceEntry(
        title="A title: and more",
        authors=(Author(family="Lee", given="A."), Author(family="World Bank")),
        authors_complete=False,
        year=2020,
        venue="Journal of Foo",
        volume="1",
        issue="2",
        pages="3-4",
        doi="10.1000/x",
        arxiv="2001.01234",
        pmid="12",
        url="https://example.org/",
        type="article-journal",
    )
    assert entry_of_record(record_of_entry(entry, "lee")) == entry


@pytest.mark.parametrize(
    ("item", "title", "year"),
    [
        (
            {"title": ["Main"], "subtitle": ["Sub"], "issued": {"date-parts": [[None]]}},
            "Main: Sub",
            None,
        ),
        ({"title": "T", "issued": {"raw": "May 2003"}}, "T", 2003),
        ({"title": "T: Sub", "subtitle": ["Sub"], "issued": {"literal": "1999"}}, "T: Sub", 1999),
        ({"title": "T", "published-print": {"date-parts": [["2001", 2]]}}, "T", 2001),
    ],
)
def test_titles_and_years_of_services_are_read(
    item: JsonDict, title: str, year: int | None
) -> None:
    entry = entry_of_record(item)
    assert (entry.title, entry.year) == (title, year)
