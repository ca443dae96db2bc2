"""Who decides what is fetched and spent: the caller in a process of its own, else the settings."""

import json

import pytest

from tests.doors.harness import keys_of
from tests.fakes.providers import Answer, verdict
from tests.fakes.web_server import page
from workbench.judging.prices import find_price

CITED = (
    "The old bridge is 120 metres long [1].\n\n## References\n[1] http://bridge.example/length\n"
)
ARTICLE = "<html><body><article><p>The old bridge is 120 metres long.</p></article></body></html>"
MODEL = "anthropic:claude-opus-4-7"
MANY = 40


@pytest.fixture(autouse=True)
def bridge(web):
    web.replies["*"] = page(ARTICLE)


def test_a_wish_that_the_settings_refuse_says_which_setting(door, web):
    if door.callers_own:
        outcome = door.verify(CITED, allow_fetch=True)
        assert outcome.errors == [""], outcome.output
        return
    outcome = door.verify(CITED, allow_fetch=True)
    assert outcome.errors == ["fetch_disabled"], outcome.output
    assert "allow_fetch = true in settings.toml" in outcome.messages[0]
    assert web.contacts() == []


def test_a_calls_domains_widen_the_settings_only_in_a_process_of_its_own(door, web):
    if not door.supports("settings"):
        return
    settings = {"allow_fetch": True, "allowed_domains": ["other.example"]}
    outcome = door.verify(
        CITED, allow_fetch=True, allowed_domains=["bridge.example"], settings=settings
    )
    if door.callers_own:
        assert outcome.errors == [""], outcome.output
        return
    assert outcome.errors == ["fetch_disabled"], outcome.output
    assert "allowed_domains of this server's settings (other.example)" in outcome.messages[0]
    assert web.contacts() == []


@pytest.mark.parametrize("door", ["http", "gateway", "mcp-stdio", "mcp-http"], indirect=True)
def test_a_call_narrows_what_the_settings_allow(door, web):
    settings = {"allow_fetch": True, "allowed_domains": ["example"]}
    outcome = door.verify(
        CITED, allow_fetch=True, allowed_domains=["other.example"], settings=settings
    )
    assert outcome.errors == ["" if door.callers_own else "not_allowed_domain"], outcome.output


def test_without_a_cap_a_call_costs_at_most_one_dollar(door, provider):
    """Claims enough for two dollars; what the provider billed is at most one."""
    price = find_price(MODEL)
    provider.reply = lambda request: Answer(
        text=verdict("not_supported"), input_tokens=1000, output_tokens=500
    )
    text = "".join(f"Bridge {n} is {n + 100} metres long [{n}].\n" for n in range(1, MANY + 1))
    text += "\n## References\n" + "".join(
        f"[{n}] http://bridge.example/{n}\n" for n in range(1, MANY + 1)
    )
    sources = [
        {"url": f"http://bridge.example/{n}", "content": f"Bridge {n} is 7 metres long."}
        for n in range(1, MANY + 1)
    ]
    more = {"max_citations": 50} if door.name.startswith("mcp") else {}
    outcome = door.verify(text, sources=sources, judge=MODEL, environment=keys_of(provider), **more)
    billed = price.input * provider.billed_input + price.output * provider.billed_output
    assert 0.5 < billed / 1e6 <= 1.0, outcome.output[-2000:]
    assert "cost_cap_reached" in outcome.errors


@pytest.mark.parametrize("door", ["mcp-stdio", "mcp-http"], indirect=True)
def test_claims_are_checked_within_a_cap_over_mcp(door, provider):
    provider.reply = lambda request: Answer(
        text=verdict("not_supported"), input_tokens=1000, output_tokens=500
    )
    price = find_price(MODEL)
    claims = [f"Bridge {n} is {n + 100} metres long." for n in range(MANY)]
    sources = [{"content": "Every bridge is 7 metres long."}]
    arguments = {"claims": claims, "sources": sources, "model": MODEL}
    outcome = door.tool_call("verify_claims", arguments, environment=keys_of(provider))
    billed = price.input * provider.billed_input + price.output * provider.billed_output
    assert 0.5 < billed / 1e6 <= 1.0
    assert outcome.document["complete"] is False
    assert outcome.document["overall_grounded"] is False
    provider.requests.clear()
    capped_arguments = {**arguments, "max_cost_usd_total": 0}
    door.tool_call("verify_claims", capped_arguments, environment=keys_of(provider))
    assert provider.requests == []


@pytest.mark.parametrize("door", ["mcp-stdio", "mcp-http"], indirect=True)
def test_an_envelope_is_fetched_as_the_process_allows(door, web):
    envelope = {
        "claims": [
            {"claim": "The old bridge is 120 metres long.", "confidence": "high",
             "source": "web:http://bridge.example/length", "evidence": "is 120 metres long"},
        ]
    }  # fmt: skip
    outcome = door.tool_call("check_envelope", {"envelope": envelope, "allow_fetch": True})
    (claim,) = outcome.document["claims"]
    assert claim["passed"] is door.callers_own
    if not door.callers_own:
        assert "allow_fetch = true in settings.toml" in claim["reasons"][0]
        assert web.contacts() == []


@pytest.mark.parametrize("door", ["http", "gateway", "mcp-http"], indirect=True)
def test_a_call_of_a_server_may_not_raise_the_settings_cap(door, provider):
    provider.reply = lambda request: Answer(text=verdict("not_supported"))
    sources = [{"url": "http://bridge.example/length", "content": "The old bridge is short."}]
    outcome = door.verify(
        CITED, sources=sources, judge=MODEL, max_cost_usd=50.0,
        settings={"server": {"max_cost_usd": 0.0}}, environment=keys_of(provider),
    )  # fmt: skip
    assert outcome.errors == ["cost_cap_reached"]
    assert provider.requests == []


@pytest.mark.parametrize("door", ["gateway", "http", "cli", "agent"], indirect=True)
def test_what_a_policy_asks_is_within_the_same_cap(door, provider, tmp_path):
    """Groundedness is judged claim by claim too: it may spend only what the run left."""
    provider.reply = lambda request: Answer(text=verdict("not_supported"))
    sources = [{"url": "http://bridge.example/length", "content": "The old bridge is short."}]
    more = {} if door.name == "gateway" else {"policy": "research"}
    outcome = door.verify(
        CITED, sources=sources, judge=MODEL, max_cost_usd=0.0, environment=keys_of(provider),
        **more,
    )  # fmt: skip
    assert provider.requests == [], json.dumps(outcome.document)[:500]
    assert outcome.errors == ["cost_cap_reached"]


@pytest.mark.parametrize("door", ["mcp-http"], indirect=True)
def test_claims_may_not_raise_the_settings_cap(door, provider):
    provider.reply = lambda request: Answer(text=verdict("not_supported"))
    sources = [{"content": "The old bridge is short."}]
    arguments = {
        "claims": ["The old bridge is long."], "sources": sources, "model": MODEL,
        "max_cost_usd_total": 50.0,
    }  # fmt: skip
    outcome = door.tool_call(
        "verify_claims", arguments, settings={"server": {"max_cost_usd": 0.0}},
        environment=keys_of(provider),
    )  # fmt: skip
    assert provider.requests == []
    assert outcome.document["complete"] is False
