"""Quotations of a court decision beside its text."""

import pytest

from workbench.bibliography.cases.quotations import check_quotation, quotations_beside
from workbench.citations import extract

TEXT = """The court must weigh all well-grounded allega-
tions as true, and read the paper in the light kindest to the tenant. It need not, however,
take on legal conclusions.3 “Labels and slogans” will not do. The tenant's claim, see Tarn v.
Orlan, 12 F.4th 55, pleads too little; under any fair reading of the paper, the tenant may have
relief. We hold that they failed."""


@pytest.mark.parametrize(
    "quotation",
    [
        "must weigh all well-grounded allegations as true",
        "[C]ourt must weigh all well-grounded allegations as true . . . .",
        "The court must weigh . . . allegations as true, and read the paper",
        "The court must weigh … allegations as true",
        "[t]he tenant’s claim . . . pleads too little (emphasis added)",
        "take on legal conclusions. ‘Labels and slogans’ will not do",
        "[I]t need not . . . take on legal conclusions (citations omitted)",
        "the [plaintiff] may have relief",
        "We hold that [the tenants] failed",
        "claim . . . plead[ed] too little",
        "WE HOLD THAT THEY FAILED",
    ],
)
def test_what_the_rules_of_quotation_allow_is_no_difference(quotation: str) -> None:
    comparison = check_quotation(quotation, TEXT)
    assert comparison.agrees is True
    assert comparison.field == "quotation"


def test_changed_words_are_shown_beside_the_nearest() -> None:
    comparison = check_quotation(
        "under the kindest reading of the paper, the tenant may have relief", TEXT
    )
    assert comparison.agrees is False
    assert comparison.record_value == (
        "under any fair reading of the paper, the tenant may have relief"
    )
    assert comparison.why.startswith("The quotation differs from the decision's text")


def test_words_that_are_nowhere_have_no_nearest() -> None:
    comparison = check_quotation("the heron sang over seven frozen lakes", TEXT)
    assert comparison.agrees is False
    assert comparison.record_value is None
    assert comparison.why == "The quotation is not in the decision's text."


@pytest.mark.parametrize("text", [None, "", "  "])
def test_without_a_text_nothing_is_said(text: str | None) -> None:
    assert check_quotation("must weigh all allegations", text).agrees is None


def test_an_omission_does_not_join_words_in_another_order() -> None:
    assert check_quotation("may have relief . . . must weigh all", TEXT).agrees is False


def test_a_quotation_belongs_to_the_case_cited_for_it() -> None:
    brief = (
        "A court “must weigh all well-grounded allegations as true.” Tarn v. Orlan, 564 F.3d 636, "
        "646 (3d Cir. 2009). It need not “take on legal conclusions at all.” Adler v. Brask, 556 "
        "U.S. 662 (2009)."
    )
    citations = extract(brief).citations
    cases = [citation for citation in citations if citation.kind == "case_law"]
    assert [quotations_beside(citation, citations) for citation in cases] == [
        ("must weigh all well-grounded allegations as true.",),
        ("take on legal conclusions at all.",),
    ]
