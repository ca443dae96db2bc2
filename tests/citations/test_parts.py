"""What each mark stands for, and quotations and figures with their source."""

import pytest

from workbench.citations import extract
from workbench.records.citation import Citation


def marks(text: str) -> list[Citation]:
    return [c for c in extract(text).citations if c.kind not in ("quote", "statistic")]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Rain fell in May [1].", ["Rain fell in May [1]."]),
        ("Rain fell in May.[1][2]", ["Rain fell in May."] * 2),
        (
            "Sales rose in May [1], while costs fell in June [2].",
            ["Sales rose in May", "while costs fell in June"],
        ),
        (
            "The drug lowers blood pressure [1] and raises heart rate [2].",
            ["The drug lowers blood pressure", "and raises heart rate"],
        ),
        (
            "Symptoms are fever [1], cough [2] and pain [3].",
            ["Symptoms are fever", "cough", "and pain"],
        ),
        (
            "Rain fell [1], [2] and snow melted in the hills [3].",
            ["Rain fell", "Rain fell", "and snow melted in the hills"],
        ),
        (
            "According to some sources [1], rain fell in May [2].",
            ["According to some sources [1], rain fell in May"] * 2,
        ),
        (
            "According to [1], rain fell in May, but [2] reports that snow fell.",
            ["According to [1], rain fell in May, but", "[2] reports that snow fell."],
        ),
        (
            "Smith et al. (2019) found rain in May, and Lee (2020) found snow in June.",
            [
                "Smith et al. (2019) found rain in May, and",
                "Lee (2020) found snow in June.",
            ],
        ),
        (
            "Smith et al. (2019) found that rain fell in May [3].",
            ["Smith et al. (2019) found that rain fell in May"] * 2,
        ),
        (
            "The [WMO](https://wmo.int) says rain fell, and [NOAA](https://noaa.gov) agrees.",
            [
                "The [WMO](https://wmo.int) says rain fell, and",
                "[NOAA](https://noaa.gov) agrees.",
            ],
        ),
        (
            "Rain fell [1], which filled the lakes of the north.",
            ["Rain fell [1], which filled the lakes of the north."],
        ),
        ("下雨了[1]，后来又下雪了[2]。", ["下雨了", "后来又下雪了"]),
        ("Rain fell in the north.\n[1]", ["Rain fell in the north."]),
        ("Rain fell in the north.\n\nSource: [WMO](https://wmo.int)", ["Rain fell in the north."]),
        ("Rain fell in the north. See [1] and [2].", ["Rain fell in the north."] * 2),
        ("The rule is old. See, e.g., Roe v. Wade, 410 U.S. 113 (1973).", ["The rule is old."]),
        ("The rule is old. 410 U.S. 113. Id. at 120.", ["The rule is old."] * 2),
        ("## Rain fell in May [1]\nIt was wet.", ["Rain fell in May [1]"]),
        (
            "- rain fell in May [1]\n- snow fell in June [2]",
            ["rain fell in May [1]", "snow fell in June [2]"],
        ),
        ("| city | rain |\n|---|---|\n| Oslo | 3 mm [1] |", ["Oslo | 3 mm [1]"]),
        (
            'He agreed. <cite id="1">Rain fell in May, and snow fell in June.</cite>',
            ["Rain fell in May, and snow fell in June."],
        ),
        (
            "These are the reasons:\n\n1[1]. Rain fell.\n2[2]. Snow fell.",
            ["These are the reasons:", "Rain fell."],
        ),
        ("```\n[1]\n```\n[2]", [None]),
        ("## Useful links\n[WMO](https://wmo.int)", [None]),
    ],
)  # fmt: skip
def test_a_mark_stands_for_its_sentence_or_its_part_of_it(
    text: str, claims: list[str | None]
) -> None:
    assert [c.claim.span.of(text) if c.claim else None for c in marks(text)] == claims


