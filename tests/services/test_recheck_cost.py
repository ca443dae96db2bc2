"""Judging again is charged to the run, and no verdict is lost when the budget is spent."""

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.pipeline.options import VerifyOptions
from workbench.services.verification import rejudge_citations, verify_and_store
from workbench.store.store import Store

MINI = "openai:gpt-4o-mini"
TEXT = """The bridge is 120 m long [1]. It was opened in 1932 [2].

References
[1] The bridge. https://bridge.example/a
[2] The opening. https://bridge.example/b
"""
OLD = "The bridge is 120 m long and was opened in 1932."
NEW = "Today the page says: the bridge is 120 m long and was opened in 1932."
CALL = 1000 * 0.15e-6 + 100 * 0.6e-6


def sources(body):
    return [{"content": body, "url": f"https://bridge.example/{name}"} for name in "ab"]


@pytest.fixture
def server(monkeypatch):
    def reply(request):
        quote = (
            "the bridge is 120 m long" if "Today" in request.prompt else "The bridge is 120 m long"
        )
        return Answer(text=verdict(quote=quote), input_tokens=1000, output_tokens=100)

    with FakeProvider(reply) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


def test_the_cost_of_judging_again_is_added_to_the_run(server, store):
    run = verify_and_store(
        store, TEXT, "Bridge", VerifyOptions(judge=MINI, sources=sources(OLD), max_cost_usd=1.0)
    )
    assert run.total_cost_usd == pytest.approx(2 * CALL, abs=1e-6)
    first = run.counted[0].citation.id
    rejudged = rejudge_citations(store, run.id, [first], sources=sources(NEW))
    assert len(server.requests) == 3
    assert rejudged.total_cost_usd == pytest.approx(3 * CALL, abs=1e-6)
    stored = store.get_run(run.id)
    assert stored.total_cost_usd == rejudged.total_cost_usd
    assert stored.finished
    assert "the bridge is 120 m long" in stored.counted[0].judgment.evidence[0].quote
    # once more costs nothing: the judgment is stored
    assert (
        rejudge_citations(store, run.id, [first], sources=sources(NEW)).cost_usd == stored.cost_usd
    )


def test_what_is_left_of_the_cap_is_all_that_may_be_spent(server, store):
    # a call is reserved at its worst, some $0.0022, and costs $0.00021
    run = verify_and_store(
        store, TEXT, "Bridge", VerifyOptions(judge=MINI, sources=sources(OLD), max_cost_usd=0.0025)
    )
    before = store.get_run(run.id)
    unjudged = []
    ids = [result.citation.id for result in run.counted]
    rejudged = rejudge_citations(
        store, run.id, ids, sources=sources(NEW), on_unjudged=unjudged.append
    )
    assert [result.error.kind for result in unjudged] == ["cost_cap_reached"] * len(unjudged) != []
    assert rejudged.total_cost_usd <= 0.0025
    stored = store.get_run(run.id)
    assert [result.verdict for result in stored.counted] == [
        result.verdict for result in before.counted
    ]
    assert [result.verdict for result in rejudged.counted] == ["supported"] * 2


def test_a_judge_that_is_away_takes_no_verdict_with_it(server, store, monkeypatch):
    run = verify_and_store(store, TEXT, "Bridge", VerifyOptions(judge=MINI, sources=sources(OLD)))
    server.reply = lambda request: Answer(status=401)
    unjudged = []
    rejudge_citations(
        store,
        run.id,
        [run.counted[0].citation.id],
        sources=sources(NEW),
        on_unjudged=unjudged.append,
    )
    assert [result.error.kind for result in unjudged] == ["llm_judge_error"]
    assert store.get_run(run.id).counted[0].verdict == "supported"


def test_an_earlier_failure_is_replaced_by_the_newer_one(server, store):
    run = verify_and_store(
        store, TEXT, "Bridge", VerifyOptions(judge=MINI, sources=sources(OLD)[:1])
    )
    assert run.errors == {"no_source": 1}
    server.reply = lambda request: Answer(status=401)
    rejudge_citations(store, run.id, [run.counted[1].citation.id], sources=sources(OLD))
    assert store.get_run(run.id).errors == {"llm_judge_error": 1}
