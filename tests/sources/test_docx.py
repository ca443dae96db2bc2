"""Word documents as text, with their notes, and without what would exhaust the reader."""

import pytest

from tests.fakes.word import document, mark, note, paragraph, run, table, zipped
from workbench.citations import extract
from workbench.errors import UnreadableInput
from workbench.sources.upload import read_uploaded_text

LETTER = document(
    paragraph(run("Reefs"), style="Heading1")
    + paragraph(run("Corals grow fast &amp; far"), mark("footnote", 5), run("."))
    + paragraph(run("They die &lt;b&gt; too"), mark("endnote", 2), run("."))
    + table(("year", "reefs"), ("2020", "7"))
    + paragraph(run("The end.")),
    note("footnote", 5, "Lee, A. (2020). Growth of corals. https://example.org/a"),
    note("endnote", 2, "Ray, B. (2021). Death of corals. https://example.org/b"),
)


def test_a_document_is_read_in_its_order_with_its_notes_at_the_end():
    assert read_uploaded_text(LETTER, "letter.docx") == (
        "# Reefs\n\nCorals grow fast & far[^1].\n\nThey die <b> too[^2].\n\n"
        "| year | reefs |\n| 2020 | 7 |\n\nThe end.\n\n"
        "[^1]: Lee, A. (2020). Growth of corals. https://example.org/a\n\n"
        "[^2]: Ray, B. (2021). Death of corals. https://example.org/b"
    )


def test_its_notes_are_references_that_its_marks_cite():
    extraction = extract(read_uploaded_text(LETTER, "upload"))
    targets = [citation.target.value for citation in extraction.citations if citation.target]
    assert targets[:2] == ["https://example.org/a", "https://example.org/b"]
    assert [reference.year for reference in extraction.references] == [2020, 2021]


def bomb():
    """A document of 130 MB in a few kilobytes; built by the test alone, not by every collection."""
    return document(paragraph(run(" " * 130_000_000)))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"PK\x03\x04 cut off", "damaged", id="cut-off"),
        pytest.param(b"just words", "damaged", id="no-zip"),
        pytest.param(LETTER[:-40], "damaged", id="truncated"),
        pytest.param(document("<w:p>"), "damaged", id="bad-xml"),
        pytest.param(bomb, "unpacked document is too large", id="bomb"),
        pytest.param(
            document(paragraph(run("&x;")), prolog='<!DOCTYPE a [<!ENTITY x "y">]>'),
            "damaged",
            id="entities",
        ),
        pytest.param(zipped({"a.zip": zipped({"b.txt": "words"})}), "damaged", id="nested-zips"),
        pytest.param(
            zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": "<words/>"}),
            "damaged",
            id="no-main-document",
        ),
        pytest.param(document(""), "empty", id="no-words"),
        pytest.param(b"", "empty", id="empty"),
    ],
)
def test_a_file_that_is_no_readable_document_says_so(data, words):
    with pytest.raises(UnreadableInput, match=words):
        read_uploaded_text(data() if callable(data) else data, "letter.docx")
