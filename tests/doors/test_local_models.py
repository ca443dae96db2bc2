"""A model of a server on this machine judges at every door, at no cost and without a key."""

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict

TEXT = "The old bridge was opened in 1913 [1].\n\n## References\n[1] Bridges\n"
SOURCES = [{"content": "Rain fell on Monday. The old bridge was opened in 1913.", "label": "1"}]
MODEL = "hf.co/someone/qwen3-8b:Q4_K_M"


@pytest.fixture
def ollama(monkeypatch):
    reply = Answer(text=verdict(quote="was opened in 1913"))
    with FakeProvider(lambda request: reply) as server:
        server.models = [MODEL]
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        yield server


def test_every_door_asks_it(ollama, door):
    outcome = door.verify(TEXT, sources=SOURCES, judge=f"ollama:{MODEL}", max_cost_usd=0.0)
    assert outcome.run, outcome.output[-2000:]
    assert outcome.run["judge"] == [f"ollama:{MODEL}"]
    (citation,) = outcome.citations
    assert (citation["verdict"], citation["judgment"]["cost_usd"]) == ("supported", 0.0)
    assert outcome.run["total_cost_usd"] == 0.0
    assert {request.body["model"] for request in ollama.requests} == {MODEL}


def test_a_model_that_is_not_there_is_told_with_those_that_are(ollama, door):
    outcome = door.verify(TEXT, sources=SOURCES, judge="ollama:gemma")
    assert outcome.run, outcome.output[-2000:]
    (citation,) = outcome.citations
    assert citation["error"]["kind"] == "llm_judge_error"
    assert f"has no model 'gemma'; its models are {MODEL}" in citation["error"]["message"]
    assert "Traceback" not in outcome.output
