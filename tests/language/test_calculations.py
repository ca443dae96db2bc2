"""Figures of a claim that follow from a source: the operation, operands that belong together, the result."""

from decimal import Decimal

import pytest

from workbench.language.calculations import find_calculations
from workbench.language.claimed_figures import claimed_figures

TRIAL = "Of 130 screened patients, 120 were enrolled. Of the 120 patients 72 responded to the drug in 2019."
VISITS = "The museum had 80 visitors in 2019 and 100 visitors in 2021. It has 14 rooms."
CITIES = "| City | Tickets |\n|---|---|\n| Lyon | 1,240 |\n| Nice | 900 |\n| Paris | 2,000 |"


def found(claim, source):
    return [(c.expression, c.agrees) for c in find_calculations(claim, [(0, source, "", "")])]


@pytest.mark.parametrize(
    ("claim", "source", "expression"),
    [
        ("60 % of the patients responded.", TRIAL, "72 ÷ 120 = 60 %"),
        ("Visits rose by a quarter.", VISITS, "(100 − 80) ÷ 80 = +25 %"),
        ("The museum had 20 more visitors in 2021 than in 2019.", VISITS, "100 − 80 = 20"),
        ("Lyon sold 340 more tickets than Nice.", CITIES, "1,240 − 900 = 340"),
        ("4,140 tickets were sold in total.", CITIES, "1,240 + 900 + 2,000 = 4,140"),
        ("The three cities sold 1,380 tickets on average.", CITIES, "(1,240 + 900 + 2,000) ÷ 3 = 1,380"),
        ("Lyon sold the second-highest number.", CITIES, "2,000 > 1,240 > 900 = place 2 of 3"),
        (
            "Der Anteil stieg um sechs Prozentpunkte.",
            "Der Anteil lag 2019 bei 41 Prozent und 2021 bei 47 Prozent.",
            "47 − 41 = 6 percentage points",
        ),
        (
            "Un quart de la population est mineure.",
            "La commune compte 3 600 habitants, dont 900 ont moins de 18 ans.",
            "900 ÷ 3 600 = 25 %",
        ),
        (
            "粮食产量增长了25%。",
            "2020年该县粮食产量为32万吨，2023年达到40万吨。",
            "(40万 − 32万) ÷ 32万 = +25 %",
        ),
        (
            "The film ran for six weeks.",
            "The film opened on 3 May 2019 and had its last screening on 14 June 2019.",
            "3 May 2019 to 14 June 2019 = 6 weeks",
        ),
        (
            "Seven in ten households found their home warmer.",
            "Of 1,240 households in the survey 71 % found their home warmer, and 12 % slept better.",
            "71 % ≈ Seven in ten",
        ),
        (
            "Insgesamt 195 Kuchen wurden für das Fest gebacken.",
            "Für das Fest wurden 85 Apfelkuchen, 62 Birnenkuchen und 48 Käsekuchen gebacken.",
            "85 + 62 + 48 = 195",
        ),
        ("Bake it for an hour and a half.", "Bake the loaf for 90 minutes.", "90 minutes = 1.5 hours"),
    ],
)  # fmt: skip
def test_a_figure_that_follows_agrees(claim, source, expression):
    assert found(claim, source) == [(expression, True)]


@pytest.mark.parametrize(
    ("claim", "source", "expression"),
    [
        ("64 % of the patients responded.", TRIAL, "72 ÷ 120 = 60 %"),
        (
            "The number of visitors fell by a quarter between 2019 and 2021.",
            VISITS,
            "(100 − 80) ÷ 80 = +25 %",
        ),
        (
            "The share of solar power in Marlow rose by 6 % between 2019 and 2021.",
            "The share of solar power in Marlow was 41 % in 2019 and 47 % in 2021.",
            "(47 − 41) ÷ 41 = +14.6 %",
        ),
        ("Paris sold the second-highest number.", CITIES, "2,000 > 1,240 > 900 = place 1 of 3"),
    ],
)
def test_a_wrong_result_or_direction_contradicts(claim, source, expression):
    assert found(claim, source) == [(expression, False)]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Altos make up 37 percent of the choir.", "The choir has 84 singers: 31 sopranos, 24 altos and 29 basses."),
        ("Visits to the library grew by 25 % from 2019 to 2021.", (
            "The museum had 80 visitors in 2019 and 100 in 2021. The library had 4,000 visits in 2019"
            " and 4,400 visits in 2021."
        )),
        ("The tower is 12 m high.", "The tower has 4 floors and 3 lifts."),
        ("120 patients were enrolled.", TRIAL),
        ("Nothing is counted here.", TRIAL),
        ("Trams run between 18:00 and 21:00.", "Trams run for 3 hours, on line 6 from stop 24."),
    ],
)  # fmt: skip
def test_figures_that_do_not_belong_together_verify_nothing(claim, source):
    assert not any(agrees for _, agrees in found(claim, source))


def test_operands_are_verbatim_with_offsets_into_the_source():
    (calculation,) = find_calculations("60 % of the patients responded.", [(500, TRIAL, "", "")])
    assert [TRIAL[o.start - 500 : o.end - 500] for o in calculation.operands] == ["72", "120"]
    assert [o.text for o in calculation.operands] == ["72", "120"]


@pytest.mark.parametrize(
    ("figure", "agrees"),
    [("60 %", True), ("about 59 %", True), ("60.4 %", False), ("nearly 62 %", True)],
)
def test_rounding_and_words_allow_what_they_say(figure, agrees):
    assert found(f"{figure} of the patients responded.", TRIAL) == [("72 ÷ 120 = 60 %", agrees)]


def test_a_number_that_the_source_writes_needs_no_calculation_whatever_it_is_of():
    source = "Files stay in the trash for 30 days; on the Team plan (180) an owner restores them, 30 days more."
    assert found("On the Team plan deleted files stay in the trash for 180 days.", source) == []


def test_a_fifth_in_six_months_is_a_fifth():
    (figure,) = (
        f for f in claimed_figures("It fell by a fifth in six months.", "en") if f.form == "ratio"
    )
    assert figure.value == Decimal("0.2")
