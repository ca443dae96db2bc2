"""Which labels a judge is measured by: of a data set, a queue or a run, through every interface."""

import json
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes.labelled import add_run, mixed
from tests.interfaces.web.test_calibrate_page import APP
from tests.services.test_calibrating_people import pairs_file
from workbench.errors import UsageError
from workbench.interfaces.cli import main
from workbench.interfaces.notebook import calibrate as calibrate_in_notebook
from workbench.records.evaluation import JudgeKey, LabelFilter
from workbench.services import cached_views
from workbench.services.calibration import ThresholdObjective
from workbench.services.calibration.agreement import find_label_filter, label_filters
from workbench.services.calibration.measurement import calibrate, ensure_split
from workbench.services.calibration.thresholds import save_threshold
from workbench.services.imports import import_file
from workbench.services.labelled_judging import judge_missing
from workbench.settings import load_settings
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

LOCAL = JudgeKey(specs=("local",))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Twelve reviewed outputs of four citations each, and an imported data set of twelve pairs."""
    folder = tmp_path_factory.mktemp("built")
    store = Store(folder / "w.duckdb")
    for number in range(12):
        add_run(store, f"r{number}", mixed(f"r{number}", 4, wrong=1))
    import_file(store, "pairs", pairs_file(folder, "bridges"), name="bridges")
    return store.path


@pytest.fixture(scope="module")
def built_judged(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_DATA", str(folder))
        store = Store(shutil.copy(built, folder))
        judge_missing(store, "local")
    return store.path


def copied(path):
    cached_views.clear_cached_views()
    settings = load_settings()
    return Store(shutil.copy(path, settings.database))


@pytest.fixture
def store(built):
    return copied(built)


@pytest.fixture
def judged(built_judged):
    return copied(built_judged)


def labelled(store, scope):
    return calibrate(store, LOCAL, ensure_split(store, "Ada"), labels=scope).judged.labelled


def test_there_is_a_set_for_each_data_set_queue_and_run(store):
    queue = Queues(store).list_queues()
    keys = list(label_filters(store))
    assert keys[0] == "reviewed"
    assert [key.partition(":")[0] for key in keys].count("data-set") == 1
    assert [key.partition(":")[0] for key in keys].count("queue") == len(queue)
    assert "run:r3" in keys


def test_each_set_counts_its_own_labels_alone(judged):
    everything = labelled(judged, LabelFilter())
    data_set = labelled(judged, find_label_filter(judged, "bridges"))
    reviewed = labelled(judged, find_label_filter(judged, "reviewed"))
    assert data_set > 0
    assert reviewed > 0
    assert data_set + reviewed == everything
    assert 0 < labelled(judged, find_label_filter(judged, "run:r3")) <= 4


def test_a_set_that_is_not_there_is_named_with_those_that_are(store):
    with pytest.raises(UsageError, match=r"no labels for 'tunnels'.*reviewed"):
        find_label_filter(store, "tunnels")


def test_command_line_and_notebook_measure_the_same_set(judged, capsys):
    path = str(judged.path)
    assert main(["calibrate", "--json", "--db", path, "--labels-of", "bridges"]) in (0, 1)
    document = json.loads(capsys.readouterr().out)
    report = calibrate_in_notebook(judged, labels_of="bridges")
    assert document["labels_of"] == "the data set bridges"
    assert document["n"] == report.calibration.table.n > 0


def trust_page():
    at = AppTest.from_file(str(APP), default_timeout=120).switch_page("pages/trust.py")
    at.query_params["calibration"] = "true"
    return at.run()


def test_the_page_measures_what_is_chosen_and_says_what_it_leaves_out(store):
    page = trust_page()
    assert not page.exception
    # of those in the test set the figures say nothing
    left_out = calibrate(store, LOCAL, ensure_split(store, "Ada")).judged.unjudged
    assert 0 < left_out < 12
    assert "Run the judge on 12 labelled items" in [button.label for button in page.button]
    missing = "12 labelled items not yet judged by this judge: "
    assert not any(missing in panel.label for panel in page.expander)
    options = page.selectbox(key="calibrate-labels").options
    assert any(option.startswith("The data set bridges") for option in options)
    page.selectbox(key="calibrate-labels").set_value("run:r3").run()
    assert not page.exception
    assert any("labels of the run" in caption.value for caption in page.caption)
    told = missing + "none of them is among the items of these figures"
    assert any(panel.label.endswith(told) for panel in page.expander)


def test_a_threshold_chosen_by_hand_is_saved_as_not_guaranteed(judged):
    split = ensure_split(judged, "Ada")
    aim = ThresholdObjective(kind="manual", at=0.6)
    calibration = calibrate(judged, LOCAL, split, aim=aim)
    below = [cut.threshold for cut in calibration.cuts if cut.threshold < calibration.threshold]
    assert calibration.threshold >= 0.6
    assert all(threshold < 0.6 for threshold in below)
    saved = save_threshold(judged, calibration, by="Ada")
    assert (saved.accept, saved.holds) == (calibration.threshold, False)
    assert saved.aim == "chosen by hand at 0.6, without a guarantee"


def test_a_threshold_is_picked_by_its_row(judged):
    page = trust_page()
    page.selectbox(key="calibrate-aim").set_value("manual").run()
    page.number_input(key="calibrate-at").set_value(0.7).run()
    assert not page.exception
    assert any("nothing guarantees" in warning.value for warning in page.warning)
    page.button(key="calibrate-save").click().run()
    assert any("Saved as" in success.value for success in page.success)
