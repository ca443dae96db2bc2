"""The Prompts page without a browser: shipped prompts, writing, trying on labelled items."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes.labelled import add_run, mixed
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.interfaces.web import judging_tasks
from workbench.interfaces.web.prompts import text as texts
from workbench.judging.prompts import STRICT
from workbench.services.prompts import prompt_repository
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.evaluation.splits import Splits

APP = Path(__file__).parents[3] / "app.py"
MODEL = "openai:gpt-4o-mini"


@pytest.fixture
def labelled(store):
    for number in range(8):
        add_run(store, f"r{number}", mixed(f"r{number}", 6))
    return store


@pytest.fixture
def provider(monkeypatch):
    with FakeProvider(lambda request: Answer(text=verdict("not_supported"))) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        yield server


def page(**params):
    at = AppTest.from_file(str(APP), default_timeout=120).switch_page("pages/prompts.py")
    at.query_params.update(params)
    at.run()
    assert not at.exception
    return at


def shown_text(at):
    values = [
        element.value
        for kind in (at.caption, at.markdown, at.info, at.warning, at.success, at.error)
        for element in kind
    ]
    html = [block.proto.body for block in at.get("html")]
    return " ".join([*values, *html]).replace("\\", "").replace("\u2060", "")


def has_button(at, key):
    return key in [button.key for button in at.button]


def save(at, name, text, note=""):
    at.text_input(key="prompts-name").set_value(name)
    at.text_area(key="prompts-draft").set_value(text)
    at.text_input(key="prompts-note").set_value(note)
    at.button(key="prompts-save").click().run()
    assert not at.exception
    return at


def test_an_empty_page_shows_what_is_shipped_and_says_the_next_step(store):
    at = page()
    assert texts.BUILT_IN_NOTE in shown_text(at)
    prompt = "You check whether a source supports a claim."
    assert prompt not in shown_text(at) and "Text of strict@3" in [box.label for box in at.expander]
    assert prompt in shown_text(page(prompt="strict@3"))
    at = page(view="try")
    assert "No labelled example has a verdict yet" in shown_text(at)
    assert has_button(at, "prompts-load")
    assert "There is no prompt" in shown_text(page(prompt="nobody@7"))


def test_a_version_is_written_from_another_and_the_same_text_again_is_told(store):
    at = page(view="write")
    better = STRICT.template.replace("You check", "You <b>calmly</b> check")
    save(at, "mine", better, "calmer")
    stored = prompt_repository(store).get("mine")
    assert (stored.title, stored.note, stored.author) == ("mine@1", "calmer", "reviewer")
    assert stored.parent == STRICT.id
    assert "Saved as mine@1" in shown_text(at)
    assert "&lt;b&gt;calmly&lt;/b&gt;" in shown_text(at)
    assert "1 line added, 1 line removed." in shown_text(at)

    at.button(key="prompts-begin").click().run()
    assert at.text_input(key="prompts-name").value == "mine"
    save(at, "mine", better)
    assert "An identical version already exists: mine@1. No version was added." in shown_text(at)
    assert len(prompt_repository(store).history("mine")) == 1


def test_a_draft_that_cannot_be_kept_says_why_and_stays(store):
    at = page(view="write")
    # no name was typed yet, which is no error
    assert texts.NAME_IT in shown_text(at) and "wb-wrong" not in shown_text(at)
    broken = STRICT.template.replace("{{claim}}", "")
    save(at, "mine", broken)
    assert "lacks {{claim}}" in shown_text(at)
    assert at.text_area(key="prompts-draft").value == broken
    assert prompt_repository(store).names() == ["strict", "parts", "together", "parts-together"]
    at.text_area(key="prompts-draft").set_value(STRICT.template + "\nBriefly.").run()
    assert "Ready to save" in shown_text(at)
    at.text_input(key="prompts-name").set_value("strict").run()
    assert "is built in and cannot be changed" in shown_text(at)


def test_what_was_typed_can_be_put_back_after_another_beginning(store):
    prompt_repository(store).add("mine", STRICT.template + "\nBriefly.", author="Ada")
    at = page(view="write")
    at.text_area(key="prompts-draft").set_value("half a thought").run()
    at.selectbox(key="prompts-from").set_value("mine@1").run()
    assert at.text_area(key="prompts-draft").value.endswith("Briefly.")
    at.button(key="prompts-back").click().run()
    assert not at.exception
    assert at.text_area(key="prompts-draft").value == "half a thought"


def test_the_picker_lists_judges_that_cannot_be_used_with_the_reason(labelled, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    at = page(view="try")
    judges = at.multiselect(key="prompts-judges")
    assert judges.options[0] == "local"
    reason = "No API key: set OPENAI_API_KEY and start again."
    assert f"openai:MODEL – cannot be used: {reason}" in judges.options
    at.session_state["prompts-judges"] = ["openai:MODEL"]
    at.run()
    assert not at.exception
    assert "cannot be used here; the table says why" in shown_text(at)
    assert not has_button(at, "prompts-ask")


def test_without_a_language_model_no_view_leads_to_another_that_cannot_help(labelled, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    views = {view: page(view=view) for view in ("versions", "write", "try", "compare", "improve")}
    for at in views.values():
        assert texts.NO_MODEL in [box.value for box in at.info]
        assert not has_button(at, "prompts-ask") and not has_button(at, "prompts-improve-begin")
    assert "Choose Try" not in shown_text(views["compare"])
    for view in ("try", "improve"):
        kinds = (views[view].multiselect, views[view].number_input, views[view].text_input)
        assert not [box.key for kind in kinds for box in kind if str(box.key).startswith("prompts")]


def test_with_a_key_prompts_can_be_tried_and_no_judge_has_a_reason_against_it(labelled, provider):
    at = page(view="try")
    assert "No prompt can be tried" not in shown_text(at)
    assert "Choose Try to run another" in shown_text(page(view="compare"))
    options = at.multiselect(key="prompts-judges").options
    assert not [option for option in options if option.startswith("openai:")]


def test_prompts_are_tried_in_the_background_on_dev_alone(labelled, provider):
    prompt_repository(labelled).add("mine", STRICT.template + "\nBriefly.", author="Ada")
    at = page(view="try")
    at.multiselect(key="prompts-tried").set_value(["strict@3", "mine@1"])
    at.session_state["prompts-judges"] = [MODEL]
    at.run()
    assert "questions on labelled examples of dev, at most $" in shown_text(at)
    at.button(key="prompts-ask").click().run()
    job = judging_tasks.find(labelled.path, "prompts-try")
    assert job.ended.wait(60)
    at.run()
    assert not at.exception
    assert f"{job.of:,} judged for $" in shown_text(at)
    assert len(provider.requests) == job.of
    # who opens the page elsewhere did not ask
    assert "judged for" not in shown_text(page(view="try"))
    at.button(key="asked-close-prompts-try").click().run()
    assert "have judged all labelled examples of dev" in shown_text(at)
    assert not has_button(at, "prompts-ask")
    judge_names = {judge.description for judge, _ in EvaluationRepository(labelled).judges()}
    assert judge_names == {"local", MODEL, f"{MODEL} with mine@1"}


def test_the_test_part_is_opened_with_a_reason_that_is_kept(labelled, provider):
    at = page(view="try")
    at.session_state["prompts-judges"] = [MODEL]
    at.run()
    assert at.button(key="prompts-try-open").disabled
    at.text_input(key="prompts-try-why").set_value("release").run()
    at.button(key="prompts-try-open").click().run()
    assert "This is the test set. Your access and its reason are logged." in shown_text(at)
    split = Splits(labelled).all()[0]
    (opening_,) = Splits(labelled).openings(split.id)
    assert (opening_.reason, opening_.figures) == ("release", f"asking {MODEL} with strict@3")
    at.button(key="prompts-try-close").click().run()
    assert "labelled examples of dev" in shown_text(at)


def test_without_a_key_the_page_says_which_one_is_missing(labelled, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
    at = page(view="try")
    at.session_state["prompts-judges"] = [MODEL]
    at.run()
    assert not at.exception
    assert f"{MODEL} with strict@3 cannot be used here; the table says why" in shown_text(at)
    assert not has_button(at, "prompts-ask")


def test_two_judges_are_compared_and_the_address_keeps_which(labelled, provider):
    assert "Comparison needs two judges" in shown_text(page(view="compare"))
    at = page(view="try")
    at.session_state["prompts-judges"] = [MODEL]
    at.run()
    at.button(key="prompts-ask").click().run()
    assert judging_tasks.find(labelled.path, "prompts-try").ended.wait(60)
    model = f"{MODEL} · {STRICT.id}"
    at = page(view="compare", a=model, b="local", part="dev")
    # 18 items, but of three documents: too few to call either one better
    assert f"local and {MODEL} with strict@3 are not distinguishable on these labels" in shown_text(
        at
    )
    assert "McNemar" in shown_text(at)
    at.selectbox(key="prompts-b").set_value(model).run()
    assert model in at.query_params["b"]
    assert "Both selections are the same; choose a different one." in shown_text(at)
    at.selectbox(key="prompts-a").set_value("local").run()
    assert f"{MODEL} with strict@3 and local are not distinguishable" in shown_text(at)
    assert "Only first correct" in " ".join(at.segmented_control(key="prompts-kind").options)


def test_examples_are_drawn_from_train_looked_at_and_saved(store):
    assert "No labelled example has a verdict yet" in shown_text(page(view="examples"))
    for number in range(8):
        add_run(store, f"r{number}", mixed(f"r{number}", 6, wrong=2, people=("Ada",)))
    at = page(view="examples", prompt="strict@3")
    assert "Train contains" in shown_text(at)
    assert "Example 1:" in shown_text(at)
    at.button(key="prompts-examples-save").click().run()
    assert "is not a valid prompt name" in shown_text(at)
    at.text_input(key="prompts-examples-name").set_value("shown").run()
    at.button(key="prompts-examples-save").click().run()
    assert not at.exception
    stored = prompt_repository(store).get("shown")
    assert (stored.origin, stored.parent) == ("examples", STRICT.id)
    split = Splits(store).all()[0]
    train = {f"{run}/{item}" for run, item in items_of_part(store, split.id, "train")}
    assert stored.items and set(stored.items) <= train
    assert "Try it on dev" in shown_text(at)
    assert "Value of {{examples}}" in shown_text(at)


def items_of_part(store, split_id, part):
    with store.transaction() as connection:
        return connection.execute(
            "select run_id, citation_id from split_items where split_id = ? and part = ?",
            [split_id, part],
        ).fetchall()
