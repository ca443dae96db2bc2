"""The line that says what a saved threshold decides of a run."""

from dataclasses import replace

import pytest

from tests.fakes import records as make
from workbench.presentation.run_totals import threshold_line


def run(*scores, judge=("local",), **threshold):
    results = []
    for number, score in enumerate(scores, 1):
        judgment = make.judgment(score=score)
        citation = make.citation(1, id=f"c{number}")
        results.append(make.result(1, citation=citation, judgment=judgment, judgments=(judgment,)))
    results.append(replace(make.failure(2), citation=make.citation(2, id="gone")))
    config = {"threshold": {"id": "t1", "judge": "local", **threshold}} if threshold else {}
    return replace(make.run("r1", results=results), judge=judge, config=config)


@pytest.mark.parametrize(
    ("scores", "threshold", "expected"),
    [
        (
            (0.9, 0.8, 0.5, 0.1),
            {"accept": 0.8, "reject": 0.2},
            "Threshold t1: accept from 0.8, reject below 0.2. 2 accepted, 1 rejected, "
            "2 for a person.",
        ),
        ((0.9,), {"accept": 0.95, "reject": None}, "Threshold t1: accept from 0.95. 0 accepted, "
         "2 for a person."),
        ((0.1, 0.2), {"accept": None, "reject": 0.2}, "Threshold t1: reject below 0.2. "
         "1 rejected, 2 for a person."),
        # the kind's limit replaces both edges for sources of that kind
        ((0.9, 0.5, 0.1), {"accept": 0.95, "reject": 0.95, "kinds": {"HTML": 0.4}},
         "Threshold t1: accept from 0.95, reject below 0.95; HTML: accept from 0.4, reject below "
         "it. 2 accepted, 1 rejected, 1 for a person."),
        ((0.9, 0.5), {"accept": None, "reject": None, "kinds": {"PDF": 0.4}},
         "Threshold t1: PDF: accept from 0.4, reject below it. 0 accepted, 0 rejected, "
         "3 for a person."),
        ((0.9,), {}, ""),
    ],
)  # fmt: skip
def test_what_is_decided_and_what_is_left_for_a_person(scores, threshold, expected):
    assert threshold_line(run(*scores, **threshold)) == expected


def test_a_threshold_of_another_judge_is_told_so():
    line = threshold_line(run(0.9, judge=("openai:m",), accept=0.5, reject=None))
    assert line.endswith("It was chosen for local, which did not judge this run.")
