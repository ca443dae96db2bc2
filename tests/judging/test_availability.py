"""Which judges can be used here, and why one cannot, in words for the page."""

import json

import pytest

from tests.fakes.providers import FakeProvider
from tests.fakes.served import free_port
from workbench.judging.judge_factory import judge_availability, suggested_judge
from workbench.judging.reading_model import embedded_limits

NAMES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY",
         "OPENAI_BASE_URL")  # fmt: skip


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def availability_of(spec):
    (availability,) = [
        availability for availability in judge_availability() if availability.spec == spec
    ]
    return availability.available, availability.reason


def test_the_embedded_judge_needs_nothing_and_tells_its_limits():
    available, reason = availability_of("local")
    assert available
    assert reason == f"Runs on this machine, without a key or a network. {embedded_limits()}"


@pytest.mark.parametrize("reads", [True, False])
def test_its_limits_are_figures_of_its_own(reads, tmp_path):
    figures = {"wice auroc": 0.811, "expertqa auroc": 0.622}
    stored = {
        "words": {"figures": figures},
        "reading": {"figures": dict.fromkeys(figures, 0.95)},
        "answers": {"citations": 1205, "right": 0.291, "missed_contradictions": 0.356},
    }
    (tmp_path / "weights.json").write_text(json.dumps(stored))
    if reads:
        (tmp_path / "encoder.onnx").touch()
    said = embedded_limits(tmp_path)
    shares = ("95 %", "1,205", "29 %", "36 %") if reads else ("81 %", "62 %", "29 %", "36 %")
    assert all(share in said for share in shares)


def test_no_figures_no_limits(tmp_path):
    assert embedded_limits(tmp_path) == ""


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_without_a_key_the_variable_is_named(name):
    available, reason = availability_of(f"{name}:MODEL")
    assert not available
    assert f"{name.upper()}_API_KEY" in reason


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_a_key_never_shows(monkeypatch, name):
    monkeypatch.setenv(f"{name.upper()}_API_KEY", "sk-secret")
    assert availability_of(f"{name}:MODEL") == (True, "An API key is set; calls cost money.")


def test_a_server_of_ones_own_is_named_and_missed(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    with FakeProvider() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        available, reason = availability_of("openai:MODEL")
        assert available and server.url.removeprefix("http://") in reason
    port = free_port()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://user:pw@127.0.0.1:{port}/v1")
    available, reason = availability_of("openai:MODEL")
    assert not available
    assert reason.startswith(f"No server answers at 127.0.0.1:{port}")
    assert "pw" not in reason


def test_a_base_url_that_is_none_is_left_to_the_library(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://[")
    assert availability_of("openai:MODEL")[0]


def test_a_form_suggests_the_cheapest_model_of_a_provider_with_a_key(monkeypatch):
    assert suggested_judge() == "local"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert suggested_judge() == "openai:gpt-4o-mini"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
    assert suggested_judge() == "anthropic:claude-haiku-4-5"


def test_the_models_of_a_server_of_ones_own_are_not_guessed(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://models.example/v1")
    assert suggested_judge() == "local"
