"""A judge that gives no verdict passes nothing: no pass, no exit code, no ratio, no action."""

import pytest

from tests.doors.harness import keys_of
from tests.fakes.providers import Answer, verdict

TEXT = (
    "The old bridge is 120 metres long [1]. It was opened in 1931 [2]. It is painted green [3].\n\n"
    "## References\n[1] https://bridge.example/a\n[2] https://bridge.example/b\n"
    "[3] https://bridge.example/c\n"
)
SOURCES = [
    {"url": "https://bridge.example/a", "content": "The old bridge is 120 metres long."},
    {"url": "https://bridge.example/b", "content": "The old bridge was opened in 1931."},
    {"url": "https://bridge.example/c", "content": "The old bridge is painted green."},
]
JUDGE = "openai:gpt-4o-mini"


def looks_clean(door, outcome):
    """What a caller of a door sees as a pass."""
    document = outcome.document
    if door.name.startswith("mcp"):
        return document["passed"]
    if door.name == "agent":
        return document["overall_grounded"] or document["supported_ratio"] >= 0.5
    if door.name == "gateway":
        return document["action"] == "pass"
    if door.name == "cli" or door.name.startswith("batch"):
        return outcome.code == 0
    return outcome.run["passed"] and outcome.run["complete"]


def all_dead(request):
    return Answer(status=401)


def all_but_the_first(request):
    quote = "The old bridge is 120 metres long."
    if "It is painted green" in request.prompt or "opened in 1931" in request.prompt:
        return Answer(status=401)
    return Answer(text=verdict("supported", quote))


@pytest.mark.parametrize("reply", [all_dead, all_but_the_first])
def test_a_judge_that_is_away_passes_nothing(door, provider, reply):
    provider.reply = reply
    outcome = door.verify(TEXT, sources=SOURCES, judge=JUDGE, environment=keys_of(provider))
    assert "llm_judge_error" in outcome.errors
    assert not looks_clean(door, outcome), outcome.output[-3000:]
    assert outcome.run["complete"] is False


def test_a_judge_that_answers_passes(door, provider):
    """The control: the same call passes here when the judge answers."""

    def reply(request):
        quotes = [source["content"] for source in SOURCES if source["content"] in request.prompt]
        return Answer(text=verdict("supported", quotes[:1]))

    provider.reply = reply
    outcome = door.verify(TEXT, sources=SOURCES, judge=JUDGE, environment=keys_of(provider))
    if door.name == "gateway":
        return  # the published policy flags what is below its confidence
    assert looks_clean(door, outcome), outcome.output[-3000:]


def test_a_cap_that_is_reached_passes_nothing(door, provider):
    outcome = door.verify(
        TEXT, sources=SOURCES, judge=JUDGE, max_cost_usd=0.0, environment=keys_of(provider)
    )
    assert outcome.errors == ["cost_cap_reached"] * 3, outcome.output[-3000:]
    assert not looks_clean(door, outcome)
    assert provider.requests == []


@pytest.mark.parametrize("door", ["mcp-stdio", "mcp-http"], indirect=True)
def test_over_mcp_the_source_counts_as_resolved(door, provider):
    provider.reply = all_but_the_first
    report = door.verify(TEXT, sources=SOURCES, judge=JUDGE, environment=keys_of(provider)).document
    assert (report["total_resolved"], report["total_supported"]) == (3, 1)
    assert (report["overall_score"], report["passed"]) == (0.33, False)
    assert report["extensions"]["complete"] is False and report["extensions"]["unjudged"] == 2
    last = report["citations"][-1]
    assert (last["resolve_status"], last["resolve_error"]["kind"]) == ("ok", "llm_judge_error")
    assert "judge" not in last
    assert last["extensions"]["verdict"] == "unverifiable"
