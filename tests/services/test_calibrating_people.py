"""People against one another and the judge against each of them, disputed items included."""

import html
import json
import shutil

import pytest

from tests.fakes import records as make
from tests.fakes.labelled import Given, add_run
from workbench.interfaces.cli import main
from workbench.interfaces.notebook.drawing import draw
from workbench.presentation.calibration.document import document, markdown, page
from workbench.presentation.calibration.text import excluded_text, reviewers_text
from workbench.records.evaluation import UNKNOWN_GUIDE, JudgeKey, LabelFilter
from workbench.records.guide_versions import mixed_guides
from workbench.records.review import LabelDecision
from workbench.services.calibration.measurement import calibrate, ensure_split, human_agreement
from workbench.services.calibration.report_data import view_of
from workbench.services.imports import import_file
from workbench.store.labels.repository import Guides, LabelRepository
from workbench.store.runs.dashboard import DashboardQueries
from workbench.store.store import Store

LOCAL = JudgeKey(specs=("local",))
YES, NO = "supported", "not_supported"
RUNS = 12


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


def labeled_by_both(ada, bob, **fields):
    return Given(people=(("Ada", ada), ("Bob", bob)), **fields)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    for number in range(RUNS):
        add_run(
            store,
            f"r{number}",
            [labeled_by_both(YES, YES), labeled_by_both(NO, NO), labeled_by_both(YES, NO)],
        )
    return store.path


@pytest.fixture
def disputed(built, store):
    """Twelve outputs of three items: yes and yes, no and no, yes and no; the judge says yes.

    By hand: 24 of 36 agree; Ada says yes in 24, Bob in 12, so kappa is (2/3 - 4/9) / (5/9) = 0.4.
    """
    shutil.copy(built, store.path)
    return store


def view(store, **options):
    split = ensure_split(store, "Ada")
    return view_of(store, calibrate(store, LOCAL, split, **options))


def test_items_that_people_disagree_on_count_in_their_agreement(disputed):
    agreement = human_agreement(disputed)
    assert agreement.labels.items == 3 * RUNS
    assert agreement.labels.raw.value == pytest.approx(2 / 3)
    (pair,) = agreement.labels.pairs
    assert pair.kappa.value == pytest.approx(0.4)
    in_document = document(view(disputed))["human_agreement"]
    assert (in_document["items"], in_document["raw"]["value"]) == (
        3 * RUNS,
        pytest.approx(0.6667, abs=1e-4),
    )
    assert in_document["pairs"][0]["cohen_kappa"]["value"] == pytest.approx(0.4, abs=1e-4)


def test_agreement_over_the_support_scale_stands_beside_the_nominal_one_everywhere(store, capsys):
    """By hand, of Ada's and Bob's answers in each of 12 outputs: yes/yes, no/no, yes/partial.

    Nominal: 24 of 36 agree, 1/3 · 1/3 + 1/3 · 2/3 = 1/3 by chance, so kappa is 1/2. On the scale no
    < partial < yes, weights 1, 1/2, 0: observed 1 - (1/2)/3 = 5/6; by chance, with Ada's shares no
    1/3, yes 2/3 and Bob's 1/3 each, (1/3)(1 + 1/2 + 0)/3 + (2/3)(0 + 1/2 + 1)/3 = 1/2; kappa 2/3.
    """
    for run in range(RUNS):
        citations = [
            labeled_by_both(YES, YES),
            labeled_by_both(NO, NO),
            labeled_by_both(YES, "partially_supported"),
        ]
        add_run(store, f"r{run}", citations)
    page_view = view(store)
    (pair,) = page_view.reviewer_agreement.labels.pairs
    assert pair.kappa.value == pytest.approx(1 / 2)
    assert pair.weighted_kappa.value == pytest.approx(2 / 3)
    agreement = document(page_view)["human_agreement"]
    assert agreement["pairs"][0]["weighted_kappa"]["value"] == pytest.approx(2 / 3, abs=1e-4)
    assert agreement["ordinal_alpha"]["value"] > agreement["alpha"]["value"]
    words = reviewers_text(page_view.reviewer_agreement)
    assert "Cohen's κ of Ada and Bob 0.500 (" in words
    assert "(n = 36), weighted over the support scale 0.667 (" in words
    assert "(linear, n = 36)" in words
    assert (
        f"ordinal over the support scale {page_view.reviewer_agreement.labels.ordinal_alpha.value:.3f}"
        in words
    )
    main(["calibrate", "--judge", "local", "--db", str(store.path)])
    printed = capsys.readouterr().out
    for text in (printed, markdown(page_view), page(page_view), draw(page_view).html):
        shown_text = html.unescape(text).replace("\\", "")
        assert "weighted over the support scale 0.667" in shown_text
        assert "ordinal over the support scale" in shown_text


