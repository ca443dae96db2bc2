from hypothesis import given
from hypothesis import strategies as st

from workbench.presentation.text_pages import cut_windows, segment_text, window_of
from workbench.records.citation import Citation, Reference
from workbench.records.text import Excerpt, Span, replace_surrogates


def cite(name, start, end, kind="numbered", claim=None):
    return Citation(
        id=name,
        kind=kind,
        raw="x" * (end - start),
        span=Span(start, end),
        identifier=name,
        context=Span(start, end),
        claim=Excerpt(span=Span(*claim), text="c") if claim else None,
    )


def pieces_of(text, citations, references=()):
    (window,) = cut_windows(text, citations)
    return segment_text(text, window, references)


def test_a_short_text_is_one_part():
    (window,) = cut_windows("abc", [])
    assert (window.start, window.end) == (0, 3)


def test_an_empty_text_is_one_empty_part():
    (window,) = cut_windows("", [])
    assert (window.start, window.end) == (0, 0)
    assert segment_text("", window, ()) == ()


def test_parts_break_at_paragraphs():
    text = "a" * 70 + "\n\n" + "b" * 70
    first, second = cut_windows(text, [], chars=100)
    assert text[first.start : first.end] == "a" * 70 + "\n\n"
    assert text[second.start : second.end] == "b" * 70


def test_a_part_holds_no_more_citations_than_it_may():
    text = "x[1]" * 50
    citations = [cite(f"c{n}", 4 * n + 1, 4 * n + 4) for n in range(50)]
    windows = cut_windows(text, citations, most=20)
    assert [len(window.citations) for window in windows] == [20, 20, 10]


def test_no_citation_is_cut_in_two():
    text = "word " * 50
    citations = [cite("c1", 95, 130)]
    windows = cut_windows(text, citations, chars=100)
    assert any(w.start <= 95 and w.end >= 130 for w in windows)


def test_many_citations_at_one_place_stay_together():
    citations = [cite(f"c{n}", 2, 5) for n in range(30)]
    windows = cut_windows("a [1-30] b", citations, most=10)
    assert [len(w.citations) for w in windows if w.citations] == [30]


spans = st.tuples(st.integers(0, 60), st.integers(1, 12))
texts = st.text(alphabet=st.sampled_from("ab \n#é中𝒳\ud800\u202e"), max_size=80)


@given(texts, st.lists(spans, max_size=8), st.integers(5, 40), st.integers(1, 4))
def test_parts_and_pieces_are_the_text_letter_for_letter(text, places, chars, most):
    citations = [
        cite(f"c{n}", start, min(start + size, len(text)), claim=(max(start - 5, 0), start))
        for n, (start, size) in enumerate(places)
        if start < len(text)
    ]
    windows = cut_windows(text, citations, chars=chars, most=most)
    assert "".join(text[w.start : w.end] for w in windows) == text
    assert sorted(c.id for w in windows for c in w.citations) == sorted(c.id for c in citations)
    for window in windows:
        pieces = segment_text(text, window, ())
        assert "".join(piece.text for piece in pieces) == replace_surrogates(
            text[window.start : window.end]
        )
        opened = [name for piece in pieces for name in piece.opens]
        assert sorted(opened) == sorted(c.id for c in window.citations)
        assert all(set(piece.opens) <= set(piece.marks) for piece in pieces)


def test_the_part_of_an_offset():
    windows = cut_windows("a" * 250, [], chars=100)
    assert [window_of(windows, offset) for offset in (0, 99, 100, 249, 250, 999)] == [
        0, 0, 1, 2, 2, 2,
    ]  # fmt: skip


def test_pieces_know_marker_claim_reference_and_heading():
    text = "# Head\nA claim [1].\n[1] Entry"
    reference = Reference(label="1", span=Span(20, 29), text="[1] Entry")
    pieces = pieces_of(text, [cite("c1", 15, 18, claim=(7, 19))], [reference])
    fields = [(p.text, p.marks, p.claims, p.reference, p.heading) for p in pieces]
    assert fields == [
        ("# Head", (), (), None, True),
        ("\n", (), (), None, False),
        ("A claim ", (), ("c1",), None, False),
        ("[1]", ("c1",), ("c1",), None, False),
        (".", (), ("c1",), None, False),
        ("\n", (), (), None, False),
        ("[1] Entry", (), (), 0, False),
    ]


def test_citations_of_one_group_share_a_piece():
    (_, marker, _) = pieces_of("a [1, 2] b", [cite("c1", 2, 8), cite("c2", 2, 8)])
    assert marker.marks == marker.opens == ("c1", "c2")


def test_a_marker_lies_over_the_quote_around_it():
    pieces = pieces_of('"said [1] so"', [cite("q", 0, 13, kind="quote"), cite("c1", 6, 9)])
    assert [(p.text, p.marks, p.wide) for p in pieces] == [
        ('"said ', ("q",), True),
        ("[1]", ("c1",), False),
        (' so"', ("q",), True),
    ]
    assert [p.opens for p in pieces] == [("q",), ("c1",), ()]


def test_a_quote_hidden_under_its_marker_joins_it():
    (piece,) = pieces_of("[1]", [cite("q", 0, 3, kind="quote"), cite("c1", 0, 3)])
    assert piece.opens == ("c1", "q")


def test_five_megabytes_with_two_thousand_citations_are_cut_into_small_parts():
    text = ("word " * 499 + "[1] ") * 2000
    citations = [
        cite(f"c{n}", 2499 * n + 2495, 2499 * n + 2498, claim=(2499 * n, 2499 * n + 2495))
        for n in range(2000)
    ]
    windows = cut_windows(text, citations)
    middle = windows[len(windows) // 2]
    assert "".join(piece.text for piece in segment_text(text, middle, ())) == middle.span.of(text)
    assert max(w.end - w.start for w in windows) <= 24_000 + 3
