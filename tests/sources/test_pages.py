"""Pages of PDF sources as images: words where they stand, and no harm from hostile pages."""

import asyncio
import io
from pathlib import Path

import pytest
from fpdf import FPDF
from hypothesis import given
from hypothesis import strategies as some
from PIL import Image

from tests.fakes.pdfs import TEXT, nested_forms, pdf_of, raw_pdf, turned, vast_image
from workbench.errors import SourceError
from workbench.records.source import Fetched, Page, Source
from workbench.records.text import Span
from workbench.sources.read import draw_page, read_source
from workbench.sources.reading.page_text import SCALE, Box, PlacedText, place_letters
from workbench.sources.reading.pool import ParserProcessPool

DEMO = Path(__file__).parents[2] / "data" / "demo"
SENTENCE = "The bridge is 120 metres long."


@pytest.fixture(scope="module")
def pool():
    drawers = ParserProcessPool(1, seconds=30)
    yield drawers
    drawers.close()


def source_of(body):
    fetched = Fetched(
        url="a.pdf", final_url="a.pdf", status=None, content_type="application/pdf", body=body
    )
    return asyncio.run(read_source(fetched))


def source_with(text):
    """A source whose text was extracted earlier, whatever its bytes say now."""
    return Source(
        url="a.pdf", final_url="a.pdf", status=None, content_type="application/pdf", bytes=1,
        sha256="0" * 64, title=None, fetched_at=None, truncated=False, text=text,
        pages=(Page(number=1, span=Span(0, len(text))),),
    )  # fmt: skip


def span_of(source, words):
    start = source.text.index(words)
    return Span(start, start + len(words))


def inked(page):
    """The rectangle round everything that is drawn, in ten-thousandths of the page."""
    picture = Image.open(io.BytesIO(page.png)).convert("L").point(lambda shade: shade < 128 and 255)
    left, top, right, bottom = picture.getbbox()
    return Box(
        left * SCALE // page.width, top * SCALE // page.height,
        right * SCALE // page.width, bottom * SCALE // page.height,
    )  # fmt: skip


def contains(outer, inner, slack=30):
    return (
        outer.left - slack <= inner.left
        and outer.top - slack <= inner.top
        and outer.right + slack >= inner.right
        and outer.bottom + slack >= inner.bottom
    )


# -- words on pages ---------------------------------------------------------------------------------


def test_a_page_is_drawn_with_its_words_where_they_stand(pool):
    body = pdf_of("Before it.", SENTENCE)
    source = source_of(body)
    page = draw_page(body, source, 2, pool=pool)
    assert (page.width, page.height) == (1200, 1698)
    assert Image.open(io.BytesIO(page.png)).size == (page.width, page.height)
    assert [word.span.of(source.text) for word in page.words] == SENTENCE.split()
    (line,) = page.boxes(span_of(source, SENTENCE))
    assert contains(line, inked(page))
    (number,) = page.boxes(span_of(source, "120 metres"))
    assert line.left < number.left < number.right < line.right
    assert page.boxes(span_of(source, "Before it.")) == ()


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_words_of_a_turned_and_cropped_page_are_boxed_where_they_are_seen(pool, degrees):
    body = turned(pdf_of("Bridge"), degrees, crop=(20, 500, 580, 830))
    page = draw_page(body, source_of(body), 1, pool=pool)
    assert (page.width > page.height) == (degrees in (0, 180))
    (box,) = page.boxes(Span(0, 6))
    assert contains(box, inked(page))
    assert (box.right - box.left) * (box.bottom - box.top) < 0.02 * SCALE * SCALE


def test_a_quote_across_lines_and_a_divided_word_has_one_box_a_line(pool):
    document = FPDF()
    document.set_font("helvetica", size=12)
    document.add_page()
    for line in ("The hanging bridge was one hundred and twen-", "ty metres long."):
        document.cell(0, 8, line, new_x="LMARGIN", new_y="NEXT")
    body = bytes(document.output())
    source = source_of(body)
    assert "twenty\nmetres" in source.text
    page = draw_page(body, source, 1, pool=pool)
    first, second = page.boxes(span_of(source, "hundred and twenty\nmetres"))
    assert first.bottom <= second.top + 20
    assert second.left < first.left


