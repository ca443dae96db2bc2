"""The announced cost of judging labelled pairs is never below the actual cost."""

import json

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.interfaces.cli import main
from workbench.judging.judge_factory import open_judge
from workbench.services.drift import evaluation_cost, freeze_anchors
from workbench.services.imports import import_file
from workbench.services.labelled_judging import estimate_missing, judge_missing
from workbench.store.prompts import OptimizationRepository
from workbench.store.store import Store

MINI = "openai:gpt-4o-mini"
PRICE_IN, PRICE_OUT = 0.15e-6, 0.6e-6
AT_MOST, USUALLY = 12, 4
"""How many times the bill an estimate may be: the most holds lost attempts and longest replies."""


@pytest.fixture
def server(monkeypatch):
    """A model that bills one token per four characters read, and 150 for its reply."""

    def reply(request):
        text = verdict("not_supported")
        return Answer(text=text, input_tokens=len(request.prompt) // 4, output_tokens=150)

    with FakeProvider(reply) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


@pytest.fixture
def store(tmp_path):
    """Imported pairs, which have neither an address nor a reference: only a claim and a text."""
    pairs = tmp_path / "pairs.jsonl"
    rows = [
        {
            "id": f"p{n}", "claim": f"Bridge {n} is long.", "group": f"g{n}",
            "source": f"Bridge {n} crosses the river. " * (1 + n % 60),
            "label": "supported" if n % 2 else "not_supported",
        }
        for n in range(60)
    ]  # fmt: skip
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = Store(tmp_path / "w.duckdb")
    assert import_file(store, "pairs", pairs).imported == 60
    return store


def billed_usd(server):
    return server.billed_input * PRICE_IN + server.billed_output * PRICE_OUT


def test_imported_pairs_cost_what_is_asked_about_them(store, server):
    guess = estimate_missing(store, MINI)
    asked_about = judge_missing(store, MINI)
    assert asked_about.judged == guess.items == 60
    billed = billed_usd(server)
    assert billed == pytest.approx(asked_about.cost_usd)
    assert billed <= guess.cost_usd <= AT_MOST * billed
    assert billed / USUALLY <= guess.usual_usd <= USUALLY * billed


def test_an_anchor_set_of_imported_pairs_costs_what_is_asked_about_it(store, server):
    anchors = freeze_anchors(store, "monthly", by="Ada")
    guess = evaluation_cost(store, anchors, open_judge(MINI))
    assert guess.items > 0
    assert guess.cost_usd > guess.usual_usd > 0


def test_an_estimate_of_a_series_begins_none(store, server, capsys):
    code = main(
        ["prompts", "optimise", "--judge", MINI, "--rounds", "2", "--estimate", "--json",
         "--db", str(store.path)]
    )  # fmt: skip
    out, err = capsys.readouterr()
    estimate = json.loads(out)
    assert code == 0
    assert estimate["id"] is None
    assert estimate["cost_usd"] > estimate["usual_usd"] > 0
    assert "Nothing was started." in err
    assert OptimizationRepository(store).all() == []
    assert server.requests == []
