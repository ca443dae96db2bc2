"""Serper, Tavily and Brave on the wire: what is sent, what comes back, what goes wrong."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.fakes.web_server import PUBLIC, diverted, fake_web, page
from workbench import ground
from workbench.errors import MissingKey, UsageError
from workbench.judging.scripted import ScriptedJudge
from workbench.records.source import RetrievalOptions
from workbench.sources.search_providers import short_question

CLAIM = "Zebras rule the moon of Jupiter."
FOUND = "Zebras rule the moon of Jupiter, the zebras say."
PAGE = f"<html><body><article><h1>Zebras</h1><p>{FOUND}</p></article></body></html>"
URL = "http://zebras.example/rule"
KEYS = {
    "serper": ("SERPER_API_KEY", "serper-key-0000000000000001"),
    "tavily": ("TAVILY_API_KEY", "tvly-key-00000000000000002"),
    "brave": ("BRAVE_API_KEY", "BSA-key-000000000000000003"),
}
ANSWERS = {
    "serper": {"organic": [{"title": "Zebras", "link": URL, "snippet": FOUND, "position": 1}]},
    "tavily": {"results": [{"title": "Zebras", "url": URL, "content": FOUND, "score": 0.9}]},
    "brave": {"web": {"results": [
        {"title": "Zebras", "url": URL, "description": f"<strong>Zebras</strong>{FOUND[6:]}"}
    ]}},
}  # fmt: skip
HOSTS = {name: f"{name}.example" for name in KEYS}
PATHS = {"serper": "/search", "tavily": "/search", "brave": "/res/v1/web/search"}
REACH = RetrievalOptions(services={name: f"http://{host}/" for name, host in HOSTS.items()})


def judge():
    supported = {"if_source_contains": "Zebras rule", "label": "supported", "quote": FOUND}
    return ScriptedJudge([{**supported, "confidence": 0.9}])


@pytest.fixture(params=sorted(KEYS))
def provider(request, monkeypatch):
    for variable, key in KEYS.values():
        monkeypatch.setenv(variable, key)
    return request.param


@pytest.fixture
def web(monkeypatch):
    replies = {
        HOSTS[name] + PATHS[name]: page(json.dumps(ANSWERS[name]), content_type="application/json")
        for name in KEYS
    }
    names = {host: [PUBLIC] for host in (*HOSTS.values(), "zebras.example")}
    with (
        fake_web({**replies, "zebras.example/rule": page(PAGE)}) as server,
        diverted(monkeypatch, server, names),
    ):
        yield server


def grounded(provider, claims=(CLAIM,), **options):
    return ground(list(claims), [], judge(), web_search=provider, reach=REACH, **options)


def test_each_is_asked_as_its_documentation_has_it(web, provider):
    grounded(provider)
    (request,) = web.requests
    header = {"serper": "x-api-key", "tavily": "authorization", "brave": "x-subscription-token"}
    prefix = "Bearer " if provider == "tavily" else ""
    assert request.headers[header[provider]] == prefix + KEYS[provider][1]
    parts = urlsplit(request.target)
    assert parts.path == PATHS[provider]
    if provider == "brave":
        question = parse_qs(parts.query)
        assert (question["q"], question["count"]) == ([CLAIM], ["5"])
        assert request.body == b""
    else:
        body = json.loads(request.body)
        assert body["q" if provider == "serper" else "query"] == CLAIM
        assert body["num" if provider == "serper" else "max_results"] == 5


def test_snippets_alone_are_compared_where_nothing_may_be_fetched(web, provider):
    report = grounded(provider)
    (claim,) = report.claims
    assert (claim.verdict, claim.web_verified, claim.web_search) == ("supported", True, provider)
    assert (claim.source_ref, claim.source_index, claim.source_snippet) == (URL, None, FOUND)
    assert "were not fetched" in report.notes[0]
    assert claim.to_dict()["web_search"] == provider
    assert [target for target in web.targets() if "zebras" in target] == []


def test_pages_are_fetched_where_that_is_allowed(web, provider):
    report = grounded(provider, allow_fetch=True)
    assert report.claims[0].web_verified, report
    assert report.notes == ()
    assert "zebras.example/rule" in web.targets()


def test_pages_on_other_domains_do_not_count(web, provider):
    report = grounded(provider, allow_fetch=True, allowed_domains=["other.example"])
    assert report.claims[0].verdict == "unverifiable"
    assert "zebras.example/rule" not in web.targets()


def test_only_what_stays_unverifiable_is_looked_up(web, provider):
    source = {"content": FOUND}
    report = ground([CLAIM], [source], judge(), web_search=provider, reach=REACH)
    assert report.claims[0].verdict == "supported"
    assert web.requests == []


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ("401 Unauthorized", "refused the key (HTTP status 401): check {variable}."),
        ("403 Forbidden", "refused the key (HTTP status 403): check {variable}."),
        ("429 Too Many Requests", "was asked too often (HTTP status 429)"),
        ("500 Broken", "answered with HTTP status 500"),
    ],
)
def test_a_refusal_is_a_sentence_and_nothing_fails(web, provider, status, message):
    variable, key = KEYS[provider]
    web.replies[HOSTS[provider] + PATHS[provider]] = page(f'{{"key": "{key}"}}', status=status)
    claims = [f"Zebra number {n} rules a moon." for n in range(12)]
    report = grounded(provider, claims)
    assert {claim.verdict for claim in report.claims} == {"unverifiable"}
    assert message.format(variable=variable) in report.notes[0]
    assert key not in json.dumps(report.to_dict()) + repr(report)


def test_a_refused_key_is_not_sent_again_and_again(web, provider):
    web.replies[HOSTS[provider] + PATHS[provider]] = page("{}", status="401 Unauthorized")
    claims = [f"Zebra number {n} rules a moon." for n in range(40)]
    report = grounded(provider, claims, max_searches=40)
    assert len(web.requests) <= 8  # those that were under way when the first answer came
    assert "were not searched for after that" in report.notes[1]


def test_a_search_that_does_not_answer_in_time(web, provider):
    web.replies[HOSTS[provider] + PATHS[provider]] = page("{}", delay=5)
    report = grounded(provider, search_timeout_s=0.2)
    assert "did not answer within 0.2 seconds" in report.notes[0]


@pytest.mark.parametrize(
    "answer",
    ["[]", "{}", "no JSON", '{"organic": 1, "results": {"a": 1}, "web": []}',
     '{"organic": [1, {"link": 3}, {"link": "javascript:x", "snippet": "Zebras rule"}]}'],
)  # fmt: skip
def test_a_malformed_answer_finds_nothing(web, provider, answer):
    web.replies[HOSTS[provider] + PATHS[provider]] = page(answer)
    assert grounded(provider).claims[0].verdict == "unverifiable"


def test_the_number_of_searches_has_a_limit(web, provider):
    claims = [f"Zebras number {n} rule the moon." for n in range(5)]
    report = grounded(provider, claims, max_searches=2)
    assert len(web.requests) == 2
    assert "3 unverifiable claims were not searched for" in report.notes[-1]


@pytest.mark.parametrize("name", sorted(KEYS))
def test_a_missing_key_is_named(monkeypatch, name):
    variable = KEYS[name][0]
    monkeypatch.delenv(variable, raising=False)
    with pytest.raises(MissingKey, match=f"set {variable} in the environment"):
        ground([CLAIM], web_search=name)


def test_an_unknown_search_and_two_searches_are_mistakes():
    with pytest.raises(UsageError, match="available: serper, tavily, brave"):
        ground([CLAIM], web_search="bing")
    with pytest.raises(UsageError, match="either `search`"):
        ground([CLAIM], web_search="brave", search=lambda claim: [])


def test_a_search_at_a_private_address_is_refused(monkeypatch, provider):
    names = {host: ["10.0.0.8"] for host in (
        "google.serper.dev", "api.tavily.com", "api.search.brave.com")}  # fmt: skip
    with diverted(monkeypatch, None, names) as traffic:
        report = ground([CLAIM], [], judge(), web_search=provider)
    assert "Blocked for safety" in report.notes[0]
    assert traffic.connected == []


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("Zebras\n  rule.", "Zebras rule."),
        ("word " * 80, " ".join(["word"] * 50)),
        ("long-word-of-20-chars " * 30, " ".join(["long-word-of-20-chars"] * 18)),
        ("斑" * 500, "斑" * 400),
    ],
)
def test_a_question_is_one_short_line(claim, question):
    assert short_question(claim) == question
