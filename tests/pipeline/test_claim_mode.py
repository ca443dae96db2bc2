"""Claim mode with its extension points: a model that splits, the user's own search, a cost cap."""

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.errors import FetchError, UsageError
from workbench.interfaces.cli import main
from workbench.judging.claim_verification import PART_CHARS, _parts
from workbench.pipeline.claim import ground_claims
from workbench.pipeline.web_search import open_search
from workbench.records.source import Fetched

MINI = "openai:gpt-4o-mini"
TEXT = "The bridge, which is 120 m long, was opened in 1932. Zebras rule the moon of Jupiter."
SOURCES = [{"content": "The bridge was opened in 1932. The bridge is 120 m long.", "title": "B"}]
ZEBRAS = "Zebras rule the moon of Jupiter, the zebras say."


@pytest.fixture
def server(monkeypatch):
    def reply(request):
        if "<text>" in request.prompt:
            atoms = [
                {"quote": "which is 120 m long", "claim": "The bridge is 120 m long."},
                {"quote": "was opened in 1932", "claim": "The bridge was opened in 1932."},
                {"quote": "built by Martians", "claim": "Martians built the bridge."},
            ]
            claim_text = request.prompt.split("<text>")[-1]
            known_atoms = [a for a in atoms if a["quote"] in claim_text or "Martians" in a["claim"]]
            text = json.dumps({"claims": known_atoms})
            return Answer(text=text, input_tokens=500, output_tokens=60)
        claim = request.prompt.split("<claim>")[-1]
        answer = verdict("not_supported")
        if "bridge" in claim and "The bridge was opened in 1932" in request.prompt:
            answer = verdict("supported", "The bridge was opened in 1932")
        if "Zebras" in claim and ZEBRAS in request.prompt:
            answer = verdict("supported", ZEBRAS)
        return Answer(text=answer, input_tokens=1000, output_tokens=100)

    with FakeProvider(reply) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


def test_a_model_splits_a_text_into_atomic_claims_with_their_words(server):
    report = ground_claims(TEXT, SOURCES, MINI, splitter=MINI)
    assert [(claim.text, claim.span.of(TEXT)) for claim in report.claims] == [
        ("The bridge is 120 m long.", "which is 120 m long"),
        ("The bridge was opened in 1932.", "was opened in 1932"),
    ]
    assert report.supported_ratio == 1.0
    split, calls = 500 * 0.15e-6 + 60 * 0.6e-6, 2 * (1000 * 0.15e-6 + 100 * 0.6e-6)
    assert report.cost_usd == pytest.approx(split + calls)


def test_a_text_that_no_model_could_split_is_split_by_rule_and_says_so(server):
    server.queue(Answer(text="no JSON"))
    report = ground_claims(TEXT, SOURCES, MINI, splitter=MINI)
    assert [claim.text for claim in report.claims] == TEXT.replace("1932. ", "1932.|").split("|")
    assert "Split by rule" in report.notes[0]
    assert report.to_dict()["notes"] == list(report.notes)


def test_a_long_text_is_split_in_parts_whose_spans_hold(server):
    filler = "The weather was fine on that day, as everybody remembers. " * 100
    text = f"{filler}\n{TEXT}\n{filler}\n\n{TEXT}"
    report = ground_claims(text, SOURCES, MINI, splitter=MINI)
    assert [claim.span.of(text) for claim in report.claims] == [
        "which is 120 m long",
        "was opened in 1932",
    ] * 2


@settings(deadline=None)
@given(st.text(alphabet="ab .\n", max_size=300), st.integers(1, 40))
def test_parts_cover_a_text_without_a_gap(text, times):
    long_text = text * times * 10
    parts = _parts(long_text)
    assert "".join(part.of(long_text) for part in parts).split() == long_text.split()
    assert all(a.end <= b.start for a, b in zip(parts, parts[1:], strict=False))
    lines = max((len(line) for line in long_text.split("\n")), default=0)
    if lines < PART_CHARS:
        assert all(part.end - part.start <= PART_CHARS for part in parts)


def test_only_a_language_model_splits(server):
    with pytest.raises(UsageError, match="local cannot split"):
        ground_claims(TEXT, SOURCES, MINI, splitter="local")


def test_the_cost_cap_holds_for_claims(server):
    # one judgment is reserved at some $0.002 and costs $0.00021
    claims = [f"The bridge number {n} was opened in 1932." for n in range(30)]
    report = ground_claims(claims, SOURCES, MINI, max_cost_usd=0.003)
    billed = server.billed_input * 0.15e-6 + server.billed_output * 0.6e-6
    assert billed <= 0.003
    assert report.cost_usd == pytest.approx(billed)
    capped = [claim for claim in report.claims if claim.error == "cost_cap_reached"]
    assert 0 < len(capped) < 30


