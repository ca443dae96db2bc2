"""What each sentence is there for, and how many of those that need a citation have one."""

import pytest

from workbench import extract
from workbench.records.citation import Sentence, SentenceCorrection, coverage_of, with_corrections
from workbench.records.text import Span

REPORT = """# The Lindau ferry

The ferry carried 120,000 people in 2023 [1]. The line belongs to the state of Ahm.

It opened in 1931. It was closed for nine years after the war. [2]

Key figures:

- Length of the crossing: 4.2 km [1]
- Fare: 6 euros

| Year | Riders |
|---|---|
| 2022 | 96,000 |
| 2023 | 120,000 [1] |

That is a rise of a quarter. No accidents have been reported since 1990. You should book ahead in summer.
What about bicycles?

## References
[1] Lake Authority. Yearbook 2023. https://lake.example/2023
[2] Old Lines. https://lines.example/lindau
"""


def kinds(text, question=None):
    found = extract(text, question)
    return {text[sentence.start : sentence.end]: sentence for sentence in found.sentences}


def test_each_sentence_has_a_kind_and_names_its_citations():
    found = kinds(REPORT)
    assert {words: sentence.kind for words, sentence in found.items()} == {
        "The Lindau ferry": "structure",
        "The ferry carried 120,000 people in 2023 [1].": "cited",
        "The line belongs to the state of Ahm.": "uncited",
        "It opened in 1931.": "cited",
        "It was closed for nine years after the war.": "cited",
        "Key figures:": "structure",
        "Length of the crossing: 4.2 km [1]": "cited",
        "Fare: 6 euros": "uncited",
        "Year | Riders": "structure",
        "2022 | 96,000": "uncited",
        "2023 | 120,000 [1]": "cited",
        "That is a rise of a quarter.": "derived",
        "No accidents have been reported since 1990.": "absence",
        "You should book ahead in summer.": "opinion",
        "What about bicycles?": "structure",
    }
    assert found["It opened in 1931."].reach == "paragraph"
    assert found["It was closed for nine years after the war."].reach == "own"
    opened, closed = (
        found["It opened in 1931."],
        found["It was closed for nine years after the war."],
    )
    assert opened.citations == closed.citations != ()


def test_coverage_counts_what_needs_a_citation():
    found = extract(REPORT)
    assert found.coverage.to_dict() == {"needing": 9, "cited": 5, "uncited": 4, "share": 0.5556}
    assert extract("# Title only").coverage.share is None
    assert found.to_dict()["coverage"] == found.coverage.to_dict()


def test_a_fact_of_the_question_is_given():
    text = "The mill has 12 rooms and a stage. It was built in 1840."
    question = "We own a mill with 12 rooms and a stage. Can it become a theatre?"
    assert [s.kind for s in extract(text, question).sentences] == ["given", "uncited"]
    assert [s.kind for s in extract(text).sentences] == ["uncited", "uncited"]


def test_a_mark_below_a_list_reaches_all_of_it():
    items = "- one in Ahm, from 1788\n- one in Bor, from 1802\n- one in Cle, from 1850"
    text = f"Three mills are left:\n\n{items}\n\n[1]\n\n[1] https://a.example/x"
    found = [s for s in extract(text).sentences if s.kind == "cited"]
    assert {s.reach for s in found} <= {"list", "own"}
    assert len(found) >= 3


@pytest.mark.parametrize(
    "text",
    ["", " \n\t", "\ud800\udfff", "???", "|||\n|-|-|\n|||", "[1]\n[2]\n", "0" * 5000, "ا" * 300],
)
def test_odd_text_has_sentences_within_it(text):
    for sentence in extract(text).sentences:
        assert 0 <= sentence.start < sentence.end <= len(text)


def test_a_reviewers_kind_stands_in_place_of_the_rules():
    sentences = [
        Sentence(span=Span(0, 5), kind="uncited"),
        Sentence(span=Span(6, 9), kind="cited", citations=("c1",), reach="own"),
    ]
    correction = SentenceCorrection(
        id="1", run_id="r", start_at=0, end_at=5, kind="opinion", author="Ada", created_at=None
    )
    corrected = with_corrections(sentences, [correction])
    assert [(s.kind, s.corrected_by) for s in corrected] == [("opinion", "Ada"), ("cited", None)]
    assert coverage_of(corrected).share == 1.0
