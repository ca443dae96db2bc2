"""The Calibrate page without a browser: empty, measured, opened, saved."""

import json
from datetime import date
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes.labelled import Given, add_run, mixed, rated
from tests.fakes.reference_lists import add_list, check
from workbench.calibration.results import CalibrationReport, RunSelection
from workbench.interfaces.web import judging_tasks
from workbench.interfaces.web.filters import filter_of
from workbench.interfaces.web.trust.calibration import run_set
from workbench.interfaces.web.trust.thresholds import confusion_table, near_filter
from workbench.presentation.calibration.sections import figures_table
from workbench.records.evaluation import JudgeKey
from workbench.records.queue import ItemFilter
from workbench.records.review import LabelDecision
from workbench.services.calibration.measurement import calibrate, ensure_split
from workbench.services.calibration.report_data import CachedCalibration
from workbench.store.bibliography.labels import EntryLabelRepository
from workbench.store.evaluation.splits import Splits, Thresholds
from workbench.store.labels.repository import Guides, LabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.runs.items import CitationQuery

APP = Path(__file__).parents[3] / "app.py"
LOCAL = JudgeKey(specs=("local",))


@pytest.fixture
def measured(store):
    for number in range(12):
        add_run(store, f"r{number}", mixed(f"r{number}", 6, wrong=number % 2))
    return store


def page(*sections):
    at = AppTest.from_file(str(APP), default_timeout=120).switch_page("pages/trust.py")
    at.query_params.update(dict.fromkeys(sections or ["calibration"], "true"))
    return at


def shown_text(at):
    kinds = (at.caption, at.markdown, at.info, at.warning, at.success)
    values = [element.value for kind in kinds for element in kind]
    return " ".join(values).replace("\\", "").replace("\u2060", "")


def test_without_labels_the_page_says_where_they_come_from(store):
    at = page().run()
    assert not at.exception
    assert "No labelled example has a verdict yet" in shown_text(at)


def test_the_page_measures_opens_and_saves(measured):
    at = page().run()
    assert not at.exception
    assert "labelled by 1 person (train + dev)" in shown_text(at)
    assert "The test set has never been unlocked." in shown_text(at)

    at.selectbox(key="calibrate-aim").set_value("cost").run()
    at.button(key="calibrate-save").click().run()
    assert not at.exception
    assert [threshold.aim for threshold in Thresholds(measured).all()] == ["least cost, 1 : 1"]

    at.number_input(key="calibrate-many").set_value(7).run()
    at.button(key="calibrate-random").click().run()
    assert [summary.items for summary in Queues(measured).list_queues()] == [7]

    assert at.button(key="calibrate-open").disabled
    at.text_input(key="calibrate-why").set_value("release").run()
    at.button(key="calibrate-open").click().run()
    assert not at.exception
    assert "These figures are from the test set" in shown_text(at)
    split = Splits(measured).all()[0]
    assert [opening.reason for opening in Splits(measured).openings(split.id)] == ["release"]
    at.button(key="calibrate-close").click().run()
    assert "labelled by 1 person (train + dev)" in shown_text(at)


def test_a_fitted_limit_is_offered_where_it_is_admitted_and_else_says_what_is_missing(store):
    for number in range(30):
        add_run(store, f"r{number}", mixed(f"r{number}", 2))
    at = page().run()
    assert not at.exception
    assert "is admitted: on the" in shown_text(at)
    at.button(key="calibrate-save-fitted").click().run()
    (saved,) = Thresholds(store).all()
    assert saved.accept == saved.reject and saved.holds
    at.number_input(key="calibrate-rate-target").set_value(0.98).run()
    assert not at.exception
    assert "is not used: on the" in shown_text(at)
    assert "calibrate-save-fitted" not in {button.key for button in at.button}


def test_a_band_that_rejects_everything_cannot_be_saved(store):
    rated(store, lambda run, n: "supported" if n == run % 10 else "not_supported")
    at = page().run()
    at.number_input(key="calibrate-target").set_value(0.6).run()
    assert not at.exception
    assert "calibrate-save-band" not in {button.key for button in at.button if not button.disabled}
    assert "This band would reject all" in shown_text(at)
    at.number_input(key="calibrate-target").set_value(0.95).run()
    assert "This band would reject all" not in shown_text(at)


def test_the_rate_is_of_the_runs_and_days_that_are_chosen(measured):
    at = page().run()
    assert "Of all runs: " in shown_text(at)
    at.multiselect(key="calibrate-runs").set_value(["r0", "r1"]).run()
    assert not at.exception
    assert "Of 2 runs: " in shown_text(at)
    assert at.date_input(key="calibrate-since").disabled
    at.multiselect(key="calibrate-runs").set_value([]).run()
    at.date_input(key="calibrate-since").set_value(date(2026, 3, 2)).run()
    assert not at.exception
    assert "These runs contain no verdicts by this judge." in shown_text(at)
    assert run_set([], None, date(2026, 3, 31)).description == "all runs before 2026-04-01"
    assert run_set(["r0"], date(2026, 3, 1), None).since == ""


