"""What is read out of a web page: its article with tables and lists, not what surrounds it."""

import time

import pytest

from tests.fakes.html_pages import HOSTILE, PAGES
from workbench.sources.reading.decode import decode
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
        ("<b>" * 3000 + WORDS, "unreadable", "nested too deep"),
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
    for deep in ("<div>" * 3000, "<ul><li>" * 1000):
        parsed = read(f"<html><body>{WORDS}{deep}{WORDS.replace('120', '999')}")
        assert "120 metres" in parsed.text
        assert "999" not in parsed.text
        assert parsed.truncated


@pytest.mark.parametrize("opened", ["<div>", "<ul><li>", "<b>", "<table><tr><td>", "<blockquote>"])
def test_deep_nesting_hides_no_text(opened):
    parsed = read(f"<html><body>{WORDS}{opened * 200}The heron stands in the pond at dawn.")
    assert "120 metres" in parsed.text
    assert "The heron stands in the pond at dawn." in parsed.text
    assert not parsed.truncated


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
    ("inner", "day"),
    [
        ("<p>The toll rose from 2009 to 2019.</p>", None),
        ("<p>It opened on 3 May 2009.</p>", None),
        ("<p>It was published on 3 May 1924 in the Gazette.</p>", None),
        ("<p>© 2024 County</p><p class=updated>Updated 3 May 2024</p>", None),
        ("<p>Published 03/05/2024</p>", None),
        ("<p>Published May 2024</p>", None),
        ("<meta name=citation_date content=2024><p>Rye.</p>", None),
        ("<meta name=citation_date content='2024/05/03'><p>Rye.</p>", "2024-05-03"),
        ('<script type="application/ld+json">{"datePublished": "2024-05-03T10:00Z"}</script>',
         "2024-05-03"),
        ("<header><time datetime='2024-05-03'>in May</time></header>", "2024-05-03"),
        ("<p>On <time datetime='2009-05-03'>3 May</time> it opened.</p>", None),
        ("<span class=byline>Ann Lee | May 3, 2024</span>", "2024-05-03"),
        ("<p>Ann Lee · Published on 3 May 2024 by the county</p>", "2024-05-03"),
        ("<p>Veröffentlicht am 3. Mai 2024</p>", "2024-05-03"),
        ("<p>Publié le 3 mai 2024</p>", "2024-05-03"),
        ("<p>Publicado el 3 de mayo de 2024</p>", "2024-05-03"),
        ("<p>发布时间：2024年5月3日</p>", "2024-05-03"),
        ("<p>Опубликовано 3 мая 2024</p>", "2024-05-03"),
    ],
)  # fmt: skip
def test_a_date_is_what_the_page_says_of_itself(inner, day):
    assert read(f"<html><body><article><h1>Mill</h1>{inner}{OPENING}</article>").date == day


SAMPLES = {
    "de": ("Die Mühle steht am größeren Ufer, sagt Jörg Weiß; sie mahlt für drei Dörfer Roggen.",
           ("utf-8", "cp1252")),
    "ru": ("Мельница стоит на северном берегу реки и мелет рожь для трёх деревень.",
           ("utf-8", "cp1251")),
    "zh": ("磨坊位于河的北岸，为三个村庄磨黑麦，每两年由县里检查一次。", ("utf-8", "gbk")),
    "ja": ("水車小屋は川の北岸にあり、三つの村のためにライ麦を挽いています。",
           ("utf-8", "shift_jis", "euc-jp")),
    "ko": ("방앗간은 강의 북쪽 기슭에 있으며 세 마을의 호밀을 빻는다.", ("utf-8", "euc-kr")),
}  # fmt: skip
NO_CHARACTER = {"utf-8": b"\xe9", "cp1252": b"\x81", "cp1251": b"\x98"}


@pytest.mark.parametrize("declared", ["header", "meta", "undeclared"])
@pytest.mark.parametrize(
    ("text", "charset"),
    [(text, charset) for text, charsets in SAMPLES.values() for charset in charsets],
)
def test_one_damaged_byte_does_not_change_the_charset(text, charset, declared):
    if declared == "undeclared" and charset != "utf-8":
        pytest.skip("a short text of another charset is guessed at")
    meta = f"<meta charset={charset}>" if declared == "meta" else ""
    body = f"<html>{meta}<p>{text} | {text}</p>".encode(charset)
    damaged = body.replace(b" | ", b" " + NO_CHARACTER.get(charset, b"\xff") + b" ")
    kind = f"text/html; charset={charset}" if declared == "header" else "text/html"
    assert decode(damaged, kind).count(text) == 2


def test_a_damaged_byte_of_a_plain_text_is_one_damaged_character():
    assert (
        decode("Der Müller zahlt 5 ".encode() + b"\x80 im Mai.")
        == "Der Müller zahlt 5 \ufffd im Mai."
    )
    assert decode(b"Zo\xe9") == "Zoé"
    assert decode("Zoé Müller".encode() + b"\xc3") == "Zoé Müller"


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


OPENING = (
    "<p>The mill of Harrow stands on the north bank of the river and has ground rye for the three "
    "villages around it since the flood of 1871, when the older one was lost.</p>"
    "<p>Its wheel is turned by the millrace, and the county looks after the weir that feeds it every "
    "second spring, as a notice at the door says.</p>"
)


