"""Calculations in judgments: the embedded judge decides by them, others are checked by them."""

import json
from dataclasses import replace

import pytest

from tests.fakes import records as make
from workbench import verify
from workbench.interfaces.cli import output
from workbench.judging.calculation_checks import note_of
from workbench.judging.embedded import LocalJudge
from workbench.judging.passages import select_passages
from workbench.presentation.citation_card import card_data
from workbench.presentation.run_report import annotated_html
from workbench.presentation.run_view import ReviewState
from workbench.records.text import Span
from workbench.records.verdict import Calculation, Judgment, Operand

SOURCE = "The trial ran in 2019. Of the 120 patients 72 responded to the drug by week 12."
AGREES = Calculation(
    expression="72 ÷ 120 = 60 %",
    operands=(
        Operand(text="72", value=72.0, unit="", span=Span(43, 45), page=3),
        Operand(text="120", value=120.0, unit="patient", span=Span(30, 33), page=3),
    ),
    result="60 %",
    claimed="60 %",
    agrees=True,
)
DIFFERS = replace(AGREES, claimed="64 %", agrees=False)


def judged(claim):
    return LocalJudge().judge(claim, select_passages(claim, SOURCE))


def test_the_embedded_judge_supports_a_share_that_follows():
    judgment = judged("60 % of the patients responded to the drug.")
    assert judgment.calculation.line == "72 ÷ 120 = 60 %"
    assert judgment.reason == "72 ÷ 120 = 60 %."
    assert judgment.label == "supported"
    assert not judgment.sure
    assert [SOURCE[o.span.start : o.span.end] for o in judgment.calculation.operands] == [
        "72",
        "120",
    ]


def test_the_embedded_judge_contradicts_one_that_does_not():
    judgment = judged("64 % of the patients responded to the drug.")
    assert judgment.label == "contradicted"
    assert judgment.reason == "72 ÷ 120 = 60 %; the claim says 64 %."
    assert "Of the 120 patients" in judgment.evidence[0].quote
    assert not judgment.sure


def test_a_right_figure_says_nothing_of_the_rest():
    claim = "60 % of the horses of the Northern Tramway Company were shod in Lisbon."
    assert judged(claim).label != "supported"


def test_a_figure_that_the_source_states_has_no_calculation():
    assert judged("The trial had 120 patients.").calculation is None


@pytest.mark.parametrize("calculation", [AGREES, DIFFERS])
def test_a_calculation_survives_json(calculation):
    judgment = replace(make.judgment(), calculation=calculation)
    assert Judgment.from_dict(json.loads(json.dumps(judgment.to_dict()))) == judgment


@pytest.mark.parametrize(
    ("label", "calculation", "said"),
    [
        ("supported", DIFFERS, "the claim's 64 % is not right: 72 ÷ 120 = 60 %"),
        ("contradicted", AGREES, "the claim's 60 % is right: 72 ÷ 120 = 60 %"),
    ],
)
def test_a_label_against_the_figures_gets_a_note(label, calculation, said):
    note = note_of(replace(make.judgment(), label=label, calculation=calculation))
    assert note.kind == "calculation"
    assert said in note.message


@pytest.mark.parametrize(
    ("label", "calculation"),
    [("supported", AGREES), ("contradicted", DIFFERS), ("supported", None)],
)
def test_a_label_that_the_figures_bear_out_gets_none(label, calculation):
    assert note_of(replace(make.judgment(), label=label, calculation=calculation)) is None


def test_any_judge_is_checked_and_the_card_says_where_it_stands_against_the_figures(tmp_path):
    script = tmp_path / "script.json"
    claim = "64 % of the patients responded to the drug."
    quote = "Of the 120 patients 72 responded to the drug by week 12."
    script.write_text(json.dumps({"default": {"label": "supported", "quote": quote}}), "utf-8")
    run = verify(
        f"{claim} [1]\n\n[1] https://trial.example/a",
        judge=f"scripted:{script}",
        sources=[{"url": "https://trial.example/a", "content": SOURCE}],
    )
    (result,) = run.counted
    assert result.verdict == "supported"
    assert result.judgment.calculation.line == "72 ÷ 120 = 60 %; the claim says 64 %"
    assert [note.kind for note in result.notes if note.kind == "calculation"] == ["calculation"]


@pytest.mark.parametrize("calculation", [AGREES, DIFFERS])
def test_card_report_table_and_terminal_show_it_in_one_line(calculation):
    judgment = make.judgment(calculation=calculation)
    result = make.result(1, judgment=judgment, judgments=(judgment,))
    run = make.run(results=(result,))
    review = ReviewState(run=run, text=make.TEXT, name="", labels={})
    shown = card_data(review, result.citation.id, None)["calculation"]
    assert shown == {"line": calculation.line, "agrees": calculation.agrees}
    hidden = replace(review, hidden=frozenset({result.citation.id}))
    assert card_data(hidden, result.citation.id, None)["calculation"] is None
    assert calculation.line in annotated_html(run, make.TEXT)
    assert calculation.line in output.reason(result)
    row = run.to_frame().iloc[0]
    assert row["calculation"] == calculation.line