def test_the_words_of_two_columns_stand_in_their_columns(pool):
    document = FPDF()
    document.set_font("helvetica", size=11)
    document.add_page()
    words = [f"word{number}" for number in range(400)]
    with document.text_columns(ncols=2, gutter=10, balance=True) as columns:
        columns.write(" ".join(words))
    body = bytes(document.output())
    source = source_of(body)
    page = draw_page(body, source, 1, pool=pool)
    placed = {word.span.of(source.text): word.box for word in page.words}
    assert list(placed) == words
    assert placed["word1"].right < SCALE // 2 < placed["word390"].left


def test_chinese_pages_are_placed_letter_by_letter(pool):
    body = (DEMO / "deep_research_zh" / "yunping-bus-2024.pdf").read_bytes()
    source = source_of(body)
    page = draw_page(body, source, 1, pool=pool)
    (title,) = page.boxes(span_of(source, "云屏市公共交通集团2024年度运营报告"))
    (year,) = page.boxes(span_of(source, "2024年度"))
    assert title.left < year.left < year.right < title.right
    assert (title.top, title.bottom) == (year.top, year.bottom)


def test_pages_of_the_demo_are_placed_to_the_last_letter(pool):
    for file in sorted(DEMO.glob("*/*.pdf")):
        source = source_of(file.read_bytes())
        page = draw_page(file.read_bytes(), source, 1, pool=pool)
        missing = [
            letter
            for letter, place in zip(page.text.text, page.text.places, strict=True)
            if place is None and not letter.isspace()
        ]
        assert missing == [], file.name


def test_a_quote_that_the_page_does_not_show_is_not_boxed(pool):
    source = source_with(SENTENCE + " It opened in 1931, on a Sunday.")
    page = draw_page(raw_pdf(TEXT), source, 1, pool=pool)
    assert page.boxes(span_of(source, SENTENCE))
    assert page.boxes(span_of(source, "It opened in 1931")) == ()
    assert page.boxes(span_of(source, "metres long. It opened in 1931")) == ()


def test_a_coloured_page_keeps_its_colours(pool):
    page = draw_page(raw_pdf("1 0 0 rg 0 0 612 792 re f"), source_with("x"), 1, pool=pool)
    assert Image.open(io.BytesIO(page.png)).getpixel((5, 5)) == (255, 0, 0)
    assert page.words == ()


# -- hostile pages ----------------------------------------------------------------------------------


def refused(pool, body, number=1, text=SENTENCE):
    with pytest.raises(SourceError) as caught:
        draw_page(body, source_with(text), number, pool=pool)
    assert caught.value.kind == "unreadable"
    return caught.value.message


def test_a_huge_page_is_a_small_picture(pool):
    page = draw_page(
        raw_pdf(TEXT, media_box="0 0 14400000 14400000"), source_with(SENTENCE), 1, pool=pool
    )
    assert (page.width, page.height) == (1200, 1200)
    assert page.boxes(Span(0, 10)) == ()  # too small to be seen


def test_a_page_of_no_readable_shape_is_named(pool):
    strip = raw_pdf(TEXT, media_box="0 0 612 2000000")
    assert "612 by 2,000,000 points" in refused(pool, strip)


def test_forms_within_forms_are_stopped_and_the_next_page_is_drawn():
    drawers = ParserProcessPool(1, seconds=2)
    try:
        # The forms' rectangles fill the memory of a fast machine before two seconds have passed.
        assert "was stopped" in refused(drawers, nested_forms())
        assert draw_page(raw_pdf(TEXT), source_with(SENTENCE), 1, pool=drawers).words
    finally:
        drawers.close()


def test_a_picture_of_gigabytes_costs_itself_or_its_page(pool):
    try:
        assert draw_page(vast_image(), source_with(SENTENCE), 1, pool=pool).words
    except SourceError as stopped:
        assert "was stopped" in stopped.message
    assert draw_page(raw_pdf(TEXT), source_with(SENTENCE), 1, pool=pool).words