# -- the search ---------------------------------------------------------------------------------


class Web:
    """A fetcher over a dict."""

    def __init__(self, pages):
        self.pages, self.asked = pages, []

    async def fetch(self, query):
        url = query.target.value
        self.asked.append(url)
        if url not in self.pages:
            raise FetchError("bad_status", "The page answered 404.", url=url)
        body = self.pages[url].encode()
        return Fetched(url=url, final_url=url, status=200, content_type="text/plain", body=body)


async def async_search(claim):
    return [{"url": "https://z.example/", "content": ZEBRAS}]


@pytest.mark.parametrize(
    ("search", "fetcher"),
    [
        (lambda claim: [{"url": "https://z.example/", "content": ZEBRAS}], None),
        (async_search, None),
        (lambda claim: async_search(claim), None),
        (
            lambda claim: [{"url": "https://gone.example/"}, {"url": "https://z.example/"}],
            Web({"https://z.example/": ZEBRAS}),
        ),
    ],
    ids=["plain", "coroutine", "awaitable", "fetched"],
)
def test_what_stays_unverifiable_is_looked_up(server, search, fetcher):
    report = ground_claims(TEXT, SOURCES, MINI, search=search, fetcher=fetcher)
    bridge, zebras = report.claims
    assert (bridge.verdict, bridge.web_verified) == ("supported", False)
    assert (zebras.verdict, zebras.web_verified) == ("supported", True)
    assert zebras.source_ref == "https://z.example/"
    assert zebras.source_index is None
    assert zebras.to_dict()["web_verified"] is True


def test_without_a_search_nothing_is_looked_up(server):
    report = ground_claims(TEXT, SOURCES, MINI)
    assert report.claims[1].verdict == "unverifiable"


@pytest.mark.parametrize(
    "results", [[], [{"url": "https://z.example/"}], [{"title": "No text"}]], ids=str
)
def test_results_without_a_text_change_nothing(server, results):
    report = ground_claims(TEXT, SOURCES, MINI, search=lambda claim: results)
    assert report.claims[1].verdict == "unverifiable"
    assert report.notes == ()


def test_a_search_that_fails_fails_alone(server):
    def broken(claim):
        raise OSError("the search is closed today")

    report = ground_claims(TEXT, SOURCES, MINI, search=broken)
    assert [claim.verdict for claim in report.claims] == ["supported", "unverifiable"]
    assert report.notes == ("The web search failed (OSError): the search is closed today",)


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
    (tmp_path / "own_search.py").write_text(
        f"def look(claim):\n    return [{{'url': 'https://z.example/', 'content': {ZEBRAS!r}}}]\n"
    )
    (tmp_path / "text.md").write_text(TEXT)
    (tmp_path / "sources.json").write_text(json.dumps(SOURCES))
    yield tmp_path
    sys.modules.pop("own_search", None)
    sys.path[:] = [entry for entry in sys.path if entry != str(tmp_path)]


def command(data, *arguments):
    return [
        "claims", str(data / "text.md"), "--sources", str(data / "sources.json"), "--judge", MINI,
        "--json", *arguments,
    ]  # fmt: skip


def test_the_command_line_takes_a_search_by_name_or_from_the_settings(server, data, capsys):
    assert main(command(data, "--search", "own_search:look")) == 0
    assert json.loads(capsys.readouterr().out)["claims"][1]["web_verified"]
    assert main(command(data, "--search")) == 2
    assert "settings.toml" in capsys.readouterr().err
    (data / "settings.toml").write_text('search = "own_search:look"\n')
    assert main(command(data, "--search")) == 0
    assert json.loads(capsys.readouterr().out)["claims"][1]["web_verified"]
    assert main(command(data)) == 0
    assert "web_verified" not in json.loads(capsys.readouterr().out)["claims"][1]


def test_the_command_line_splits_by_a_model_under_a_cap(server, data, capsys):
    assert main(command(data, "--split", MINI, "--max-cost-usd", "1")) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [claim["start"] for claim in printed["claims"]] == [
        TEXT.index("which"),
        TEXT.index("was"),
    ]
    assert main(command(data, "--split", MINI, "--lines")) == 2
    assert "leave out --split" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonsense", "not module:function"),
        ("no_such_module_here:look", "cannot be imported"),
        ("json:no_such_function", "no function"),
    ],
)
def test_a_search_that_is_not_there_gets_a_sentence(name, message):
    with pytest.raises(UsageError, match=message):
        open_search(name)