def test_a_judge_and_the_embedded_one_are_asked_in_the_background(store, tmp_path):
    for number in range(12):
        add_run(store, f"r{number}", mixed(f"r{number}", 2), judge=("openai:m",))
    at = page().run()
    assert not at.exception
    assert "Embedded judge" not in str(figures(store))
    at.expander(key="calibrate-missing-local").open = True
    at.session_state["calibrate-missing-local"] = True
    at.run()
    at.button(key="calibrate-ask-local").click().run()
    job = judging_tasks.find(store.path, "calibrate-local")
    assert job.ended.wait(60)
    at.run()
    assert not at.exception
    assert "local on labelled items: 24 judged at no cost." in shown_text(at)
    assert "Embedded judge" in str(figures(store))
    at.button(key="asked-close-calibrate-local").click().run()
    assert "judged at" not in shown_text(at)


def figures(store):
    cached = CachedCalibration.of(store)
    split, judge = ensure_split(store, "Ada"), JudgeKey(specs=("openai:m",))
    done = calibrate(store, judge, split)
    return figures_table(CalibrationReport(calibration=done, local=cached.local(done)))


def test_what_is_kept_at_hand_goes_with_a_new_label(measured):
    split = ensure_split(measured, "Ada")
    cached = CachedCalibration.of(measured)
    rates_before = cached.rates(LOCAL, split, RunSelection())
    assert CachedCalibration.of(measured).rates(LOCAL, split, RunSelection()) is rates_before
    add_run(measured, "late", [Given()])
    rates_after = CachedCalibration.of(measured).rates(LOCAL, split, RunSelection())
    assert rates_after.items == rates_before.items + 1
    assert cached.missing(LOCAL) == 0


def test_each_cell_of_the_confusion_table_leads_to_just_its_items(measured):
    add_run(measured, "odd", [Given(verdict="contradicted", score=0.1)])
    done = calibrate(measured, LOCAL, ensure_split(measured, "Ada"))
    table = confusion_table(done)
    linked = [cell for row in table.rows for cell in row if cell.link]
    assert sum(int(cell.text) for cell in linked) == len(done.judged.items)
    for cell in linked:
        chosen = filter_of(cell.link.query["filter"])
        assert CitationQuery(measured).count(chosen) == int(cell.text)


def test_the_items_near_a_threshold_are_those_without_a_label(measured):
    add_run(measured, "new", [Given(score=0.51, people=()), Given(score=0.9, people=())])
    done = calibrate(measured, LOCAL, ensure_split(measured, "Ada"))
    matches = CitationQuery(measured).find(near_filter(done, 0.5))
    assert [(match.run_id, match.citation_id) for match in matches] == [("new", "c0")]
    assert isinstance(near_filter(done, 0.5), ItemFilter)


def test_disputed_items_each_reviewer_and_versions_of_the_guide_are_told_apart(store):
    for number in range(8):
        add_run(store, f"r{number}", [Given(people=()), Given(people=())])
        for item in ("c0", "c1"):
            LabelRepository(store).give(f"r{number}", item, "Ada", LabelDecision(label="supported"))
    Guides(store).save("Be strict.", "Ada")
    for number in range(8):
        LabelRepository(store).give(f"r{number}", "c0", "Bob", LabelDecision(label="contradicted"))
    at = page().run()
    assert not at.exception
    assert "without a gold label: the labels disagree" in shown_text(at)
    assert "on all 8 items with two labels or more" in shown_text(at)
    assert "Cohen's κ of Ada and Bob" in shown_text(at)
    assert "weighted over the support scale" in shown_text(at)
    assert "mix labels given with different versions of the labelling guide" in shown_text(at)
    rows = json.loads(at.get_by_key("calibrate-against").proto.json)["rows"]
    names = [row[0]["text"] for row in rows]
    assert names == ["the majority of reviewers", "Ada", "Bob"]
    at.selectbox(key="calibrate-guide").set_value(0).run()
    assert not at.exception
    assert "labels given with the labelling guide of version 0 (as shipped)" in shown_text(at)
    assert "without a gold label" not in shown_text(at)
    assert "mix labels" not in shown_text(at)
    assert at.query_params["guide"] == "0"


def test_the_page_says_how_far_checks_of_references_can_be_trusted(store):
    for number in range(40):
        add_list(store, f"r{number}", [check(1, score=0.99), check(2, "not_found", 0.02)])
    at = page("references").run()
    assert "No checked reference has a decision yet" in shown_text(at)
    for number in range(40):
        EntryLabelRepository(store).give(f"r{number}", 0, "Ada", "exists")
        EntryLabelRepository(store).give(f"r{number}", 1, "Ada", "fabricated")
    at.run()
    assert not at.exception
    assert "80 entries of 40 outputs, 40 of them fabricated" in shown_text(at)
    assert at.button(key="references-save").disabled
    at.number_input(key="references-target").set_value(0.8).run()
    at.button(key="references-save").click().run()
    assert not at.exception
    assert "Saved as t1." in shown_text(at)
    assert [threshold.judge for threshold in Thresholds(store).all()] == ["references"]
