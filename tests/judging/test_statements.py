"""A heading, a title in a list or a question is no statement; what is not sure counts as one."""

import pytest

from workbench.judging.quotes import locate_quotes
from workbench.judging.statements import why_no_statement
from workbench.records import Passage, Span

TEXT = """\
## Vaccine halves hospital stays in older adults

Does the vaccine halve hospital stays? The trial has not ended.

Related articles
- Vaccine Halves Hospital Stays In Older Adults
- Why Some Older Patients Never Travel Again
- Population: 12,400

The vaccine shortened hospital stays by a third."""


def reason(quote, text=TEXT, heading=None):
    at = text.index(quote)
    passage = Passage(span=Span(500, 500 + len(text)), text=text, heading=heading)
    return why_no_statement(Span(500 + at, 500 + at + len(quote)), passage)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("Vaccine halves hospital stays in older adults", "heading"),
        ("Does the vaccine halve hospital stays?", "question"),
        ("the vaccine halve hospital stays", "question"),
        ("Vaccine Halves Hospital Stays In Older Adults", "title in a list"),
        ("Population: 12,400", None),
        ("The trial has not ended.", None),
        ("Does the vaccine halve hospital stays? The trial has not ended.", None),
        ("The vaccine shortened hospital stays by a third.", None),
    ],
)
def test_what_states_something(quote, expected):
    assert reason(quote) == expected


@pytest.mark.parametrize(
    "question",
    [
        "¿Reduce la vacuna los ingresos?",
        "疫苗能缩短住院时间吗？",
        "Verkürzt die Impfung den Aufenthalt?",
    ],
)
def test_questions_in_other_languages(question):
    assert reason(question, f"{question} Nichts. 没有。") == "question"


def test_the_heading_above_a_passage_is_no_statement_inside_it_either():
    text = "Opening hours of the baths\nThe baths open at nine."
    assert reason("Opening hours of the baths", text, "Opening hours of the baths") == "heading"


@pytest.mark.parametrize(
    "fact",
    ["Ostrau Bridge Opened In June 1913", "| Ostrau | 1913 |", "Height: 30 m", "一九一三年建成"],
)
def test_a_lone_line_table_row_or_list_fact_counts_as_a_statement(fact):
    assert reason(fact, f"Some words before.\n\n{fact}\n\nSome words after.") is None


def test_no_verdict_rests_on_a_heading_alone():
    passage = Passage(span=Span(0, len(TEXT)), text=TEXT)
    matches = locate_quotes(["Vaccine halves hospital stays in older adults"], [passage])
    assert matches.evidence == ()
    assert matches.rejected[0][1] == "the quote is only a heading"
