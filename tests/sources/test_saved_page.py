"""A saved page names its address: it is found by that address, and by its title."""

import asyncio

import pytest

from tests.fakes.given import GivenFetcher
from workbench.errors import SourceError
from workbench.records.citation import Target
from workbench.records.source import Fetched, SourceQuery
from workbench.sources.read import file_title, read_source, useful_title
from workbench.sources.saved_page import page_names

ADDRESS = "https://bridge.example/facts"
BODY = "<p>The old bridge over the river is 120 metres long and was opened to carts in 1874.</p>"


def url(value):
    return Target(form="url", value=value)


def page(head):
    return f"<!DOCTYPE html>\n{head}<html><head>{{}}</head><body>{BODY}</body></html>"


SAVED = {
    "canonical": page("").format(f'<link rel="canonical" href="{ADDRESS}">'),
    "attributes turned round": page("").format(f"<link href='{ADDRESS}/' rel=canonical />"),
    "og:url": page("").format(f'<meta property="og:url" content="{ADDRESS}?utm_source=x">'),
    "saved from": page(f"<!-- saved from url=(0028){ADDRESS} -->\n").format(""),
    "single file": page("").format(f"<!--\n Page saved with SingleFile\n url: {ADDRESS}\n-->"),
}


@pytest.mark.parametrize("form", SAVED)
def test_a_saved_page_answers_for_its_address(form, tmp_path):
    (tmp_path / "Old bridge (2).html").write_text(SAVED[form])
    fetched = asyncio.run(GivenFetcher(tmp_path).fetch(SourceQuery(target=url(ADDRESS), label="7")))
    assert b"120 metres" in fetched.body


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("x.html", "<title>Facts about the old bridge</title>"),
        ("x.html", "<title>Facts about the old bridge - Bridge Society</title>"),
        ("x.html", '<meta property="og:title" content="Facts about the old bridge">'),
        ("Facts about the old bridge.html", ""),
        ("facts-about_the_old-bridge.html", ""),
        ("Facts about the old bridge – Bridge Society.htm", "<title>about:blank</title>"),
    ],
)
def test_a_saved_page_answers_for_its_title(name, title, tmp_path):
    (tmp_path / name).write_text(page("").format(title))
    query = SourceQuery(
        target=url("https://other.example"), label="7", title="Facts About the Old Bridge"
    )
    assert asyncio.run(GivenFetcher(tmp_path).fetch(query)).body


def test_what_was_given_comes_before_what_a_page_says_of_itself(tmp_path):
    claimed = page("").format(f'<link rel="canonical" href="{ADDRESS}">')
    sources = [{"content": claimed, "label": "2"}, {"content": "as given", "url": ADDRESS}]
    fetched = asyncio.run(GivenFetcher(sources).fetch(SourceQuery(target=url(ADDRESS), label="2")))
    assert fetched.body == b"as given"


def test_a_title_of_two_pages_is_no_one_s(tmp_path):
    for name in ("a.html", "b.html"):
        head = f"<title>Latest news of the day</title><!-- {name} -->"
        (tmp_path / name).write_text(page("").format(head))
    with pytest.raises(SourceError):
        asyncio.run(GivenFetcher(tmp_path).fetch(SourceQuery(title="Latest news of the day")))


def test_hostile_markup_gives_no_names_and_takes_no_time():
    for body in (b"", b"\xff\x00\xfe", b"<" * 500_000, b"<link " * 90_000, b"<title>" * 70_000,
                 b"<meta a=" + b"a=" * 250_000, b"saved from url=(" * 30_000):  # fmt: skip
        assert page_names(body).addresses == ()
    assert page_names(b'<link rel="canonical" href="javascript:alert(1)">').addresses == ()


@pytest.mark.parametrize(
    "title",
    ["about:blank", "Untitled", "untitled-1", "Microsoft Word - final.doc", "thesis_v3.docx",
     "PowerPoint Presentation", "file:///C:/x.html", "Document1", "  ", None, "无标题文档"],
)  # fmt: skip
def test_what_a_program_left_behind_is_no_title(title):
    assert useful_title(title) is None


@pytest.mark.parametrize("title", ["Untitled Goose Game", "1984", "Homer", "The error of the king"])
def test_real_titles_stay(title):
    assert useful_title(title) == title


@pytest.mark.parametrize(
    ("name", "title"),
    [("1.pdf", None), ("source-2.html", None), ("facts-about-bridges.pdf", None),
     ("Facts about bridges.pdf", "Facts about bridges"),
     ("桥梁的历史.pdf", "桥梁的历史"), ("https://x.example/a-b.pdf", None)],
)  # fmt: skip
def test_a_file_s_name_is_a_title_where_it_says_something(name, title):
    assert file_title(name) == title


@pytest.mark.parametrize(
    ("name", "page_title", "title"),
    [
        ("Facts about bridges.html", "about:blank", "Facts about bridges"),
        ("Facts about bridges.html", "Some template", "Facts about bridges"),
        ("1.html", "Bridges of the valley", "Bridges of the valley"),
        ("1.html", "about:blank", None),
    ],
)
def test_a_file_is_called_by_its_name_and_then_by_itself(name, page_title, title):
    body = page("").format(f"<title>{page_title}</title>").encode()
    fetched = Fetched(url=name, final_url=name, status=None, content_type="text/html", body=body)
    assert asyncio.run(read_source(fetched)).title == title
