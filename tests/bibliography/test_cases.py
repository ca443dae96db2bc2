"""Citations of court decisions: what cannot be right, what a record says, what is concluded."""

import json
from pathlib import Path

import pytest

from workbench.bibliography.cases.citation import case_entry, case_record, parse_case
from workbench.bibliography.cases.compare import check_case, compare_case, conclude_case
from workbench.bibliography.cases.names import compare_case_names
from workbench.records.bibliography import AnswerKind, IndexAnswer, IndexReply, ReferenceEntry
from workbench.records.text import JsonDict

YEAR_NOW = 2026
LEGAL = Path(__file__).parents[2].parent / "shared" / "data" / "references" / "legal_dev.jsonl"


@pytest.mark.parametrize(
    ("text", "name", "venues", "court", "year"),
    [
        (
            "Tarn v. Orlan Mills, Inc., 564 F.3d 636, 646 (3d Cir. 2009)",
            "Tarn v. Orlan Mills, Inc.",
            ["564 F.3d 636"],
            "ca3",
            2009,
        ),
        (
            "[3] Tarn v. Orlan, 410 U.S. 113, 120, 93 S. Ct. 705, 35 L. Ed. 2d 147 (1973).",
            "Tarn v. Orlan",
            ["410 U.S. 113", "93 S. Ct. 705", "35 L. Ed. 2d 147"],
            None,
            1973,
        ),
        ("See, e.g., In re Brask, 387 U.S. 1 (1967)", "In re Brask", ["387 U.S. 1"], None, 1967),
        (
            "The rule is old. Tarn v. Orlan, 5 U.S. (1 Cranch) 137, 177 (1803)",
            "Tarn v. Orlan",
            ["5 U.S. 137"],
            None,
            1803,
        ),
        (
            "Tarn Bros. v. Orlan, No. 10-1234, 2011 WL 12345, at *3 (S.D.N.Y. Mar. 1, 2011)",
            "Tarn Bros. v. Orlan",
            ["2011 WL 12345"],
            "nysd",
            2011,
        ),
        (
            "Tarn v. Orlan, 12 F.4th 55 (9th Cir. 2022), rev'd, 600 U.S. 1 (2023)",
            "Tarn v. Orlan",
            ["12 F.4th 55"],
            "ca9",
            2022,
        ),
        ("A book on courts. Oxford, 2001.", None, [], None, None),
    ],
)
def test_an_entry_is_read(
    text: str, name: str | None, venues: list[str], court: str | None, year: int | None
) -> None:
    citation = parse_case(text)
    assert citation.name == name
    assert [venue.text for venue in citation.reporters] == venues
    assert (citation.court and citation.court.identifier) == court
    assert citation.year == year


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Tarn v. Orlan, 12 F.4th 55 (9th Cir. 1987)", "F.4th began in about 2021"),
        ("Tarn v. Orlan, 45 F. Supp. 2d 12 (N.D. Ill. 2021)", "F. Supp. 2d ended in about 2014"),
        ("Tarn v. Orlan, 1200 F.3d 55 (9th Cir. 2010)", "ended with volume 999"),
        ("Tarn v. Orlan, 900 F.2d 12 (2d Cir. 1950)", "Volume 900 of F.2d holds decisions of"),
        ("Tarn v. Orlan, 61 F. App'x 227 (3d Cir. 2012)", "Volume 61 of F. App'x"),
        ("Tarn v. Orlan, 712 U.S. 12 (2024)", "has not come to volume 712"),
        ("Tarn v. Orlan, 550 U.S. 12 (9th Cir. 2007)", "not those of 9th Cir."),
        ("Tarn v. Orlan, 300 F.3d 12 (S.D.N.Y. 2002)", "not those of S.D.N.Y."),
        ("Tarn v. Orlan, 300 F.3d 12 (Cal. 2002)", "not those of Cal."),
        ("Tarn v. Orlan, 100 N.Y.S.3d 12 (9th Cir. 2019)", "state courts (New York)"),
        ("Tarn v. Orlan, 100 A.3d 12 (Cal. 2014)", "not those of Cal."),
        ("Tarn v. Orlan, 564 F.3d 636, 620 (3d Cir. 2009)", "Page 620 lies before"),
        ("Tarn v. Orlan, 410 U.S. 9113 (1973)", "has a page 9113"),
        ("Tarn v. Orlan, 564 F.3d 636 (3d Cir. 2031)", "in the future"),
        ("Tarn v. Orlan, 500 F.2d 1 (11th Cir. 1974)", "The Eleventh Circuit exists since 1981"),
        ("Tarn v. Orlan, 700 F.2d 1 (Fed. Cir. 1980)", "The Federal Circuit exists since 1982"),
        ("Tarn v. Orlan, 410 U.S. 113, 120 S. Ct. 705", "cannot be one decision"),
        ("Tarn v. Orlan, 2019 WL 1234 (S.D.N.Y. 2022)", "is a number of 2019"),
        ("Tarn v. Orlan, 2029 WL 1234 (S.D.N.Y.)", "in the future"),
        ("Tarn v. Orlan, 2018 U.S. Dist. LEXIS 5 (2d Cir. 2018)", "federal district courts"),
        ("Tarn v. Orlan, 12 A.D.3d 55 (1st Dep't 1980)", "A.D.3d began in about 2003"),
    ],
)
def test_what_cannot_be_right_says_why(text: str, reason: str) -> None:
    impossible = check_case(text, YEAR_NOW).impossible
    assert impossible is not None
    assert reason in impossible
    assert impossible.endswith(".")
    assert ".." not in impossible


