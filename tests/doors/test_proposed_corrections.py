"""A proposed correction is shown at every door, its change marked, and never as markup."""

from dataclasses import replace

import pytest

from tests.fakes import records as make
from workbench import verify
from workbench.interfaces.cli import output
from workbench.interfaces.notebook.runs import render_run
from workbench.presentation.run_report import annotated_html
from workbench.records.corrections import ProposedCorrection, TextEdit
from workbench.records.text import Span
from workbench.records.verdict import Judgment

TEXT = "The bridge opened in 1913 [1].\n\n[1] https://a.example/b\n"
SOURCES = [{"url": "https://a.example/b", "content": "The bridge opened in 1912 to great crowds."}]


@pytest.fixture(scope="module")
def run():
    return verify(TEXT, sources=SOURCES)


def test_python_and_json_have_the_sentence_and_its_edits(run):
    (result,) = run.citations
    published = run.to_dict()["citations"][0]["judgment"]["proposed_correction"]
    assert published == {
        "text": "The bridge opened in 1912.",
        "edits": [{"start": 21, "end": 25, "text": "1912"}],
        "why": "The source gives 1912 where the claim gives 1913.",
        "judge": "local",
    }
    assert result.citation.claim.text[21:25] == "1913"
    assert Judgment.from_dict(result.judgment.to_dict()) == result.judgment
    assert run.to_frame()["proposed_correction"][0] == "The bridge opened in 1912."


def test_every_door_hands_it_on(door):
    (citation,) = door.verify(TEXT, sources=SOURCES).citations
    proposed = citation["judgment"]["proposed_correction"]
    assert proposed["text"] == "The bridge opened in 1912."
    assert proposed["edits"] == [{"start": 21, "end": 25, "text": "1912"}]


def test_a_judgment_without_one_has_no_such_key():
    assert "proposed_correction" not in make.judgment("supported").to_dict()


def test_the_command_line_marks_the_change(run):
    assert "The bridge opened in [-1913-]{+1912+}." in output.run(run)


def test_report_and_notebook_strike_through_and_underline(run):
    changed = "<del>1913</del><ins>1912</ins>"
    assert changed in annotated_html(run, TEXT)
    shown = render_run(run, {})
    assert changed in shown.html
    assert "1913" in shown.markdown and "1912" in shown.markdown


def test_a_reviewers_wording_is_judged_without_a_correction_of_the_text(run):
    from workbench.pipeline.claim import in_claim

    (result,) = run.citations
    worded = replace(result.citation, wording="The Ostrau bridge opened in 1913.")
    assert in_claim(result.judgment, worded).proposed_correction is None


def test_untrusted_words_are_never_markup(run):
    (result,) = run.citations
    evil = "<img src=x onerror=alert(1)>\x1b[31m"
    proposal = ProposedCorrection(
        text=evil, edits=(TextEdit(span=Span(0, 30), text=evil),), why=evil, judge=evil
    )
    judged = replace(result.judgment, proposed_correction=proposal)
    hostile = replace(run, citations=(replace(result, judgment=judged, judgments=(judged,)),))
    assert "<img" not in annotated_html(hostile, TEXT)
    assert "<img" not in render_run(hostile, {}).html
    assert "\x1b" not in output.run(hostile)