def test_a_claim_lists_its_marks_and_uncited_claims_none() -> None:
    extraction = extract(
        "Rain fell in May. Snow fell in June [1][2]. Is that so? Hail fell in July.[3]"
    )
    assert [(k.text, k.citations) for k in extraction.claims] == [
        ("Rain fell in May.", ()),
        ("Snow fell in June.", ("c1", "c2")),
        ("Hail fell in July.", ("c3",)),
    ]


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ('He said "we will not go there again" in May.', ['"we will not go there again"']),
        ("She wrote: “It is what it is.” [1]", ["“It is what it is.”"]),
        (
            "国家发改委指出：“扩大中等收入群体是共同富裕的基石。”",
            ["“扩大中等收入群体是共同富裕的基石。”"],
        ),
        ("彼は「雨が北部で降ったのである」と述べた。", ["「雨が北部で降ったのである」"]),
        ("The so-called “smart city” is new [1].", []),
        ('The book "The Art of War" is old [1].', []),
        ('The words "rain fell in the north" have no source.', []),
    ],
)
def test_quotations_need_someone_who_says_them(text: str, quotes: list[str]) -> None:
    quotations = [c for c in extract(text).citations if c.kind == "quote"]
    assert [c.raw for c in quotations] == quotes
    assert [c.identifier for c in quotations] == [quote[1:-1] for quote in quotes]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("Sales rose 5% to US$3.2 billion [1].", ["5%", "US$3.2 billion"]),
        (
            "About 1,234 people (n = 120, p < 0.05) came [1].",
            ["1,234 people", "n = 120", "p < 0.05"],
        ),
        ("Between 3–5 percent of 2,000 patients died [1].", ["3–5 percent", "2,000 patients"]),
        ("One in five adults smoke, and two-thirds drink [1].", ["One in five", "two-thirds"]),
        ("The risk fell (RR 0.85) and grew 10-fold [1].", ["RR 0.85", "10-fold"]),
        ("人口为14.1亿人，增长5.2%[1]。", ["14.1亿人", "5.2%"]),
        ("According to the WHO, 45% of adults are obese.", ["45%"]),
        ("据统计，百分之三十的人同意。", ["百分之三十"]),
        ("45% of cats sleep.", []),
        ("GPT-4 came in 2023, version 3.5 [1].", []),
        ("The interval (95% CI) is wide [1].", []),
        ("See https://example.com/5%20percent now.", []),
    ],
)
def test_figures_need_a_source(text: str, figures: list[str]) -> None:
    assert [c.raw for c in extract(text).citations if c.kind == "statistic"] == figures


def test_quotations_and_figures_take_the_target_of_the_mark_in_their_part() -> None:
    extraction = extract(
        'Sales rose 5% [1], and he said "we will not go there again" [2].\n\n'
        "[1] https://example.com/a\n[2] https://example.com/b"
    )
    assert [(c.kind, c.target and c.target.value) for c in extraction.citations] == [
        ("statistic", "https://example.com/a"),
        ("numbered", "https://example.com/a"),
        ("quote", "https://example.com/b"),
        ("numbered", "https://example.com/b"),
    ]
    assert extraction.claims[0].citations == ("c2", "c4")


def test_a_source_named_in_words_only_is_told() -> None:
    (figure,) = extract("According to the WHO, 45% of adults are obese.").citations
    assert figure.target is None
    assert figure.unlinked == ("The sentence names its source only in words, without a marker.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com/10.1000/xyz", [("url", "https://example.com/10.1000/xyz")]),
        ("https://doi.org/10.1000/xyz", [("doi", "https://doi.org/10.1000/xyz")]),
        ("[1](https://example.com/a)", [("numbered", "[1](https://example.com/a)")]),
        ("[Lee, 2019](https://e.com/a)", [("author_year", "[Lee, 2019](https://e.com/a)")]),
        ("web:https://example.com/a", [("provenance", "web:https://example.com/a")]),
        ("doi:10.48550/arXiv.2301.12345", [("doi", "doi:10.48550/arXiv.2301.12345")]),
        ("Roe v. Wade, 410 U.S. 113 (1973)", [("case_law", "Roe v. Wade, 410 U.S. 113 (1973)")]),
        ("Lee v. Kim (1954)", [("case_law", "Lee v. Kim (1954)")]),
        ("[1, 2]", [("numbered", "[1, 2]"), ("numbered", "[1, 2]")]),
        ("[1][2]", [("numbered", "[1]"), ("numbered", "[2]")]),
    ],
)  # fmt: skip
def test_of_marks_that_overlap_the_first_and_longest_stays(
    text: str, expected: list[tuple[str, str]]
) -> None:
    citations = marks(f"So it is said {text} today.")
    assert [(c.kind, c.raw) for c in citations] == expected


def test_context_is_200_code_points_on_each_side_within_the_text() -> None:
    (middle,) = marks("é" * 300 + " [1] " + "雨" * 300)
    assert (middle.start, middle.end) == (301, 304)
    assert (middle.context.start, middle.context.end) == (101, 504)
    (short,) = marks("é [1] 雨")
    assert (short.context.start, short.context.end) == (0, 7)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("[999]", 1),
        ("[1000]", 0),
        ("(Lee, 1800)", 1),
        ("(Lee, 2099)", 1),
        ("(Lee, 1799)", 0),
        ("(Lee, 2100)", 0),
        ("10.1234/a", 1),
        ("10.123456789/a", 1),
        ("10.123/a", 0),
        ("10.1234567890/a", 0),
    ],
)
def test_the_published_limits_of_numbers_years_and_registrants(text: str, count: int) -> None:
    assert len(marks(f"So it is said {text} today.")) == count


@pytest.mark.parametrize("sign", list(".,;:!?\"'>"))
def test_trailing_punctuation_is_no_part_of_an_address(sign: str) -> None:
    for address in ("https://example.com/a", "10.1000/xyz"):
        (citation,) = marks(f"See {address}{sign} today")
        assert citation.raw == address
        (citation,) = marks(f"See ({address}){sign} today")
        assert citation.raw == address


def test_only_a_balanced_parenthesis_belongs_to_an_address() -> None:
    for address in ("https://example.com/a_(b)", "10.1016/S0140-6736(19)30001-2"):
        assert [c.raw for c in marks(f"({address})")] == [address]
