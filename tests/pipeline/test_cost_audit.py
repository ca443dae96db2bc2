"""What a provider billed never exceeds the cap, at any concurrency; nothing is paid for twice."""

import json
import random
import re

import pytest

from tests.fakes.providers import Answer, FakeProvider
from workbench import verify

COUNT = 60
PRICE_IN, PRICE_OUT = 0.15e-6, 0.6e-6
TEXT = "".join(f"Claim number {n} is about rain [{n}].\n" for n in range(1, COUNT + 1))
TEXT += "\nReferences\n" + "".join(f"[{n}] https://b.example/{n}\n" for n in range(1, COUNT + 1))
SOURCES = [
    {"url": f"https://b.example/{n}", "content": f"Page {n} says something about rain."}
    for n in range(1, COUNT + 1)
]
VERDICT = {
    "reasoning": "It says so.", "label": "not_supported", "confidence": 0.8, "quotes": [],
    "missing": [], "rationale": "Nothing about it.",
}  # fmt: skip


def billed_usd(provider):
    return provider.billed_input * PRICE_IN + provider.billed_output * PRICE_OUT


@pytest.fixture
def provider(monkeypatch):
    dice = random.Random(7)

    def reply(request):
        kind = dice.random()
        usage = {"input_tokens": dice.randint(300, 900), "output_tokens": dice.randint(20, 700)}
        if kind < 0.1:
            return Answer(text="not JSON at all", **usage)
        if kind < 0.2:
            return Answer(status=500)
        asked_about = re.findall(r'<claim id="(\d+)">', request.prompt.split("</passage>")[-1])
        judgments = [{**VERDICT, "claim": int(number)} for number in asked_about]
        text = json.dumps({"judgments": judgments} if judgments else VERDICT)
        usage["output_tokens"] *= max(1, len(judgments))
        return Answer(text=text, delay_s=dice.random() * 0.02, **usage)

    with FakeProvider(reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        yield server


@pytest.mark.parametrize(
    ("cap", "together"), [(0.003, "never"), (0.01, "never"), (0.01, "auto"), (0.03, "auto")]
)
def test_the_bill_stays_within_the_cap(provider, cap, together):
    # with `auto` a third of the claims is on one source; what does not fit jointly is judged alone
    text = TEXT.replace("/5", "/1").replace("/4", "/1") if together == "auto" else TEXT
    run = verify(
        text,
        judge="openai:gpt-4o-mini",
        sources=SOURCES,
        max_cost_usd=cap,
        judgments_at_once=32,
        together=together,
    )
    assert billed_usd(provider) <= cap
    assert run.total_cost_usd >= billed_usd(provider) - 1e-6
    joint = [request for request in provider.requests if '<claim id="2">' in request.prompt]
    if together == "never":
        assert not joint
    elif cap > 0.01:  # below that a joint call fits only where it comes before the single ones
        assert joint
    assert run.errors.get("cost_cap_reached", 0) > 0 or joint
    assert run.total_resolved > 0


def test_a_second_run_pays_only_for_what_failed(provider):
    memory = {}
    options = {"sources": SOURCES, "recall": memory.get, "remember": memory.__setitem__}
    first = verify(TEXT, judge="openai:gpt-4o-mini", **options)
    requests_before = len(provider.requests)
    second = verify(TEXT, judge="openai:gpt-4o-mini", **options)
    failed = COUNT - first.total_resolved
    assert failed < len(provider.requests) - requests_before + 1
    assert second.total_cost_usd < first.total_cost_usd
    assert second.total_resolved >= first.total_resolved
