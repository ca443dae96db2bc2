"""What one bibliography entry says of its work, in every style; all works here are invented."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.citations import parse_entry
from workbench.records.bibliography import WORK_TYPES, ReferenceEntry

RAIN = "Rain on roofs: a study of U.S. houses"

STYLES = {
    "APA": f"Smith, J. A., & van der Berg, K. (2019). {RAIN}. *Weather*, *12*(3), 4–9.",
    "APA, plain": f"Smith, J. A., & van der Berg, K. (2019). {RAIN}. Weather, 12(3), 4–9.",
    "MLA": (
        f"Smith, John A., and Karl van der Berg. “{RAIN}.” *Weather*, vol. 12, no. 3, 2019, pp. 4–9."
    ),
    "Chicago, notes": (
        f"John A. Smith and Karl van der Berg, “{RAIN},” *Weather* 12, no. 3 (2019): 4–9."
    ),
    "Chicago, bibliography": (
        f"Smith, John A., and Karl van der Berg. “{RAIN}.” *Weather* 12, no. 3 (2019): 4–9."
    ),
    "Chicago, author-date": (
        f"Smith, John A., and Karl van der Berg. 2019. “{RAIN}.” *Weather* 12 (3): 4–9."
    ),
    "Harvard": (f"Smith, J.A. and van der Berg, K. (2019) ‘{RAIN}’, *Weather*, 12(3), pp. 4–9."),
    "Harvard, straight quotes": (
        f"Smith, J.A. and van der Berg, K., 2019. '{RAIN}', Weather, 12(3), pp.4–9."
    ),
    "IEEE": f"J. A. Smith and K. van der Berg, “{RAIN},” *Weather*, vol. 12, no. 3, pp. 4–9, 2019.",
    "Vancouver": f"Smith JA, van der Berg K. {RAIN}. Weather. 2019;12(3):4–9.",
    "AMA": f"Smith JA, van der Berg K. {RAIN}. *Weather*. 2019;12(3):4–9.",
    "ACL": f"John A. Smith and Karl van der Berg. 2019. {RAIN}. *Weather*, 12(3):4–9.",
    "NeurIPS": f"John A. Smith and Karl van der Berg. {RAIN}. *Weather*, 12(3):4–9, 2019.",
    "ACM": f"John A. Smith and Karl van der Berg. 2019. {RAIN}. *Weather* 12, 3 (2019), 4–9.",
    "GB/T 7714": f"SMITH J A, VAN DER BERG K. {RAIN}[J]. Weather, 2019, 12(3): 4–9.",
    "DIN 1505": f"Smith, John A. ; van der Berg, Karl: {RAIN}. In: Weather 12 (2019), Nr. 3, S. 4–9",
    "Elsevier": f"J.A. Smith, K. van der Berg, {RAIN}, Weather 12 (3) (2019) 4–9.",
}


@pytest.mark.parametrize("label", ["", "[3] ", "3. ", "[^3]: ", "[Smith2019] ", "- ", "* [3] "])
@pytest.mark.parametrize("style", STYLES)
def test_every_style_says_the_same_of_a_work(style: str, label: str) -> None:
    text = label + STYLES[style]
    entry = parse_entry(text)
    assert entry.unreadable is None
    assert entry.title == RAIN
    assert [author.family.lower() for author in entry.authors] == ["smith", "van der berg"]
    assert entry.authors[0].given.replace(".", "").replace(" ", "") in ("JA", "JohnA")
    assert entry.authors_complete
    assert (entry.year, entry.venue, entry.volume, entry.issue, entry.pages) == (
        2019,
        "Weather",
        "12",
        "3",
        "4–9",
    )
    assert entry.type == "article-journal"
    words = {field: text[span.start : span.end] for field, span in entry.spans}
    assert (words["title"], words["year"], words["venue"]) == (RAIN, "2019", "Weather")
    assert (words["volume"], words["issue"], words["pages"]) == ("12", "3", "4–9")
    assert words["authors"].lower().startswith(("smith", "john a. smith", "j. a. smith", "j.a."))


def read(line: str) -> tuple[str | None, list[str], int | None, str | None]:
    entry = parse_entry(line)
    assert entry.unreadable is None
    return entry.title, [author.name for author in entry.authors], entry.year, entry.venue


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # more authors than are listed
        (
            "Smith AJ et al. Rain on roofs. Weather. 2019.",
            ("Rain on roofs", ["AJ Smith"], 2019, "Weather"),
        ),
        (
            "Smith, A. J. et al. Rain on roofs. *Weather* **12**, 3–9 (2021).",
            ("Rain on roofs", ["A. J. Smith"], 2021, "Weather"),
        ),
        (
            "Smith, A., Lee, B., . . . Zhou, C. (2020). Rain on roofs. *Weather*, 1(2), 3–4.",
            ("Rain on roofs", ["A. Smith", "B. Lee", "C. Zhou"], 2020, "Weather"),
        ),
        (
            "**Rain on Roofs** - Smith et al., Rain Conference 2021",
            ("Rain on Roofs", ["Smith"], 2021, "Rain Conference"),
        ),
        (
            "Müller, Karl u. a.: Regen auf Dächern. In: Wetter 12 (2020), Nr. 3, S. 4–9",
            ("Regen auf Dächern", ["Karl Müller"], 2020, "Wetter"),
        ),
        (
            "张三, 李四, 等. 降雨预测研究[J]. 气象学报, 2021, 79(3): 412-425.",
            ("降雨预测研究", ["三 张", "四 李"], 2021, "气象学报"),
        ),
        (
            "Ann Smith, Bo Lee, and others. Rain on roofs. In Rain Conference, 2020.",
            ("Rain on roofs", ["Ann Smith", "Bo Lee"], 2020, "Rain Conference"),
        ),
    ],
)
def test_a_shortened_list_of_authors_says_so(
    line: str, expected: tuple[str, list[str], int, str]
) -> None:
    assert read(line) == expected
    assert not parse_entry(line).authors_complete


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # names
        (
            "de la Cruz, J., bin Ahmad, A., & Serre, J.-P. (2020). Rain vs. snow. *Weather*, 1.",
            ("Rain vs. snow", ["J. de la Cruz", "A. bin Ahmad", "J.-P. Serre"], 2020, "Weather"),
        ),
        (
            "King, M. L., Jr., & Doe, R., III. (1963). Letter from a roof. Roof Press.",
            ("Letter from a roof", ["M. L. Jr. King", "R. III Doe"], 1963, "Roof Press"),
        ),
        (
            "García Márquez, Ana. *Cien años de lluvia*. Bogotá: Casa, 1970.",
            ("Cien años de lluvia", ["Ana García Márquez"], 1970, "Casa"),
        ),
        (
            "Lee A. Park, Bo C. Dai, and Chi Jin. Roofs that leak. In Rain Conference, 2020.",
            ("Roofs that leak", ["Lee A. Park", "Bo C. Dai", "Chi Jin"], 2020, "Rain Conference"),
        ),
        (
            "World Health Organization. (2021). Rain report 2021. https://w.example.org/r",
            ("Rain report 2021", ["World Health Organization"], 2021, None),
        ),
        (
            "Plato. (2003). The republic of rain. Penguin.",
            ("The republic of rain", ["Plato"], 2003, "Penguin"),
        ),
        # groups and bodies
        *(
            (f"{head} Rain on roofs. Weather. 2019;3(2):1-9.", ("Rain on roofs", names, 2019, "Weather"))
            for head, names in [
                ("Lee A, Ito B; WET Study Group.", ["A Lee", "B Ito", "WET Study Group"]),
                ("Lee A, Ito B, et al; WET Investigators.", ["A Lee", "B Ito", "WET Investigators"]),
                ("Lee A, Ito B, on behalf of the WET Group.", ["A Lee", "B Ito", "WET Group"]),
                ("WET Study Group, Lee A, Ito B.", ["WET Study Group", "A Lee", "B Ito"]),
                ("Lee A, Ito B, the WET Investigators.", ["A Lee", "B Ito", "WET Investigators"]),
                ("Lee, A., Ito, B., & the WET Group (2019).", ["A. Lee", "B. Ito", "WET Group"]),
                ("World Rain Organization, & Drop Trust. (2019).", ["World Rain Organization", "Drop Trust"]),
                ("Norvald Energy Agency (2019)", ["Norvald Energy Agency"]),
                ("City of Averne.", ["City of Averne"]),
            ]
        ),
        (
            'A. Lee et al. (WET Collaboration), "Rain on roofs," *Weather*, vol. 3, 2014.',
            ("Rain on roofs", ["A. Lee", "WET Collaboration"], 2014, "Weather"),
        ),
        (
            "Gesundheitsamt Nordheim: Bericht zum Regen. Nordheim 2023.",
            ("Bericht zum Regen", ["Gesundheitsamt Nordheim"], 2023, "Nordheim"),
        ),
        (
            "A. Lee, B. Ito, WET-Net: a Rain Network, in: Weather, 2014, pp. 2–9.",
            ("WET-Net: a Rain Network", ["A. Lee", "B. Ito"], 2014, "Weather"),
        ),
        (
            "Statistics Averne (2019) Rain on roofs, Report 2019:7.",
            ("Rain on roofs", ["Statistics Averne"], 2019, None),
        ),
        (
            "The Averne Herald. Rain on “hot” roofs. 2019. https://h.example.org/r",
            ("Rain on “hot” roofs", ["The Averne Herald"], 2019, None),
        ),
        (
            "Institut national de la pluie. (2019). Enquête sur la pluie. https://i.example.org/r",
            ("Enquête sur la pluie", ["Institut national de la pluie"], 2019, None),
        ),
        # names
        (
            "Ortega y Ruiz I, van Lee B, ’t Hooft S. Rain on roofs. Weather. 2019;3:1-9.",
            ("Rain on roofs", ["I Ortega y Ruiz", "B van Lee", "S ’t Hooft"], 2019, "Weather"),
        ),
        (
            "Wen JR, Lee SR. Rain on roofs. Weather. 2019;3:1-9.",
            ("Rain on roofs", ["JR Wen", "SR Lee"], 2019, "Weather"),
        ),
        (
            "Aoife Ní Lee and Per St. Roe. 2019. Available roofs. *Weather*, 3:1–9.",
            ("Available roofs", ["Aoife Ní Lee", "Per St. Roe"], 2019, "Weather"),
        ),
        (
            "LEE A，ITO B．Rain on roofs[J]．Weather，2019，3(2)：1-9．",
            ("Rain on roofs", ["A LEE", "B ITO"], 2019, "Weather"),
        ),
        (
            "佐々木健太 and 王明 (2019). 雨と屋根. 雨研究, 3(2), 1-9.",
            ("雨と屋根", ["健太 佐々木", "明 王"], 2019, "雨研究"),
        ),
        (
            "Lee, K., n.d. Rain on roofs. Weather.",
            ("Rain on roofs", ["K. Lee"], None, "Weather"),
        ),
        # where a title ends
        *(
            (line, ("Rain on roofs", ["K. Lee"], 2019, "Weather"))
            for line in [
                "Lee, K. (2019) Rain on roofs, Weather, 3(2), pp. 1-9.",
                "Lee, K. (2019) Rain on roofs, in: Weather. Oslo: Gate, pp. 1-9.",
                "K. Lee et al. - Rain on roofs - Weather 2019",
            ]
        ),
        *(
            (line, ("Rain on roofs", ["K. Lee"], 2019, "Gate Press"))
            for line in [
                "Lee, K. Rain on roofs (Gate Press, 2019).",
                "K. Lee, Rain on roofs, second ed., Gate Press, 2019.",
                "Lee, K. (2019). Rain on roofs (2nd ed.). Gate Press.",
            ]
        ),
        (
            "Lee, K. (2019). “Wet” roofs: a reply to Roe et al. (2018). *Weather*, 3.",
            ("“Wet” roofs: a reply to Roe et al. (2018)", ["K. Lee"], 2019, "Weather"),
        ),
        (
            "Lee, K. (2019). Erratum: Rain [Weather 2, 1 (2018)]. *Weather*, 3.",
            ("Erratum: Rain [Weather 2, 1 (2018)]", ["K. Lee"], 2019, "Weather"),
        ),
        (
            "Lee A, Ito B. E. coli in rain vs. snow. Weather. 2019;3:1-9.",
            ("E. coli in rain vs. snow", ["A Lee", "B Ito"], 2019, "Weather"),
        ),
        # authors after the title
        (
            "Rain on hot roofs (Lee and Ito, 2019)",
            ("Rain on hot roofs", ["Lee", "Ito"], 2019, None),
        ),
        (
            "*Rain on hot roofs* (2019). Kim Lee. Gate Press.",
            ("Rain on hot roofs", ["Kim Lee"], 2019, "Gate Press"),
        ),
        (
            "Is it wet? Rain on roofs by Kim Lee and Bo Ito (2019)",
            ("Is it wet? Rain on roofs", ["Kim Lee", "Bo Ito"], 2019, None),
        ),
        (
            "Lee 2019, Rain on hot roofs, Gate Press",
            ("Rain on hot roofs", ["Lee"], 2019, "Gate Press"),
        ),
        # titles
        (
            "Lee, K. (2018). Is it wet? What roofs know. *Weather*, 2, 1–9.",
            ("Is it wet? What roofs know", ["K. Lee"], 2018, "Weather"),
        ),
        ("Lee, K. (2018). Is it wet? *Weather*, 2, 1–9.", ("Is it wet?", ["K. Lee"], 2018, "Weather")),
        (
            "Lee K. 100 years of rain in Oslo since 1990. Weather. 2018;2:1-9.",
            ("100 years of rain in Oslo since 1990", ["K Lee"], 2018, "Weather"),
        ),
        (
            'Lee, K. (2018). "Doing" rain, snow, and hail: No. 5 in Norway. Weather, 2, 1–9.',
            ('"Doing" rain, snow, and hail: No. 5 in Norway', ["K. Lee"], 2018, "Weather"),
        ),
        (
            'Lee, Kim. "Why "Wet" Matters: In Praise of \'Damp\' Roofs." *Weather* 4, no. 2 (2018): 4-6.',
            ("Why \"Wet\" Matters: In Praise of 'Damp' Roofs", ["Kim Lee"], 2018, "Weather"),
        ),
        (
            "LEE, K. RAIN IN LONDON: A STUDY. WEATHER, 2019.",
            ("RAIN IN LONDON: A STUDY", ["K. LEE"], 2019, "WEATHER"),
        ),
        (
            r"Lee, K. (2010). Rain, {R}oofs \& \emph{Water}. *Weather*, 1.",
            ("Rain, Roofs & Water", ["K. Lee"], 2010, "Weather"),
        ),
        # title first
        (
            "[Rain on roofs](https://r.example.org/x) — Ann Smith, Bo Lee",
            ("Rain on roofs", ["Ann Smith", "Bo Lee"], None, None),
        ),
        (
            "*Rain on roofs*, A. Smith and B. Lee, Rain Conference 2020",
            ("Rain on roofs", ["A. Smith", "B. Lee"], 2020, "Rain Conference"),
        ),
        (
            "Rain on roofs and walls, Ann Smith, Bo Lee, Rain Conference 2020",
            ("Rain on roofs and walls", ["Ann Smith", "Bo Lee"], 2020, "Rain Conference"),
        ),
        (
            "Ann Smith and Bo Lee. Rain on the roofs of towns.",
            ("Rain on the roofs of towns", ["Ann Smith", "Bo Lee"], None, None),
        ),
        (
            '"Rain on roofs." *The Daily Drop*, 12 May 2020, www.drop.example.org/x.',
            ("Rain on roofs", [], 2020, "The Daily Drop"),
        ),
        (
            "Global Rain Outlook, Drop Institute, 2023. https://drop.example.org/x",
            ("Global Rain Outlook", [], 2023, "Drop Institute"),
        ),
        # books and parts of them
        (
            "Ann Smith, *Rain on Roofs* (New York: Rain Press, 2019), 12.",
            ("Rain on Roofs", ["Ann Smith"], 2019, "Rain Press"),
        ),
        (
            "Smith, J. (2012). Rain. In K. Lee & C. Park (Eds.), *Handbook of roofs* (pp. 3–19). Rain Press.",
            ("Rain", ["J. Smith"], 2012, "Handbook of roofs"),
        ),
        # surnames of two words, alone and in pairs
        *(
            (line, ("Rain on roofs", ["Le Gall", "Moreau"], 2011, venue))
            for line, venue in (
                ("Le Gall and Moreau (2011). Rain on roofs. Weather.", "Weather"),
                ("Rain on roofs (Le Gall and Moreau, 2011)", None),
                ("Le Gall and Moreau, *Rain on roofs*, Weather, 2011", "Weather"),
                ("[Rain on roofs](https://y.example/1), Le Gall and Moreau, 2011", None),
                ("Le Gall & Moreau 2011 Rain on roofs", None),
                ("Le Gall and Moreau, 2011 - Rain on roofs", None),
                ("Le Gall and Moreau 2011, Rain on roofs, J. Appl. Weather", "J. Appl. Weather"),
            )
        ),
        ("Lind, Mehta & Ó Briain. Rain on roofs. Weather 2022.",
         ("Rain on roofs", ["Lind", "Mehta", "Ó Briain"], 2022, "Weather")),
        ("ORTEGA Y RUIZ I, BELL H. Rain on roofs. Weather, 2018, 31(1): 5–27.",
         ("Rain on roofs", ["I ORTEGA Y RUIZ", "H BELL"], 2018, "Weather")),
        ("ST. CLAIR E，BELL Y．Mr. Roe’s rain[J]．Weather，2008，33(9)：5–17．",
         ("Mr. Roe’s rain", ["E ST. CLAIR", "Y BELL"], 2008, "Weather")),
        # names and years without signs or blanks between
        ("LI Z,MA HL,et al.Rain on roofs[C/OL]//WEA.2021.DOI:10.1234/wea.21.",
         ("Rain on roofs", ["Z LI", "HL MA"], 2021, "WEA")),
        ("Roe A, Lind B et al 2021 RAIN: drops on roofs", ("RAIN: drops on roofs", ["A Roe", "B Lind"], 2021, None)),
        ("Roe, A. 2017 Does rain fall? Proc. R. Soc. W 284: 20170999.",
         ("Does rain fall?", ["A. Roe"], 2017, "Proc. R. Soc. W")),
        ("Roe (2010) Rain that lies, Weather. Sci. 56", ("Rain that lies", ["Roe"], 2010, "Weather. Sci")),
        # a year after the title, an imprint, a title of one word, a work that is answered
        ("Roe, Anna. Notes on rain. 2019. Tarn School, PhD dissertation.",
         ("Notes on rain", ["Anna Roe"], 2019, "Tarn School, PhD dissertation")),
        ("Roe A. Does rain fall? Proc Wea Sci. 2017;284(1858).", ("Does rain fall?", ["A Roe"], 2017, "Proc Wea Sci")),
        ("Roe A, Lind B (2015). Maps of rain. Part I: Method. J. Acoust. Soc. Am. 138(2), 701-711.",
         ("Maps of rain. Part I: Method", ["A Roe", "B Lind"], 2015, "J. Acoust. Soc. Am")),
        ("Roe A. The wet town. Environ. Plan. W Rural Anal., 2022.",
         ("The wet town", ["A Roe"], 2022, "Environ. Plan. W Rural Anal.")),
        ("Rain (Kaplan, 2015)", ("Rain", ["Kaplan"], 2015, None)),
        ("Kaplan, Not a Drop: Tales. Oslo: Gate Books, 2006.", ("Not a Drop: Tales", ["Kaplan"], 2006, "Gate Books")),
        ("Kaplan, Counting the Drops (Oslo: Gate, 2006)", ("Counting the Drops", ["Kaplan"], 2006, "Gate")),
        ("Roofs, Walls, and Rain. Oslo: Gate, 1997.", ("Roofs, Walls, and Rain", [], 1997, "Gate")),
        ("**[Rain is not that wet: a reply to Roe et al. (2019)](https://y.example/r)** (Lind, 2020)",
         ("Rain is not that wet: a reply to Roe et al. (2019)", ["Lind"], 2020, None)),
        ("*Rain on roofs* (2020). Bo B. Lind, Noor Ferreira and Hana H. Ito. Weather.",
         ("Rain on roofs", ["Bo B. Lind", "Noor Ferreira", "Hana H. Ito"], 2020, "Weather")),
        ("Lind and Roe, *Comment on “Rain on roofs”*, Weather, 2022",
         ("Comment on “Rain on roofs”", ["Lind", "Roe"], 2022, "Weather")),
        ("Roe, A. (2018). The __init__ file and __all__. __Weather__, 3, 1-9.",
         ("The __init__ file and __all__", ["A. Roe"], 2018, "Weather")),
        ("Roe, A. (2018). __Rain__. Weather, 3, 1-9.", ("Rain", ["A. Roe"], 2018, "Weather")),
        ("Roe, A. (2018). What `__main__.py` does in rain. Weather, 3, 1-9.",
         ("What __main__.py does in rain", ["A. Roe"], 2018, "Weather")),
        ("Roe, *Rain: A History*, Gate Books, 2018", ("Rain: A History", ["Roe"], 2018, "Gate Books")),
        # other scripts
        ("沈怀瑾, 雨水利用史稿. 杭州: 雨水出版社, 1998.", ("雨水利用史稿", ["怀瑾 沈"], 1998, "雨水出版社")),
        (
            "王小明. 降雨学[M]. 2版. 北京: 雨水出版社, 2019.",
            ("降雨学", ["小明 王"], 2019, "雨水出版社"),
        ),
        (
            "王小明（2020）。降雨與城市。《雨學刊》，12(3)，45-60。",
            ("降雨與城市", ["小明 王"], 2020, "雨學刊"),
        ),
        (
            "国家雨水局. 雨水年鉴[EB/OL]. (2020-09-01)[2021-03-05]. http://y.example.cn",
            ("雨水年鉴", ["国家雨水局"], 2020, None),
        ),
        (
            "田中太郎・山本花子「雨と屋根」『雨研究』第12巻第3号、2019年、45-60頁。",
            ("雨と屋根", ["太郎 田中", "花子 山本"], 2019, "雨研究"),
        ),
        (
            "김민수, 이영희 (2020). 비와 지붕의 연구. 비학회지, 12(3), 45-60.",
            ("비와 지붕의 연구", ["민수 김", "영희 이"], 2020, "비학회지"),
        ),
        (
            "Иванов И. И., Петров П. П. Дождь и крыши // Вестник дождя. 2020. Т. 12. № 3. С. 4–9.",
            ("Дождь и крыши", ["И. И. Иванов", "П. П. Петров"], 2020, "Вестник дождя"),
        ),
    ],
)  # fmt: skip
def test_names_and_titles_that_mislead(
    line: str, expected: tuple[str, list[str], int | None, str | None]
) -> None:
    assert read(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "K. Lee, Rain on roofs, in: A. Roe, B. Lind (Eds.), Weather, Gate, 2019, pp. 1-9.",
        "Lee, K. Rain on roofs; Gate Press: Oslo, 2019.",
    ],
)
def test_a_title_ends_before_editors_and_publishers(line: str) -> None:
    assert read(line)[:3] == ("Rain on roofs", ["K. Lee"], 2019)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("Lee K. Rain. Weather. 2020. doi: 10.1000/ab(c)1.", "doi", "10.1000/ab(c)1"),
        ("Lee K. Rain. Weather. 2020. https://doi.org/10.1000/AB.", "doi", "10.1000/AB"),
        ("Lee, K. Rain. arXiv preprint arXiv:2301.01234, 2023.", "arxiv", "2301.01234"),
        ("[Rain](https://arxiv.org/abs/2301.01234v2)", "arxiv", "2301.01234v2"),
        ("Lee K. Rain. Weather. 2020. PMID: 12345678", "pmid", "12345678"),
        ("Lee, K.: Rain. Wien: Haus, 2018. ISBN 978-3-16-148410-0", "isbn", "9783161484100"),
        ("Rain. Drop Site. https://e.example.org/a_(b)", "url", "https://e.example.org/a_(b)"),
    ],
)
def test_identifiers(line: str, field: str, value: str) -> None:
    entry = parse_entry(line)
    assert getattr(entry, field) == value
    assert entry.title == "Rain"
    span = dict(entry.spans)[field]  # type: ignore[index]
    assert re.sub("-", "", line[span.start : span.end]) == re.sub("-", "", value)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Lee, K. (2020). Rain. *Weather*, 1(2), 3–4.", "article-journal"),
        ("Lee, K. (2020). Rain. In *Proceedings of the Rain Conference* (pp. 3–4).", "paper-conference"),
        ("Lee, K. Rain. arXiv preprint arXiv:2301.01234, 2023.", "article"),
        ("Lee, K. (2015). *Rain* [Doctoral dissertation, University of Drops].", "thesis"),
        ("Lee, Kim. *Rain*. New York: Rain Press, 2019.", "book"),
        ("Lee, K. (2012). Rain. In A. Doe (Ed.), *Handbook of roofs* (pp. 3–9). Rain Press.", "chapter"),
        ("李四. 雨[D]. 北京: 雨水大学, 2020.", "thesis"),
        ("李四. 雨[R]. 北京: 雨水局, 2020.", "report"),
        ("LEE K. Rain[C]//Advances in Rain. 2017: 5-8.", "paper-conference"),
        ("国家雨水局. 雨[EB/OL]. http://y.example.cn", "webpage"),
        ("https://e.example.org/p - Rain", "webpage"),
    ],
)  # fmt: skip
def test_the_kind_of_work(line: str, kind: str) -> None:
    entry = parse_entry(line)
    assert entry.type == kind
    assert entry.type in WORK_TYPES


def test_a_court_decision() -> None:
    text = "[2] Doe v. Raincoat Co., 925 F.3d 1339, 1345 (11th Cir. 2019)."
    entry = parse_entry(text)
    assert entry == ReferenceEntry(
        title="Doe v. Raincoat Co.",
        year=2019,
        venue="F.3d",
        volume="925",
        pages="1339",
        type="legal_case",
        court="11th Cir.",
        spans=entry.spans,
    )
    words = {field: text[span.start : span.end] for field, span in entry.spans}
    assert words["title"] == "Doe v. Raincoat Co."
    assert (words["volume"], words["pages"], words["year"]) == ("925", "1339", "2019")


@pytest.mark.parametrize(
    ("line", "title", "venue"),
    [
        ("https://drop.example.org/x - Rain on roofs - Drop", "Rain on roofs", "Drop"),
        ("https://drop.example.org/x - Rain on roofs | Science | The Drop", "Rain on roofs", "Science | The Drop"),
        ("https://drop.example.org/x - Rain - and snow - on roofs", "Rain - and snow - on roofs", None),
        ("https://arxiv.org/abs/2301.01234 - [2301.01234] Rain on roofs", "Rain on roofs", None),
        ("https://y.example.cn/x - 《雨》超越《雪》 登顶__雨网", "《雨》超越《雪》 登顶__雨网", None),
    ],
)  # fmt: skip
def test_a_page_title_is_freed_of_its_site(line: str, title: str, venue: str | None) -> None:
    entry = parse_entry(line)
    assert (entry.title, entry.venue, entry.authors) == (title, venue, ())


@pytest.mark.parametrize(
    "line",
    ["", "   ", "[3]", "[3] .", "***", "Smith et al. (2021)", "See the discussion above.", "Ibid., p. 5.", "(2019)"],
)  # fmt: skip
def test_what_cannot_be_read_says_so_and_guesses_nothing(line: str) -> None:
    entry = parse_entry(line)
    assert entry.unreadable is not None and entry.unreadable.endswith(".")
    assert (entry.title, entry.authors) == (None, ())


@pytest.mark.parametrize("line", ["https://e.example.org/p", "doi:10.1000/abc", "arXiv:2301.12345"])
def test_an_identifier_alone_is_no_title_but_can_be_looked_up(line: str) -> None:
    entry = parse_entry(line)
    assert (entry.title, entry.unreadable) == (None, None)
    assert entry.url or entry.doi or entry.arxiv


@pytest.mark.parametrize(
    "piece",
    ["Smith, J., ", "a ", "[", "“", '"', "(2019) ", "A. ", "et al. ", "*", "{", "10.1000/a ", "王小明, "]
    + ["\ud800", "1 U.S. 1 "],
)  # fmt: skip
def test_a_line_of_five_megabytes_is_read_to_a_bound(piece: str) -> None:
    text = piece * (5_000_000 // len(piece))
    entry = parse_entry(text)
    assert all(span.end < 10_000 for _, span in entry.spans)


PIECES = [
    "Smith, J., ", "Lee K, ", "A. B. Park ", "and ", "& ", "et al. ", "(2019). ", "2020. ", "n.d. ",
    "“", "”", '"', "'", "*", "**", "_", "Rain on roofs", ". ", "? ", ", ", ": ", "; ", " - ", "In ",
    "vol. 1, ", "no. 2, ", "pp. 3–4", "12(3): 4–9", "https://e.org/a ", "doi:10.1000/a ", "[J]", "[1] ",
    "《", "》", "王小明", "。", "，", "田中・", "\ud800", "\x00", "\u200b", "\n", "{", "}", "\\emph{", "&amp;",
    "Roe v. Wade, ", "1 U.S. 1 ", "[a](http://b.c)", "<i>", "</i>", "ISBN 978-3-16-148410-0", "PMID: 12345678",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
)
def test_nothing_raises_and_spans_are_exact(text: str) -> None:
    entry = parse_entry(text)
    fields = [field for field, _ in entry.spans]
    assert len(fields) == len(set(fields))
    for field, span in entry.spans:
        words = text[span.start : span.end]
        assert words
        if field in ("doi", "arxiv", "url", "volume", "issue", "pages") and "\n" not in words:
            written = getattr(entry, field)
            assert re.sub(r"[\W_]+", "", written) == re.sub(r"</?i>|amp;|[\W_]+", "", words)
        if field == "year":
            assert words == str(entry.year)
    if entry.unreadable is not None:
        assert entry.title is None and not entry.authors


@pytest.mark.parametrize(
    ("entry", "title", "first"),
    [
        ("**Ridership of the harbor line, Q2 2023** — Tram and Ferry Agency, 2023",
         "Ridership of the harbor line, Q2 2023", "Tram and Ferry Agency"),
        ("Who sleeps under the bridge? Ministry of Housing of Lorve (2019)",
         "Who sleeps under the bridge?", "Ministry of Housing of Lorve"),
        ("**Relevés des marées : série longue** Institut maritime de Corval. *Report*, 2020.",
         "Relevés des marées : série longue", "Institut maritime de Corval"),
        ("[What we do](https://pinefund.example/about), Pine Fund, n.d.", "What we do", "Pine Fund"),
        ("2021年青溪市人口公报 - 青溪市统计局 (2022)", "2021年青溪市人口公报", "青溪市统计局"),
        ("Tides that never turn: notes on a stuck gauge (Nic Aodha and Mendel, 2016)",
         "Tides that never turn: notes on a stuck gauge", "Nic Aodha"),
        ("How tall is the old lighthouse? Every coast compared by Verein der Türmer e. V. (2024)",
         "How tall is the old lighthouse? Every coast compared", "Verein der Türmer e. V."),
        ("**Berths of the coast** — Verein der Türmer e. V., Tide Notes 2021", "Berths of the coast",
         "Verein der Türmer e. V."),
        ("**Berths of the coast** — Tern University Press, Lorve 2021", "Berths of the coast", None),
        ("Mayor denies “dry run” by The Tarn Herald (2021)", "Mayor denies “dry run”", "The Tarn Herald"),
        ("Office of Harbors of Lorve, *Berths: a survey*, 2022 [[link]](https://tern.example/b)",
         "Berths: a survey", "Office of Harbors of Lorve"),
        ("The tern-kit Developers. (2024). tern-kit 3 release notes. Retrieved May 3, 2024.",
         "tern-kit 3 release notes", "The tern-kit Developers"),
        ("The tern-kit Developers. 2024. tern-kit 3 release notes.", "tern-kit 3 release notes",
         "The tern-kit Developers"),
        *(
            (f"{body} ({year}). {title}. Corval.", title, body)
            for body, year, title in (
                ("Syndicat mixte du Marais", 2024, "Rapport annuel sur les vasières"),
                ("Dune Watch Collective", 2023, "Counts of the northern dunes"),
                ("Statistik Unterwies", 2022, "Mieten im Bezirk"),
                ("Cámara de Oficios de Villanova", 2021, "Balance del comercio local"),
                ("Deutscher Bund der Seiler", 2020, "Seile im Alltag"),
                ("Friends of the Old Ferry", 2016, "A walk through time"),
                ("Réseau des ports lents", 2022, "Charte commune"),
            )
        ),
        ("Dunes of the North, Office for. “Sand counts.” 2023.", "Sand counts", "Office for Dunes of the North"),
        ("TARN Collab., Search for slow sand in the dunes, PRS 129 (2022) 61", "Search for slow sand in the dunes",
         "TARN Collab"),
        ("Ludwig van Roe (1998). Seile im Alltag. Corval.", "Seile im Alltag", "van Roe"),
        ("The Old Ferry (1998). Gate Books.", "The Old Ferry", None),
        ("Ministry of Dunes – Sand roadmap: https://dunes.example/s", "Sand roadmap", "Ministry of Dunes"),
        ("Stadtwerke Unterwies: Abschlussbericht „Warm“, 2024", "Abschlussbericht „Warm“", "Stadtwerke Unterwies"),
        ("Gulls at dusk. Shorebird Notes (2018)", "Gulls at dusk", None),
        ("Gulls at dusk. Tern University Press, 2018", "Gulls at dusk", None),
    ],
)  # fmt: skip
def test_an_office_between_title_and_date_is_the_author(
    entry: str, title: str, first: str | None
) -> None:
    parsed = parse_entry(entry)
    assert parsed.title == title
    assert [author.family for author in parsed.authors[:1]] == ([first] if first else [])
