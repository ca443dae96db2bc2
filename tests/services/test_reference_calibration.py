"""Checks of references against people: who is accused, what is caught, the threshold's guarantee."""

import json
import shutil

import pytest

from tests.fakes.reference_lists import add_list, check, differing
from workbench.calibration.estimates import exact_interval
from workbench.calibration.references import reference_figures
from workbench.calibration.results import ThresholdObjective
from workbench.errors import UsageError
from workbench.interfaces.cli import main
from workbench.records.bibliography import FieldComparison
from workbench.services.calibration.thresholds import get_threshold, list_thresholds
from workbench.services.references.labels import (
    cached_references,
    calibrate_references,
    save_reference_threshold,
)
from workbench.store.bibliography.labels import EntryLabelRepository, LabelledReferenceQueries
from workbench.store.store import Store


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Forty lists, each with a real work, a fabricated one and, in four, a real one called missing."""
    store = Store(tmp_path_factory.mktemp("built") / "a.duckdb")
    for number in range(40):
        checks = [check(1, score=0.99), check(2, "not_found", 0.02)]
        if number % 10 == 0:
            checks.append(check(3, "not_found", 0.4))
        add_list(store, f"r{number}", checks)
        EntryLabelRepository(store).give(f"r{number}", 0, "Ada", "exists")
        EntryLabelRepository(store).give(f"r{number}", 1, "Ada", "fabricated")
        if number % 10 == 0:
            EntryLabelRepository(store).give(
                f"r{number}", 2, "Ada", "exists", reason="outside_indexes"
            )
    return store.path


@pytest.fixture
def store(built, tmp_path):
    return Store(shutil.copy(built, tmp_path))


def test_real_works_called_missing_are_counted_with_an_exact_interval(store):
    table = calibrate_references(store).table
    accused = table.false_accusations
    assert (accused.value, accused.n) == (4 / 44, 44)
    assert (accused.low, accused.high) == exact_interval(4, 44)
    assert (table.caught.value, table.caught.n) == (1.0, 40)
    assert (table.n, table.positives, table.groups) == (84, 40, 40)


def test_the_score_ranks_and_its_calibration_error_is_debiased(store):
    table = calibrate_references(store).table
    assert table.figure("auroc").value == 1.0
    # 40 of 84 are fabricated; the score says .02 less of each, and .6 of four real ones
    assert table.figure("ece").value == pytest.approx(
        (40 * 0.02 + 40 * 0.01 + 4 * 0.6) / 84, abs=0.01
    )
    assert table.figure("ece_debiased").value is not None
    assert table.figure("precision").value == 40 / 44
    assert table.figure("recall").value == 1.0


def test_a_threshold_with_a_guarantee_separates_fabricated_works(store):
    calibration = calibrate_references(store, ThresholdObjective(target=0.8, confidence=0.9))
    assert calibration.guarantee.holds
    assert calibration.threshold == calibration.guarantee.threshold
    assert 0.01 < calibration.threshold <= 0.98


def test_too_few_labels_tell_how_many_are_missing(store):
    calibration = calibrate_references(store, ThresholdObjective(target=0.95, confidence=0.95))
    assert not calibration.guarantee.holds
    assert calibration.guarantee.labels_needed > 10
    assert calibration.threshold is None


def test_what_cannot_be_told_or_was_not_looked_up_is_no_test(store):
    add_list(store, "more", [check(1, "not_found", 0.1), check(2, "not_checked", None), check(3)])
    EntryLabelRepository(store).give("more", 0, "Ada", "cannot_tell")
    EntryLabelRepository(store).give("more", 1, "Ada", "fabricated")
    EntryLabelRepository(store).give("more", 2, "Ada", "exists")
    EntryLabelRepository(store).give("more", 2, "Bob", "fabricated")
    table = calibrate_references(store).table
    assert (table.untested, table.unscored, table.no_gold_label) == (1, 1, 1)
    assert (table.n, table.caught.n) == (84, 40)


def test_a_wrong_identifier_that_people_confirm_is_no_false_accusation(tmp_path):
    store = Store(tmp_path / "a.duckdb")
    title = FieldComparison(field="title", entry_value="Work 1", record_value="Work 1", agrees=True)
    add_list(store, "r1", [check(1, "other_work", 0.5, fields=(title,)), differing(2)])
    EntryLabelRepository(store).give("r1", 0, "Ada", "differs")
    EntryLabelRepository(store).give("r1", 1, "Ada", "differs")
    table = calibrate_references(store).table
    assert table.false_accusations.value == 0.0
    assert table.agreement.value == 1.0
    EntryLabelRepository(store).give("r1", 0, "Ada", "exists")
    assert calibrate_references(store).table.false_accusations.value == 0.5


def test_nothing_labelled_and_one_class_leave_figures_undefined(tmp_path):
    store = Store(tmp_path / "a.duckdb")
    add_list(store, "r1", [check(1)])
    assert calibrate_references(store) is None
    EntryLabelRepository(store).give("r1", 0, "Ada", "exists")
    table = calibrate_references(store).table
    assert table.figure("auroc").value is None
    assert table.caught.value is None
    assert reference_figures([]).n == 0


def test_a_new_label_is_counted_at_once(store):
    aim = ThresholdObjective()
    assert cached_references(store, aim).table.positives == 40
    EntryLabelRepository(store).give("r0", 1, "Ada", "exists")
    assert cached_references(store, aim).table.positives == 39


def test_agreement_of_people_counts_first_decisions(store):
    EntryLabelRepository(store).give("r1", 0, "Bob", "exists")
    EntryLabelRepository(store).give("r2", 1, "Bob", "exists")
    people = calibrate_references(store).people
    assert (people.items, people.raw.value) == (2, 0.5)
    ratings = LabelledReferenceQueries(store).ratings(run_ids=["r1"])
    assert [(rating.item, rating.rater, rating.label) for rating in ratings] == [
        ("r1/0", "Ada", "exists"), ("r1/0", "Bob", "exists"), ("r1/1", "Ada", "fabricated"),
    ]  # fmt: skip


def test_a_saved_threshold_is_kept_and_decides_no_verdict(store):
    aim = ThresholdObjective(target=0.8, confidence=0.9)
    calibration = calibrate_references(store, aim)
    saved = save_reference_threshold(store, calibration, aim, by="Ada", note="spring")
    assert (saved.id, saved.judge, saved.holds) == ("t1", "references", True)
    assert saved.accept == calibration.threshold
    assert list_thresholds(store, references=True) == [saved]
    assert list_thresholds(store, references=False) == []
    with pytest.raises(UsageError, match="of references"):
        get_threshold(store, "t1")


def run(store, capsys, *arguments):
    code = main(["calibrate", "--references", "--db", str(store.path), "--json", *arguments])
    printed = capsys.readouterr()
    return code, json.loads(printed.out) if printed.out else printed.err


def test_the_command_prints_the_keys_of_calibrate(store, capsys):
    code, document = run(store, capsys, "--target-precision", "0.8", "--confidence", "0.9")
    assert code == 0
    assert {"n", "splits", "metrics", "ci95", "threshold", "guarantee", "human_agreement"} <= set(
        document
    )
    assert {"target", "confidence", "holds", "labels_needed"} <= set(document["guarantee"])
    assert document["metrics"]["auroc"] == 1.0
    assert document["false_accusations"]["value"] == pytest.approx(4 / 44)
    assert document["human_agreement"] is None


def test_the_command_fails_where_the_target_does_not_hold(store, capsys):
    code, document = run(store, capsys, "--target-precision", "0.95")
    assert code == 1
    assert document["guarantee"]["labels_needed"] > 0
    code, document = run(store, capsys, "--save")
    assert (code, document["threshold_id"]) == (1, None)


def test_the_command_saves_and_refuses_what_is_of_judges(store, capsys):
    code, document = run(
        store, capsys, "--target-precision", "0.8", "--confidence", "0.9", "--save", "spring"
    )
    assert (code, document["threshold_id"]) == (0, "t1")
    code, words = run(store, capsys, "--judge", "local")
    assert code == 2
    assert "--judge" in words


def test_the_command_says_where_labels_come_from(tmp_path, capsys):
    code, words = run(Store(tmp_path / "b.duckdb"), capsys)
    assert code == 2
    assert "No checked reference has a decision" in words


def test_the_text_names_the_rates(store, capsys):
    main(["calibrate", "--references", "--db", str(store.path)])
    words = capsys.readouterr().out
    assert "Of 44 works that people labelled as existing, the check reports " in words
    assert " as “not found” or “other work”" in words
    assert "Threshold for “fabricated”" in words
    assert "| exists | 40 | 0 | 0 | 4 | 0 |" in words
