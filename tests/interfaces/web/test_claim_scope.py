"""The scope of a citation, changed by key on the Review page and judged again."""

import pytest

from tests.fakes.app_page import open_app, shown_html
from workbench.interfaces.web.review.text import NOT_JUDGED
from workbench.interfaces.web.sources import jobs
from workbench.pipeline.options import VerifyOptions
from workbench.services import cached_views
from workbench.services.claim_corrections import corrected_claims
from workbench.services.verification import verify_and_store
from workbench.settings import load_settings
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.store import Store

ANSWER = (
    "The Ostrau bridge is 120 metres long. The Ostrau bridge opened in 1931 <b>🙂</b>. "
    "It carries trains [1].\n\nThe ferry is old [2].\n\n"
    "## References\n[1] The bridge. https://b.example/a\n[2] The ferry. https://b.example/b\n"
)
PAGE = "The Ostrau bridge is 120 metres long. It opened in 1958. It carries trains."


@pytest.fixture
def checked_run(tmp_path):
    cached_views.clear_cached_views()
    corrected_claims.clear()
    settings = load_settings()
    store = Store(settings.database)
    run = verify_and_store(
        store,
        ANSWER,
        "Bridge",
        VerifyOptions(
            sources=[
                {"content": PAGE, "label": "1"},
                {"content": "The ferry is old.", "label": "2"},
            ],
            snapshots=settings.snapshots,
        ),
    )
    names = {result.citation.raw: result.citation.id for result in run.citations}
    return store, run, names


def test_the_scope_is_changed_by_key_and_the_parts_are_judged(checked_run):
    store, run, names = checked_run
    name = names["[1]"]
    at = open_app(run=run.id, c=name)
    button = at.button(key="claim-scope")
    assert (button.label, button.proto.shortcut) == ("Scope: sentence", "x")
    button.click().run()
    assert not at.exception
    assert at.button(key="claim-scope").label == "Scope: paragraph"
    assert "<b>Scope: paragraph</b>" in shown_html(at)
    assert NOT_JUDGED in shown_html(at)
    at.button(key="claim-judge").click().run()
    act = jobs.find(store.path, f"claim:{run.id}:{name}")
    assert act.ended.wait(30)
    assert act.error == ""
    old, new = store.verdict_history(run.id, name)
    assert new.citation.claim == old.citation.claim
    assert [part.span.of(ANSWER) for part in new.judgment.parts] == [
        "The Ostrau bridge is 120 metres long.",
        "The Ostrau bridge opened in 1931 <b>🙂</b>.",
        "It carries trains [1].",
    ]
    assert new.verdict == "contradicted"
    assert "2 of 3 parts are covered." in new.judgment.rationale
    at.run()
    assert "claim-judge" not in {button.key for button in at.button}


def test_the_key_comes_round_to_the_sentence_again(checked_run):
    store, run, names = checked_run
    at = open_app(run=run.id, c=names["[1]"])
    at.button(key="claim-scope").click().run()
    at.button(key="claim-scope").click().run()
    assert at.button(key="claim-scope").label == "Scope: sentence"
    assert Corrections(store).current(run.id)[names["[1]"]].scope == "sentence"
    assert "claim-judge" not in {button.key for button in at.button}, "it was judged so"


def test_there_is_nothing_to_choose_where_a_sentence_stands_alone(checked_run):
    _, run, names = checked_run
    at = open_app(run=run.id, c=names["[2]"])
    assert at.button(key="claim-scope").disabled