def test_an_encrypted_a_broken_and_a_missing_page_are_named(pool):
    document = FPDF()
    document.add_page()
    document.set_encryption(owner_password="a", user_password="b")
    assert "encrypted" in refused(pool, bytes(document.output()))
    assert "broken" in refused(pool, b"%PDF-1.7\nnothing else")
    assert refused(pool, raw_pdf(TEXT), number=2) == "The source has no page 2."
    two_pages = source_of(pdf_of("one", "two"))
    with pytest.raises(SourceError, match="no page 2"):
        draw_page(raw_pdf(TEXT), two_pages, 2, pool=pool)


def test_a_form_that_draws_itself_is_drawn_once(pool):
    itself = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] "
        b"/Resources << /XObject << /N 6 0 R >> >> /Length 6 >>\nstream\n/N Do \nendstream"
    )
    body = raw_pdf(TEXT + "/O6 Do", objects=[itself])
    assert draw_page(body, source_with(SENTENCE), 1, pool=pool).words


# -- the alignment ----------------------------------------------------------------------------------


def boxes_for(letters):
    """A box for each letter, from which its index can be read."""
    return [Box(index, 0, index + 1, 10) for index in range(len(letters))]


def matched(text, shown):
    """What the page shows for each code point of a text; a dot where nothing is known."""
    letters = "".join(shown.split())
    return "".join(
        letters[place.left] if place else "." if not letter.isspace() else letter
        for letter, place in zip(
            text, place_letters(text, letters, boxes_for(letters)), strict=True
        )
    )


@pytest.mark.parametrize(
    ("text", "shown", "expected"),
    [
        ("the same words", "thesame  words", "the same words"),
        # a ligature, other quotation marks, another dash
        ("“efficient” – 5", '"e\ufb03cient" \u2212 5', '"e\ufb03\ufb03\ufb03cient" \u2212 5'),
        # a hyphen at a line end, which the text does not have
        ("twenty metres", "twen- ty metres", "twenty metres"),
        # columns in another order
        ("the left column and the right side", "the right side the left column and",
         "the left column and the right side"),
        # a word that the page shows otherwise
        ("it was opened in 1931 by Rae", "it was opened in XIX by Rae", "it was opened in .... by Rae"),
        ("nothing in common", "quite different", "....... .. ......"),
        ("", "words", ""),
        ("words", "", "....."),
        ("a\ud800b \U0001f309", "ab\U0001f309", "a.b \U0001f309"),
    ],
)  # fmt: skip
def test_letters_are_matched_and_the_rest_is_left_alone(text, shown, expected):
    assert matched(text, shown) == expected


words = some.text(alphabet="abcdeü中 -\n", max_size=400)


@given(words, words)
def test_a_place_always_holds_the_letter_it_is_given_to_and_none_twice(text, shown):
    letters = "".join(shown.split())
    places = place_letters(text, letters, boxes_for(letters))
    found = [(letter, place.left) for letter, place in zip(text, places, strict=True) if place]
    assert all(letters[index] == letter for letter, index in found)
    assert len({index for _, index in found}) == len(found)


@given(words, some.randoms(use_true_random=False))
def test_white_space_alone_never_costs_a_place(text, chance):
    shown = "".join(letter + " " * chance.randint(0, 2) for letter in text)
    assert matched(text, shown) == text


@given(some.text(max_size=60), some.integers(0, 70), some.integers(0, 70))
def test_boxes_of_any_span_are_of_the_page(text, one, other):
    letters = "".join(text.split())
    placed = PlacedText(
        start=5, text=text, places=tuple(place_letters(text, letters, boxes_for(letters)))
    )
    span = Span(min(one, other), max(one, other))
    inside = text[max(span.start - 5, 0) : max(span.end - 5, 0)]
    assert bool(placed.boxes(span)) <= bool(inside.strip())
    for word in placed.words():
        assert not any(letter.isspace() for letter in word.span.of(" " * 5 + text))
