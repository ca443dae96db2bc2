"""Assertions of a claim judged one by one: what a model is asked for, and where each stands in the text."""

import html
import json

import pytest

from tests.fakes import records as make
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench import verify
from workbench.interfaces.cli import output
from workbench.judging.prompts import PARTS, STRICT, find_prompt, joint_prompt
from workbench.judging.reply import asks_parts, fields_of, read_reply
from workbench.presentation.citation_card import card_data
from workbench.presentation.run_report import annotated_html
from workbench.presentation.run_view import ReviewState
from workbench.records.verdict import Judgment

SOURCE = "The trial ran for a year in mice. The drug may slow the growth of tumors. It costs 2 euros a gram."
TEXT = (
    "The drug **slows** tumors, and it costs 2 euros a gram [1].\n\n[1] https://example.org/trial"
)
SLOWS = {
    "text": "The drug slows tumors",
    "label": "partially_supported",
    "quote": "The drug may slow",
}
COSTS = {
    "text": "it costs 2 euros a gram",
    "label": "supported",
    "quote": "It costs 2 euros a gram.",
}


def judged(monkeypatch, *parts, limits=("may", "in mice")):
    """The result of the citation behind both assertions, with the request for it."""
    reply = verdict(
        "partially_supported", quote="It costs 2 euros a gram.", corrected_claim="",
        parts=list(parts), limits=list(limits),
    )  # fmt: skip
    with FakeProvider(lambda request: Answer(text=reply)) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        run = verify(
            TEXT, judge="openai:gpt-4o-mini", prompt=PARTS,
            sources=[{"url": "https://example.org/trial", "content": SOURCE}],
        )  # fmt: skip
        return run, fake.requests[0]


def test_each_assertion_has_its_label_its_quote_and_its_place_in_the_text(monkeypatch):
    run, request = judged(monkeypatch, SLOWS, COSTS)
    schema = request.body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["parts"]["items"]["required"] == ["text", "label", "quote"]
    judgment = run.counted[-1].judgment
    assert judgment.prompt == PARTS.id
    told = [
        (part.span.of(TEXT), part.label, part.evidence[0].span.of(SOURCE))
        for part in judgment.parts
    ]
    assert told == [
        ("The drug **slows** tumors", "partially_supported", "The drug may slow"),
        ("it costs 2 euros a gram", "supported", "It costs 2 euros a gram."),
    ]
    assert [limit.span.of(SOURCE) for limit in judgment.limits] == ["may", "in mice"]


def test_the_published_json_is_read_back_with_both(monkeypatch):
    run, _ = judged(monkeypatch, SLOWS, COSTS)
    judgment = run.counted[-1].judgment
    document = json.loads(json.dumps(judgment.to_dict()))
    assert Judgment.from_dict(document) == judgment


def test_card_and_terminal_say_what_the_source_limits(monkeypatch):
    run, _ = judged(monkeypatch, SLOWS, COSTS)
    sentence = "The source limits this: “may”, “in mice”."
    assert output.reason(run.counted[-1]).endswith(sentence)
    review = ReviewState(run=run, text=TEXT, labels={})
    data = card_data(review, run.counted[-1].citation.id, None)
    assert data["limits"] == sentence
    assert data["scope"] == {
        "name": "The parts of the claim",
        "parts": [
            ["The drug slows tumors", "partially_supported"],
            ["it costs 2 euros a gram", "supported"],
        ],
    }
    report = annotated_html(run, TEXT)
    assert sentence in html.unescape(report)
    assert "The drug slows tumors</span>" in report


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (COSTS,),
        (COSTS, {"text": "Words of another claim", "label": "supported", "quote": ""}),
        ("no object", {"text": "The drug", "label": "maybe"}, COSTS, None),
    ],
    ids=["none", "one", "one is not in the claim", "unusable"],
)
def test_less_than_two_parts_say_nothing_beside_the_verdict(monkeypatch, parts):
    run, _ = judged(monkeypatch, *parts, limits=["words that the source lacks"])
    judgment = run.counted[-1].judgment
    assert (judgment.label, judgment.parts, judgment.limits) == ("partially_supported", (), ())
    assert "parts" not in judgment.to_dict()


def test_only_this_prompt_asks_for_parts_alone_or_together():
    assert find_prompt("parts") == PARTS
    assert asks_parts(PARTS) and asks_parts(joint_prompt(PARTS))
    assert not asks_parts(STRICT) and "parts" not in fields_of(STRICT)
    assert "the source does not say that it looked" in PARTS.template


@pytest.mark.parametrize(
    ("limits", "read"),
    [("in mice", ("in mice",)), ("", ()), (None, ()), ([1, "may"], ("may",)), ({}, ())],
)
def test_limits_in_another_form_cost_no_verdict(limits, read):
    assert read_reply(verdict("partially_supported", limits=limits)).limits == read


def test_a_reply_to_another_prompt_needs_no_parts():
    assert read_reply(verdict("not_supported")).parts == ()
    assert make.judgment().limits == ()
