"""The card says who judged, by which prompt, how long it took and what it cost."""

from dataclasses import replace

import pytest

from tests.fakes import records as make
from workbench.presentation.citation_card import judged_by


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        (0.0, "openai:gpt-4o-mini · strict@2 · 812 ms"),
        (0.0123, "openai:gpt-4o-mini · strict@2 · 812 ms · $0.0123"),
        (0.000022, "openai:gpt-4o-mini · strict@2 · 812 ms · $0.000022"),
    ],
)
def test_judge_prompt_time_and_cost_stand_in_one_line(cost, expected):
    judgment = replace(
        make.judgment(), judge="openai:gpt-4o-mini", prompt="strict@2:abc", latency_ms=812
    )
    assert judged_by(replace(judgment, cost_usd=cost)) == expected
