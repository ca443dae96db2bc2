"""Where work stands, and what statistics are made of."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.fakes import records as make
from tests.fakes.desk import Clock, fill
from tests.fakes.labelled import golds
from workbench.errors import UsageError
from workbench.records.review import LabelDecision, Rating
from workbench.records.text import Span
from workbench.store.labels.agreement import AgreementQueries, LabelSelection
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.dashboard import DashboardQueries
from workbench.store.runs.items import CitationQuery
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    run = fill(store, 3)
    late = make.failure(2)
    store.add_verdicts(
        "r1",
        [
            replace(late, citation=replace(late.citation, id="late")),
            replace(late, citation=replace(late.citation, id="lost", target=None)),
            replace(
                run.citations[0], citation=replace(run.citations[0].citation, id="q", kind="quote")
            ),
        ],
    )
    return store


def test_an_empty_file_has_figures_too(tmp_path):
    summary = DashboardQueries(Store(tmp_path / "w.duckdb")).summary()
    assert (summary.outputs, summary.runs, summary.citations, summary.cost_usd) == (0, 0, 0, 0.0)
    assert summary.reviewers == summary.errors == summary.label_days == ()


def test_figures_and_the_items_behind_them(store):
    day = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for number, (reviewer, item, moment) in enumerate(
        [
            ("Ada", "c0", day - timedelta(days=1)),
            ("Ada", "c1", day),
            ("Bob", "c1", day),
            ("Ada", "q", day),
        ]
    ):
        store.add_label(
            make.label(str(number), "supported", citation_id=item, reviewer=reviewer, created_at=moment,
                       seconds=10.0 * (number + 1))
        )  # fmt: skip
    summary = DashboardQueries(store, Clock(day)).summary()
    assert (summary.outputs, summary.runs, summary.citations, summary.labelled) == (1, 1, 5, 2)
    assert summary.verdicts == {"contradicted": 1, "supported": 2, "unverifiable": 2}
    assert summary.labels == {"supported": 4}
    assert [(e.host, e.error_kind, e.citations) for e in summary.errors] == [
        ("", "timeout", 1),
        ("bridge.example", "timeout", 1),
    ]
    for errors in summary.errors:
        assert CitationQuery(store).count(errors.items) == errors.citations
    ada, bob = summary.reviewers
    assert (ada.name, ada.labels, ada.today, ada.median_s) == ("Ada", 3, 2, 20.0)
    assert {item.citation_id for item in CitationQuery(store).find(ada.items)} == {"c0", "c1"}
    assert [(d.day.day, d.reviewer, d.labels) for d in summary.label_days] == [
        (28, "Ada", 1),
        (1, "Ada", 2),
        (1, "Bob", 1),
    ]
    assert [(d.runs, d.cost_usd) for d in summary.run_days] == [(1, 0.0)]


def test_a_day_begins_where_the_reader_is(store):
    night = datetime(2026, 3, 1, 23, 30, tzinfo=UTC)
    store.add_label(make.label(created_at=night))
    now = Clock(night + timedelta(minutes=5))
    days = {
        zone: DashboardQueries(store, now).summary(zone=zone).label_days[0].day.isoformat()
        for zone in ("UTC", "Europe/Vienna", "America/New_York")
    }
    assert days == {
        "UTC": "2026-03-01",
        "Europe/Vienna": "2026-03-02",
        "America/New_York": "2026-03-01",
    }
    with pytest.raises(UsageError, match="no time zone 'Mars/Base'"):
        DashboardQueries(store).summary(zone="Mars/Base")


def test_old_days_are_left_out(store):
    store.add_label(make.label())
    now = Clock(make.MOMENT + timedelta(days=7))
    assert len(DashboardQueries(store, now).summary(days=8).label_days) == 1
    assert DashboardQueries(store, now).summary(days=7).label_days == ()


def test_ratings_are_the_first_word_or_the_last(store):
    queue = Queues(store).build("q", created_by="Zoe", order="document").id
    turns = ReviewTaskService(store, Clock())
    turns.open(queue, "Ada", 0)
    first = LabelDecision(label="supported", evidence=(Span(0, 7),))
    turns.decide(queue, "Ada", 0, first, advance=False)
    turns.decide(queue, "Ada", 0, LabelDecision(label="contradicted"), advance=False)
    store.add_label(make.label("x", "cannot_tell", citation_id="c1", reviewer="Bob"))
    store.add_label(make.label("y", "supported", citation_id="c1", role="adjudication"))
    reviews = AgreementQueries(store)
    output = store.get_run("r1").output_sha256
    text = reviews.ratings()[0].text
    assert reviews.ratings() == [
        Rating(item="r1/c0", rater="Ada", label="supported", group=output,
               evidence=(Span(0, 7),), text=text),
        Rating(item="r1/c1", rater="Bob", label="cannot_tell", group=output, text=text),
    ]  # fmt: skip
    assert text is not None
    (last,) = reviews.ratings(LabelSelection(queue=queue, first=False))
    assert (last.label, last.evidence) == ("contradicted", ())
    assert reviews.ratings(LabelSelection(run="other")) == []


def test_gold_is_the_majority_until_somebody_settles_it(store):
    def add_label(key, label, reviewer, **fields):
        store.add_label(
            make.label(key, label, citation_id="c0", reviewer=reviewer,
                       created_at=make.MOMENT + timedelta(seconds=int(key)), **fields)
        )  # fmt: skip

    def gold():
        label = golds(store, "r1").get(("r1", "c0"))
        return label and label.label

    assert gold() is None
    add_label("1", "supported", "Ada")
    assert gold() == "supported"
    add_label("2", "contradicted", "Bob")
    assert gold() is None
    add_label("3", "contradicted", "Cy")
    assert gold() == "contradicted"
    add_label("4", "supported", "Dan", role="adjudication")
    add_label("5", "contradicted", "Eve")
    assert gold() == "supported"
    assert next(iter(store.labelled_citations("r1"))).to_dict()["label"] == "supported"
