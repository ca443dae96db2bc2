import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.presentation.escape import (
    escape_html,
    escape_markdown,
    file_stem,
    marker_text,
    run_label,
    truncate,
    web_address,
)


@given(st.text())
def test_markup_reads_back_as_the_text(text):
    escaped = escape_html(text)
    assert not re.search(r"[<>\"']", escaped)
    assert html.unescape(escaped) == re.sub("[\ud800-\udfff]", "\ufffd", text)


@given(st.text())
def test_plain_leaves_no_special_letter_unescaped(text):
    bare = re.sub(r"\\.", "", escape_markdown(text))
    assert not re.search(r"[\\`*_{}\[\]()#+\-.!|<>~$&\"'/=^%\n]", bare)
    assert not re.search(r":(?!\u2060)", escape_markdown(text))


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))",
        "![](http://h/i.png)",
        "$x^2$",
        ":red[x]",
        "<b>",
        "# h",
        "a\n\n- b",
    ],
)
def test_plain_keeps_the_words(text):
    back = re.sub(r"\\(.)", r"\1", escape_markdown(text)).replace("\u2060", "")
    assert back == " ".join(text.split())


def test_cut_ends_in_an_ellipsis():
    assert truncate("one two three", 8) == "one two…"
    assert truncate("a\n\tb", 8) == "a b"


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://a.example/x?y=1#z", True),
        ("HTTP://A.example", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ('https://a.example/" onclick="x', False),
        ("https://a.example/ x", False),
        ("//a.example", False),
        ("", False),
    ],
)
def test_only_web_addresses_become_links(address, safe):
    assert web_address(address) == (address if safe else None)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("A report: 2026", "A-report-2026"),
        ("../../x", "x"),
        ("…", "run"),
        ("", "run"),
        ("研究", "研究"),
    ],
)
def test_file_names_are_plain(name, stem):
    assert file_stem(name) == stem


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("[the ministry's page](https://a.example/x?b=1)", "the ministry's page"),
        ("[Act § 4(b)](https://a.example/x_(y))", "Act § 4(b)"),
        ("[**Report**](https://a.example)", "Report"),
        ("[12]", "[12]"),
        ("【3†source】", "【3†source】"),
        ("https://a.example/[x](y)", "https://a.example/[x](y)"),
    ],
)
def test_a_marker_shows_the_words_of_a_link(raw, shown):
    assert marker_text(raw) == shown


def test_a_run_without_a_name_shows_words_in_place_of_its_id():
    assert run_label(" ") == "Untitled run"
    assert run_label("A long name", 7) == "A long…"