def body_of(inner, style=""):
    """What is read of an article that holds `inner` between its opening and its last line."""
    page = (
        f"<html><head><title>Mill</title><style>{style}</style></head><body><article>"
        f"<h1>Mill</h1>{OPENING}{inner}<p>So much.</p></article></body></html>"
    )
    lines = read(page).text.split("\n")
    assert (lines[0], lines[-1], len(lines[1])) == ("# Mill", "So much.", 162)
    return lines[3:-1]


@pytest.mark.parametrize(
    ("markup", "lines"),
    [
        ("<figure class=pullquote><blockquote><p>It never stops.</p><cite>A miller</cite>"
         "</blockquote></figure>", ["It never stops.", "A miller"]),
        ("<blockquote>It sings.<footer>A miller</footer></blockquote>", ["It sings.", "A miller"]),
        ("<aside class=callout>Closed on Mondays.</aside>", ["Closed on Mondays."]),
        ("<aside class=related-links>Other mills of the north.</aside>", []),
        ("<details class=CommentBox><summary>Readers</summary><p>I like it.</p></details>", []),
        ("<figure><img src=a alt='A wheel'><figcaption>The wheel.</figcaption></figure>",
         ["The wheel."]),
        ("<figure><img src=a alt='Chart: rye by year, rising'></figure>",
         ["[Image: Chart: rye by year, rising]"]),
        ("<figure><img src=a alt='The wheel in ice'><figcaption>The wheel in ice.</figcaption>"
         "</figure>", ["The wheel in ice."]),
        ("<details><summary>Who built it?</summary><p>Masons.</p></details>",
         ["Who built it?", "Masons."]),
        ("<dl><dt>Wheel</dt><dd>oak</dd><dt>How old?</dt><dd>Old.</dd></dl>",
         ["- Wheel: oak", "- How old? Old."]),
        ("<ul><li>Rye</li><li><p>Oats</p><p>since May</p></li><li>Rye</li></ul>",
         ["- Rye", "- Oats", "  since May", "- Rye"]),
        ("<table><caption>Sacks</caption><tr><th>Year</th><th>Sacks</th></tr><tr><td>1901</td>"
         "<td>many</td></tr><tr><td>1902</td><td>many</td></tr></table>",
         ["Sacks", "| Year | Sacks |", "| 1901 | many |", "| 1902 | many |"]),
        ("<h3>Later</h3><p>Shut.</p>", ["### Later", "Shut."]),
        ("<p>Open<br>all day.</p>", ["Open", "all day."]),
        ("<p>mill<wbr>race, <ruby>粉<rt>fen</rt></ruby>, <q>rye</q></p>",
         ["millrace, 粉, “rye”"]),
        ("<p>Fee <del>5</del> <ins>7</ins>, <s>4</s><span style='text-decoration:line-through'>3"
         "</span><b class=old>2</b> crowns</p>", ["Fee 7, crowns"]),
        ("<p>Open <span class=sr-only>(new window)</span> daily</p>", ["Open daily"]),
        ("<p class=lead>Rye.</p>" * 2, ["Rye.", "Rye."]),
        ("<div class=wide><p>" + "It ground rye. " * 8 + "</p></div>"
         + "<div class=narrow><p>" + "It ground rye. " * 8 + "</p></div>",
         [("It ground rye. " * 8).strip()]),
    ],
)  # fmt: skip
def test_what_a_reader_sees_is_in_the_text_in_order_and_once(markup, lines):
    assert body_of(markup, ".old, .past{color:red;text-decoration:line-through}") == lines


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("120<sup>3</sup> metres", "120 [3] metres"),
        ("in 1871<sup>2,3</sup>.", "in 1871 [2,3]."),
        ("rye.<sup>1</sup>", "rye.[1]"),
        ("45<a href='#n2'><sup>2</sup></a> sacks", "45 [2] sacks"),
        ("10<sup><a href='#n9'>9</a></sup> sacks", "10 [9] sacks"),
        ("9<sup class='reference'><a href='#c'><span>[</span>4<span>]</span></a></sup>", "9 [4]"),
        ("10<sup>6</sup> sacks", "10^6 sacks"),
        ("3 × 10<sup>−4</sup> m", "3 × 10^−4 m"),
        ("12 km<sup>2</sup>, 5 m<sup>3</sup>", "12 km², 5 m³"),
        ("6 built in<sup>3</sup> weeks", "6 built in[3] weeks"),
        ("CO<sub>2</sub> and H<sub>2</sub>O", "CO2 and H2O"),
        ("SO<sub>4</sub><sup>2−</sup>, Ca<sup>2+</sup>", "SO4^2−, Ca2+"),
        ("<i>x</i><sub>i</sub>, V<sub>max</sub>", "x_i, Vmax"),
        ("the 19<sup>th</sup>, le 1<sup>er</sup>, M<sup>me</sup>", "the 19th, le 1er, Mme"),
        ("<sup>14</sup>C", "14C"),
        ("<sup>1</sup>/<sub>2</sub> sack, 2<sup>1</sup>/<sub>2</sub>", "1/2 sack, 2 1/2"),
        ("Rye<sup>beta</sup>, Rye<sup>®</sup>", "Rye beta, Rye®"),
        ("桥长120米<sup>3</sup>。", "桥长120米[3]。"),
        ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", "x^2"),
    ],
)
def test_raised_and_lowered_figures_keep_their_number(markup, text):
    assert body_of(f"<p>{markup}</p>") == [text]


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
