"""A heading, a title in a list or a question is no statement; what is not sure counts as one."""

import pytest

from workbench.judging.quotes import locate_quotes, why_no_statement
from workbench.records.source import Passage
from workbench.records.text import Span

TEXT = """\
## Vaccine halves hospital stays in older adults

Does the vaccine halve hospital stays? The trial has not ended.

Health in the region
- Vaccine Halves Hospital Stays In Older Adults
- Why Some Older Patients Never Travel Again
- Population: 12,400

The vaccine shortened hospital stays by a third."""


def reason(quote, text=TEXT, heading=None, title=None):
    at = text.index(quote)
    passage = Passage(span=Span(500, 500 + len(text)), text=text, heading=heading)
    return why_no_statement(Span(500 + at, 500 + at + len(quote)), [passage], title)


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
    ("line", "expected"),
    [
        ("By Mary O'Neill and Jan de Vries, 4 May 2023", "byline or menu"),
        ("Von Karl-Heinz Brandt | Aktualisiert am 3.6.2024, 09:12 Uhr", "byline or menu"),
        ("作者：陈晓岚  编辑：王毅", "byline or menu"),
        ("Last updated: 12 March 2024, 10:15 GMT", "byline or menu"),
        ("更新时间：2024年3月12日", "byline or menu"),
        ("Home › Council › Budget 2024", "byline or menu"),
        ("Read also: The harbor pool reopens in May", "title of another article"),
        ("**Lire aussi :** la piscine du port rouvre en mai", "title of another article"),
        ("延伸阅读：港口泳池五月重新开放", "title of another article"),
        ("By March 2024 the council had spent 3 million.", None),
        ("By Monday, 40 streets were closed", None),
        ("Updated figures of 2024 show 3,100 boats and 12 ferries in the harbor.", None),
        ("Recommended: two tablets a day", None),
        ("Home | News | The ice rink closes on Sundays", "byline or menu"),
        ("首页 | 新闻 | 溜冰场周日关闭", "byline or menu"),
        ("| Home | 3 | 4 |", None),
        ("Home: 3 goals, two of them late", None),
        ("Related costs: 3 million", None),
        ("Home > Council > Budget of the harbor", "byline or menu"),
        ("In a <b>bold claim</b> of 2024", None),
        ("x > 3 and y > 4 hold in 12 of 14 trials.", None),
        ("Published in 2024 by the port, the plan names 12 piers.", None),
    ],
)
def test_who_wrote_it_and_what_else_there_is_to_read_say_nothing(line, expected):
    assert reason(line, f"The pool is open.\n{line}\nIt has four lanes.") == expected


@pytest.mark.parametrize(
    "label", ["Mehr zum Thema", "## Most read", "Te puede interesar:", "相关阅读"]
)
def test_a_list_of_other_articles_says_nothing_of_this_one(label):
    text = f"The pool is open.\n\n{label}\n\n- Pool of Unterau: opening in May\n- The harbor pool costs 3 million\n"
    assert reason("Pool of Unterau: opening in May", text) == "title of another article"
    assert reason("The harbor pool costs 3 million", text) == "title of another article"
    listed = text.replace(label, "The council decided:")
    assert reason("The harbor pool costs 3 million", listed) is None


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


@pytest.mark.parametrize(
    ("label", "item"),
    [
        ("Das könnte Sie auch interessieren", "Die Eishalle schließt sonntags"),
        ("À lire aussi", "La patinoire ferme le dimanche"),
        ("Lo más leído", "La pista de hielo cierra los domingos"),
        ("相关阅读", "溜冰场周日关闭"),
    ],
)
def test_lines_below_the_label_of_other_articles_need_no_sign(label, item):
    text = f"The pool is open.\n\n{label}\n{item}\nThe pool in May\n\nIt has four lanes."
    assert reason(item, text) == "title of another article"
    assert reason(item, f"The pool is open.\n\n{label}\n\n{item}") is None
    assert reason(f"{item} now.", f"The pool is open.\n{label}\n{item} now.\nIt has lanes.") is None


@pytest.mark.parametrize("title", ["The pool", "Die Schwimmhalle", "Salle Nord", "北馆"])
def test_a_few_words_alone_above_a_text_are_its_heading(title):
    assert reason(title, f"{title}\n\nThe pool is open.") == "heading"
    assert reason(title, f"Open\n\n{title}\nPlaces: 400") == "heading"
    assert reason(title, f"The pool is open.\n{title}\nIt has lanes.") is None
    assert reason(title, title) is None


PLAIN = """\
Protected lanes and ridership in three cities
By J. Marlow and C. Okafor

Protected lanes raised cycling
by 18 percent.

What the lanes did to injuries

Injured pedestrians fell by 6 percent.

Cyclists were counted in spring
and again in fall.

Lanes of 2019
Lanes were built along ten streets
"""


@pytest.mark.parametrize(
    ("quote", "title", "expected"),
    [
        ("Protected lanes and ridership in three cities", None, "heading"),
        ("What the lanes did to injuries", None, "heading"),
        ("Lanes of 2019", "lanes of 2019.", "heading"),
        ("Lanes of 2019", "Lanes of 2020", None),
        ("by 18 percent.", "Protected lanes raised cycling", None),
        ("Cyclists were counted in spring", None, None),
        ("Lanes were built along ten streets", None, None),
    ],
)
def test_a_line_that_is_the_title_or_stands_alone_above_sentences_is_a_heading(
    quote, title, expected
):
    assert reason(quote, PLAIN, title=title) == expected
