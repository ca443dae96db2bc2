"""Numbers with sign, unit, scale and currency, in figures, words and other scripts; and two of them compared."""

import pytest

from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages
from workbench.language.quantities import clashes, compare_quantities, find_quantities

SAME, DIFFERENT, NOT = "same", "different", "cannot compare"


@pytest.mark.parametrize(
    ("claimed", "given", "verdict"),
    [
        # signs, in figures and words
        ("It was 7 °C", "It was −7 °C", DIFFERENT),
        ("It was −7 °C", "It was minus 7 °C", SAME),
        ("It was -7 °C", "It was 7 degrees Celsius below zero", SAME),
        ("Es waren −7 °C", "零下7摄氏度", SAME),
        ("It grew by 2.6%", "Change: –2.6%", DIFFERENT),
        ("It fell by 2.6%", "Change: –2.6%", SAME),
        ("a loss of $3 million", "a result of −$3 million", SAME),
        ("Der Wert war minus einundzwanzig Grad", "Der Wert war 21 Grad", DIFFERENT),
        ("Der See lag 14 Grad unter null", "Der See war −14 Grad kalt", SAME),
        ("Il faisait moins trente et un degrés", "Il faisait −31 degrés", SAME),
        ("La noche fue de 14 grados bajo cero", "La noche fue de 14 grados", DIFFERENT),
        ("twenty degrees below freezing", "20 degrees", DIFFERENT),
        ("The lake lies 40 m below sea level", "The lake lies 40 m above sea level", DIFFERENT),
        ("気温はマイナス8度", "気温は8度", DIFFERENT),
        ("영하 8도", "8도", DIFFERENT),
        ("湖水为-8℃", "湖水为8℃", DIFFERENT),
        ("零下十四摄氏度", "−14 °C", SAME),
        ("Wachstum: −1,7 %", "Es sank um 1,7 % und war das", SAME),
        ("a profit of $3 million", "a loss of −$3 million", DIFFERENT),
        # units, converted where they measure the same
        ("900 feet", "900 metres", DIFFERENT),
        ("0.9 km", "900 metres", SAME),
        ("2,953 feet", "900 m", SAME),
        ("60 miles", "97 km", SAME),
        ("60 miles", "60 km", DIFFERENT),
        ("90 °C", "90 °F", DIFFERENT),
        ("25 °C", "77 °F", SAME),
        ("298 kelvin", "25 °C", SAME),
        ("20 hours", "20 minutes", DIFFERENT),
        ("2 hours", "120 minutes", SAME),
        ("6 weeks", "42 days", SAME),
        ("36 km/h", "10 m/s", SAME),
        ("5 square miles", "13 km²", SAME),
        ("10 acres", "4 hectares", SAME),
        ("5 kg", "5 lbs", DIFFERENT),
        ("3 GW", "3 MW", DIFFERENT),
        ("5 metres", "5 kg", NOT),
        ("Der Brunnen ist 70 Fuß tief", "Der Brunnen ist 70 m tief", DIFFERENT),
        ("le puits fait 70 pieds", "le puits fait 70 mètres", DIFFERENT),
        ("井深70英尺", "井深70公尺", DIFFERENT),
        ("Глубина 70 футов", "Глубина 70 м", DIFFERENT),
        ("深さは70フィート", "深さは70メートル", DIFFERENT),
        ("깊이 70피트", "깊이 70미터", DIFFERENT),
        ("عمقه ٧٠ قدم", "عمقه ٧٠ متر", DIFFERENT),
        ("गहराई 70 फीट", "गहराई 70 मीटर", DIFFERENT),
        ("罢工持续了八周", "罢工持续了8天", DIFFERENT),
        ("罢工持续了八个星期", "罢工持续了56天", SAME),
        ("eine Fahrt von siebzehn Wochen", "eine Fahrt von 17 Tagen", DIFFERENT),
        ("une grève de quatre-vingt-dix minutes", "une grève de 90 heures", DIFFERENT),
        ("un viaje de treinta y dos kilómetros", "un viaje de 32 km", SAME),
        ("le vent, à 40 kilomètres à l’heure", "le vent, à 40 km/h", SAME),
        ("40 nautical miles", "40 miles", DIFFERENT),
        ("64 GiB", "64 GB", DIFFERENT),
        ("40 gallons", "40 litres", NOT),
        ("40 pounds", "40 kg", NOT),
        ("40 pounds", "£40", SAME),
        ("40 pounds", "40 dollars", NOT),
        ("占比上升5个百分点", "占比上升5%", NOT),
        ("50 basis points", "0.5 percentage points", SAME),
        ("12 percent", "12 percentage points", NOT),
        # currencies
        ("$8 million", "€8 million", NOT),
        ("8 million dollars", "US$8m", SAME),
        ("8 million euros", "8 million pounds sterling", NOT),
        ("¥500", "500 yen", SAME),
        ("6 millions d’euros", "6 millions de dollars", NOT),
        ("6 millones de euros", "6 millones de dólares", NOT),
        ("CAD 6", "USD 6", NOT),
        ("6 Canadian dollars", "6 US dollars", NOT),
        ("6 dollars canadiens", "CAD 6", SAME),
        ("6 Swedish kronor", "6 Danish kroner", NOT),
        ("6 Schweizer Franken", "CHF 6", SAME),
        ("40 cents", "40 pence", NOT),
        # scales
        ("9.8 million euros", "Es waren 9,8 Mio. € und das ist viel", SAME),
        ("2.1 billion euros", "Es waren 2,1 Mrd. Euro und das ist viel", SAME),
        ("3 million euros", "El precio es de 3 millones de euros", SAME),
        ("35 million people", "3500万人", SAME),
        ("3.5 million people", "三百五十万人", SAME),
        ("12 percent", "百分之十二", SAME),
        ("12 million rupees", "1.2 crore rupees", SAME),
        ("500,000 people", "5 lakh people", SAME),
        ("5 million rubles", "5 млн рублей", SAME),
        ("10^6 cars", "1,000,000 cars", SAME),
        ("32,000 grains", "3.2 × 10^4 grains", SAME),
        # other scripts
        ("1,234 people", "١٬٢٣٤", SAME),
        ("25 %", "٢٥٪", SAME),
        ("120 metres", "全长１２０米", SAME),
        # rounded to the last written digit, in either; nothing else
        ("171 people", "172 people", DIFFERENT),
        ("1,204 people", "1,207 people", DIFFERENT),
        ("1,204 people", "1,200 people", SAME),
        ("3.4 %", "3.44 %", SAME),
        ("3.4 %", "3.5 %", DIFFERENT),
        ("3 million people", "3.2 million people", DIFFERENT),
        ("1932", "1933", DIFFERENT),
        # a mark of a note is no part of the number, nor a number
        ("120 metres", "120 [3] metres", SAME),
        ("45 million crowns", "45 [2] million crowns", SAME),
    ],
)
def test_two_numbers_compared(claimed, given, verdict):
    (number, *_), (other, *_) = find_quantities(claimed), find_quantities(given)
    assert compare_quantities(number, other) == verdict


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from 2009-2019", [2009, 2019]),
        ("the F-16, COVID-19 and the A-5", [16, 19, 5]),
        ("pages 12–15, 10 - 20 people", [12, 15, 10, 20]),
        ("- 5 apples", [5]),
        ("between −5 and −10 °C", [-5, -10]),
        ("$5–10 million", [5e6, 10e6]),
        ("some 3–4 million people", [3e6, 4e6]),
        ("a² and 3³ [12]", [3]),
    ],
)
def test_a_hyphen_is_no_sign_and_a_range_has_one_scale(text, values):
    assert [q.value for q in find_quantities(text)] == values


