"""The layout of a text: what is hidden, how it looks, and that every offset holds."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.presentation.markdown_blocks import code_fences
from workbench.presentation.text_layout import block_steps, text_layout
from workbench.presentation.text_pages import cut_windows, segment_text
from workbench.records.citation import Citation
from workbench.records.text import Span, replace_surrogates

REPORTS = Path(__file__).resolve().parents[3] / "shared" / "data" / "deep_research_reports.jsonl"


def layout_of(text):
    return text_layout(text, Span(0, len(text)))


def shown(text):
    """What is shown: the tags of each block, and its text with the styles of its runs."""
    layout = layout_of(text)
    lines, last = [], ""
    for run in layout.runs:
        words = "" if run.hidden else run.span.of(text)
        for style in reversed(run.styles):
            words = f"<{style}>{words}</{style}>" if words else ""
        path = "/".join(layout.blocks[number].tag for number in layout.path(run.block))
        if (run.block, path) == last:
            lines[-1] += words
        else:
            lines.append(f"{path}: {words}" if path else words)
        last = (run.block, path)
    return lines


def check_offsets(text, part):
    """Every character of the part is in one run, and no block is entered again after it was left."""
    layout = text_layout(text, part)
    assert [run.start for run in layout.runs[1:]] == [run.end for run in layout.runs[:-1]]
    assert "".join(run.span.of(text) for run in layout.runs) == part.of(text)
    entered = [
        path[-1]
        for path, before in zip(
            (layout.path(run.block) for run in layout.runs),
            ((), *(layout.path(run.block) for run in layout.runs)),
            strict=False,
        )
        if path and path != before[: len(path)]
    ]
    assert len(entered) == len(set(entered))
    steps = list(block_steps(layout, [run.block for run in layout.runs]))
    assert sum(len(step.opened) for step in steps) == sum(len(step.closed) for step in steps)
    return layout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Head **b** #", ["h1: Head <strong>b</strong>"]),
        ("Head\n----\nx", ["h2: Head", "x"]),
        ("- a\n- b\n  c", ["ul/li: a", "ul/li: b\nc"]),
        ("1. a\n   - b", ["ol/li: <marker>1. </marker>a", "ol/li/ul/li: b"]),
        ("7)", ["ol/li: <marker>7)</marker>"]),
        ("> a\n> b\n\nc", ["blockquote/p: a\nb", "c"]),
        ("> - a\n>   b", ["blockquote/ul/li: a\nb"]),
        (
            "| a | b |\n|---|:-:|\n| 1 \\| 2 | |\n",
            ["table/tr/th: a", "table/tr/th: b", "table/tr/td: 1 | 2", "table/tr/td: "],
        ),
        ("```py\n*x*\n\n  y\n```\nz", ["pre: *x*\n\n  y", "z"]),
        ("- a\n  ```\n  x\n  ```", ["ul/li: a", "ul/li/pre: x"]),
        ("a\n\n---\n\nb", ["a", "rule: ", "b"]),
    ],
)
def test_blocks(text, expected):
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**a *b* c**", "<strong>a </strong><strong><em>b</em></strong><strong> c</strong>"),
        ("***a***", "<strong><em>a</em></strong>"),
        ("~~a~~ `b **c**` _d_", "<del>a</del> <code>b **c**</code> <em>d</em>"),
        ("**重点（x）**是", "<strong>重点（x）</strong>是"),
        ('[a *b*](https://x.example/ "t")', "<link>a </link><em><link>b</link></em>"),
        ("[1](https://x.example)", "<link>[1]</link>"),
        ("[[1]](https://x.example)", "<link>[1]</link>"),
        ("<https://x.example>", "<link>https://x.example</link>"),
        ("x[^n]", "x<note>n</note>"),
        ("[^n]: Entry", "<note>n</note> Entry"),
        (r"\*a\* \[1\]", "*a* [1]"),
    ],
)
def test_styles(text, expected):
    assert "".join(shown(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "One line,\n   another   one.\n\n\n\tLast [1].\n",
        "2*3*4 and 5 * 6 * 7, snake_case_name, *p < 0.05, **p < 0.01",
        "<b>a</b> <script>alert(1)</script> <!-- c -->",
        "[a](javascript:alert(1)) [b](data:text/html,x) [](https://x.example)",
        "![a](https://x.example/p.png) &amp; &#42;a&#42;",
        "[a]: https://x.example\n[1] Entry. https://y.example",
        "`a ``b",
        "```py\nnever closed",
        "C:\\dir \\(x\\) \\[ y \\]",
        "a | b\nc | d",
        "    four blanks",
    ],
)
def test_what_is_no_markdown_or_not_safe_is_shown_as_given(text):
    layout = layout_of(text)
    assert layout.blocks == ()
    assert not any(run.hidden or run.styles for run in layout.runs)


def test_only_words_of_a_link_are_shown_and_its_address_is_told():
    layout = layout_of("See [it](https://x.example/a_(b)).")
    (link,) = [run for run in layout.runs if run.address]
    assert (link.styles, link.address) == (("link",), "https://x.example/a_(b)")


def test_an_answer_wrapped_in_a_fence_is_no_code_and_markers_may_stand_behind_code():
    text = "```markdown\n# A\n```\n\n```\ncode\n``` [1]\n\nb"
    assert [span.of(text) for span in code_fences(text)] == ["```\ncode\n``` [1]"]
    assert "h1: A" in "\n".join(shown(text))
    assert shown(text)[-2:] == ["pre: code\n``` [1]\n\n", "b"]


def test_a_part_goes_on_with_the_code_or_the_table_that_began_before_it():
    rows = "".join(f"| {n} | x |\n" for n in range(9))
    table = f"| a | b |\n|---|---|\n{rows}"
    layout = text_layout(table, Span(table.index("| 5"), len(table)))
    assert {layout.blocks[run.block].tag for run in layout.runs} == {"td"}
    code = "```\na\n\n*b*\n\nc\n```\n\n**d**"
    layout = text_layout(code, Span(code.index("*b*"), len(code)))
    assert layout.blocks[layout.runs[0].block].tag == "pre"
    assert layout.runs[-2].styles == ("strong",)


SYNTAX = st.sampled_from(
    [
        "# ", "- ", "* ", "1. ", "> ", "| ", "|", "|---|---|", "```", "~~~", "`", "**", "*", "_", "~~", "[",
        "]", "](https://x.example)", "](javascript:x)", "[^1]", "[^1]: ", "<https://x.example>", "![",
        "\\", "\n", "\n\n", "\r\n", "\r", "\t", "  ", "    ", "---", "===", "a", "b c", "[1]", "中", "𝒳",
        "\ud800", "\u202e", "\0", "\u3000", "\x0b", "\u2028", "&amp;", "<b>",
    ]
)  # fmt: skip
MARKDOWN = st.lists(SYNTAX, max_size=40).map("".join)


@given(MARKDOWN | st.text(max_size=80), st.data())
def test_any_text_is_there_letter_for_letter(text, data):
    check_offsets(text, Span(0, len(text)))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    check_offsets(text, Span(start, end))


@given(MARKDOWN)
def test_nothing_but_syntax_is_hidden(text):
    for run in layout_of(text).runs:
        if run.hidden and not run.span.of(text).startswith(("](", "(https", "```", "~~~")):
            assert not set(run.span.of(text)) & set("abc中𝒳1x\ud800\u202e")


@given(MARKDOWN, st.lists(st.tuples(st.integers(0, 80), st.integers(1, 9)), max_size=6))
def test_every_citation_is_seen_whatever_is_hidden(text, places):
    citations = [
        Citation(
            id=f"c{number}", kind="url", raw="", identifier="",
            span=Span(start, min(start + size, len(text))), context=Span(0, 0),
        )
        for number, (start, size) in enumerate(places)
        if start < len(text)
    ]  # fmt: skip
    (window,) = cut_windows(text, citations)
    pieces = segment_text(text, window, (), text_layout(text, window.span))
    assert "".join(piece.text for piece in pieces) == replace_surrogates(text)
    assert all(piece.text == replace_surrogates(piece.span.of(text)) for piece in pieces)
    opened = [name for piece in pieces if not piece.hidden for name in piece.opens]
    assert sorted(opened) == sorted(citation.id for citation in citations)


def test_hostile_texts_cost_no_more_than_others():
    """Nested and unclosed syntax, as long as a part may be; each ends at once or not at all."""
    signs = ("*a ", "**a", "[", "[a](", "![", "`" * 3 + "a", "~~", "> ", "- ", "|", "](", "_a", "<")
    for sign in (*signs, "*a _b ~~c ", "- \n", ">" * 50 + "\n", "| a\n"):
        text = sign * (24_000 // len(sign))
        check_offsets(text, Span(0, len(text)))


@pytest.mark.skipif(not REPORTS.exists(), reason="the shared reports are not here")
def test_real_reports_are_there_letter_for_letter():
    for line in REPORTS.read_text("utf-8").splitlines():
        text = json.loads(line)["article"]
        check_offsets(text, Span(0, len(text)))
        for window in cut_windows(text, (), chars=5_000):
            layout = check_offsets(text, window.span)
            pieces = segment_text(text, window, (), layout)
            assert "".join(piece.text for piece in pieces) == window.span.of(text)


def test_parts_begin_between_blocks():
    items = "".join(f"- item {n}\n\n" for n in range(9))
    text = "a" * 30 + "\n\n" + items + "# Head\n\n```\n" + "x\n\n" * 5 + "```\n\nlast"
    starts = [window.start for window in cut_windows(text, (), chars=150)]
    assert starts == [0, text.index("# Head")]
