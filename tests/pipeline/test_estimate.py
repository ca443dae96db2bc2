"""The announced cost of a run is never below the actual cost."""

import pytest

from workbench.citations import extract
from workbench.pipeline.estimate import estimate_run

TEXT = """Rain fell [1]. Wind blew [2], and it blew again [2]. Snow came [9].

References
[1] https://a.example/rain
[2] https://a.example/wind
"""


class Priced:
    """A judge that costs a cent for every thousand letters it is shown."""

    spec = "priced"

    def worst_cost_usd(self, claim, passages):
        return 0.01 * sum(len(passage.text) for passage in passages) / 1000


class Unknown(Priced):
    def worst_cost_usd(self, claim, passages):
        return None


def test_calls_are_counted_by_claim_source_and_judge():
    estimate = estimate_run(extract(TEXT), [Priced(), Priced()])
    assert estimate.citations == 4
    assert estimate.sources == 2
    # three claims with a source (the fourth citation is not in the list), two judges
    assert estimate.calls == 6
    assert estimate.cost_usd == pytest.approx(6 * 0.03)


def test_an_unknown_price_makes_the_cost_unknown():
    assert estimate_run(extract(TEXT), [Priced(), Unknown()]).cost_usd is None


def test_the_embedded_judge_is_free():
    estimate = estimate_run(extract(TEXT), ["local"])
    assert estimate.cost_usd == 0.0
    assert estimate.seconds < 5


def test_a_language_model_is_announced_with_tokens_and_two_costs(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    alone = estimate_run(extract(TEXT), ["openai:gpt-4o-mini"])
    batch = estimate_run(extract(TEXT), ["openai:gpt-4o-mini"], batch=True)
    assert alone.tokens == batch.tokens > 3 * 700
    assert 0 < alone.usual_usd < alone.cost_usd
    assert batch.usual_usd == pytest.approx(alone.usual_usd / 2)
    # a batch loses no attempts: half the price of one
    assert batch.cost_usd == pytest.approx(alone.cost_usd / 3 / 2)
    unknown = estimate_run(extract(TEXT), ["openai:own", "local"])
    assert (unknown.cost_usd, unknown.usual_usd) == (None, None)
    assert unknown.tokens == alone.tokens
