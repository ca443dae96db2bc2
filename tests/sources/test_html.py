"""What is read out of a web page: its article with tables and lists, not what surrounds it."""

import time

import pytest

from tests.fakes.html_pages import HOSTILE, PAGES
from workbench.sources.reading.blocks import Block, restore_dropped_blocks
from workbench.sources.reading.html import (
    MAX_HTML,
    _cpu_seconds,
    parse_html,
    strip_hidden_markup,
)
from workbench.sources.reading.parsed import Unparsable


def read(markup, content_type="text/html; charset=utf-8"):
    body = markup if isinstance(markup, bytes) else markup.encode()
    return parse_html(body, content_type, "https://site.example/a")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_facts_are_kept(page):
    text = read(page.markup).text
    assert [fact for fact in page.keep if fact not in text] == []


# The article parser keeps this list of stories; pruning more would cost real lists.
KNOWN_LEAKS = {"Ten recipes"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_noise_is_dropped(page):
    text = read(page.markup).text
    assert {noise for noise in page.drop if noise in text} <= KNOWN_LEAKS


# the time limit may first strike within a callback of the garbage collector, and strikes again
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", sorted(HOSTILE.keys() - {"deep nesting"}))
def test_hostile_markup_gives_text_or_nothing(name):
    text = read(HOSTILE[name]).text
    assert isinstance(text, str)
    assert "root:" not in text
    if name != "nothing but markup":
        assert "42" in text


WORDS = "<p>The bridge is 120 metres long and was opened in 1932.</p>"


@pytest.mark.parametrize(
    ("markup", "kind", "message"),
    [
        ("<div>" * 100_000 + WORDS + "</div>" * 100_000, "unreadable", "nested too deep"),
        ("<b>" * 300 + WORDS, "unreadable", "nested too deep"),
        (HOSTILE["deep nesting"].decode(), "unreadable", "nested too deep"),
        ("<p class='" + "x" * MAX_HTML + "'></p>" + WORDS, "too_large", "was cut after 1,000,000"),
        ("<html><body><p class='", "unreadable", "cut off within its markup"),
        ("<html><body><!-- " + WORDS, "unreadable", "cut off within its markup"),
        ("<html><head><title>Brid", "unreadable", "cut off within its markup"),
    ],
)
def test_text_that_could_not_be_reached_is_not_missing_text(markup, kind, message):
    with pytest.raises(Unparsable) as refused:
        read(markup)
    assert refused.value.kind == kind
    assert message in refused.value.message


def test_text_above_the_deep_part_is_read_as_part_of_a_page():
    parsed = read(f"<html><body>{WORDS}" + "<div>" * 1000 + WORDS.replace("120", "999"))
    assert "120 metres" in parsed.text
    assert "999" not in parsed.text
    assert parsed.truncated


def test_a_page_that_is_whole_and_says_nothing_has_no_text():
    parsed = read("<html><head><title>x</title></head><body><div></div></body></html>")
    assert parsed.text == ""
    assert not parsed.truncated


def test_facts_of_a_page():
    parsed = read(
        "<html><head><title>Rain - Weather Site</title><meta name=author content='Ann Lee'>"
        "<meta property='article:published_time' content='2024-05-03'>"
        "<meta property='og:site_name' content='Weather Site'></head>"
        "<body><article><h1>Rain</h1><p>" + "It rained a lot in the north. " * 20 + "</p></article>"
    )
    assert (parsed.title, parsed.author, parsed.date, parsed.site) == (
        "Rain",
        "Ann Lee",
        "2024-05-03",
        "Weather Site",
    )


@pytest.mark.parametrize(
    ("body", "content_type", "word"),
    [
        ("<p>Größe 42 mm, gemessen in Köln</p>".encode("cp1252"), "text/html", "Größe"),
        ("<p>Größe 42 mm</p>".encode("cp1252"), "text/html; charset=iso-8859-1", "Größe"),
        ("<meta charset=gb2312><p>降雨量42毫米</p>".encode("gb18030"), "text/html", "降雨量"),
        ("<p>降雨量42毫米</p>".encode("utf-16"), "text/html", "降雨量"),
        ("<?xml version='1.0' encoding='utf-8'?><html><body><p>Größe 42</p></body></html>".encode(),
         "application/xhtml+xml", "Größe"),
        ("<meta charset=base64><p>Größe 42 mm</p>".encode(), "text/html", "Größe"),
    ],
    ids=["guessed", "declared", "meta", "byte order mark", "xhtml", "a charset that is none"],
)  # fmt: skip
def test_charsets(body, content_type, word):
    assert word in read(body, content_type).text


def test_long_markup_is_cut_and_flagged():
    parsed = read("<p>" + "rain " * (MAX_HTML // 4) + "</p>")
    assert parsed.truncated
    assert len(parsed.text) <= MAX_HTML


def test_scripts_do_not_count_towards_the_cut():
    parsed = read("<script>" + "x" * (2 * MAX_HTML) + "</script><p>Rain fell: 42 mm.</p>")
    assert not parsed.truncated
    assert "42 mm" in parsed.text


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("a<script>b</script>c", "a c"),
        ("a<SCRIPT src=x>b</SCRIPT >c", "a c"),
        ("a<!-- b -->c<style>d</style>e", "a c e"),
        ("a<!-- b", "a"),
        ("a<script>b", "a b"),
        ("a<scripted>b", "a<scripted>b"),
        ("a<script>b<script>c", "a b c"),
    ],
)
def test_silent_parts_are_taken_out(markup, expected):
    assert strip_hidden_markup(markup).split() == expected.split()


def test_a_dropped_block_comes_back_at_its_place():
    blocks = [Block("First words here", False, 0), Block("Figure 2: 1,350 m", False, 0),
              Block("Share this", True, 0), Block("Last words here", False, 0)]  # fmt: skip
    text = "First words here\nLast words here"
    assert restore_dropped_blocks(text, blocks) == text or len(text) < 200
    long = "First words here " + "and more " * 30
    mended = restore_dropped_blocks(
        f"{long}\nLast words here", [Block(long, False, 0), *blocks[1:]]
    )
    assert mended.split("\n") == [long, "Figure 2: 1,350 m", "Last words here"]


def test_a_page_of_links_is_its_links():
    text = read("<html><body>" + '<p><a href="/x">Report 12</a></p>' * 3 + "</body></html>").text
    assert text == "Report 12\nReport 12\nReport 12"


class Lingering:
    """Its destructor takes its time, as the garbage collector may at any moment."""

    def __del__(self):
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass


def test_a_time_limit_that_ends_in_a_destructor_is_not_lost():
    with pytest.raises(TimeoutError), _cpu_seconds(0.05):
        # an exception raised in here would be swallowed, and told as a warning
        Lingering()
        while True:
            pass
