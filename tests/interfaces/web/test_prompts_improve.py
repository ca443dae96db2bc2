"""A prompt improved in rounds on the Prompts page, over the wire."""

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes.labelled import Given, add_run
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.interfaces.web import judging_tasks
from workbench.judging.prompts import STRICT
from workbench.services import cached_views
from workbench.settings import load_settings
from workbench.store.evaluation.splits import Splits
from workbench.store.prompts import OptimizationRepository
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"
MINI = "openai:gpt-4o-mini"
GOOD = "Weigh every number."


def reply(request):
    """Judges the second claim of an output wrongly, unless its prompt says to weigh numbers."""
    if "You improve the prompt" in request.prompt:
        template = STRICT.template.replace("Judge by the", f"{GOOD} <b>x</b> Judge by the")
        return Answer(
            text=json.dumps({"reason": "It slips on <i>numbers</i>", "template": template})
        )
    number = int(re.search(r"Fact (\d+) at r\d+\s*\n?</claim>", request.prompt)[1])
    supported = GOOD not in request.prompt or number == 0
    claim = re.search(r"Fact \d+ at r\d+", request.prompt)[0]
    label = "supported" if supported else "not_supported"
    return Answer(text=verdict(label, claim if supported else ""))


@pytest.fixture
def store(monkeypatch):
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    for run in range(32):
        truths = ("supported", "not_supported")
        add_run(store, f"r{run}", [Given(people=(("Ada", label),)) for label in truths])
    with FakeProvider(reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        yield store


def shown_text(at):
    values = [element.value for kind in (at.caption, at.warning, at.error) for element in kind]
    html = [block.proto.body for block in at.get("html")]
    return " ".join([*values, *html]).replace("\\", "").replace("\u2060", "")


def test_a_series_is_begun_and_its_rounds_are_told(store):
    at = AppTest.from_file(str(APP), default_timeout=120).switch_page("pages/prompts.py")
    at.query_params["view"] = "improve"
    at.run()
    assert not at.exception
    assert "No optimisation runs yet. They never read the test set." in shown_text(at)
    at.text_input(key="prompts-improve-judge").set_value("local")
    at.text_input(key="prompts-proposer").set_value(MINI)
    at.number_input(key="prompts-rounds").set_value(1)
    at.button(key="prompts-improve-begin").click().run()
    assert "takes no prompt, so there is none to improve" in shown_text(at)
    at.text_input(key="prompts-improve-judge").set_value(MINI)
    at.button(key="prompts-improve-begin").click().run()
    assert not at.exception
    job = judging_tasks.find(store.path, "prompts-improve")
    assert job.ended.wait(120)
    assert job.error == ""
    at.run()
    assert not at.exception
    assert "Round 1: kept" in shown_text(at)
    assert "Gain on dev" in shown_text(at)
    assert "&lt;b&gt;x&lt;/b&gt;" in shown_text(at) and "&lt;i&gt;numbers" in shown_text(at)
    assert "The test set is not read." in shown_text(at)
    (series,) = OptimizationRepository(store).all()
    assert Splits(store).openings(series.split_id) == []
