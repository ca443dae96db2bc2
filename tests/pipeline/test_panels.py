"""Panels in a run: which judges a cascade asks, and what a failed judge costs and leaves."""

import json

import pytest

from workbench import verify

TEXT = "Tea was first grown in China (https://tea.example/history)."
SOURCES = [
    {
        "url": "https://tea.example/history",
        "content": "Tea was first grown in China. It later came to India.",
    }
]
DEAR = {"label": "supported", "quote": "*", "score": 0.95, "cost_usd": 0.01}
FAILS = {"error": "llm_judge_error", "cost_usd": 0.5}


@pytest.fixture
def judged(tmp_path):
    """Takes one reply to everything for each judge, and a rule; gives the run and its result."""

    def run_of(*replies, panel="majority"):
        specs = []
        for number, reply in enumerate(replies):
            file = tmp_path / f"judge{number}.json"
            file.write_text(json.dumps([reply]))
            specs.append(f"scripted:{file}")
        run = verify(TEXT, judge=specs, panel=panel, sources=SOURCES)
        (result,) = run.counted
        return run, result

    return run_of


@pytest.mark.parametrize(
    ("score", "judges", "label"), [(0.1, 1, "not_supported"), (0.5, 2, "supported")]
)
def test_a_cascade_asks_the_dear_judge_only_inside_the_band(judged, score, judges, label):
    run, result = judged({"label": "not_supported", "score": score}, DEAR, panel="cascade")
    assert (len(result.judgments), result.verdict) == (judges, label)
    assert run.cost_usd == (0.01 if judges == 2 else 0)


def test_a_judge_that_fails_is_left_out_but_paid_for(judged):
    run, result = judged(FAILS, {**DEAR, "cost_usd": 0.25})
    assert (result.verdict, len(result.judgments), run.cost_usd) == ("supported", 1, 0.75)
    assert [note.kind for note in result.notes] == ["judge_error"]


@pytest.mark.parametrize(
    ("replies", "panel", "cost"),
    [((FAILS, {**DEAR, "cost_usd": 0.25}), "unanimous", 0.75), ((FAILS, FAILS), "cascade", 1.0)],
)
def test_where_a_rule_needs_the_judge_that_fails_there_is_no_verdict(judged, replies, panel, cost):
    run, result = judged(*replies, panel=panel)
    assert (result.status, result.error.kind) == ("error", "llm_judge_error")
    assert run.cost_usd == cost
