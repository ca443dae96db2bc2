"""Several claims of one source in one call."""

import asyncio
import json

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.errors import JudgeError
from workbench.judging.joint_calls import joint_question, judge_jointly
from workbench.judging.judge_factory import open_judge
from workbench.judging.llm import most_usd
from workbench.judging.passages import select_passages
from workbench.records.verdict import Judgment

SOURCE = "The bridge was opened in 1932. It carries trains, cars and walkers."
CLAIMS = ["It opened in 1932.", "It carries trains.", "It is purple."]
BOTH = ["anthropic:claude-haiku-4-5", "openai:gpt-4o-mini"]


def reply_entry(number, label, quote=""):
    return {**json.loads(verdict(label, quote)), "claim": number}


def ask(monkeypatch, spec, answer):
    with FakeProvider() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        server.queue(answer)

        async def call():
            judge = open_judge(spec)
            judgments = await judge_jointly(judge, CLAIMS, select_passages("bridge", SOURCE))
            await judge.aclose()
            return judge, judgments

        judge, judgments = asyncio.run(call())
        return judge, judgments, server.requests


@pytest.mark.parametrize("spec", BOTH)
def test_each_claim_gets_its_own_judgment(monkeypatch, spec):
    reply = {
        "judgments": [
            reply_entry(2, "supported", "carries trains"),
            reply_entry(1, "supported", "opened in 1932"),
            reply_entry(3, "contradicted", "it is green all over"),
        ]
    }
    answer = Answer(text=json.dumps(reply), input_tokens=1000, output_tokens=301)
    judge, judgments, requests = ask(monkeypatch, spec, answer)
    assert len(requests) == 1
    assert isinstance(judgments[0], Judgment) and judgments[0].evidence[0].quote == "opened in 1932"
    assert isinstance(judgments[1], Judgment) and judgments[1].evidence[0].quote == "carries trains"
    assert isinstance(judgments[2], JudgeError) and judgments[2].kind == "unverified_quote"
    assert sum(f.input_tokens for f in judgments) == 1000
    assert sum(f.output_tokens for f in judgments) == 301
    passages = select_passages("bridge", SOURCE)
    assert sum(f.cost_usd for f in judgments) <= most_usd(
        judge.price, joint_question(judge, CLAIMS, passages)
    )
    assert judgments[0].prompt.startswith("together@3:")


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        (Answer(text="no"), ["malformed_judge_response"] * 3),
        (Answer(text="no", stop="refusal"), ["malformed_judge_response"] * 3),
        (Answer(status=401), ["llm_judge_error"] * 3),
        (
            Answer(text=json.dumps({"judgments": [reply_entry(1, "not_supported"), {"claim": 2}]})),
            [None, "malformed_judge_response", "malformed_judge_response"],
        ),
    ],
)
def test_what_is_missing_is_an_error_of_its_claim(monkeypatch, answer, kinds):
    _, judgments, _ = ask(monkeypatch, BOTH[1], answer)
    assert [getattr(f, "kind", None) for f in judgments] == kinds


def test_too_many_claims_are_refused(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with pytest.raises(ValueError, match="1 to 8"):
        asyncio.run(judge_jointly(open_judge(BOTH[1]), CLAIMS * 4, []))
