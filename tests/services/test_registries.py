"""Lists and registries out of files, broken lines told and the rest taken."""

import asyncio
import gc

import pytest

from workbench.errors import UnreadableInput
from workbench.pipeline.reading import read_bytes, read_output
from workbench.records.bibliography import ReferenceEntry
from workbench.records.citation import Extraction
from workbench.services.database import open_database
from workbench.services.references.registries import (
    FileRegistries,
    RegistryIndex,
    RetractionTable,
    import_registry,
    stored_registries,
)
from workbench.services.references.requests import read_reference_list
from workbench.store.bibliography.registries import RegistryRepository

BIB = b"""@article{lee2020, title = {Growth of corals in seas}, author = {Lee, Ann and Ray, Bo},
  year = {2020}, doi = {10.1000/Coral}}
@article{broken, title = {no end
@book{sea, title = {The sea around us}, abstract = {Long.}}
"""
TABLE = (
    b"Record ID,Title,Author,OriginalPaperDOI,OriginalPaperPubMedID,RetractionDOI,RetractionDate,"
    b"RetractionNature,Reason\n"
    b'1,"Growth of corals in seas",Ann Lee;Bo Ray,10.1000/CORAL,0,10.1000/n,1/27/2021 0:00,'
    b"Retraction,+Error;+Plagiarism;\n"
    b"2,Other,,10.1000/o,0,unavailable,2/1/2019 0:00,Retraction,\n"
    b"3,Other,,10.1000/o,0,unavailable,2/1/2020 0:00,Reinstatement,\n"
    b"4,Doubt,,unavailable,77,,12/31/2018 0:00,Expression of concern,\n"
    b"5,Odd,,10.1000/x,0,,,Sentence,\n"
)


@pytest.fixture
def database(tmp_path):
    return open_database(tmp_path / "w.duckdb")


def test_a_library_is_imported_around_its_broken_entries(database):
    registry = import_registry(database, BIB, "folder/my list.bib")
    assert (registry.name, registry.kind, registry.records) == ("my list", "library", 2)
    assert [problem.place for problem in registry.problems] == ["line 3"]
    assert RegistryRepository(database).all() == [registry]
    index = RegistryIndex(database, "my list")
    entry = ReferenceEntry(title="Growth of coral in the seas")
    alone = asyncio.run(index.look_up(entry))
    asyncio.run(index.prepare([entry]))
    assert asyncio.run(index.look_up(entry)) == alone
    assert alone.records[0]["id"] == "lee2020"
    assert alone.answer.question == ""  # nothing left the machine
    (sea,) = asyncio.run(index.look_up(ReferenceEntry(title="The sea around us"))).records
    assert "abstract" not in sea
    RegistryRepository(database).remove("my list")
    assert asyncio.run(RegistryIndex(database, "my list").look_up(entry)).answer.answer == "none"


@pytest.mark.parametrize(
    ("entry", "kind", "date"),
    [
        (ReferenceEntry(doi="10.1000/coral"), "retracted", "2021-01-27"),
        (ReferenceEntry(pmid="77"), "concern", "2018-12-31"),
        (ReferenceEntry(doi="10.1000/o"), None, None),  # reinstated
        (ReferenceEntry(doi="10.1000/unknown"), None, None),
    ],
)
def test_a_retraction_is_told_unless_it_was_taken_back(database, entry, kind, date):
    registry = import_registry(database, TABLE, "retraction_watch.csv")
    assert (registry.kind, registry.records) == ("retractions", 4)
    assert [problem.place for problem in registry.problems] == ["line 6"]
    notice = RetractionTable(database)(entry, None)
    assert (notice.kind, notice.date) == (kind, date) if kind else notice is None


def test_a_retraction_is_found_by_the_record_of_an_entry(database):
    import_registry(database, TABLE, "retraction_watch.csv")
    notice = RetractionTable(database)(ReferenceEntry(title="x"), {"DOI": "10.1000/coral"})
    assert notice is not None and notice.notice == "10.1000/n"


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"", "a.bib", "is empty"),
        (bytes(range(32)) * 9, "a.bib", "is not text"),
        (b"just words", "a.csv", "no list of references"),
        (b"[{}]", "a.json", "no record"),
    ],
)
def test_a_file_without_records_leaves_no_registry(database, data, name, words):
    with pytest.raises(UnreadableInput, match=words):
        import_registry(database, data, name)
    with pytest.raises(UnreadableInput):
        import_registry(database, data, name, "retractions")
    assert RegistryRepository(database).all() == []


