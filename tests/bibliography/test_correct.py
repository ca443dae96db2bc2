"""A corrected entry keeps the style it was written in."""

import pytest

from workbench.bibliography.check import conclude
from workbench.bibliography.csl import corrected_record, corrected_text
from workbench.citations import parse_entry
from workbench.records.bibliography import IndexAnswer, IndexReply, ReferenceCheck
from workbench.records.text import Span

RECORD = {
    "type": "article-journal",
    "title": "Kelp forests as carbon sinks",
    "author": [
        {"family": "Nordahl", "given": "Ingrid"},
        {"family": "Veld", "given": "Joris"},
        {"family": "Ost", "given": "Marit"},
    ],
    "issued": {"date-parts": [[2019]]},
    "container-title": "Journal of Coastal Ecology",
    "volume": "14",
    "page": "210-229",
    "DOI": "10.5555/jce.2019.014",
}


def check(text: str) -> ReferenceCheck:
    entry = parse_entry(text)
    reply = IndexReply(answer=IndexAnswer(name="registry:x", answer="match"), records=(RECORD,))
    finding = conclude(entry, text, [reply], year_now=2026)
    return ReferenceCheck(
        label="1",
        span=Span(0, len(text)),
        text=text,
        entry=entry,
        status=finding.status,
        fields=finding.fields,
        record=finding.record,
        why=finding.why,
    )


@pytest.mark.parametrize(
    ("written", "corrected"),
    [
        (
            "Nordahl, I., Veld, J., & Ost, M. (2016). Kelp forests as carbon sinks. *Journal of "
            "Coastal Ecology*, *14*, 210–229.",
            "Nordahl, I., Veld, J., & Ost, M. (2019). Kelp forests as carbon sinks. *Journal of "
            "Coastal Ecology*, *14*, 210–229.",
        ),
        (
            "Silva, A., Veld, J., & Ost, M. (2019). Kelp forests as carbon sources. *Journal of "
            "Coastal Ecology*, *14*, 210–229. https://doi.org/10.5555/jce.2019.014",
            "Nordahl, I., Veld, J., & Ost, M. (2019). Kelp forests as carbon sinks. *Journal of "
            "Coastal Ecology*, *14*, 210–229. https://doi.org/10.5555/jce.2019.014",
        ),
        (
            "[1] I. Nordahl, J. Veld, and P. Quist, “Kelp forests as carbon sinks,” Marine Letters, "
            "vol. 14, 2019.",
            "[1] I. Nordahl, J. Veld, and M. Ost, “Kelp forests as carbon sinks,” Journal of Coastal "
            "Ecology, vol. 14, 2019.",
        ),
        (
            "Silva A, et al. Kelp forests as carbon sinks. Journal of Coastal Ecology. 2019;14:210-29.",
            "Nordahl I, et al. Kelp forests as carbon sinks. Journal of Coastal Ecology. "
            "2019;14:210-29.",
        ),
    ],
    ids=["year", "authors and title", "IEEE", "Vancouver"],
)
def test_what_differs_is_replaced_where_it_stands(written, corrected):
    assert corrected_text(check(written)) == corrected


def test_what_agrees_needs_no_correction():
    right = "Nordahl, I., Veld, J., & Ost, M. (2019). Kelp forests as carbon sinks."
    assert check(right).status == "matches"
    assert corrected_text(check(right)) is None


def test_a_list_says_which_entries_nobody_confirmed():
    unknown = check("Quist, P. (2011). Salt marshes of the far north. *Shores*, 3.")
    assert unknown.status == "not_found"
    record = corrected_record(unknown)
    assert record["title"] == "Salt marshes of the far north"
    assert str(record["note"]).startswith("Not confirmed: ")
    assert "note" not in corrected_record(
        check("Nordahl, I. (2019). Kelp forests as carbon sinks.")
    )
