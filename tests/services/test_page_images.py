"""Pages of sources as images: drawn when looked at, kept for a while, never in place of a reason."""

import asyncio

import pytest

from tests.fakes.pdfs import TEXT, nested_forms, pdf_of, raw_pdf
from workbench.errors import SourceError
from workbench.records.source import Fetched
from workbench.records.text import Span
from workbench.services.cached_views import clear_cached_views
from workbench.services.sources import page_images, structure
from workbench.services.sources.page_images import has_page_images, page_image
from workbench.services.sources.structure import source_structure
from workbench.sources.read import draw_page, read_source
from workbench.sources.snapshots import SnapshotFolder


@pytest.fixture(autouse=True)
def nothing_kept():
    clear_cached_views()
    yield
    clear_cached_views()


@pytest.fixture
def drawn(monkeypatch):
    """The numbers of the pages that were drawn, in order."""
    numbers = []

    def counting(body, source, number, **options):
        numbers.append(number)
        return draw_page(body, source, number, **options)

    monkeypatch.setattr(page_images, "draw_page", counting)
    return numbers


def kept(tmp_path, body):
    fetched = Fetched(
        url="a.pdf", final_url="a.pdf", status=None, content_type="application/pdf", body=body
    )
    folder = SnapshotFolder(tmp_path / "snapshots")
    folder.put(fetched)
    return folder, asyncio.run(read_source(fetched))


def test_of_five_hundred_pages_only_the_one_looked_at_is_drawn(tmp_path, drawn):
    folder, source = kept(tmp_path, pdf_of(*(f"This is page {n}." for n in range(1, 501))))
    assert has_page_images(folder, source)
    assert len(source.pages) == 500
    page = page_image(folder, source, 437)
    assert page.image
    start = source.text.index("page 437")
    assert page.image.boxes(Span(start, start + 8))
    assert page_image(folder, source, 437) == page
    assert drawn == [437]
    page_image(folder, source, 438)
    assert drawn == [437, 438]


def test_pages_go_when_there_are_too_many_and_when_a_database_is_rewritten(
    tmp_path, drawn, monkeypatch
):
    folder, source = kept(tmp_path, pdf_of("one", "two", "three"))
    monkeypatch.setattr(page_images, "MAX_KEPT_BYTES", 20_000)
    for number in (1, 2, 3, 1):
        assert page_image(folder, source, number).image
    assert drawn == [1, 2, 3, 1]
    page_image(folder, source, 1)
    assert drawn == [1, 2, 3, 1]
    clear_cached_views()
    page_image(folder, source, 1)
    assert drawn == [1, 2, 3, 1, 1]


def test_a_bomb_is_named_and_not_lit_again_at_once(tmp_path, monkeypatch):
    body = nested_forms()
    folder, source = kept(tmp_path, body)
    tried = []

    def stopped(*_):
        tried.append(1)
        raise SourceError(
            "unreadable", "Drawing page 1 took longer than 6 seconds and was stopped."
        )

    monkeypatch.setattr(page_images, "draw_page", stopped)
    assert page_image(folder, source, 1).image is None
    assert "was stopped" in page_image(folder, source, 1).problem
    assert len(tried) == 1
    monkeypatch.setattr(page_images, "FAILURE_SECONDS", 0.0)
    page_image(folder, source, 1)
    assert len(tried) == 2


def test_without_the_bytes_there_is_the_reason_until_they_come(tmp_path):
    body = raw_pdf(TEXT)
    _, source = kept(tmp_path, body)
    empty = SnapshotFolder(tmp_path / "empty")
    assert not has_page_images(empty, source)
    assert "not stored here" in page_image(empty, source, 1).problem
    kept_there = Fetched(url="a.pdf", final_url="a.pdf", status=None, content_type="", body=body)
    empty.put(kept_there)
    assert page_image(empty, source, 1).image


def test_a_page_that_the_text_does_not_have_is_a_reason(tmp_path):
    folder, source = kept(tmp_path, raw_pdf(TEXT))
    assert page_image(folder, source, 9).problem == "The source has no page 9."


def test_a_source_without_pages_has_no_images(tmp_path):
    text = b"words"
    fetched = Fetched(
        url="a.txt", final_url="a.txt", status=None, content_type="text/plain", body=text
    )
    folder = SnapshotFolder(tmp_path / "snapshots")
    folder.put(fetched)
    assert not has_page_images(folder, asyncio.run(read_source(fetched)))


def test_the_structure_of_a_page_is_found_once_and_only_where_its_bytes_are_kept(
    tmp_path, monkeypatch
):
    body = b"<html><body><h1>Parts</h1><p>A deck and two towers.</p></body></html>"
    fetched = Fetched(
        url="a.html", final_url="a.html", status=None, content_type="text/html", body=body
    )
    source = asyncio.run(read_source(fetched))
    folder = SnapshotFolder(tmp_path / "snapshots")
    assert source_structure(folder, source) == ()
    folder.put(fetched)
    (heading,) = source_structure(folder, source)
    assert (heading.kind, heading.span.of(source.text)) == ("heading", "# Parts")
    monkeypatch.setattr(structure, "read_structure", None)
    assert source_structure(folder, source) == (heading,)