def test_files_are_registries_for_a_while():
    files = FileRegistries([("a.bib", BIB), ("a.bib", BIB), ("t.csv", TABLE)])
    path = files.database.path
    indexes, table = files.indexes(), files.retraction_table()
    assert [index.name for index in indexes] == ["registry:a.bib", "registry:a.bib (2)"]
    del files
    reply = asyncio.run(indexes[1].look_up(ReferenceEntry(doi="10.1000/coral")))
    assert reply.records[0]["id"] == "lee2020"
    assert table(ReferenceEntry(doi="10.1000/coral"), None)
    del indexes, table, reply
    gc.collect()
    assert not path.exists()


def test_a_given_list_should_hold_what_is_cited_and_a_library_of_ones_own_need_not(database):
    import_registry(database, BIB, "my list.bib")
    other = ReferenceEntry(title="Deserts", doi="10.1000/desert")
    (stored,) = stored_registries(database)
    (given,) = FileRegistries([("a.bib", BIB)]).indexes()
    assert not stored.covers(other)
    assert given.covers(other)
    assert asyncio.run(stored.look_up(other)).identifier_unknown is None
    assert asyncio.run(given.look_up(other)).identifier_unknown == "10.1000/desert"


CSL = b'[{"id": "lee2020", "type": "book", "title": "Growth of corals in seas"}]'
RIS = b"TY  - JOUR\r\nID  - lee2020\r\nTI  - Growth of corals in seas\r\nER  - \r\n"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(BIB, "list.bib", id="bibtex"),
        pytest.param(b"\xef\xbb\xbf" + BIB, "list.bib", id="byte-order-mark"),
        pytest.param(BIB, "-", id="pipe"),
        pytest.param(RIS, "list.ris", id="ris"),
        pytest.param(CSL, "list.json", id="csl-json"),
    ],
)
def test_a_list_is_read_where_outputs_are(data, name):
    output = read_bytes(data, name)
    assert isinstance(output, Extraction)
    reference = output.references[0]
    assert (reference.label, reference.title) == ("lee2020", "Growth of corals in seas")
    assert reference.span.of(output.text) == reference.text
    assert reference.entry is not None
    assert reference.entry.title == "Growth of corals in seas"
    assert read_reference_list(data, name).references == output.references


def test_the_entries_of_a_text_are_read_out_of_their_words(tmp_path):
    text = b"A claim [1].\n\n## References\n\n[1] Lee, A. (2020). Growth of corals. Reefs, 3(1).\n"
    (reference,) = read_reference_list(text, "answer.md").references
    assert (reference.label, reference.year) == ("1", 2020)
    path = tmp_path / "answer.json"
    path.write_bytes(
        b'{"text": "An answer [1].", "sources": [{"title": "T", "url": "https://a.b"}]}'
    )
    assert len(read_output(path).references) == 1  # a provider's JSON is no CSL-JSON


def test_a_list_in_latin_1_keeps_its_letters():
    data = "@book{a, title = {Über die Größe}, author = {Müller, Jörg}}".encode("latin-1")
    entry = read_reference_list(data, "list.bib").references[0].entry
    assert (entry.title, entry.authors[0].family) == ("Über die Größe", "Müller")


def test_lines_without_a_heading_are_a_list_with_the_offsets_of_their_text():
    text = "Lee, A. (2020). Growth of corals. Reefs, 3(1).\n\nNoor, B. (2019). Salt. Shores, 2.\n"
    extraction = read_reference_list(text.encode(), "pasted.txt")
    assert [reference.title for reference in extraction.references] == ["Growth of corals", "Salt"]
    for reference in extraction.references:
        assert reference.span.of(extraction.text) == reference.text


@pytest.mark.parametrize(
    "text",
    [
        "Corals grow slowly.\n\nThey need light, and warm water kills them.\n",
        "In 2020 corals grew.\nNobody knows why.\nIt rained.\n",
    ],
)
def test_prose_is_no_list(text):
    assert read_reference_list(text.encode(), "prose.txt").cited_works == ()


def test_the_decisions_that_a_brief_cites_are_checked_once_each():
    text = (
        "See Harrow v. Quill, 578 F.3d 412, 419 (3d Cir. 2010); Harrow, 578 F.3d at 420. Under "
        "Pell v. Marsh, 556 U.S. 662 (2009), a claim must be stated. Id. at 670."
    )
    extraction = read_reference_list(text.encode(), "brief.txt")
    assert [work.text for work in extraction.cited_works] == [
        "Harrow v. Quill, 578 F.3d 412, 419 (3d Cir. 2010)",
        "Pell v. Marsh, 556 U.S. 662 (2009)",
    ]
    assert all(work.span.of(text) == work.text for work in extraction.cited_works)
