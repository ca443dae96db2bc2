"""The label guide as HTML that cannot do anything, and the difference of two versions."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.presentation.guide_text import (
    Change,
    changes_html,
    guide_changes,
    guide_html,
    shipped_guide,
)

TAGS = {
    "div", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "table", "thead", "tbody", "tr",
    "th", "td", "blockquote", "pre", "code", "strong", "em", "a", "hr",
}  # fmt: skip


def inner(text):
    return guide_html(text).removeprefix('<div class="wb-guide" dir="auto">').removesuffix("</div>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title", "<h2>Title</h2>"),
        ("### Third ###", "<h4>Third</h4>"),
        ("One\nline.\n\nNext.", "<p>One line.</p><p>Next.</p>"),
        ("- a\n- b\n  goes on", "<ul><li>a</li><li>b goes on</li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("*a* **b** `*c*`", "<p><em>a</em> <strong>b</strong> <code>*c*</code></p>"),
        ("2 * 3 * 4", "<p>2 * 3 * 4</p>"),
        ("> said\n> so", "<blockquote>said so</blockquote>"),
        ("---", "<hr>"),
        ("```\n<b>\n```", "<pre><code>&lt;b&gt;</code></pre>"),
        ("```\nopen", "<pre><code>open</code></pre>"),
        (
            "| a | b |\n|---|---|\n| 1 |",
            '<table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>'
            "<tbody><tr><td>1</td><td></td></tr></tbody></table>",
        ),
        ("a | b", "<p>a | b</p>"),
        (
            "[w](https://a.example/x)",
            '<p><a href="https://a.example/x" target="_blank" rel="noopener noreferrer nofollow">'
            "w</a></p>",
        ),
        ("", ""),
    ],
)
def test_markdown_is_drawn(text, expected):
    assert inner(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "![picture](https://evil.example/i.png)",
        "[x](javascript:alert(1))",
        "[x](data:text/html,<b>)",
        '[x](https://a.example/"onmouseover="alert(1))',
        "| <b> | <i> |\n|---|---|\n| <script> | x |",
        "# <b>Title</b>",
        "- <iframe src=//evil.example>",
        "> <svg onload=alert(1)>",
    ],
)
def test_hostile_markup_stays_text(text):
    markup = inner(text)
    assert not re.search(r"<(script|img|iframe|svg|b|i|a)[ >]", markup)
    assert "javascript:" not in re.sub(r">[^<]*<", "><", markup)


class Seen(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.names = set(), [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name == "href"]


markdown = st.lists(
    st.sampled_from(["#", "-", "*", "**", "`", "```", ">", "|", "\n", " ", "[a](", ")", "![", "]",
                     "<b>", "<script>", "https://x.example", "javascript:x", "1. ", "word", "\""])
    | st.text(max_size=6),
    max_size=60,
).map("".join)  # fmt: skip


@given(markdown)
def test_whatever_is_written_only_known_tags_and_web_links_come_out(text):
    parsed = Seen()
    parsed.feed(guide_html(text))
    assert parsed.tags <= TAGS
    assert parsed.names <= {"class", "dir", "scope", "start", "href", "target", "rel"}
    assert all(link.startswith(("http://", "https://")) for link in parsed.links)


def test_a_link_without_an_address_is_its_words():
    assert inner("[a]() and [**b**](https://x.example)").startswith("<p>a and <a href=")


def test_a_long_line_is_not_searched_for_emphasis():
    line = "*" * 50_000
    assert inner(line + " a") == f"<p>{line} a</p>"


def test_the_shipped_guide_is_drawn_with_its_tables_and_lists():
    markup = guide_html(shipped_guide())
    assert markup.count("<tr>") == 15
    assert '<ol start="1">' in markup
    assert "<em>extraction</em>" in markup
    assert "|" not in markup


def test_what_changed_is_told_line_by_line():
    before = "# Guide\n\none\ntwo\nthree\nfour\nfive\nsix\nseven"
    after = "# Guide\n\none\nTWO\nthree\nfour\nfive\nsix\nseven\neight"
    changes = guide_changes(before, after, around=1)
    assert changes == [
        Change("same", "one"),
        Change("removed", "two"),
        Change("added", "TWO"),
        Change("same", "three"),
        Change("gap", ""),
        Change("same", "seven"),
        Change("added", "eight"),
    ]
    assert guide_changes(before, before) == []
    markup = changes_html([Change("added", "<b>")])
    assert "&lt;b&gt;" in markup and "Added: " in markup


@given(st.text(max_size=200), st.text(max_size=200))
def test_changes_hold_every_line_that_differs(before, after):
    changes = guide_changes(before, after, around=1000)
    removed_applied = [change.text for change in changes if change.kind in ("same", "removed")]
    added_applied = [change.text for change in changes if change.kind in ("same", "added")]
    if changes:
        assert removed_applied == before.splitlines()
        assert added_applied == after.splitlines()
    else:
        assert before.splitlines() == after.splitlines()
