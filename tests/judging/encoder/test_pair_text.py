"""What the encoder reads of a claim, its context and its source."""

import pytest

from workbench.judging.pair_reader import LONGEST, pair_text
from workbench.judging.passages import select_passages
from workbench.records.context import NO_CONTEXT, JudgeContext, SourceFacts
from workbench.records.source import Passage
from workbench.records.text import Span

FILLER = "The market opens at eight and the ferry leaves at ten. " * 40
SOURCE = (
    f"# Harbour works\n\n{FILLER}\n\nThe new quay in Marsholm was finished in 1987.\n\n{FILLER}"
)
CLAIM = "Marsholm's new quay was finished in 1987 [3]."


def read(claim=CLAIM, source=SOURCE, context=NO_CONTEXT):
    return pair_text(claim, select_passages(claim, source, context=context), context)


def test_the_best_passages_are_read_within_their_budget():
    text = read()
    assert "The new quay in Marsholm was finished in 1987." in text.source
    assert len(text.source) < 4 * LONGEST


def test_a_longer_claim_and_a_title_leave_less_room_for_the_source():
    longer = f"{CLAIM} It had been planned since the harbour of Marsholm was first deepened."
    titled = JudgeContext(source=SourceFacts(title="A history of the harbours on the west coast"))
    short, long, with_title = read(), read(longer), read(context=titled)
    assert len(long.source) < len(short.source)
    assert len("".join(span.of(with_title.source) for span, _ in with_title.spans)) < len(
        short.source
    )


def test_ideographs_take_more_room_than_letters():
    chinese = "新码头于一九八七年完工。" * 100
    assert len(read("新码头于一九八七年完工。", chinese).source) < len(read().source) / 2


def test_citation_markers_are_no_part_of_the_claim():
    assert read().claim == "Marsholm's new quay was finished in 1987."


@pytest.mark.parametrize(
    ("claim", "plain"),
    [
        ("It rose [1], then [2] fell [3].", "It rose, then fell."),
        ("It rose    , then fell      .", "It rose, then fell."),
        ("Rate | 35 % |    ", "Rate | 35 % |"),
        ("It rose , then fell .", "It rose , then fell ."),
    ],
    ids=["markers", "blanked markers", "a table's row", "a space before each stop"],
)
def test_gaps_that_markers_left_are_closed(claim, plain):
    assert read(claim).claim == plain


def test_spans_lead_back_to_the_source():
    text = read()
    for in_text, in_source in text.spans:
        assert in_text.of(text.source) == in_source.of(SOURCE)


def test_spans_lead_back_from_parts_of_long_passages():
    first = Passage(span=Span(100, 100 + len(FILLER)), text=FILLER)
    sentence = "The quay in Marsholm cost nine million."
    second = Passage(span=Span(9000, 9000 + len(sentence)), text=sentence)
    text = pair_text("The quay in Marsholm cost nine million.", [first, second])
    places = {in_text.of(text.source): in_source for in_text, in_source in text.spans}
    assert places[sentence] == Span(9000, 9039)


def test_the_title_and_headings_stand_above_the_passages_once():
    context = JudgeContext(source=SourceFacts(title="Harbour works"))
    assert read(context=context).source.count("Harbour works") == 1
    other = JudgeContext(source=SourceFacts(title="Marsholm weekly"))
    assert read(context=other).source.startswith("Marsholm weekly\n")


def test_a_table_row_is_read_with_its_header():
    rows = "\n".join(f"| Town {n} | {1000 + n} |" for n in range(80))
    source = f"| Town | Inhabitants |\n|---|---|\n{rows}\n"
    text = read("Town 57 has 1,057 inhabitants.", source)
    assert "| Town | Inhabitants |" in text.source
    assert "| Town 57 | 1057 |" in text.source


def test_the_context_tells_the_nearest_first():
    context = JudgeContext(
        headings=("Ports", "Marsholm"), before="It was long delayed.", table_row="Quay"
    )
    assert read(context=context).context == "Quay | Ports > Marsholm | It was long delayed."


def test_an_empty_context_is_empty():
    assert read().context == ""