def test_what_has_no_gold_label_is_left_out_counted_and_said_everywhere(disputed):
    page_view = view(disputed)
    judged = page_view.calibration.judged
    # train and dev: two thirds of what is dealt has a gold label
    assert len(judged.items) == 2 * judged.no_gold_label
    assert document(page_view)["left_out"]["no_gold_label"] == judged.no_gold_label > 0
    sentence = f"{judged.no_gold_label} items without a gold label: the labels disagree"
    assert sentence in " ".join(excluded_text(page_view.calibration))
    assert sentence in markdown(page_view)
    assert sentence in page(page_view)
    assert sentence in draw(page_view).html


def test_an_adjudicated_item_has_a_gold_label_and_people_still_disagree(disputed):
    before_settling = view(disputed).calibration
    part = {item.item: item for item in before_settling.judged.items}
    key = next(
        item for item in (f"r{n}/c2" for n in range(RUNS)) if item.replace("c2", "c0") in part
    )
    run_id = key.split("/")[0]
    disputed.add_label(
        make.label("z", YES, run_id=run_id, citation_id="c2", reviewer="Zoe", role="adjudication")
    )
    after_settling = view(disputed)
    assert (
        after_settling.calibration.judged.no_gold_label == before_settling.judged.no_gold_label - 1
    )
    assert after_settling.reviewer_agreement.labels.raw.value == pytest.approx(2 / 3)
    assert after_settling.reviewer_agreement.labels.raters == ("Ada", "Bob")


def test_a_reviewers_latest_label_is_the_one_that_counts(store):
    add_run(store, "r1", [labeled_by_both(YES, NO), labeled_by_both(YES, YES)])
    LabelRepository(store).give("r1", "c0", "Bob", LabelDecision(label=YES))
    assert human_agreement(store).labels.raw.value == 1


