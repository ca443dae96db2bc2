"""Checked references in a notebook: the same findings as in the report, foreign words escaped."""

from dataclasses import replace

from tests.interfaces.notebook.test_notebook_drawings import HOSTILE, parse_drawing
from tests.presentation.test_report import checked_references
from workbench import check_references, draw
from workbench.records.bibliography import ReferenceReport

ENTRY = "Novak, J. (2012). Oak beams under load. Journal of Timber, 12(3), 100-110."
RECORDS = [
    {
        "id": "novak", "type": "article-journal", "title": "Oak beams under load",
        "author": [{"family": "Novak", "given": "Jana"}], "issued": {"date-parts": [[2019]]},
        "container-title": "Journal of Timber", "volume": "12", "issue": "3", "page": "100-110",
    }
]  # fmt: skip


def test_a_report_shows_each_entry_beside_its_record():
    report = check_references([ENTRY], RECORDS)
    picture = draw(report)
    words = " ".join(parse_drawing(picture.html).words)
    assert "Described differently" in words
    assert "Year: 2012 ↔ 2019" in words
    assert "Oak beams under load (registry)" in words
    assert "registry: asked about 1, answered 1, failed 0" in words
    assert picture.plain == "1 reference: 1 differs"
    assert "2012 ↔ 2019" in picture.markdown
    assert report._repr_html_() == picture.html
    frame = report.to_frame()
    assert (list(frame["status"]), list(frame["differing"])) == (["differs"], ["year"])


def test_a_run_shows_its_references_below_its_citations():
    run, _ = checked_references()
    words = " ".join(parse_drawing(draw(run).html).words)
    assert "2 references: 1 differs, 1 not found · 1 retracted" in words
    assert "Retracted" in words
    unchecked = replace(run, reference_checks=())
    assert "2 references" not in draw(unchecked).html


def test_foreign_words_are_no_markup():
    run, _ = checked_references()
    hostile = replace(
        run.reference_checks[0], text=HOSTILE, why=HOSTILE, fields=(),
        record={"title": HOSTILE, "URL": "javascript:alert(1)"}, record_from=HOSTILE,
    )  # fmt: skip
    parse_drawing(draw(ReferenceReport(checks=(hostile,))).html)