@pytest.mark.parametrize(
    "text", ["−5 °C", "a 10^6 W", "5 million euros", "三百五十万人", "minus 4"]
)
def test_a_number_is_where_it_stands(text):
    (number,) = find_quantities(text)
    assert text[number.start : number.end] in text
    assert number.start <= number.end <= max(number.unit_end, number.end) <= len(text)


def test_a_figure_with_another_sign_unit_or_currency_clashes_and_what_is_else_does_not():
    def clash(claim, evidence):
        return clashes(find_quantities(claim), evidence)

    assert clash("It costs $8 million", "It costs €8 million") == [NOT]
    assert clash("It is 900 feet long", "It is 900 metres long") == [DIFFERENT]
    assert clash("It makes 9 megawatts", "It was shut for nine weeks") == []
    assert clash("It is 900 metres long", "It is 0.9 km long") == []


@pytest.mark.parametrize(("text", "currency"), [("$\n7", "$"), ("Rs.\t7", "₹"), ("US$\xa07", "$")])
def test_white_space_of_any_kind_stands_between_a_currency_and_its_number(text, currency):
    assert [number.currency for number in find_quantities(text)] == [currency]


@pytest.mark.parametrize(
    ("claim", "source", "told"),
    [
        (
            "The pond is 900 feet wide.",
            "The pond is 900 metres wide.",
            "900 metres where the claim",
        ),
        ("The coldest night had 7 °C.", "The coldest night had −7 °C.", "of the other sign"),
        ("The mill cost $8 million.", "The mill cost €8 million.", "which cannot be compared"),
        ("The cask holds 40 gallons.", "The cask holds 40 litres.", "which cannot be compared"),
        ("Die Mühle ist 40 Fuß hoch.", "Die Mühle ist 40 Meter hoch.", "40 Meter where"),
        (
            "Le moulin a coûté 40 millions d’euros.",
            "Le moulin a coûté 40 millions de dollars.",
            "which cannot be compared",
        ),
        ("La noche más fría fue de 7 °C.", "La noche más fría fue de 7 grados bajo cero.", "sign"),
        ("磨坊高40英尺。", "磨坊高40米。", "40米 where"),
        (
            "The mill is 1203 metres long.",
            "The mill is 120 [3] metres long.",
            "120 [3] metres where",
        ),
    ],
)
def test_no_claim_holds_by_a_number_that_is_another(claim, source, told):
    text = f"The mill stands at the river. {source} It has two floors."
    judgment = open_judge("local").judge(claim, select_passages(claim, text))
    assert judgment.label in ("contradicted", "not_supported")
    assert judgment.score <= 0.2
    assert told in judgment.rationale