@pytest.mark.parametrize(
    "text",
    [
        # well-known decisions, by their places
        "5 U.S. (1 Cranch) 137 (1803)",
        "60 U.S. (19 How.) 393 (1857)",
        "163 U.S. 537, 16 S. Ct. 1138, 41 L. Ed. 256 (1896)",
        "347 U.S. 483, 74 S. Ct. 686, 98 L. Ed. 873 (1954)",
        "410 U.S. 113, 93 S. Ct. 705, 35 L. Ed. 2d 147 (1973)",
        "519 U.S. 408, 117 S. Ct. 882, 137 L. Ed. 2d 41 (1997)",
        "433 U.S. 1, 97 S. Ct. 2476, 53 L. Ed. 2d 538 (1977)",
        "597 U.S. 215, 142 S. Ct. 2228 (2022)",
        "603 U.S. 369, 144 S. Ct. 2244 (2024)",
        "159 F.2d 169 (2d Cir. 1947)",
        "630 F.2d 876 (2d Cir. 1980)",
        "239 F.3d 1004 (9th Cir. 2001)",
        "938 F.3d 985 (9th Cir. 2019)",
        "31 F.4th 1180 (9th Cir. 2022)",
        "140 F.4th 1 (2d Cir. 2025)",
        "343 F. Supp. 279 (E.D. Pa. 1972)",
        "678 F. Supp. 3d 443 (S.D.N.Y. 2023)",
        "780 F. Supp. 3d 12 (D. Md. 2025)",
        "162 N.E. 99 (N.Y. 1928)",
        "355 A.2d 647 (N.J. 1976)",
        "551 P.2d 334 (Cal. 1976)",
        "264 F. 862 (2d Cir. 1920)",
        "8 F.2d 12 (D. Mass. 1925)",
        # courts by their many names
        "500 A.2d 12 (D.C. 1985)",
        "450 S.W.2d 1 (Tex. Civ. App.—Dallas 1970, no writ)",
        "550 N.Y.S.2d 1 (1st Dep't 1990)",
        "490 A.2d 1 (N.J. Super. Ct. App. Div. 1985)",
        "790 S.W.2d 1 (Mo. banc 1990)",
        "400 S.E.2d 1 (W. Va. 1991)",
        "430 F.2d 1 (Ct. Cl. 1970)",
        "650 F.2d 1 (5th Cir. Unit B 1981)",
        "110 B.R. 1 (B.A.P. 9th Cir. 1990)",
        "490 F. Supp. 1 (J.P.M.L. 1980)",
        "900 F. Supp. 1 (D.V.I. 1995)",
        "110 S. Ct. 5 (O'Connor, Circuit Justice 1990)",
        "2005 U.S. App. LEXIS 5 (Fed. Cir. 2005)",
        # young volumes of open series, and what the table knows nothing of
        "190 N.E.3d 33 (Ill. App. Ct. 2021)",
        "17 Cal. 4th 763 (1998)",
        "33 A.D.3d 12 (N.Y. App. Div. 2006)",
        "2018 IL App (1st) 170001",
        # pages that only look out of order, and those of a database
        "384 U.S. 436, 86 S. Ct. 1602 (1966)",
        "564 F.3d 636, 38 (3d Cir. 2009)",
        "2015 U.S. Dist. LEXIS 192, at *9-10 (E.D. Pa. 2015)",
        "2020 WL 1234567, at *3 (S.D.N.Y. Jan. 5, 2021)",
    ],
)
def test_nothing_is_said_against_what_may_be_right(text: str) -> None:
    assert check_case(f"Tarn v. Orlan, {text}", YEAR_NOW).impossible is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Tarn v. Orlan, 2019 WL 123456 (S.D.N.Y. 2019)", "Westlaw or Lexis"),
        ("Tarn v. Orlan, No. 11-CV-445 (W.D. Pa. July 10, 2012)", "docket number"),
        ("17 U.S.C. § 107", "a statute"),
        ("Tarn v. Orlan (2012)", "No volume, reporter and page"),
    ],
)
def test_what_no_index_of_reported_cases_has_is_said_to_be_outside(text: str, reason: str) -> None:
    finding = check_case(text, YEAR_NOW)
    assert finding.impossible is None
    assert finding.not_checked is not None
    assert reason in finding.not_checked


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Orlan v. Brask", "Brask vs. Orlan"),
        ("Tarn v. Brask Mut. Auto Ins. Co.", "Tarn v. Brask Mutual Automobile Insurance Company"),
        ("In re Tarn", "Application of Tarn"),
        ("Ex parte Tarn", "In the Matter of Tarn"),
        ("U.S. v. Tarn", "Tarn v. United States of America"),
        ("State v. Odell", "Odell v. Ohio"),
        ("People v. Odell", "People of the State of California v. Odell"),
        ("NLRB v. Sorrel Mills", "National Labor Relations Board v. Sorrel Mills, Inc."),
        ("Nat'l Ass'n of Tailors v. Dep't of Educ.", "National Association of Tailors v. Department of Education"),
        ("S. Orlan Ry. Co. v. Tarn", "Southern Orlan Railway Company v. Tarn"),
        ("Tarn v. Brask", "Jonas D. TARN, Former Attorney General, et al. v. Selma BRASK et al."),
        ("United States ex rel. Tarn v. Orlan", "Tarn v. Orlan"),
        ("Müller v. Château Brask Ltd.", "Muller v. Chateau Brask"),
        ("Twp. of Hale v. O’Dell", "Township of Hale v. O'Dell"),
    ],
)  # fmt: skip
def test_one_case_has_many_captions(name: str, other: str) -> None:
    assert compare_case_names(name, other) is True
    assert compare_case_names(other, name) is True


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Tarn v. Brask Insurance", "Tarkin v. Brask Insurance"),
        ("Tarn v. City of York", "Tarn v. City of New York"),
        ("United States v. Tarn", "United States v. Orlan"),
        ("Ohio v. Tarn", "Texas v. Tarn"),
        ("State v. Odell", "State v. Adler"),
        ("Tarn v. Jones", "Tarn v. Johnson"),
        ("In re Tarn", "In re Orlan"),
    ],
)
def test_other_parties_are_another_case(name: str, other: str) -> None:
    assert compare_case_names(name, other) is False


