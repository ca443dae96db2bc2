"""A source's own reference lists: found line for line, and no evidence for anything."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.errors import JudgeError
from workbench.judging.bibliography import (
    bibliography_spans,
    evidence_spans,
    find_bibliographies,
    quotes_bibliography,
    without_bibliography,
)
from workbench.judging.judge_factory import open_judge
from workbench.judging.layer_checks import quoted_in
from workbench.judging.passages import select_passages

GOLDEN = Path(__file__).with_name("golden_bibliographies.txt")
CANCER = "Treating metastatic cancer with nanotechnology is possible."
TITLE = "Treating metastatic cancer with nanotechnology"
ENTRY = f"{TITLE}. Nat Rev Cancer."
THERMOMETRY = f"""Thermometry is the measurement of temperature by a physical quantity that changes.
Mercury rises in a glass tube, and platinum changes its resistance.

References
1. {TITLE}. Nat Rev Cancer. 2012;12:39-50.
2. A history of the mercury column. Ann Therm. 1998;4(2):11-19.

Appendix A
The tube of the second thermometer was 20 cm long and held four grams of mercury.
"""


def golden():
    """Each document with the places of its lists: the lines, or ends of lines, behind a bar."""
    for block in GOLDEN.read_text("utf-8").split("=== ")[1:]:
        name, _, lines = block.partition("\n")
        text, marked = "", set()
        for line in lines.splitlines(keepends=True):
            text_before, bar, listed = line.partition("|")
            if bar and not name.startswith("negative"):
                text += text_before
                marked |= set(range(len(text), len(text) + len(listed)))
                text += listed
            else:
                text += line
        yield pytest.param(text, marked, id=name)


@pytest.mark.parametrize(("text", "marked"), list(golden()))
def test_a_list_begins_and_ends_where_a_reader_sees_it(text, marked):
    covered = {index for span in find_bibliographies(text) for index in range(span.start, span.end)}
    assert {index for index in covered if not text[index].isspace()} == {
        index for index in marked if not text[index].isspace()
    }


@pytest.mark.parametrize("filler", ["", "The glass tube is blown by hand. " * 400])
def test_a_title_in_a_reference_list_is_in_no_passage(filler):
    text = filler + THERMOMETRY
    passages = select_passages(CANCER, text)
    assert all(text[passage.start : passage.end] == passage.text for passage in passages)
    assert sum(len(passage.text) for passage in passages) <= 3000
    assert TITLE not in "".join(passage.text for passage in passages)


def test_what_stands_behind_the_list_is_evidence():
    claim = "The second thermometer held four grams of mercury."
    for text in (THERMOMETRY, "The glass tube is blown by hand. " * 400 + THERMOMETRY):
        judgment = open_judge("local").judge(claim, select_passages(claim, text))
        assert judgment.label == "supported"
        assert "four grams" in judgment.evidence[0].quote


def test_the_embedded_judge_finds_nothing_in_a_reference_list():
    judgment = open_judge("local").judge(CANCER, select_passages(CANCER, THERMOMETRY))
    assert judgment.label == "not_supported"
    assert judgment.score < 0.4  # .90 with the title among the passages


def test_a_model_cannot_quote_from_a_reference_list(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with FakeProvider(lambda request: Answer(verdict("supported", ENTRY))) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url + "/v1")
        passages = select_passages(CANCER, THERMOMETRY)
        with pytest.raises(JudgeError) as refused:
            open_judge("openai:gpt-4o-mini").judge(CANCER, passages)
    assert "Nat Rev Cancer" not in str(provider.requests[0])
    assert refused.value.kind == "unverified_quote"
    assert refused.value.quotes == (ENTRY,)
    assert quotes_bibliography(refused.value.quotes, THERMOMETRY)


def test_an_excerpt_out_of_a_reference_list_is_not_in_the_source():
    assert quoted_in(TITLE, THERMOMETRY) is None
    assert quoted_in("Mercury rises in a glass tube", THERMOMETRY)
    assert quotes_bibliography([TITLE], THERMOMETRY)
    assert not quotes_bibliography(["Mercury rises in a glass tube"], THERMOMETRY)
    assert not quotes_bibliography(["which stands nowhere at all"], THERMOMETRY)


LIST = THERMOMETRY.split("\n\n")[1]


@pytest.mark.parametrize("sentence", ["Mercury expands with heat.", "It is hot.", "水银受热膨胀。"])
def test_one_short_sentence_makes_a_source_more_than_a_list(sentence):
    (part,) = evidence_spans(f"{sentence}\n\n{LIST}")
    assert part.of(sentence).strip() == sentence


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LIST, id="nothing else"),
        pytest.param(f"Catalogue of the library\n\n{LIST}", id="under a title"),
        pytest.param(
            "This list names the works on heat that the library has bought.\n\nReferences\n"
            + "".join(f"{n}. Kim P. Heat {n}. London: Heat Press; 19{n}.\n" for n in range(10, 60)),
            id="behind a word of introduction",
        ),
    ],
)  # fmt: skip
def test_a_source_that_is_a_list_of_works_is_evidence_as_a_whole(text):
    assert evidence_spans(text)[0].of(text) == text
    assert bibliography_spans(text) == ()
    assert select_passages("Kim wrote about heat.", text)


def test_the_lists_stay_in_the_text_and_are_told_apart():
    (span,) = bibliography_spans(THERMOMETRY)
    assert span.of(THERMOMETRY).startswith("References\n1. " + TITLE)
    blanked = without_bibliography(THERMOMETRY)
    assert len(blanked) == len(THERMOMETRY)
    assert TITLE not in blanked


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            ["References", "## References", "参考文献", "1. Kim P. Heat. 2012;1:2-3.", "- x",
             "", "[2] A", "Prose stands here and says that it is warm.", "Appendix A",
             "(3) B 2001.", "\x0c"]
        ),
        max_size=12,
    )
)  # fmt: skip
def test_any_order_of_lines_gives_spans_in_order(lines):
    text = "\n".join(lines)
    spans = evidence_spans(text)
    assert all(0 <= span.start <= span.end <= len(text) for span in spans)
    assert all(span.end <= other.start for span, other in zip(spans, spans[1:], strict=False))
    assert len(without_bibliography(text)) == len(text)
