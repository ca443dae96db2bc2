"""Batches: submitted, polled, collected at half the price, checked like single calls."""

import asyncio

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.errors import JudgeError, UsageError
from workbench.judging.batch import BatchItem, BatchJob, batch_state, collect_batch, submit_batch
from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages
from workbench.records.verdict import Judgment

SOURCE = "The bridge was opened in 1932. It carries trains, cars and walkers."
BOTH = ["anthropic:claude-haiku-4-5", "openai:gpt-4o-mini"]


def items(*names):
    passages = tuple(select_passages("bridge", SOURCE))
    return [
        BatchItem(id=n, claim=f"Claim {n}: it opened in 1932.", passages=passages) for n in names
    ]


@pytest.fixture
def server(monkeypatch):
    def reply(request):
        quote = "built by Martians" if "Claim liar" in request.prompt else "opened in 1932"
        return Answer(text=verdict(quote=quote), input_tokens=1000, output_tokens=100)

    with FakeProvider(reply) as fake:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


@pytest.mark.parametrize("spec", BOTH)
def test_every_item_gets_its_judgment_or_its_error(server, spec):
    server.batches.failing = {"broken"}
    batch_items = items("good", "liar", "broken")

    async def submit_and_collect():
        judge = open_judge(spec)
        ticket = await submit_batch(judge, batch_items)
        state = await batch_state(judge, ticket)
        outcomes = await collect_batch(judge, ticket, [*batch_items, *items("unknown")])
        single = await judge.ajudge(batch_items[0].claim, batch_items[0].passages)
        await judge.aclose()
        return ticket, state, outcomes, single

    ticket, state, outcomes, single = asyncio.run(submit_and_collect())
    assert state.done
    assert ticket.spec == spec
    good = outcomes["good"]
    assert isinstance(good, Judgment)
    assert good.label == "supported"
    assert good.evidence[0].quote == "opened in 1932"
    assert good.cost_usd == pytest.approx(single.cost_usd / 2)
    kinds = {name: outcomes[name].kind for name in ("liar", "broken", "unknown")}
    assert kinds == {
        "liar": "unverified_quote",
        "broken": "llm_judge_error",
        "unknown": "llm_judge_error",
    }
    assert outcomes["liar"].input_tokens == 1000


@pytest.mark.parametrize("spec", BOTH)
def test_a_batch_that_is_not_done_says_so(server, spec):
    server.batches.done = False

    async def state():
        judge = open_judge(spec)
        state = await batch_state(judge, await submit_batch(judge, items("a")))
        await judge.aclose()
        return state

    assert asyncio.run(state()).done is False


def test_bad_batches_are_refused_in_a_sentence(server):
    judge = open_judge(BOTH[0])
    with pytest.raises(UsageError, match="id of its own"):
        asyncio.run(submit_batch(judge, items("a", "a")))
    with pytest.raises(UsageError, match="same judge and prompt"):
        ticket = BatchJob(id="b1", spec=BOTH[1], prompt="x")
        asyncio.run(collect_batch(judge, ticket, items("a")))


def test_a_provider_that_cannot_be_reached_is_a_judge_error(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(JudgeError) as caught:
        asyncio.run(submit_batch(open_judge(BOTH[1]), items("a")))
    assert caught.value.kind == "llm_judge_error"