def test_a_name_without_parties_tells_nothing() -> None:
    assert compare_case_names("", "Tarn v. Orlan") is None


RECORD: JsonDict = {
    "type": "legal_case",
    "title": "Tarn v. Orlan Mills, Inc.",
    "container-title": "Federal Reporter, Third Series",
    "volume": "564",
    "page": "636-55",
    "authority": "United States Court of Appeals for the Third Circuit",
    "issued": {"date-parts": [[2009, 4, 29]]},
    "custom": {"citations": ["564 F.3d 636"]},
}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Tarn v. Orlan Mills, 564 F.3d 636, 646 (3d Cir. 2009)", {}),
        ("Tarn v. Orlan Mills, 546 F.3d 636 (3d Cir. 2009)", {"volume": "The volume is 564"}),
        ("Tarn v. Orlan Mills, 564 F.3d 663 (3d Cir. 2009)", {"pages": "begins on page 636"}),
        ("Tarn v. Orlan Mills, 564 F.3d 636, 671 (3d Cir. 2009)", {"pages": "beyond its last"}),
        ("Tarn v. Orlan Mills, 564 F.2d 636 (3d Cir. 2009)", {"venue": "The reporter differs"}),
        ("Tarn v. Orlan Mills, 564 F.3d 636 (9th Cir. 2009)", {"court": "The court differs"}),
        ("Tarn v. Orlan Mills, 564 F.3d 636 (3d Cir. 2010)", {"year": "decided in 2009"}),
        ("Brask v. Orlan Mills, 564 F.3d 636 (3d Cir. 2009)", {"case_name": "case name differs"}),
    ],
)
def test_each_field_is_compared(text: str, wrong: dict[str, str]) -> None:
    record = case_record(RECORD)
    assert record is not None
    comparisons = compare_case(parse_case(text), record)
    reasons = {item.field: item.why for item in comparisons if item.agrees is False}
    assert list(reasons) == list(wrong)
    assert all(wrong[field] in reason for field, reason in reasons.items())


