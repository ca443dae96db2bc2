"""A model without a price costs an unknown sum, never nothing; a cap is an amount."""

import json
import math

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench import verify
from workbench.errors import UsageError
from workbench.interfaces.cli import main
from workbench.judging.claim_verification import averify_claims
from workbench.judging.judge import run_sync
from workbench.presentation.citation_card import judged_by
from workbench.presentation.run_totals import run_summary_json
from workbench.records.spending import format_cost
from workbench.records.verdict import parse_run
from workbench.store.store import Store

OWN = "openai:own-model"
TEXT = "Bridge one is long [1].\n\n## References\n[1] https://b.example/1\n"
SOURCES = [{"url": "https://b.example/1", "content": "Bridge one is long."}]


def verify_claims(*arguments, **options):
    return run_sync(averify_claims(*arguments, **options))


@pytest.fixture(autouse=True)
def server(monkeypatch):
    with FakeProvider(lambda request: Answer(text=verdict("supported", "Bridge one"))) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


def test_a_run_at_an_unknown_price_has_no_total():
    run = verify(TEXT, judge=OWN, sources=SOURCES)
    assert run.total_resolved == 1
    assert run.total_cost_usd is None
    document = run.to_dict()
    assert document["total_cost_usd"] is None
    assert document["config"]["price_unknown"] is True
    assert document["citations"][0]["judgment"]["cost_usd"] is None
    assert format_cost(run.spending) == "price unknown"
    assert "price unknown" in judged_by(run.citations[0].judgment)
    assert parse_run(document).spending == run.spending


def test_what_is_known_stands_beside_what_is_not():
    run = verify(TEXT, judge=[OWN, "openai:gpt-4o-mini"], sources=SOURCES)
    assert run.total_cost_usd is None
    assert run.cost_usd > 0
    assert format_cost(run.spending).startswith("price unknown, $0.000")


def test_a_stored_run_and_the_command_line_say_so(tmp_path, capsys):
    text, sources = tmp_path / "a.md", tmp_path / "sources.json"
    text.write_text(TEXT)
    sources.write_text(json.dumps(SOURCES))
    db = tmp_path / "w.duckdb"
    code = main(["verify", str(text), "--sources", str(sources), "--judge", OWN, "--db", str(db)])
    output = capsys.readouterr().out
    assert code == 0
    assert "price unknown" in output
    assert "$0.0000" not in output
    (summary,) = Store(db).list_runs()
    assert run_summary_json(summary)["total_cost_usd"] is None
    assert Store(db).get_run(summary.id).total_cost_usd is None


def test_claims_at_an_unknown_price_say_so():
    report = verify_claims(["Bridge one is long."], SOURCES, OWN).to_dict()
    assert report["cost_usd"] is None
    assert report["price_unknown"] is True


def test_under_a_cap_a_model_without_a_price_is_not_asked(server):
    run = verify(TEXT, judge=OWN, sources=SOURCES, max_cost_usd=1.0)
    assert run.errors == {"cost_cap_reached": 1}
    assert run.total_cost_usd == 0
    assert server.requests == []
    assert "price of this model is unknown" in run.citations[0].error.message


@pytest.mark.parametrize("cap", [math.nan, math.inf, -math.inf, -0.01])
def test_a_cap_that_is_no_amount_is_refused(cap, server):
    with pytest.raises(UsageError, match="max_cost_usd is"):
        verify(TEXT, judge="openai:gpt-4o-mini", sources=SOURCES, max_cost_usd=cap)
    with pytest.raises(UsageError, match="max_cost_usd is"):
        verify_claims(["Bridge one is long."], SOURCES, "openai:gpt-4o-mini", max_cost_usd=cap)
    assert server.requests == []


@pytest.mark.parametrize("cap", ["nan", "inf", "-1", "much"])
@pytest.mark.parametrize(
    "command", [["verify", "-"], ["claims", "-", "--sources", "x"], ["batch", "x", "--out", "y"]]
)
def test_the_command_line_refuses_it(command, cap, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*command, "--max-cost-usd", cap])
    assert ended.value.code == 2
    assert "amount" in capsys.readouterr().err
