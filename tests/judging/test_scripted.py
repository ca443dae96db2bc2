"""The scripted judge: every verdict can be computed by hand."""

import json

import pytest

from workbench.errors import JudgeError, UnknownJudge
from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages
from workbench.judging.scripted import ScriptedJudge

SOURCE = "Water boils at 100 degrees at sea level. Higher up it boils earlier."
PASSAGES = select_passages("x", SOURCE)


def script(tmp_path, content):
    path = tmp_path / "script.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return f"scripted:{path}"


def test_the_first_rule_that_fits_answers(tmp_path):
    spec = script(
        tmp_path,
        {
            "rules": [
                {
                    "if_claim_contains": "BOILS",
                    "label": "supported",
                    "quote": "boils at 100 degrees",
                },
                {"if_source_contains": "water", "label": "contradicted", "quote": "*"},
            ],
            "default": {"label": "not_supported", "score": 0.2},
        },
    )
    judge = open_judge(spec)
    assert judge.spec == spec
    first = judge.judge("Water boils at 100 degrees.", PASSAGES)
    assert (first.label, first.score, first.evidence[0].start) == ("supported", 0.9, 6)
    second = judge.judge("Ice melts.", PASSAGES)
    assert second.evidence[0].quote == "Water boils at 100 degrees at sea level."
    assert judge.judge("Ice melts.", select_passages("x", "Nothing here.")).score == 0.2


def test_a_bare_list_and_no_default_is_not_supported(tmp_path):
    judge = open_judge(script(tmp_path, []))
    assert judge.judge("a", PASSAGES).label == "not_supported"


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ({"label": "supported"}, "unverified_quote"),
        ({"label": "contradicted", "quote": "boils at 90 degrees"}, "unverified_quote"),
        ({"error": "malformed_judge_response", "cost_usd": 0.5}, "malformed_judge_response"),
    ],
)
def test_errors_are_scripted_or_earned(rule, kind):
    judge = ScriptedJudge([rule])
    with pytest.raises(JudgeError) as caught:
        judge.judge("a", PASSAGES)
    assert caught.value.kind == kind
    assert caught.value.cost_usd == rule.get("cost_usd", 0.0)


def test_worst_cost_is_the_dearest_rule():
    judge = ScriptedJudge([{"label": "not_supported", "cost_usd": 0.25}])
    assert judge.worst_cost_usd("a", PASSAGES) == 0.25


@pytest.mark.parametrize(
    "content", ["nonsense", '"text"', "[1]", '{"rules": 3}', '[{"label": "maybe"}]', "[{}]"]
)
def test_a_bad_script_is_one_sentence(tmp_path, content):
    with pytest.raises(UnknownJudge, match="script"):
        open_judge(script(tmp_path, content))


@pytest.mark.parametrize("spec", ["", "locall", "local:x", "scripted:", "openai:", "gpt-4o"])
def test_an_unknown_spec_names_the_known_ones(spec):
    with pytest.raises(UnknownJudge, match="anthropic:MODEL"):
        open_judge(spec)


def test_a_missing_script_is_one_sentence():
    with pytest.raises(UnknownJudge, match="cannot be read"):
        open_judge("scripted:/nowhere/at/all.json")
