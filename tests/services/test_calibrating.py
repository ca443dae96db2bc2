"""A judge against people, from the store to the sentences."""

import shutil
from dataclasses import replace

import pytest

from tests.fakes.labelled import Given, add_run, mixed, rated
from workbench.calibration.results import RunSelection, ThresholdObjective
from workbench.errors import UsageError
from workbench.presentation.calibration.document import document, markdown
from workbench.presentation.calibration.document import page as whole_page
from workbench.presentation.calibration.text import alone_text, band_text, good_for, sentences
from workbench.records.evaluation import JudgeKey
from workbench.records.review import LabelDecision
from workbench.services.calibration.measurement import (
    calibrate,
    current_split,
    ensure_split,
    human_agreement,
)
from workbench.services.calibration.prevalence import (
    queue_of_random_sample,
    queue_of_suggestions,
    rates_of,
    suggestions,
)
from workbench.services.calibration.report_data import view_of
from workbench.services.calibration.thresholds import refusal, save_threshold
from workbench.store.evaluation.splits import Splits, Thresholds
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.store import Store

LOCAL = JudgeKey(specs=("local",))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Twenty outputs of twenty items; the judge is right about all but four that it accepts."""
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    for number in range(20):
        add_run(store, f"r{number}", mixed(f"r{number}", 20, wrong=1 if number % 5 == 0 else 0))
    return store.path


@pytest.fixture
def many(built, store):
    shutil.copy(built, store.path)
    return store


def test_labelled_items_are_placed_as_they_come_and_stay_where_they_are(many):
    split = ensure_split(many, "Ada")
    assert ensure_split(many, "Bob") == split
    earlier = {candidate.item: candidate.part for candidate in Splits(many).candidates(split.id)}
    assert {part: sum(p == part for p in earlier.values()) for part in ("train", "dev", "test")} == {
        "train": 160, "dev": 120, "test": 120,
    }  # fmt: skip
    # whole outputs
    assert len({(item.split("/")[0], part) for item, part in earlier.items()}) == 20
    add_run(many, "late", mixed("late", 10))
    ensure_split(many, "Ada")
    later = {candidate.item: candidate.part for candidate in Splits(many).candidates(split.id)}
    assert {item: later[item] for item in earlier} == earlier
    assert len(later) == 410


def test_a_domain_that_nearly_all_cite_does_not_tie_them_into_one_group(store):
    for number in range(6):
        citations = [Given(host="en.wikipedia.example"), Given(host=f"site{number}.example")]
        add_run(store, f"r{number}", citations)
    assert ensure_split(store, "Ada").ties == ("question", "page")


def test_pages_and_domains_that_outputs_share_keep_them_together(store):
    for number in range(9):
        add_run(store, f"r{number}", [Given(host=f"site{number % 3}.example")] * 2)
    split = ensure_split(store, "Ada")
    assert split.ties == ("question", "page", "domain")
    placed = Splits(store).candidates(split.id)
    assert len({(candidate.domain, candidate.part) for candidate in placed}) == 3


def test_the_newest_split_is_the_one_in_use_and_is_filled(many):
    first = ensure_split(many, "Ada")
    second = Splits(many).add("again", seed=1, shares=first.shares, ties=first.ties, by="Ada")
    assert ensure_split(many, "Ada") == second
    assert sum(part.items for part in Splits(many).sizes(second.id)) == 400
    assert Splits(many).get("first split") == first


def test_nothing_labelled_gets_a_sentence(store):
    with pytest.raises(UsageError, match="import labels, or review"):
        ensure_split(store, "Ada")


def test_everything_is_computed_on_train_and_dev_and_the_test_part_is_locked(many):
    split = ensure_split(many, "Ada")
    calibration = calibrate(many, LOCAL, split)
    assert (calibration.table.n, calibration.parts) == (280, ("train", "dev"))
    with pytest.raises(UsageError, match="locked"):
        calibrate(many, LOCAL, split, parts=["test"])
    opening = Splits(many).open_test(split.id, by="Ada", reason="release", figures="all")
    opened = calibrate(many, LOCAL, split, parts=["test"], opening=opening)
    assert opened.table.n == 120
    assert opened.openings == (opening,)
    # the test part confirms the threshold, it does not choose it
    assert opened.threshold == calibration.threshold
    assert opened.chosen_on == ("train", "dev")
    assert opened.labels_sha256 == calibration.labels_sha256


def test_a_new_label_is_seen_at_once(many):
    split = ensure_split(many, "Ada")
    first = calibrate(many, LOCAL, split)
    assert calibrate(many, LOCAL, split) is first
    add_run(many, "late", mixed("late", 10))
    assert calibrate(many, LOCAL, ensure_split(many, "Ada")) is not first


def test_the_guarantee_is_what_chooses_the_threshold(many):
    split = ensure_split(many, "Ada")
    calibration = calibrate(many, LOCAL, split, aim=ThresholdObjective(target=0.85))
    assert calibration.guarantee.holds
    assert calibration.threshold == calibration.guarantee.threshold
    assert calibration.at_threshold.figure("precision").value >= 0.85
    strict = calibrate(many, LOCAL, split, aim=ThresholdObjective(target=0.999))
    assert strict.threshold is None
    assert strict.guarantee.labels_needed is None or strict.guarantee.labels_needed > 0
    # each sentence beside the state in which it would be false
    assert good_for(calibration).startswith("Good enough to accept by itself from a score of")
    assert "accept by itself from" not in good_for(strict)
    assert "a person is asked about every item" not in band_text(calibration)
    assert "a person is asked about every item" in band_text(strict)
    assert (alone_text(calibration), alone_text(strict)) == ("", "")
    near = replace(calibration, guarantee=replace(calibration.guarantee, holds=False, target=0.5))
    assert "Each interval of the table is of its threshold alone" in alone_text(near)
    cheap = calibrate(many, LOCAL, split, aim=ThresholdObjective(kind="cost"))
    assert cheap.chosen.cost == min(point.cost for point in cheap.cuts)
    wide = calibrate(many, LOCAL, split, aim=ThresholdObjective(kind="recall", target=0.5))
    assert wide.chosen.recall.hits / wide.chosen.recall.n >= 0.5


def test_people_are_measured_on_every_item_that_two_of_them_labelled(store):
    add_run(
        store, "r1", [Given(people=(("A", "supported"), ("B", "supported"), ("C", "supported")))]
    )
    add_run(
        store, "r2", [Given(people=(("A", "supported"), ("B", "contradicted"), ("C", "supported")))]
    )
    agreement = human_agreement(store)
    assert agreement.labels.items == 2
    assert agreement.labels.raw.value == pytest.approx((1 + 1 / 3) / 2)


def test_three_sentences_stand_at_the_head_with_figures_or_with_what_is_missing(many):
    split = ensure_split(many, "Ada")
    calibration = calibrate(many, LOCAL, split, aim=ThresholdObjective(target=0.85))
    agrees, holds, rate = sentences(calibration, rates_of(many, LOCAL, split.id))
    assert agrees.is_supported
    assert "280 items in 14 questions, labelled by 1 person (train + dev)" in agrees.text
    assert holds.is_supported
    assert "85% of what is accepted" in holds.text
    assert not rate.is_supported
    assert "not drawn at random" in rate.text or "too few" in rate.text


def test_a_random_sample_makes_the_rate_defensible(store):
    for number in range(8):
        add_run(store, f"r{number}", mixed(f"r{number}", 40, people=()))
    queue = queue_of_random_sample(store, LOCAL, None, many=24, by="Ada")
    assert queue.blind
    assert queue.order == "random"
    truth = ("supported", "not_supported")
    for place in range(24):
        ReviewTaskService(store).decide(
            queue.id, "Ada", place, LabelDecision(label=truth[place % 2]), content=False
        )
    split = ensure_split(store, "Ada")
    rates = rates_of(store, LOCAL, split.id)
    assert rates.sampled_at_random
    assert 10 <= rates.sample <= 24
    assert rates.estimates.naive.value == pytest.approx(0.5, abs=0.1)
    assert rates.estimates.tuned.low is not None
    assert "labels" in sentences(calibrate(store, LOCAL, split), rates)[2].text


def test_the_next_items_to_label_lie_near_the_threshold_and_make_a_blind_queue(store):
    citations = [Given(score=score, people=()) for score in (0.99, 0.52, 0.01)]
    add_run(store, "r1", citations)
    suggested = suggestions(store, LOCAL, None, many=2)
    assert suggested[0].item == "r1/c1"
    queue = queue_of_suggestions(store, suggested, by="Ada")
    assert queue.blind
    assert Queues(store).list_queues()[0].items == 2


def test_a_saved_threshold_says_what_it_rests_on(many):
    split = ensure_split(many, "Ada")
    calibration = calibrate(many, LOCAL, split, aim=ThresholdObjective(target=0.85))
    threshold = save_threshold(many, calibration, by="Ada", note="May")
    assert (threshold.id, threshold.accept, threshold.reject, threshold.holds) == (
        "t1",
        calibration.threshold,
        None,
        True,
    )
    assert (threshold.judge, threshold.n, threshold.split_id) == ("local", 280, split.id)
    assert threshold.labels_sha256 == calibration.labels_sha256
    none = calibrate(many, LOCAL, split, aim=ThresholdObjective(target=0.999))
    with pytest.raises(UsageError, match="none to save"):
        save_threshold(many, none, by="Ada")


@pytest.mark.parametrize(
    ("labels", "refused_as"),
    [
        (("not_supported", "supported"), {True: ("band would reject", "not supported")}),
        (
            ("supported", "not_supported"),
            {
                True: ("band would accept", "supported"),
                False: ("threshold would accept", "supported"),
            },
        ),
    ],
)
def test_what_puts_all_items_on_one_side_is_not_saved(store, labels, refused_as):
    # the judge knows nothing: nine of ten items have one label, whatever their score
    frequent, rare = labels
    rated(store, lambda run, n: rare if n == run % 10 else frequent)
    calibration = calibrate(
        store, LOCAL, ensure_split(store, "Ada"), aim=ThresholdObjective(target=0.6)
    )
    for band, (does, are) in refused_as.items():
        with pytest.raises(UsageError) as refused:
            save_threshold(store, calibration, by="Ada", band=band)
        assert str(refused.value) == (
            f"This {does} all {calibration.cuts[0].n} labelled items whatever the judge says: 90% "
            f"of them are {are}. Choose a higher target."
        )
        assert refusal(calibration, band=band) == str(refused.value)
    assert Thresholds(store).all() == []


def test_a_band_is_saved_that_decides_both_ways(store):
    # the judge is right about all but one in eleven
    rated(
        store,
        lambda run, n: (
            "supported" if (n >= 5) != ((7 * run + 3 * n) % 11 == 0) else "not_supported"
        ),
    )
    calibration = calibrate(
        store, LOCAL, ensure_split(store, "Ada"), aim=ThresholdObjective(target=0.8)
    )
    assert refusal(calibration, band=True) == ""
    threshold = save_threshold(store, calibration, by="Ada", band=True)
    assert threshold.holds
    assert 0 < threshold.reject <= threshold.accept < 1


def test_rates_can_be_of_some_runs_only(many):
    ensure_split(many, "Ada")
    assert rates_of(many, LOCAL, None, RunSelection(runs=("r0",))).items == 20
    assert rates_of(many, LOCAL, None, RunSelection(since="2026-04-01T00:00:00+00:00")).items == 0


def test_the_document_holds_the_published_keys_and_the_report_the_same_figures(many):
    split = ensure_split(many, "Ada")
    view = view_of(
        many, calibrate(many, LOCAL, split, aim=ThresholdObjective(target=0.85)), slices=True
    )
    calibration = document(view)
    assert {"n", "splits", "metrics", "ci95", "threshold", "guarantee", "human_agreement"} <= set(
        calibration
    )
    assert {"target", "confidence", "holds", "labels_needed"} <= set(calibration["guarantee"])
    assert calibration["n"] == 280
    text = markdown(view)
    assert f"{calibration['metrics']['accuracy']:.3f}" in text
    assert "The test set has never been unlocked." in text
    assert "| domain |" in text


def test_names_of_others_mean_nothing_in_the_report(store):
    citations = [Given(host="a|b<script>.example")] * 12
    add_run(store, "r1", citations)
    add_run(store, "r2", mixed("r2", 10))
    split = ensure_split(store, "*Ada*")
    text = markdown(view_of(store, calibrate(store, LOCAL, split), slices=True))
    assert "<script>" not in text
    assert "\\*Ada\\*" in text
    page = whole_page(view_of(store, calibrate(store, LOCAL, split), slices=True))
    assert "<script" not in page
    assert "a|b&lt;script&gt;.example" in page
    assert "*Ada*" in page


def test_exported_parts_are_those_of_the_split_in_use(many):
    split = ensure_split(many, "Ada")
    stored = {
        (candidate.run_id, candidate.citation_id): candidate.part
        for candidate in Splits(many).candidates(split.id)
    }
    assert current_split(many)[0] == stored
