"""Several claims of one source in one call: what a run asks, and what it does with bad replies."""

import json

import pytest

from tests.fakes.providers import Answer, FakeProvider
from tests.fakes.thrifty import CLAIM, Thrifty
from workbench import verify

HAIKU, MINI = "anthropic:claude-haiku-4-5", "openai:gpt-4o-mini"
SENTENCES = [
    f"Fact {n} says that pier {n} of the bridge is {n * 7} metres high." for n in range(12)
]
SOURCES = [
    {"url": "https://b.example/a", "content": " ".join(SENTENCES)},
    {"url": "https://b.example/b", "content": "Another page says that the bridge is old."},
]
TEXT = "".join(f"Pier {n} of the bridge is {n * 7} metres high [1].\n" for n in range(1, 6))
TEXT += "The bridge is old [2].\n\nReferences\n[1] https://b.example/a\n[2] https://b.example/b\n"


@pytest.fixture
def model():
    return Thrifty(label=lambda claim: "contradicted" if "Pier 3" in claim else "supported")


@pytest.fixture
def server(monkeypatch, model):
    with FakeProvider(model) as fake:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


def asked_claims(server):
    """How many claims each call asks about, largest first."""
    tails = [request.prompt.split("</passage>")[-1] for request in server.requests]
    return sorted((len(CLAIM.findall(tail)) for tail in tails), reverse=True)


def labels(run):
    return [result.verdict for result in run.counted]


@pytest.mark.parametrize("spec", [HAIKU, MINI])
def test_claims_of_one_source_share_a_call_and_keep_their_own_verdicts(server, model, spec):
    run = verify(TEXT, judge=spec, sources=SOURCES, together="auto")
    assert asked_claims(server) == [5, 1]
    assert labels(run) == ["supported", "supported", "contradicted", *["supported"] * 3]
    assert all(r.judgment.judge == spec and r.judgment.evidence for r in run.counted)
    assert run.counted[0].judgment.prompt.startswith("together@3:")
    assert run.counted[5].judgment.prompt.startswith("strict@3:")
    tokens = sum(r.judgment.input_tokens for r in run.counted)
    assert tokens == model.spent.read + model.spent.written + model.spent.kept
    assert run.total_cost_usd == pytest.approx(
        sum(r.judgment.cost_usd for r in run.counted), abs=1e-6
    )
    alone = verify(TEXT, judge=spec, sources=SOURCES, together="never")
    assert asked_claims(server)[2:] == [1] * 6
    assert labels(alone) == labels(run)
    assert run.total_cost_usd < alone.total_cost_usd


def test_verdicts_of_a_joint_call_are_kept_claim_by_claim(server):
    memory = {}
    options = {"sources": SOURCES, "recall": memory.get, "remember": memory.__setitem__}
    first = verify(TEXT, judge=MINI, together="auto", **options)
    calls = len(server.requests)
    assert len(memory) == 6
    fewer = TEXT.replace(
        "Pier 5 of the bridge is 35 metres high [1].\nThe bridge is old [2].\n", ""
    )
    second = verify(fewer, judge=MINI, together="never", **options)
    assert len(server.requests) == calls
    assert second.total_cost_usd == 0
    assert labels(second) == labels(first)[:4]


def test_a_claim_that_a_reply_lacks_is_asked_alone(server, model):
    def forgetful(request):
        answer = model(request)
        reply = json.loads(answer.text)
        if "judgments" in reply:
            reply["judgments"] = [o for o in reply["judgments"] if o["claim"] != 2]
            answer.text = json.dumps(reply)
        return answer

    server.reply = forgetful
    run = verify(TEXT, judge=MINI, sources=SOURCES, together="auto")
    assert labels(run) == ["supported", "supported", "contradicted", *["supported"] * 3]
    assert asked_claims(server) == [5, 1, 1]
    # the fifth of the joint call without an answer is paid all the same
    assert run.total_cost_usd > sum(r.judgment.cost_usd for r in run.counted)


def test_a_judge_that_cannot_answer_jointly_is_asked_one_by_one(server, model):
    model.joint = False
    longer = TEXT.replace("[2] https", "[3] https://b.example/c\n[2] https")
    longer = "Piers are old [3]. Piers are long [3]. Piers are wet [3].\n" + longer
    third = [*SOURCES, {"url": "https://b.example/c", "content": "Piers are old and long and wet."}]
    run = verify(longer, judge=MINI, sources=third, together="auto", judgments_at_once=1)
    assert run.total_resolved == 9
    assert sum(count > 1 for count in asked_claims(server)) == 1


def test_a_joint_call_that_does_not_fit_the_cap_becomes_single_ones(server):
    # five claims at worst: 3 tries of some 2,100 tokens read and 3,500 written, $0.0073
    run = verify(TEXT, judge=MINI, sources=SOURCES, together="auto", max_cost_usd=0.0045)
    assert set(asked_claims(server)) == {1}
    assert run.total_resolved == 6
    assert run.total_cost_usd <= 0.0045


def test_a_lost_connection_is_counted_once_for_all(server, model):
    server.reply = lambda request: Answer(status=401)
    run = verify(TEXT, judge=MINI, sources=SOURCES, together="auto")
    assert run.errors == {"llm_judge_error": 6}
    assert run.total_cost_usd == 0


def test_a_cascade_asks_the_second_judge_jointly_too(server, model):
    run = verify(
        TEXT, judge=["local", MINI, HAIKU], sources=SOURCES, panel="cascade", together="auto"
    )
    assert run.total_resolved == 6
    panel = verify(TEXT, judge=[MINI, HAIKU], sources=SOURCES, together="auto")
    assert [len(r.judgments) for r in panel.counted] == [2] * 6
    assert asked_claims(server)[:2] == [5, 5]


def test_claims_with_the_same_passages_wait_for_the_one_that_fills_the_cache(server, model):
    # gpt-4o-mini keeps beginnings of 1,024 tokens; the whole page is shown for every claim
    page = " ".join(f"Fact {n} says that pier {n} is {n * 7} metres high." for n in range(56))
    lines = "".join(f"Pier {n} of the bridge is {n * 7} metres high [1].\n" for n in range(1, 7))
    text = f"{lines}\nReferences\n[1] https://b.example/a\n"
    sources = [{"url": "https://b.example/a", "content": page}]
    run = verify(text, judge=MINI, sources=sources)
    assert run.total_resolved == 6
    assert asked_claims(server) == [1] * 6
    assert model.spent.kept == 5 * 1280
    expected_usd = model.spent.read * 0.15e-6 + model.spent.kept * 0.075e-6 + 1200 * 0.6e-6
    assert run.total_cost_usd == pytest.approx(expected_usd, abs=1e-6)
