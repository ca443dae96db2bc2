"""Numbers that hold by the words around them, or in another unit, in five languages."""

import pytest

from workbench.judging.embedded import compute_features
from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages
from workbench.language.quantities import find_quantities, matches

LIGHT = "In a vacuum, light travels at 299,792 km/s (299,792,458 m/s)."


def judged(claim, source):
    return open_judge("local").judge(claim, select_passages(claim, source))


def test_light_travels_at_about_300000_km_a_second():
    about = judged("Light travels at about 300,000 km/s.", LIGHT)
    assert "299,792 km/s where the claim gives about 300,000 km/s: 0.07 % less" in about.rationale
    assert "allows that" in about.rationale


def test_without_about_the_rationale_says_by_how_much_they_differ():
    exact = judged("Light travels at 300,000 km/s.", LIGHT)
    sentence = "The evidence gives 299,792 km/s where the claim gives 300,000 km/s: 0.07 % less."
    assert sentence in exact.rationale


def test_another_unit_of_the_same_kind_counts():
    source = "The speed of light in a vacuum is 299,792,458 m/s."
    about = compute_features("Light travels at about 300,000 km/s.", select_passages("x", source))
    assert not about.missing_numbers and all(number.holds for number in about.differences)
    values = compute_features("The wall is 3 km long.", select_passages("x", "It is 3,000 m long."))
    assert not values.missing_numbers and not values.differences


@pytest.mark.parametrize(
    ("claim", "source", "holds"),
    [
        ("about 300,000 km/s", "299,792 km/s", True),
        ("about 300,000 km/s", "299,792,458 m/s", True),
        ("about 300,000 km/s", "340,000 km/s", False),
        ("approximately 40 people", "41 people", True),
        ("roughly 7 hours", "7.4 hours", True),  # rounds to 7
        ("about 7 hours", "8 hours", False),
        ("some 3.5 million people", "3,551,000 people", True),
        ("~5 GW", "4,950 MW", True),
        ("≈ 8 %", "7.6 %", True),
        ("circa 1930", "1932", True),
        ("circa 1930", "1948", False),
        # from below alone
        ("nearly 300 tonnes", "296 tonnes", True),
        ("nearly 300 tonnes", "303 tonnes", False),
        ("almost 5,000 people", "4,950 people", True),
        # above alone, below alone
        ("more than 500 people", "620 people", True),
        ("more than 500 people", "498 people", False),
        ("at least 500 people", "500 people", True),
        ("over 500 people", "5,000 people", False),  # more than twice as many say something else
        ("less than 500 people", "420 people", True),
        ("up to 500 people", "510 people", False),
        ("no more than 500 people", "420 people", True),
        ("no fewer than 500 people", "620 people", True),
        ("500 or more people", "500 people", True),
        # German
        ("Das Licht ist mit rund 300.000 km/s unterwegs.", "299.792 km/s sind es genau.", True),
        ("Es waren etwa 3,5 Millionen Menschen und", "3.520.000 Menschen", True),
        ("Das waren ungefähr 40 Tonnen", "41 Tonnen", True),
        ("Es ist knapp 300 Meter hoch und", "296 Meter", True),
        ("Es ist knapp 300 Meter hoch und", "304 Meter", False),
        ("Es sind mehr als 500 Meter", "498 Meter", False),
        # French
        ("La lumière voyage à environ 300 000 km/s.", "299 792 km/s dans le vide", True),
        ("C'est près de 40 tonnes et", "41 tonnes", True),
        ("Il y a quelque 40 tonnes dans le parc", "39,5 tonnes est le poids", True),
        ("C'est presque 300 mètres et", "303 mètres", False),
        # Spanish
        ("La luz viaja a unos 300.000 km/s.", "299.792 km/s en el vacío", True),
        ("Son alrededor de 40 toneladas", "41 toneladas", True),
        ("Son cerca de 40 toneladas", "41 toneladas", True),
        ("Son casi 300 metros", "296 metros", True),
        ("Son casi 300 metros", "303 metros", False),
        ("Son aproximadamente 40 toneladas", "41 toneladas", True),
        # Chinese
        ("光速约为每秒30万公里。", "光速为每秒299792公里。", True),
        ("大约40吨", "41吨", True),
        ("40吨左右", "41吨", True),
        ("近300米", "296米", True),
        ("将近300米", "303米", False),
        ("超过500米", "498米", False),
    ],
)
def test_what_a_loosened_number_allows(claim, source, holds):
    (number,) = find_quantities(claim)
    assert matches(number, find_quantities(source)) is holds


@pytest.mark.parametrize(
    ("claim", "source", "sentence"),
    [
        ("It weighs 300 tonnes.", "It weighs 450 tonnes.", "450 tonnes where the claim gives "
         "300 tonnes: 50 % more."),
        ("It fell by 40 %.", "It fell by 62 %.", "62 % where the claim gives 40 %: "
         "22 percentage points more."),
        ("It opened in 1932.", "It opened in 1958.", "1958 where the claim gives 1932."),
        ("It weighs 3 tonnes.", "It weighs 300 tonnes.", "300 tonnes where the claim gives "
         "3 tonnes: 100 times as much."),
        ("More than 500 people came.", "498 people came.", "498 people where the claim gives "
         "500 people: 0.4 % less."),
    ],
)  # fmt: skip
def test_the_rationale_says_by_how_much_numbers_differ(claim, source, sentence):
    assert f"The evidence gives {sentence}" in judged(claim, source).rationale


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("120 m long and 12m wide", [(120, "length"), (12, "length")]),
        ("It cost $12 m and reached 3.5m people", [(12e6, "$"), (3.5e6, "people")]),
        ("12 km² of land, 3 square kilometres", [(12, "area"), (3, "area")]),
        ("299.792.458 m/s", [(299792458, "speed")]),
        ("3 mil millones de personas", [(3e9, "de")]),
        ("in 2020 300 people came", [(2020, "year"), (300, "people")]),
    ],
)
def test_numbers_and_what_they_count(text, expected):
    assert [(q.value, q.kind) for q in find_quantities(text)] == expected


def test_the_evidence_keeps_its_own_words_and_place():
    claim = "Light travels at about 300,000 km/s."
    (quote,) = judged(claim, LIGHT).evidence
    assert quote.quote == LIGHT[quote.start : quote.end] == LIGHT
