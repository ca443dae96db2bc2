"""The Policy page without a browser: preview, mistakes by line, saving."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes.app_page import cell_texts, component, send
from tests.fakes.labelled import Given, add_run
from workbench.interfaces.web.policies import text as texts
from workbench.interfaces.web.policies.page import DRAFT
from workbench.services import cached_views
from workbench.services.policies import PATTERNS, Policy, open_policy, read_policy
from workbench.settings import load_settings
from workbench.store.admin.examples import ExampleWorkspace
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"
FOLDED = ("policy-edit", "policy-thresholds", "policy-affected", "policy-text")
STRICT = """policy:
  citation-verifier:
    require_source_match: true
    min_confidence: 0.8
    output_action:
      unverified_action: redact
"""


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    add_run(store, "good", [Given(score=0.95)])
    add_run(store, "weak", [Given(score=0.85), Given(score=0.6)])
    add_run(
        store, "bad", [Given(score=0.1, verdict="not_supported", people=(("A", "contradicted"),))]
    )
    return store


def page():
    at = AppTest.from_file(str(APP), default_timeout=120).switch_page("pages/policy.py")
    for part in FOLDED:
        at.session_state[part] = True
    return at


def shown_text(at):
    kinds = (at.caption, at.info, at.warning, at.error, at.success)
    values = [element.value for kind in kinds for element in kind]
    texts_shown = [*values, *(block.proto.body for block in at.get("html"))]
    return " ".join(texts_shown).replace("\\", "").replace("\u2060", "")


def test_an_empty_workbench_says_what_to_do():
    cached_views.clear_cached_views()
    at = page().run()
    assert not at.exception
    assert (
        "No completed runs in this period. Choose another period, or check an answer."
        in shown_text(at)
    )


def test_the_preview_follows_the_text_and_mistakes_are_told_by_line(store):
    at = page().run()
    assert not at.exception
    at.session_state[DRAFT] = STRICT
    at.run()
    assert "<b>2</b> redacted (67%)" in shown_text(at) and "<b>1</b> passed (33%)" in shown_text(at)
    assert "Preview: 3 runs<" in shown_text(at)
    assert "[removed: source not confirmed]" in shown_text(at)

    at.session_state[DRAFT] = STRICT.replace("0.8", "8")
    at.run()
    assert "<b>Line 4</b> min_confidence is a number from 0 to 1" in shown_text(at)
    assert "The preview shows the last version without errors." in shown_text(at)
    assert "<b>2</b> redacted" in shown_text(at)

    at.session_state[DRAFT] = STRICT.replace("redact", "block")
    at.run()
    assert "<b>2</b> blocked" in shown_text(at)
    assert "The answer would be blocked and replaced by an error." in shown_text(at)
    assert not at.exception


def test_a_policy_is_saved_under_a_name_and_found_by_it(store):
    at = page().run()
    at.session_state[DRAFT] = STRICT
    at.text_input(key="policy-name").set_value("legal").run()
    at.button(key="policy-save").click().run()
    assert "legal is a built-in policy" in shown_text(at)
    at.text_input(key="policy-name").set_value("ours-1").run()
    at.button(key="policy-save").click().run()
    assert not at.exception
    assert "--policy ours-1" in shown_text(at)
    assert at.selectbox(key="policy-from").value == "ours-1"
    assert open_policy("ours-1").unverified_action == "redact"
    at.selectbox(key="policy-from").set_value("legal").run()
    assert "require_sources: true" in at.session_state[DRAFT]
    at.selectbox(key="policy-span").set_value("month").run()
    assert not at.exception


def thresholds(at):
    return [row[0] for row in cell_texts(at, "policy-what-if")]


def test_thresholds_of_equal_effect_share_a_row(store):
    at = page().run()
    at.session_state[DRAFT] = STRICT
    at.run()
    assert thresholds(at) == ["0.3 to 0.6", "0.7 to 0.95", "0.98"]
    (_, own_row, _) = component(at, "policy-what-if")["rows"]
    assert own_row[0]["more"] == "this policy: 0.8"
    assert "No effect" not in shown_text(at)


SCORED = [Given(score=0.99)]
REFUSED = [Given(score=0.4, verdict="not_supported")]


@pytest.mark.parametrize(
    ("runs", "policy", "reason"),
    [
        ([SCORED], STRICT, "is judged supported has a score between 0.3 and 0.98."),
        ([REFUSED], STRICT, "because no citation of these runs is judged supported"),
        ([[Given(score=0.8), *REFUSED]], STRICT, "another of its citations scores lower"),
        ([SCORED], "pack:\n  enabled: false\n" + STRICT, "because the policy is disabled"),
        (
            [SCORED],
            STRICT + "    rag_context:\n      verify_against_context: false\n",
            "(verify_against_context: false)",
        ),
        (
            [SCORED],
            STRICT + "    extract_patterns: [case_law]\n",
            "because these runs have no citation of a type",
        ),
    ],
    ids=["no-score-between", "nothing-supported", "decided", "disabled", "not-compared", "kinds"],
)
def test_where_no_threshold_has_an_effect_a_sentence_says_why(runs, policy, reason):
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    for number, given in enumerate(runs):
        add_run(store, f"r{number}", given)
    at = page().run()
    at.session_state[DRAFT] = policy
    at.run()
    assert not at.exception
    assert thresholds(at) == ["0.3 to 0.98"]
    assert "No effect, because" in shown_text(at) and reason in shown_text(at)


FORM_CHANGES = {
    "require_sources": False,
    "require_source_match": True,
    "require_existing_reference": False,
    "response.include_verification_report": False,
    "min_confidence": 0.95,
    "min_groundedness": 0.5,
    "output_action.unverified_action": "redact",
    "output_action.hallucination_action": "block",
    "extract_patterns": ["url", "quote"],
}


def fields(at):
    """The widgets of the form by the path of their field."""
    kinds = (at.toggle, at.number_input, at.selectbox, at.button_group)
    return {
        widget.key.removeprefix("policy-field-"): widget
        for kind in kinds
        for widget in kind
        if str(widget.key).startswith("policy-field-")
    }


def test_each_field_of_the_form_is_written_into_the_yaml(store):
    at = page().run()
    research = at.session_state[DRAFT]
    assert list(fields(at)) and fields(at).keys() == FORM_CHANGES.keys() == {*texts.FORM_FIELDS}
    expected = read_policy(research)
    for path, value in FORM_CHANGES.items():
        assert fields(at)[path].value != value
        fields(at)[path].set_value(value).run()
        changed = tuple(value) if isinstance(value, list) else value
        expected = replace(expected, **{path.rpartition(".")[2]: changed})
        assert read_policy(at.session_state[DRAFT]) == expected
    assert not at.exception
    assert {path: widget.value for path, widget in fields(at).items()} == FORM_CHANGES
    assert at.session_state[DRAFT].startswith(research.partition("\n")[0]), "comments stay"
    assert "redacted (67%)" in shown_text(at), "the preview follows the form"

    fields(at)["min_groundedness"].set_value(None).run()
    assert read_policy(at.session_state[DRAFT]).min_groundedness is None


def test_a_change_in_the_form_replaces_what_the_editor_shows(store):
    at = page().run()
    before = component(at, "policy-editor")
    fields(at)["require_source_match"].set_value(True).run()
    after = component(at, "policy-editor")
    assert after["document"] != before["document"]
    assert after["text"] == before["text"].replace(
        "require_source_match: false", "require_source_match: true"
    )


def test_the_form_shows_what_the_yaml_says(store):
    at = page().run()
    send(at, "policy-editor", "text", STRICT.replace("0.8", "0.875"))
    values = {path: widget.value for path, widget in fields(at).items()}
    assert values["require_source_match"] is True
    assert values["min_confidence"] == 0.875
    assert values["min_groundedness"] is None
    assert values["output_action.unverified_action"] == "redact"
    assert set(values["extract_patterns"]) == set(PATTERNS)


def test_while_the_yaml_has_errors_the_form_says_so_and_nothing_is_lost(store):
    at = page().run()
    send(at, "policy-editor", "text", STRICT)
    assert "Each change is written into the YAML." in shown_text(at)
    invalid = STRICT.replace("0.8", "8")
    send(at, "policy-editor", "text", invalid)
    assert texts.FORM_DISABLED in shown_text(at)
    assert all(widget.disabled for widget in fields(at).values())
    assert fields(at)["min_confidence"].value == 0.8, "the last one without errors"
    assert at.session_state[DRAFT] == invalid
    send(at, "policy-editor", "text", STRICT)
    assert not any(widget.disabled for widget in fields(at).values())

    # a click that was on its way when the error arrived
    at.session_state[DRAFT] = invalid
    fields(at)["require_sources"].set_value(False).run()
    assert at.session_state[DRAFT] == invalid
    assert "Line 4" in shown_text(at) and "line 4" in at.toast[-1].value
    assert fields(at)["require_sources"].value is True


def test_a_field_that_shares_its_value_is_changed_in_the_yaml_only(store):
    at = page().run()
    shared = STRICT.replace("require_source_match: true", "require_source_match: &on true")
    shared = shared.replace("    min_confidence", "    require_sources: *on\n    min_confidence")
    send(at, "policy-editor", "text", shared)
    fields(at)["require_sources"].set_value(False).run()
    assert at.session_state[DRAFT] == shared
    assert at.toast and fields(at)["require_sources"].value is True


def test_the_page_is_short_until_a_part_is_opened(store):
    at = AppTest.from_file(str(APP), default_timeout=120).switch_page("pages/policy.py").run()
    assert not at.exception and not fields(at)
    said = shown_text(at)
    assert "In force for checks over HTTP that name no policy: the published defaults" in said
    assert (
        "answers without citations and references that do not exist." in said
        and "Preview: 3 runs<" in said
    )
    assert {widget.key for kind in (at.selectbox, at.button) for widget in kind} == {
        "policy-from",
        "policy-span",
    }


def test_a_preview_over_examples_says_so(store):
    ExampleWorkspace(store).mark("run", ["good", "weak", "bad"])
    assert "Preview: 3 runs, 3 of them examples" in shown_text(page().run())


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"enabled": False}, "The policy is disabled: everything passes."),
        (
            {},
            "Flags citations not confirmed with a score of at least 0.8 and answers without "
            "citations.",
        ),
        (
            {"require_source_match": True, "unverified_action": "redact", "require_sources": False},
            "Redacts citations not confirmed with a score of at least 0.8.",
        ),
        (
            {"unverified_action": "block", "min_groundedness": 0.5},
            "Flags citations not confirmed with a score of at least 0.8. Blocks answers without "
            "citations and answers with less than 50% of the claims grounded.",
        ),
    ],
)
def test_what_a_policy_does_is_told_in_a_sentence(fields, said):
    assert texts.rule_text(Policy(**fields)) == said