def test_a_field_that_the_record_does_not_give_is_neither_right_nor_wrong() -> None:
    record = case_record({"type": "legal_case", "title": "Tarn v. Orlan"})
    assert record is not None
    comparisons = compare_case(parse_case("Tarn v. Orlan, 564 F.3d 636 (3d Cir. 2009)"), record)
    assert {item.field: item.agrees for item in comparisons} == {
        "case_name": True,
        "venue": None,
        "court": None,
        "year": None,
    }


def reply(*records: JsonDict, answer: AnswerKind = "match", covers: bool = True) -> IndexReply:
    return IndexReply(
        answer=IndexAnswer(name="library", answer=answer, why="It is down.", covers=covers),
        records=records,
    )


def case(title: str, volume: str, reporter: str, page: str, year: int) -> JsonDict:
    return {
        "type": "legal_case",
        "title": title,
        "container-title": reporter,
        "volume": volume,
        "page": page,
        "issued": {"date-parts": [[year]]},
    }


def conclusion(text: str, *replies: IndexReply) -> tuple[str, str]:
    concluded = conclude_case(ReferenceEntry(), text, replies, YEAR_NOW)
    return concluded.status, concluded.why


def test_a_case_at_its_place_matches_and_a_wrong_place_differs() -> None:
    library = reply(case("Tarn v. Orlan", "556", "U.S.", "662", 2009))
    assert conclusion("Tarn v. Orlan, 556 U.S. 662 (2009)", library) == ("matches", "")
    status, why = conclusion("Tarn v. Orlan, 558 U.S. 662 (2009)", library)
    assert (status, why) == ("differs", "The volume is 556, not 558.")


def test_another_case_at_the_cited_page_is_another_work() -> None:
    library = reply(case("Adler v. Brask", "556", "U.S.", "662", 2009))
    status, why = conclusion("Tarn v. Orlan, 556 U.S. 662 (2009)", library)
    assert status == "other_work"
    assert "“Adler v. Brask”" in why
    assert "“Tarn v. Orlan”" in why


def test_a_case_at_the_cited_page_that_shares_a_party_is_described_wrong() -> None:
    library = reply(case("Tarn v. Brask", "556", "U.S.", "662", 2009))
    status, why = conclusion("Tarn v. Orlan, 556 U.S. 662 (2009)", library)
    assert status == "differs"
    assert why.startswith("The case name differs")


def test_the_government_is_no_party_that_cases_share() -> None:
    library = reply(case("United States v. Brask", "556", "U.S.", "662", 2009))
    assert conclusion("United States v. Tarn, 556 U.S. 662 (2009)", library)[0] == "other_work"


def test_parties_who_met_another_time_are_not_the_decision() -> None:
    library = reply(case("Tarn v. Orlan", "12", "F.4th", "55", 2021))
    status, why = conclusion("Tarn v. Orlan, 556 U.S. 662 (2009)", library)
    assert status == "not_found"
    assert "with another citation" in why


def test_a_case_cited_at_another_s_place_names_both() -> None:
    library = reply(
        case("Tarn v. Orlan", "556", "U.S.", "662", 2009),
        case("Adler v. Brask", "557", "U.S.", "12", 2009),
    )
    status, why = conclusion("Tarn v. Orlan, 557 U.S. 12 (2009)", library)
    assert status == "differs"
    assert "The volume is 556, not 557." in why
    assert "557 U.S. 12 is another case, “Adler v. Brask”" in why


def test_a_record_of_the_name_alone_is_the_case() -> None:
    library = reply({"type": "legal_case", "title": "Tarn v. Orlan"})
    assert conclusion("Tarn v. Orlan, 557 U.S. 12 (2009)", library)[0] == "matches"


def test_of_several_cases_on_a_page_the_named_one_counts() -> None:
    library = reply(
        case("Adler v. Brask", "556", "U.S.", "662", 2009),
        case("Tarn v. Orlan", "556", "U.S.", "662", 2009),
    )
    assert conclusion("Tarn v. Orlan, 556 U.S. 662 (2009)", library)[0] == "matches"


