"""Claim mode: splitting, thresholds, counts, the summary line, search, decomposition."""

import asyncio
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.providers import Answer, FakeProvider
from workbench.errors import JudgeError, UsageError
from workbench.judging.claim_comparison import grounding_confidence
from workbench.judging.claim_verification import averify_claims, decompose, split_claims
from workbench.judging.ground_report import ReferenceDocument
from workbench.judging.judge import run_sync
from workbench.judging.judge_factory import open_judge
from workbench.judging.scripted import ScriptedJudge
from workbench.records.verdict import Judgment

TEXT = """Here is what I found:

# Results
- The bridge was opened in 1932. It is 503 metres long.
- I think it looks beautiful in the evening light.
```python
print("The bridge was built by robots.")
```
Is it open at night? Maybe it closes at ten in the evening.
Short one.
Let me know if you need anything else about it.
该桥于1932年通车，全长五百零三米，非常著名。"""


def test_the_rules_of_splitting():
    assert [claim.text for claim in split_claims(TEXT)] == [
        "The bridge was opened in 1932.",
        "It is 503 metres long.",
        "该桥于1932年通车，全长五百零三米，非常著名。",
    ]


@settings(deadline=None)
@given(st.text(max_size=300))
def test_spans_of_claims_hold_for_any_text(text):
    for claim in split_claims(text):
        assert text[claim.start : claim.end] == claim.text
        assert len(claim.text) > 15


def verify_claims(*arguments, **options):
    return run_sync(averify_claims(*arguments, **options))


def judge():
    return ScriptedJudge(
        [
            {"if_claim_contains": "opened", "if_source_contains": "1932", "label": "supported",
             "quote": "*", "confidence": 0.5},
            {"if_claim_contains": "long", "label": "partially_supported", "quote": "*",
             "confidence": 0.5},
            {"if_claim_contains": "closed", "label": "contradicted", "quote": "*",
             "confidence": 0.9},
            {"if_claim_contains": "broken", "error": "llm_judge_error"},
        ]
    )  # fmt: skip


SOURCES = [
    {"content": "Nothing to see here, move along now.", "title": "Other"},
    {"content": "The bridge was opened in 1932.", "title": "Bridge", "url": "https://b.example/1"},
]


def test_the_best_source_decides_and_the_counts_add_up():
    report = verify_claims(
        [
            "It opened in 1932.",
            "It is very long.",
            "It is closed.",
            "It is purple.",
            "It is broken.",
        ],
        SOURCES,
        judge(),
    )
    assert [c.verdict for c in report.claims] == [
        "supported", "weak", "contradicted", "unverifiable", "unverifiable",
    ]  # fmt: skip
    first = report.claims[0]
    # supported at confidence 0.5: half way between 0.6 and 1
    assert (first.confidence, first.source_index) == (0.8, 1)
    assert first.source_ref == "https://b.example/1"
    assert first.source_snippet == "The bridge was opened in 1932."
    assert report.claims[4].error == "llm_judge_error"
    document = report.to_dict()
    assert document["summary"] == "1/5 claims verified (20%)"
    assert document["overall_grounded"] is False
    assert document["supported_ratio"] == 0.2
    counted = ("supported", "weak", "unverifiable", "contradicted")
    assert [document[f"{k}_count"] for k in counted] == [1, 1, 2, 1]
    json.dumps(document)


def test_it_is_told_how_many_claims_are_judged():
    told = []
    claims = ["It was opened in 1932.", "It is 503 metres long.", "It is broken today."]
    source = ReferenceDocument(content="It was opened in 1932. It is 503 metres long, not broken.")

    async def search(claim):
        return [source]

    asyncio.run(
        averify_claims(
            claims, [source], judge(), search, on_judged=lambda done, of: told.append((done, of))
        )
    )
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_nothing_to_check():
    report = verify_claims("Really? Ok.", SOURCES, judge())
    assert report.supported_ratio == 1
    assert report.summary == "No verifiable claims found."
    assert verify_claims(["It opened in 1932."], [], judge()).claims[0].verdict == "unverifiable"


def test_a_source_without_text_is_one_sentence():
    with pytest.raises(UsageError, match="no text"):
        verify_claims(["a claim"], [{"title": "x"}], judge())


def test_a_search_is_asked_only_for_what_stays_unverifiable():
    searched = []

    async def search(claim):
        searched.append(claim)
        return [
            ReferenceDocument(content="It opened in 1932, says the web.", url="https://w.example")
        ]

    report = asyncio.run(
        averify_claims(["It opened in 1932.", "It is very long."], SOURCES[:1], judge(), search)
    )
    assert searched == ["It opened in 1932."]
    assert report.claims[0].web_verified
    assert report.claims[0].source_ref == "https://w.example"
    assert report.claims[0].to_dict()["web_verified"] is True
    assert "web_verified" not in report.claims[1].to_dict()


@pytest.mark.parametrize(
    ("label", "low", "high"),
    [
        ("supported", 0.6, 1.0),
        ("partially_supported", 0.3, 0.5999),
        ("not_supported", 0.0, 0.2999),
    ],
)
@pytest.mark.parametrize("confidence", [0.0, 0.5, 1.0])
def test_the_scale_keeps_the_thresholds(label, low, high, confidence):
    judgment = Judgment(label=label, confidence=confidence, score=0.5, rationale="", judge="x")
    assert low <= grounding_confidence(judgment) <= high


def test_the_embedded_judge_grounds_a_text():
    report = verify_claims(
        "The bridge was opened in 1932. Zebras rule the moon of Jupiter.", SOURCES
    )
    assert [c.verdict for c in report.claims] == ["supported", "unverifiable"]
    assert report.claims[0].span is not None


def test_a_model_splits_into_atomic_claims_and_invents_none(monkeypatch):
    text = "The bridge, opened in 1932, is 503 metres long."
    reply = {
        "claims": [
            {"quote": "is 503 metres long", "claim": "The bridge is 503 metres long."},
            {"quote": "opened in 1932", "claim": "The bridge was opened in 1932."},
            {"quote": "built by Martians", "claim": "Martians built the bridge."},
        ]
    }
    with FakeProvider() as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        server.queue(Answer(text=json.dumps(reply)), Answer(text="no"))
        judge = open_judge("openai:gpt-4o-mini")

        async def decompose_twice():
            claims = await decompose(text, judge)
            with pytest.raises(JudgeError):
                await decompose(text, judge)
            await judge.aclose()
            return claims

        claims, cost = asyncio.run(decompose_twice())
    assert [c.text for c in claims] == [
        "The bridge was opened in 1932.",
        "The bridge is 503 metres long.",
    ]
    assert [text[c.start : c.end] for c in claims] == ["opened in 1932", "is 503 metres long"]
    assert cost > 0
