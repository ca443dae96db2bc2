"""Sources that a user supplies: lists, JSON files, directories, and the fakes."""

import asyncio
import json

import pytest

from tests.fakes.given import GivenFetcher
from workbench.errors import SourceError, UnreadableInput
from workbench.records.citation import Target
from workbench.records.source import SourceQuery
from workbench.sources.fetchers import ChainedFetcher, Fetcher, MemoryFetcher
from workbench.sources.given import open_sources, replacement
from workbench.sources.read import read_source


def url(value):
    return Target(form="url", value=value)


def text_of(fetcher, **query):
    async def main():
        return (await read_source(await fetcher.fetch(SourceQuery(**query)))).text

    return asyncio.run(main())


def missing(fetcher, **query):
    with pytest.raises(SourceError) as caught:
        asyncio.run(fetcher.fetch(SourceQuery(**query)))
    return caught.value


GIVEN = [
    {"content": "by url", "url": "https://example.com/a", "label": "1", "title": "One"},
    {"content": "by label", "label": "2"},
    {"content": "by title", "title": "The Third: a report"},
    {"content": "by number", "label": 4},
]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({"target": url("http://EXAMPLE.com/a/?utm_source=x#y")}, "by url"),
        ({"target": url("https://example.com/a"), "label": "2"}, "by url"),
        ({"target": url("https://example.com/other"), "label": "[2]"}, "by label"),
        ({"label": "2", "title": "The third, a report"}, "by label"),
        ({"label": "9", "title": "The third, a report"}, "by title"),
        ({"label": "4"}, "by number"),
        ({"target": Target(form="case", value="the third a report")}, "by title"),
    ],
)
def test_url_then_label_then_title(query, text):
    assert text_of(GivenFetcher(GIVEN), **query) == text


def test_nothing_fits():
    error = missing(GivenFetcher(GIVEN), target=url("https://example.com/z"), label="7")
    assert error.kind == "no_source"
    assert "https://example.com/z" in error.message
    assert missing(GivenFetcher(None), label="1").kind == "no_source"


def test_a_list_in_a_file(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(GIVEN), "utf-8")
    assert text_of(GivenFetcher(str(tmp_path / "s.json")), label="2") == "by label"


def test_a_directory_of_labelled_files(tmp_path):
    (tmp_path / "1.html").write_text("<p>Rain fell: 42 mm.</p>")
    (tmp_path / "smith2019.md").write_text("# Smith\n\nIt was 2019.")
    (tmp_path / "notes.docx").write_bytes(b"ignored")
    fetcher = GivenFetcher(tmp_path)
    assert "42 mm" in text_of(fetcher, label="1")
    assert "It was 2019." in text_of(fetcher, label="Smith2019")
    assert missing(fetcher, label="notes").kind == "no_source"


def test_a_directory_with_a_listing_that_names_files(tmp_path):
    (tmp_path / "a.html").write_text("<p>From the file.</p>")
    (tmp_path / "sources.json").write_text(
        json.dumps([{"file": "a.html", "url": "https://example.com/a", "title": "A", "label": "1"}])
    )
    fetched = asyncio.run(
        GivenFetcher(tmp_path).fetch(SourceQuery(target=url("https://example.com/a")))
    )
    assert fetched.status is None
    assert fetched.content_type == "text/html"
    assert (fetched.url, fetched.title) == ("https://example.com/a", "A")
    assert text_of(GivenFetcher(tmp_path), label="1") == "From the file."


@pytest.mark.parametrize(
    ("listing", "expected"),
    [
        ("{", "cannot be read"),
        ('"text"', "not a list"),
        ("[1]", "Entry 1"),
        ('[{"content": "x"}, {"title": "y"}]', "Entry 2"),
        ('[{"content": 3}]', "'content'"),
        ('[{"file": "../secret.txt"}]', "outside"),
        ('[{"file": "/etc/passwd"}]', "outside"),
        ('[{"file": "link.txt"}]', "outside"),
        ('[{"file": "none.txt"}]', "no such file"),
        ('[{"content": "x", "for": {"a": 1}}]', "'for'"),
        ('[{"content": "x", "for": [true]}]', "'for'"),
    ],
)
def test_bad_listings_are_one_clear_sentence(listing, expected, tmp_path):
    folder = tmp_path / "given"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "sources.json").write_text(listing)
    with pytest.raises(UnreadableInput, match=expected):
        open_sources(folder)


def test_a_place_that_is_not_there(tmp_path):
    with pytest.raises(UnreadableInput, match="No sources at"):
        open_sources(tmp_path / "nowhere")
    with pytest.raises(UnreadableInput, match=r"sources\.json"):
        open_sources(tmp_path)


def test_lone_surrogates_in_a_given_text():
    assert text_of(GivenFetcher([{"content": "a\ud800b", "label": "1"}]), label="1") == "a\ufffdb"


def test_given_html_is_read_as_html():
    sources = GivenFetcher([{"content": "<!doctype html><p>Only words.</p>", "label": "1"}])
    assert text_of(sources, label="1") == "Only words."


def test_memory_fetcher_by_url_label_or_title():
    fetcher = MemoryFetcher({"https://example.com/a": "A", "2": "B", "Third report": "C"})
    assert isinstance(fetcher, Fetcher)
    assert text_of(fetcher, target=url("http://example.com/a/")) == "A"
    assert text_of(fetcher, label="[2]") == "B"
    assert text_of(fetcher, title="third report") == "C"
    assert missing(fetcher, label="9").kind == "no_source"
    assert [query.label for query in fetcher.asked] == [None, "[2]", None, "9"]


class Refusing:
    async def fetch(self, query):
        raise SourceError("unreadable", "broken")


def test_first_of_moves_on_only_when_there_is_no_such_source():
    sources, memory = GivenFetcher([]), MemoryFetcher({"1": "found"})
    assert text_of(ChainedFetcher([sources, memory]), label="1") == "found"
    assert missing(ChainedFetcher([sources, Refusing(), memory]), label="1").kind == "unreadable"
    assert missing(ChainedFetcher([sources, memory]), label="2").kind == "no_source"


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"%PDF-1.7 x", "scan", "application/pdf"),
        (b"<p>x</p>", "a.HTML", "text/html"),
        (b"words", "pasted", "text/plain"),
    ],
)
def test_a_replacement_is_told_by_its_bytes_and_its_ending(data, name, kind):
    replaced = replacement("https://example.com/a", data, name)
    assert (replaced.content_type, replaced.status, replaced.url) == (
        kind,
        None,
        "https://example.com/a",
    )


def test_an_empty_replacement_is_refused():
    with pytest.raises(SourceError, match="is empty"):
        replacement("https://example.com/a", b" \n", "a.txt")