def test_the_judge_is_held_against_each_reviewer_and_the_majority(disputed):
    page_view = view(disputed)
    rows = document(page_view)["judge_against"]
    by_name = {row["reviewer"]: row for row in rows["reviewers"]}
    n = page_view.calibration.table.n
    # the judge says yes to all: right for Ada on two of three, for Bob on one of three
    assert by_name["Ada"]["n"] == by_name["Bob"]["n"] == 3 * n // 2
    assert by_name["Ada"]["accuracy"]["value"] == pytest.approx(2 / 3, abs=1e-4)
    assert by_name["Bob"]["accuracy"]["value"] == pytest.approx(1 / 3, abs=1e-4)
    majority = rows["majority"]
    assert (majority["n"], majority["ties"]) == (n, n // 2)
    assert majority["accuracy"]["value"] == 0.5
    assert "more than half" in majority["rule"]
    for text in (markdown(page_view), page(page_view), draw(page_view).html):
        assert "the majority of reviewers" in text
        assert "tied items are left out" in text


def test_the_judge_is_asked_about_disputed_items_too(store, tmp_path, capsys):
    for number in range(12):
        add_run(
            store, f"r{number}", [labeled_by_both(YES, YES), labeled_by_both(YES, NO)], judge=()
        )
    assert main(["calibrate", "--json", "--db", str(store.path)]) == 0
    rows = json.loads(capsys.readouterr().out)
    against = rows["judge_against"]
    assert against["reviewers"][0]["n"] == 2 * rows["n"]
    assert against["majority"]["ties"] == rows["n"]


# -- labels without an author -------------------------------------------------------------------


def pairs_file(tmp_path, name, count=12, **fields):
    file = tmp_path / f"{name}.jsonl"
    rows = [
        {"id": f"p{n}", "claim": f"Fact {n}.", "source": f"Fact {n} of {name}.", "group": f"g{n}",
         "label": (YES, NO)[n % 2], **fields}
        for n in range(count)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_two_imports_without_annotators_are_not_two_people(store, tmp_path, capsys):
    for name in ("one", "two"):
        import_file(store, "pairs", pairs_file(tmp_path, name))
    assert main(["calibrate", "--json", "--db", str(store.path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["humans"] == 0
    assert printed["items_labelled_by_data_sets"] == printed["n"]
    assert {part["humans"] for part in printed["splits"]["parts"].values()} == {0}
    assert "labelled by a data set that names no annotator" in printed["sentences"][0]
    assert printed["human_agreement"] is None
    assert printed["judge_against"] is None


def test_named_annotators_of_an_import_are_people_but_no_reviewers_here(store, tmp_path, capsys):
    import_file(store, "pairs", pairs_file(tmp_path, "one", annotator="Kim"))
    import_file(store, "pairs", pairs_file(tmp_path, "two"))
    assert main(["calibrate", "--json", "--db", str(store.path)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["humans"] == 1
    assert 0 < printed["items_labelled_by_data_sets"] < printed["n"]
    assert "labelled by 1 person, " in printed["sentences"][0]
    assert "by a data set alone" in printed["sentences"][0]
    summary = DashboardQueries(store).summary(days=10_000)
    assert (summary.reviewers, summary.label_days, summary.labels) == ((), (), {})
    assert (summary.reviewed, summary.imported_sets) == (0, 2)
    assert summary.imported_labels == 24


# -- versions of the label guide ----------------------------------------------------------------


@pytest.fixture
def versions(store):
    """Ada's labels under the guide as shipped, Bob's under version 1; Bob says no throughout."""
    for number in range(8):
        add_run(store, f"r{number}", [Given(people=()), Given(people=())])
        for item in ("c0", "c1"):
            LabelRepository(store).give(f"r{number}", item, "Ada", LabelDecision(label=YES))
    Guides(store).save("Be strict.", "Ada")
    for number in range(8):
        LabelRepository(store).give(f"r{number}", "c0", "Bob", LabelDecision(label=NO))
    return store


def test_a_label_carries_the_version_that_was_current(versions):
    guides = {(label.reviewer, label.guide) for label in versions.all_labels()}
    assert guides == {("Ada", 0), ("Bob", 1)}


def test_figures_can_be_split_by_version_and_warn_where_they_mix(versions, capsys):
    def calibrate_command(*arguments):
        assert main(["calibrate", "--json", "--db", str(versions.path), *arguments]) == 0
        return json.loads(capsys.readouterr().out)

    mixed = calibrate_command()
    assert set(mixed["guide_versions"]["labels"]) == {"0", "1"}
    assert "mix labels given with different versions" in mixed["warnings"][0]
    # c0 is disputed between the two versions
    assert mixed["left_out"]["no_gold_label"] == mixed["n"]
    first = calibrate_command("--guide-version", "0")
    assert first["warnings"] == []
    assert (first["left_out"]["no_gold_label"], first["n"]) == (0, 2 * mixed["n"])
    assert first["metrics"]["accuracy"] == 1
    second = calibrate_command("--guide-version", "1")
    assert second["guide_versions"]["chosen"] == ["1"]
    assert (second["n"], second["metrics"]["accuracy"]) == (mixed["n"], 0)
    both_versions = calibrate_command("--guide-version", "0", "--guide-version", "1")
    assert both_versions["n"] == mixed["n"]
    with pytest.raises(SystemExit):
        main(["calibrate", "--db", str(versions.path), "--guide-version", "new"])
    assert "not a version of the labelling guide" in capsys.readouterr().err


def test_agreement_is_of_the_chosen_version_and_says_what_it_mixes(versions):
    agreement = human_agreement(versions)
    assert (agreement.labels.items, agreement.labels.raw.value) == (8, 0)
    assert agreement.guides == {0: 16, 1: 8}
    assert human_agreement(versions, LabelFilter(guides=(1,))) is None


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({}, ""),
        ({1: 5}, ""),
        ({UNKNOWN_GUIDE: 5}, ""),
        ({0: 5, 2: 1}, "mix labels given with different versions of the labelling guide "
         "(version 0 (as shipped): 5 labels, version 2: 1 label)"),
        ({UNKNOWN_GUIDE: 2, 1: 5}, "may mix labels given with different versions of the labelling guide "
         "(version 1: 5 labels, unknown version: 2 labels)"),
    ],
)  # fmt: skip
def test_the_warning_names_each_version(counts, expected):
    assert (expected in mixed_guides(counts)) if expected else mixed_guides(counts) == ""


# -- a threshold that cannot be saved -----------------------------------------------------------


def test_what_cannot_be_saved_leaves_the_report_and_the_figures(disputed, tmp_path, capsys):
    report = tmp_path / "report.md"
    code = main(
        ["calibrate", "--json", "--db", str(disputed.path), "--save", "--report", str(report)]
    )
    output = capsys.readouterr()
    assert code == 1
    assert json.loads(output.out)["threshold_id"] is None
    assert json.loads(output.out)["report"] == str(report)
    assert report.read_text("utf-8").startswith("# How far local can be trusted")
    assert output.err.strip().split("\n") == [
        "workbench: No threshold meets this target on these labels; there is none to save."
    ]


def test_a_queue_that_cannot_be_created_leaves_the_figures(store, capsys):
    for number in range(6):
        add_run(store, f"r{number}", [labeled_by_both(YES, YES)])
    code = main(["calibrate", "--json", "--db", str(store.path), "--label-next", "3"])
    output = capsys.readouterr()
    assert code == 1
    assert json.loads(output.out)["label_next_queue"] is None
    assert "No unlabelled item" in output.err
