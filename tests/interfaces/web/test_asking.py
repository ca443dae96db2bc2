"""The start form: how a language model is called, and the estimated cost and time."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import workbench
from tests.fakes.app_page import open_options
from workbench.interfaces.web.review.start import describe_estimate
from workbench.pipeline.estimate import Estimate

APP = Path(workbench.__file__).parents[1] / "app.py"
TEXT = """The bridge is 120 m long [1]. It was opened in 1932 [1].

References
[1] The bridge. https://bridge.example/a
"""


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    return open_options(AppTest.from_file(str(APP), default_timeout=60))


def keys(page):
    return {control.key for control in page.segmented_control}


def estimate(page):
    page.button(key="estimate").click().run()
    assert not page.exception
    return page.info[0].value


def test_a_free_judge_has_nothing_to_choose_and_costs_nothing(page):
    page.text_area(key="paste").set_value(TEXT).run()
    page.session_state["judge"] = ["local"]
    page.run()
    assert "asking" not in keys(page)
    assert "at most 2 judgments, no cost" in estimate(page)


def test_a_batch_is_estimated_at_half_the_price(page):
    page.text_area(key="paste").set_value(TEXT).run()
    page.session_state["judge"] = ["openai:gpt-4o-mini"]
    page.run()
    assert "asking" in keys(page)
    alone = estimate(page)
    assert "tokens, usually" in alone and "up to a day" not in alone
    page.segmented_control(key="asking").set_value("batch").run()
    batch = estimate(page)
    assert "up to a day for the batch" in batch
    assert batch != alone


@pytest.mark.parametrize(
    ("fields", "batch", "sentence"),
    [
        ({"cost_usd": 0.0}, False, "2 citations of 1 source: at most 2 judgments, no cost, about"),
        ({"cost_usd": None, "usual_usd": None, "tokens": 1200}, False,
         "at most 2 judgments with 1,200 tokens, an unknown cost"),
        ({"cost_usd": 0.02, "usual_usd": 0.01, "tokens": 9}, True,
         "with 9 tokens, usually $0.01, at most $0.02, about 3 s, and up to a day"),
    ],
)  # fmt: skip
def test_the_estimate_is_one_plain_sentence(fields, batch, sentence):
    guess = Estimate(citations=2, sources=1, calls=2, seconds=2.6, **fields)
    assert sentence in describe_estimate(guess, batch=batch)
