"""Which claims share a call: what is cheaper, by the price table."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.judging.joint_calls import (
    JOINT_CHARS,
    MOST_CLAIMS,
    PlannedCall,
    cost_about,
    plan_calls,
)
from workbench.judging.judge_factory import open_judge
from workbench.records.source import Passage
from workbench.records.text import Span

HAIKU, SONNET = "anthropic:claude-haiku-4-5", "anthropic:claude-sonnet-4-6"
MINI = "openai:gpt-4o-mini"
TEXT = "".join(f"Sentence number {n} says something about a bridge. " for n in range(2000))


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


def part(start, length=3000):
    return Passage(span=Span(start, start + length), text=TEXT[start : start + length])


def claims(count):
    return [f"Claim {n} says that the bridge is long." for n in range(count)]


def sizes(plan):
    return [len(call.claims) for call in plan]


@pytest.mark.parametrize(
    ("starts", "joint", "expected"),
    [
        ([0], True, [1]),
        ([0, 0], True, [2]),  # the same passages: paid once
        ([0] * 9, True, [8, 1]),
        ([0, 10_000], True, [2]),  # other passages: the instructions are still paid once
        ([0, 4000, 8000, 12_000, 16_000], True, [4, 1]),  # 12,000 characters to a call
        ([0, 0, 0], False, [1, 1, 1]),
    ],
)
def test_claims_share_a_call_where_it_is_cheaper(starts, joint, expected):
    single = [[part(start)] for start in starts]
    assert (
        sizes(plan_calls(open_judge(HAIKU), claims(len(starts)), single, joint=joint)) == expected
    )


def test_claims_whose_text_is_most_of_the_cost_are_asked_alone():
    long = [f"{n} " + "The bridge is long. " * 1200 for n in range(3)]
    tiny = [[part(0, 60)]] * 3
    assert sizes(plan_calls(open_judge(HAIKU), long, tiny, joint=True)) == [1, 1, 1]


def test_a_joint_call_shows_each_text_once():
    (call,) = plan_calls(open_judge(HAIKU), claims(2), [[part(0)], [part(2000)]], joint=True)
    assert [passage.span for passage in call.passages] == [Span(0, 5000)]
    assert call.passages[0].text == TEXT[:5000]


def test_a_beginning_that_a_cache_keeps_is_asked_for_so():
    # 8 claims to a call: 20 of them begin three calls with the same 11,000 characters
    single = [[part(n % 4 * 2700)] for n in range(20)]
    sonnet = plan_calls(open_judge(SONNET), claims(20), single, joint=True)
    assert sizes(sonnet) == [8, 8, 4]
    assert all(call.shared for call in sonnet)
    assert len({call.passages for call in sonnet}) == 1
    # haiku keeps no beginning below 4,096 tokens, and marks cost nothing but do nothing
    assert not any(c.shared for c in plan_calls(open_judge(HAIKU), claims(20), single, joint=True))


def test_alone_only_equal_passages_share_a_cache():
    short = [*[[part(0, 4000)]] * 3, *[[part(9000, 4000)]] * 2]
    alone = plan_calls(open_judge(MINI), claims(5), short, joint=False)
    assert [call.shared for call in alone] == [True, True, True, False, False]
    # a model whose table has no price for what it keeps gains nothing by waiting
    unknown = plan_calls(open_judge("openai:own"), claims(5), short, joint=False)
    assert not any(call.shared for call in unknown)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 60_000), st.integers(1, 5000)), min_size=1, max_size=30),
    st.booleans(),
    st.sampled_from([HAIKU, SONNET, MINI, "openai:own"]),
)
def test_every_claim_is_asked_once_with_its_passages_and_for_no_more(parts, joint, spec):
    judge = open_judge(spec)
    single = [[part(start, length)] for start, length in parts]
    claim_texts = claims(len(parts))
    plan = plan_calls(judge, claim_texts, single, joint=joint)
    assert sorted(index for call in plan for index in call.claims) == list(range(len(parts)))
    alone = [
        PlannedCall(claims=(index,), passages=tuple(passages))
        for index, passages in enumerate(single)
    ]
    assert cost_about(judge, claim_texts, plan) <= cost_about(judge, claim_texts, alone) * 1.0001
    for call in plan:
        assert len(call.claims) <= MOST_CLAIMS
        assert len(call.claims) == 1 or sum(len(p.text) for p in call.passages) <= JOINT_CHARS
        for passage in call.passages:
            assert TEXT[passage.start : passage.end] == passage.text
        for index in call.claims:
            (span,) = single[index]
            assert any(p.start <= span.start and span.end <= p.end for p in call.passages)


def test_known_prices_give_dollars():
    judge = open_judge(HAIKU)
    (call,) = plan_calls(judge, claims(1), [[part(0)]], joint=True)
    question = judge.question(claims(1)[0], call.passages)
    tokens = len(question.system + question.message) // 4 + 200
    assert cost_about(judge, claims(1), [call]) == pytest.approx((tokens + 212 * 5) / 1e6, rel=0.01)
    assert cost_about(judge, claims(2), [replace(call), replace(call, claims=(1,))]) == (
        pytest.approx(2 * cost_about(judge, claims(1), [call]), rel=0.01)
    )