def test_an_impossible_citation_needs_nobodys_answer() -> None:
    text = "Tarn v. Orlan, 12 F.4th 55 (9th Cir. 1987)"
    status, why = conclusion(text)
    assert status == "not_found"
    assert "F.4th began" in why
    assert conclusion(text, reply(answer="error"))[0] == "not_found"


def test_an_impossible_citation_of_a_known_case_differs() -> None:
    library = reply(case("Tarn v. Orlan", "12", "F.4th", "55", 2021))
    status, why = conclusion("Tarn v. Orlan, 12 F.4th 55 (9th Cir. 1987)", library)
    assert status == "differs"
    assert "F.4th began" in why
    assert "decided in 2021, not 1987" in why


@pytest.mark.parametrize(
    ("replies", "status"),
    [
        ([], "not_checked"),
        ([reply(answer="none")], "not_found"),
        ([reply(answer="none"), reply(answer="error")], "not_checked"),
        ([reply(answer="not_asked")], "not_checked"),
        ([reply(answer="none", covers=False)], "not_checked"),
        ([reply(answer="none"), reply(answer="error", covers=False)], "not_found"),
    ],
)
def test_not_found_needs_every_index_that_covers_it(replies: list[IndexReply], status: str) -> None:
    assert conclusion("Tarn v. Orlan, 556 U.S. 662 (2009)", *replies)[0] == status


def test_an_unreported_case_is_known_by_its_number_or_docket() -> None:
    slip: JsonDict = {
        "type": "legal_case",
        "title": "Tarn v. Orlan",
        "number": "2:11-cv-00445-ABC",
        "issued": {"date-parts": [[2012]]},
    }
    numbered = case("Tarn v. Brask", "2018", "U.S. Dist. LEXIS", "74124", 2018)
    library = reply(slip, numbered)
    assert conclusion("Tarn v. Orlan, No. 11-CV-445 (W.D. Pa. 2012)", library)[0] == "matches"
    status, why = conclusion("Tarn v. Orlan, No. 11-CV-454 (W.D. Pa. 2012)", library)
    assert (status, why.split(" is ")[0]) == ("differs", "The docket number")
    status, why = conclusion("Tarn v. Brask, 2018 U.S. Dist. LEXIS 74214 (W.D. Pa. 2018)", library)
    assert (status, why) == ("differs", "It has the number 74124, not 74214.")


def test_fields_count_where_the_text_has_no_citation() -> None:
    entry = ReferenceEntry(
        title="Tarn v. Orlan", venue="U.S.", volume="556", pages="662", year=2009, type="legal_case"
    )
    library = reply(case("Tarn v. Orlan", "556", "U.S.", "662", 2009))
    assert conclude_case(entry, "", [library], YEAR_NOW).status == "matches"


@pytest.mark.parametrize(
    ("text", "venue", "court"),
    [
        ("Tarn v. Orlan, No. 11-CV-445 (W.D. Pa. July 10, 2012)", None, "W.D. Pa."),
        ("[4] Tarn v. Orlan, 12 F.4th 55 (9th Cir. 2021)", "F.4th", "9th Cir."),
    ],
)
def test_a_case_is_known_by_its_citation(text: str, venue: str | None, court: str) -> None:
    misread = ReferenceEntry(title="Tarn v", venue="Orlan", type="article-journal")
    entry = case_entry(misread, text)
    assert (entry.type, entry.title) == ("legal_case", "Tarn v. Orlan")
    assert (entry.venue, entry.court) == (venue, court)


@pytest.mark.parametrize(
    "text",
    [
        "Brask, S. (2010). Tarn v. Orlan and what came of it. Oxford University Press.",
        "Brask, S. Tarn v. Orlan at fifty. 33 Harv. L. Rev. 12 (2023)",
        "Brask, S. (2010). On a rule that everybody knows: Tarn v. Orlan, 556 U.S. 662 (2009).",
        "Tarn v. Orlan: a play in two acts. No. 4 (2012)",
    ],
)
def test_a_work_about_a_case_is_no_case(text: str) -> None:
    entry = ReferenceEntry(title="A work", type="book")
    assert case_entry(entry, text) is entry


def test_no_right_citation_of_a_real_brief_is_accused() -> None:
    if not LEGAL.exists():
        pytest.skip("the labelled citations are not here")
    examples = [json.loads(line) for line in LEGAL.read_text(encoding="utf-8").splitlines()]
    right = [example["citation"] for example in examples if example["label"] == "valid"]
    assert right
    accused = [text for text in right if check_case(text, YEAR_NOW).impossible]
    assert accused == []
