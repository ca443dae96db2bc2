"""Saved policies, and past runs as a preview reads them."""

from datetime import UTC, datetime

import pytest

from tests.fakes.labelled import Given, add_run
from workbench.errors import InvalidPolicy, UnreadableInput, UsageError
from workbench.interfaces.web.policies.text import (
    MOST_CHARS,
    concerned,
    counts,
    outcome_bar,
    redacted_html,
    runs_table,
    spans,
    what_if_table,
)
from workbench.policy import Policy, read_policy, simulate_policy, simulate_thresholds
from workbench.records.text import format_iso8601
from workbench.services.policies import (
    builtin_policies,
    open_policy,
    past_runs,
    policy_text,
    preview_policy,
    save_policy,
    saved_policies,
)
from workbench.settings import load_settings
from workbench.store.store import Store

TEXT = "# ours\npolicy:\n  citation-verifier:\n    min_confidence: 0.7\n"


def test_a_saved_policy_is_found_by_its_name(tmp_path):
    data = load_settings().data_dir
    path = save_policy(" mine-1 ", TEXT, data)
    assert path == data / "policies" / "mine-1.yaml" and path.read_text() == TEXT
    assert saved_policies(data) == ["mine-1"]
    assert open_policy("mine-1").min_confidence == 0.7
    assert policy_text("mine-1", data) == TEXT
    save_policy("mine-1", TEXT.replace("0.7", "0.6"), data)
    assert open_policy("mine-1").min_confidence == 0.6
    assert [file.name for file in path.parent.iterdir()] == ["mine-1.yaml"], "nothing is left over"
    with pytest.raises(UnreadableInput, match="mine-1"):
        open_policy("mine-2")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "..",
        "../x",
        "a/b",
        "a\\b",
        ".hidden",
        "a b",
        "ä",
        "x" * 61,
        "a\nb",
        "Upper",
        "a.b",
        "CON:",
        "\0",
    ],
)
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="name has 1 to 60 lowercase letters"):
        save_policy(name, TEXT, tmp_path)
    assert list(tmp_path.rglob("*.yaml")) == []
    with pytest.raises(UnreadableInput):
        policy_text(name, tmp_path)


def test_a_ready_made_name_a_mistake_and_an_open_key_are_refused(tmp_path, monkeypatch):
    for name in builtin_policies():
        with pytest.raises(UsageError, match="built-in"):
            save_policy(name, TEXT, tmp_path)
    with pytest.raises(InvalidPolicy, match="line 4"):
        save_policy("mine", TEXT.replace("0.7", "7"), tmp_path)
    resolver = TEXT + (
        "    external_resolver:\n      endpoint: https://r.example\n      api_key: {}\n"
    )
    with pytest.raises(UsageError, match="Name a variable") as caught:
        save_policy("mine", resolver.format("hush-hush"), tmp_path)
    assert "hush" not in str(caught.value)
    monkeypatch.setenv("RESOLVER_KEY", "true")
    save_policy("mine", resolver.format("Bearer ${RESOLVER_KEY}"), tmp_path)
    monkeypatch.setenv("RESOLVER_KEY", "hush-hush")
    path = save_policy("mine", resolver.format("${RESOLVER_KEY}"), tmp_path)
    assert "hush" not in path.read_text()
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be saved"):
        save_policy("mine", TEXT, tmp_path / "file")


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    for day, name, citations in (
        (1, "old", [Given(score=0.2, verdict="not_supported")]),
        (10, "fine", [Given(score=0.9), Given(score=0.85, people=())]),
        (11, "weak", [Given(score=0.6, people=(("A", "contradicted"), ("B", "contradicted")))]),
        (12, "lost", [Given(error="timeout", people=(("A", "cannot_tell"),))]),
        (13, "bare", []),
    ):
        add_run(store, name, citations, moment=datetime(2026, 3, day, tzinfo=UTC))
    add_run(store, "unjudged", [Given()], judge=())
    return store


def test_past_runs_are_read_once_until_something_is_added(store):
    march = datetime(2026, 3, 5, tzinfo=UTC)
    past = past_runs(store, march, None)
    assert [run.id for run in past.runs] == ["bare", "lost", "weak", "fine"]
    assert past.labelled == 2  # one supported, one contradicted; "cannot tell" does not count
    assert past_runs(store, march, None) is past
    assert [run.id for run in past_runs(store, None, march).runs] == ["old"]
    store.label("fine", "c1", "not_supported", author="Ada")
    assert past_runs(store, march, None).labelled == 3


def test_the_preview_agrees_with_the_policy_on_real_runs(store):
    past = past_runs(store, None, None)
    for action in ("flag", "redact", "block"):
        for policy in (
            Policy(unverified_action=action),
            Policy(unverified_action=action, require_source_match=True),
            Policy(unverified_action=action, require_sources=False, min_confidence=0.5),
        ):
            for preview in simulate_policy(policy, past.runs):
                assert preview_policy(store, policy, preview.run_id).action == preview.action
    assert {run.id for run in past.runs} == {"old", "fine", "weak", "lost", "bare"}


def test_the_tables_of_the_page(store):
    policy = Policy(require_source_match=True, unverified_action="redact")
    past = past_runs(store, None, None)
    previews = simulate_policy(policy, past.runs)
    assert counts(previews) == {"pass": 1, "flag": 0, "redact": 4, "block": 0}
    assert "<b>4</b> redacted (80%)" in outcome_bar(counts(previews))
    assert "%" not in outcome_bar(counts([]))
    table = runs_table(concerned(previews), past)
    assert [row[0].link.query["run"] for row in table.rows] == ["bare", "lost", "weak", "old"]
    assert [row[2].text for row in table.rows] == ["no citation", "1 of 1", "1 of 1", "1 of 1"]
    table = what_if_table(policy, simulate_thresholds(policy, past.runs, [0.5, 0.8]), {0.5: "t1"})
    assert [row[0].more for row in table.rows] == ["t1", "this policy"]
    #               held, rightly, wrongly, nobody knows, let through wrongly
    assert [cell.text for cell in table.rows[0][1:]] == ["3", "0", "1", "2", "1"]
    assert [cell.text for cell in table.rows[1][1:]] == ["4", "1", "1", "2", "0"]


def test_a_redacted_text_is_shown_as_text_with_its_marks():
    markup = redacted_html("<b>So</b> [removed: source not confirmed]. [removed: open\nend] \ud800")
    assert "&lt;b&gt;So&lt;/b&gt;" in markup and "\ud800" not in markup
    assert markup.count("<mark") == 1
    assert "12 more characters" in redacted_html("x" * (MOST_CHARS + 12))


def test_spans_begin_at_midnight_and_months_are_whole():
    spans_by_name = {span.name: span for span in spans(datetime(2026, 3, 15, 13, 5, tzinfo=UTC))}
    assert (
        format_iso8601(spans_by_name["month"].since),
        format_iso8601(spans_by_name["month"].until),
    ) == (
        "2026-02-01T00:00:00+00:00",
        "2026-03-01T00:00:00+00:00",
    )
    assert spans_by_name["month"].word == "Last month, February 2026"
    assert format_iso8601(spans_by_name["7d"].since) == "2026-03-08T00:00:00+00:00"
    january = {span.name: span for span in spans(datetime(2027, 1, 1, tzinfo=UTC))}
    assert january["month"].word == "Last month, December 2026"


def test_a_key_in_the_policy_is_never_shown():
    text = TEXT + "    external_resolver:\n      endpoint: https://r.example\n      api_key: hush\n"
    assert "hush" not in repr(read_policy(text))
