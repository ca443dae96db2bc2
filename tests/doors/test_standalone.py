"""Claims that are rewritten to stand alone: wished for and told in the same way at every door."""

import json

import pytest

from tests.doors.harness import keys_of
from tests.fakes.providers import Answer, verdict

TEXT = (
    "The old bridge crosses the river. It was opened in 1913 [1].\n\n## References\n[1] Bridges\n"
)
SOURCE = "The old bridge was opened in 1913."
SOURCES = [{"content": SOURCE, "title": "Bridges", "label": "1"}]
REWRITTEN = "The old bridge over the river was opened in 1913."
MODEL = "openai:gpt-4o-mini"


@pytest.fixture
def model(provider):
    provider.reply = lambda request: Answer(text=verdict(quote=SOURCE, standalone=REWRITTEN))
    return provider


def fields_asked(request):
    """The fields that a request's schema demands."""
    return list(request.body["response_format"]["json_schema"]["schema"]["properties"])


def judgment_of(outcome):
    (citation,) = outcome.citations
    return citation["judgment"]


def test_every_door_asks_for_it_and_gives_it(door, model):
    outcome = door.verify(
        TEXT, sources=SOURCES, judge=MODEL, environment=keys_of(model), standalone=True
    )
    request = model.requests[0]  # a policy of the gateway asks more afterwards
    assert "- standalone: the claim rewritten" in request.prompt, outcome.output[-2000:]
    assert fields_asked(request)[0] == "standalone"
    assert judgment_of(outcome)["standalone"] == REWRITTEN
    assert judgment_of(outcome)["prompt"].startswith("strict+standalone@3:")
    assert outcome.run["config"]["standalone"] is True


def test_no_door_asks_for_it_unasked(door, model):
    outcome = door.verify(TEXT, sources=SOURCES, judge=MODEL, environment=keys_of(model))
    assert model.requests, outcome.output[-2000:]
    assert not [request for request in model.requests if "standalone" in json.dumps(request.body)]
    assert "standalone" not in judgment_of(outcome)
    assert "standalone" not in outcome.run["config"]


@pytest.mark.parametrize("door", ["python", "cli", "http", "mcp-stdio"], indirect=True)
def test_a_judge_that_is_no_language_model_gives_none(door):
    outcome = door.verify(TEXT, sources=SOURCES, judge="local", standalone=True)
    assert "standalone" not in judgment_of(outcome), outcome.output[-2000:]


@pytest.mark.parametrize("door", ["http", "mcp-stdio"], indirect=True)
def test_a_wish_that_is_no_switch_is_refused(door, model):
    outcome = door.verify(
        TEXT, sources=SOURCES, judge=MODEL, environment=keys_of(model), standalone="yes"
    )
    assert outcome.refused
    assert model.requests == []


@pytest.mark.parametrize("door", ["mcp-stdio"], indirect=True)
def test_claims_over_mcp_are_rewritten_by_the_judge(door, model):
    arguments = {"claims": ["It was opened in 1913."], "sources": [{"content": SOURCE}],
                 "model": MODEL, "standalone": True}  # fmt: skip
    outcome = door.tool_call("verify_claims", arguments, environment=keys_of(model))
    (claim,) = outcome.document["claims"]
    assert (claim["text"], claim["standalone"]) == ("It was opened in 1913.", REWRITTEN)


@pytest.mark.parametrize("door", ["mcp-stdio"], indirect=True)
def test_mcp_tells_it_beside_the_verdict(door, model):
    outcome = door.verify(
        TEXT, sources=SOURCES, judge=MODEL, environment=keys_of(model), standalone=True
    )
    (citation,) = outcome.document["citations"]
    assert citation["extensions"]["standalone"] == REWRITTEN
