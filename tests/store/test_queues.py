"""Building queues and finding the items behind a number."""

import shutil
from dataclasses import replace

import pytest

from tests.fakes import records as make
from tests.fakes.desk import Clock, fill
from workbench.errors import StoreError, UsageError
from workbench.records.citation import Target
from workbench.records.queue import ItemFilter, parse_filter
from workbench.records.review import LabelDecision
from workbench.records.reviewers import normalize_reviewer_name
from workbench.store.labels.repository import LabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.items import CitationQuery
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Four citations of r1: two judged, one that failed at another host, one of a split panel."""
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    fill(store, 2)
    failed = make.failure(2)
    run = store.get_run("r1")
    target = Target(form="url", value="https://www.En.Slow.example/x?y#z")
    panel = (make.judgment("supported"), make.judgment("not_supported", rationale="Not a word."))
    quote = run.citations[0]
    results = [
        replace(failed, citation=replace(failed.citation, id="late", target=target)),
        make.result(
            1,
            "not_supported",
            citation=make.citation(1, id="panel"),
            judgment=make.judgment("not_supported", confidence=0.55, score=0.45),
            judgments=panel,
            source=make.source(url="http://a@b.example:80/", final_url="http://a@b.example:80/"),
        ),
        replace(quote, citation=replace(quote.citation, id="quote", kind="quote")),
    ]
    store.add_verdicts("r1", results)
    return store.path


@pytest.fixture
def mixed(built, tmp_path):
    return Store(shutil.copy(built, tmp_path))


def matching_ids(store, **fields):
    return {item.citation_id for item in CitationQuery(store).find(ItemFilter(**fields))}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"c0", "c1", "late", "panel"}),
        ({"kinds": ("quote",)}, {"quote"}),
        ({"runs": ("r2",)}, set()),
        ({"verdicts": ("contradicted", "unverifiable")}, {"c1", "late"}),
        ({"error_kinds": ("timeout",)}, {"late"}),
        ({"hosts": ("en.slow.example",)}, {"late"}),
        ({"hosts": ("slow.example",)}, set()),
        ({"hosts": ("*.slow.example", "b.example")}, {"late", "panel"}),
        ({"hosts": ("",)}, set()),
        ({"words": "FACT 1"}, {"c1"}),
        ({"words": "not a wörd"}, {"panel"}),
        ({"confidence_below": 0.6}, {"panel"}),
        ({"near": 0.5}, {"panel"}),
        ({"near": 0.5, "band": 0.4}, {"c0", "c1", "panel"}),
        ({"judges_differ": True}, {"panel"}),
        ({"reviewed": False}, {"c0", "c1", "late", "panel"}),
        ({"reviewed": True}, set()),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_filter_lets_through(mixed, fields, expected):
    assert matching_ids(mixed, **fields) == expected
    assert CitationQuery(mixed).count(ItemFilter(**fields)) == len(expected)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"reviewed": True}, {"c0", "c1", "panel"}),
        ({"reviewed": False}, {"late"}),
        ({"judge_differs": True}, {"c0"}),
        ({"reviewers_differ": True}, {"c0"}),
        ({"labels": ("cannot_tell",)}, {"panel"}),
        ({"reviewers": ("Bob",)}, {"c0", "c1"}),
        ({"faults": ("judge",)}, {"c0"}),
        ({"tags": ("odd", "rare")}, {"c0"}),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_filter_by_what_people_said(mixed, fields, expected):
    def add_label(key, item, label, reviewer, **label_fields):
        mixed.add_label(make.label(key, label, citation_id=item, reviewer=reviewer, **label_fields))

    add_label("1", "c0", "supported", "Ada")
    add_label("2", "c0", "partially_supported", "Bob", fault="judge", tags=("odd",))
    add_label("3", "c1", "contradicted", "Bob")
    add_label("4", "panel", "cannot_tell", "Ada")
    assert matching_ids(mixed, **fields) == expected


def test_settled_items_are_no_longer_at_odds(mixed):
    for key, label, reviewer, role in (
        ("1", "supported", "Ada", "review"),
        ("2", "contradicted", "Bob", "review"),
        ("3", "supported", "Cy", "adjudication"),
    ):
        mixed.add_label(make.label(key, label, citation_id="c0", reviewer=reviewer, role=role))
    assert matching_ids(mixed, reviewers_differ=True) == set()


def test_an_item_says_what_a_line_shows(mixed):
    (item,) = CitationQuery(mixed).find(ItemFilter(error_kinds=("timeout",)))
    assert (item.raw, item.host, item.error_kind, item.labels) == (
        "[2]",
        "en.slow.example",
        "timeout",
        (),
    )
    assert item.name == "report r1"


def test_choices_count_what_is_left(mixed):
    choices = CitationQuery(mixed).choices(ItemFilter())
    assert choices.verdicts == {
        "contradicted": 1, "not_supported": 1, "supported": 1, "unverifiable": 1
    }  # fmt: skip
    assert choices.hosts == {"bridge.example": 2, "b.example": 1, "en.slow.example": 1}
    assert choices.error_kinds == {"timeout": 1}


def test_pages_do_not_overlap(store):
    fill(store, 9)
    pages = [
        [
            item.citation_id
            for item in CitationQuery(store).find(ItemFilter(), limit=4, offset=offset)
        ]
        for offset in (0, 4, 8)
    ]
    assert sum(pages, []) == [f"c{n}" for n in range(9)]


def order(store, **fields):
    queue = Queues(store).build("q", created_by="Zoe", **fields)
    turns, order_seen = ReviewTaskService(store), []
    turn = turns.open(queue.id, "Ada", content=False)
    while turn.item:
        order_seen.append(turn.item.citation_id)
        turn = turns.decide(
            queue.id, "Ada", turn.item.position, LabelDecision(label="supported"), content=False
        )
    return order_seen


def test_orders(mixed):
    # confidence: c0 .9, c1 .8, panel .55; the one that was never judged comes last
    assert order(mixed, order="uncertain_first") == ["panel", "c1", "c0", "late"]
    near_threshold = ItemFilter(near=0.88, band=1.0)
    assert order(mixed, chosen=near_threshold, order="uncertain_first") == ["c0", "c1", "panel"]
    by_document = order(mixed, order="document")
    assert by_document.index("c0") < by_document.index("c1")
    first, second = (order(mixed, order="random", seed=7) for _ in range(2))
    assert first == second
    orders = {tuple(order(mixed, order="random", seed=seed)) for seed in range(6)}
    assert len(orders) > 1
    assert {tuple(sorted(item_order)) for item_order in orders} == {tuple(sorted(first))}


def test_a_queue_from_a_list_keeps_its_order_and_leaves_out_what_is_not_there(mixed):
    items = [("r1", "late"), ("r1", "nope"), ("r1", "c0"), ("r1", "late")]
    assert order(mixed, items=items) == ["late", "c0"]


def test_a_queue_comes_back_as_it_was_created(mixed):
    queues = Queues(mixed)
    queue = queues.build(
        "  Doubtful\nones ",
        ItemFilter(verdicts=("supported", "not_supported"), near=0.5, band=0.45),
        created_by="Zoe",
        order="random",
        seed=3,
        blind=True,
        reviews=2,
        reviewers=["Bob", "Ada", "Bob"],
    )
    assert queue.name == "Doubtful ones"
    assert replace(queues.get(queue.id), reviewers=("Bob", "Ada")) == queue
    assert queues.get(queue.id).reviewers == ("Ada", "Bob")


def test_the_list_of_queues_tells_how_far_each_is(mixed):
    clock = Clock()
    queues, turns = Queues(mixed, clock), ReviewTaskService(mixed, clock)
    first = queues.build("first", created_by="Zoe", reviews=2).id
    second = queues.build("second", created_by="Zoe", reviewers=["Bob"]).id
    turn = turns.open(first, "Ada")
    turns.decide(first, "Ada", turn.item.position, LabelDecision(label="supported"))
    newest, oldest = queues.list_queues()
    assert (newest.queue.id, oldest.queue.id) == (second, first)
    assert (oldest.items, oldest.done, oldest.reviews_given, oldest.reviews_needed) == (4, 0, 1, 8)
    assert oldest.at_work == ("Ada",)
    assert oldest.last_at is not None
    assert [queue.queue.id for queue in queues.list_queues("Ada")] == [first]
    queues.close(first, "Zoe")
    assert [queue.queue.id for queue in queues.list_queues()] == [second]
    assert len(queues.list_queues(closed=True)) == 2


def test_what_fits_later_is_added_at_the_end(mixed):
    queues = Queues(mixed)
    queue = queues.build("q", created_by="Zoe", limit=2, order="document").id
    assert queues.list_queues()[0].items == 2
    assert queues.refresh(queue) == 2
    fill(mixed, 3, "r2")
    assert queues.refresh(queue) == 3
    assert queues.refresh(queue) == 0
    turn = ReviewTaskService(mixed).open(queue, "Ada", 6)
    assert turn.item.run_id == "r2"


def test_reviewers_come_and_go(mixed):
    clock = Clock()
    queues = Queues(mixed, clock)
    queue = queues.build("q", created_by="Zoe", reviewers=["Ada", "Bob"], reviews=2).id
    assert queues.assign(queue, ["Bob", "Cy"]).reviewers == ("Bob", "Cy")
    with pytest.raises(UsageError, match="2 reviewers but only 1"):
        queues.assign(queue, ["Bob"])
    assert queues.assign(queue, ["Ada", "Bob"]).reviewers == ("Ada", "Bob")
    assert queues.assign(queue, []).reviewers == ()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": " \n "}, "needs a name"),
        ({"reviews": 0}, "at least one review"),
        ({"reviews": 3, "reviewers": ["Ada"]}, "3 reviewers but only 1"),
        ({"order": "backwards"}, "no order 'backwards'"),
        ({"chosen": ItemFilter(words="xyzzy")}, "No item fits"),
        ({"created_by": "  "}, "Enter a reviewer name"),
        ({"items": []}, "No item fits"),
    ],
    ids=str,
)
def test_a_plan_that_cannot_be_worked_off_is_refused(mixed, fields, message):
    plan = {"name": "q", "created_by": "Zoe"} | fields
    with pytest.raises(UsageError, match=message):
        Queues(mixed).build(**plan)
    assert Queues(mixed).list_queues(closed=True) == [], "nothing of it stays"


def test_an_unknown_queue_gets_a_sentence(store):
    with pytest.raises(StoreError, match="no queue 'nope'"):
        Queues(store).get("nope")


def test_filters_go_through_json():
    chosen = ItemFilter(runs=("r1",), reviewed=False, near=0.5, judges_differ=True, words="a b")
    assert chosen.to_dict() == {
        "runs": ["r1"], "reviewed": False, "near": 0.5, "judges_differ": True, "words": "a b"
    }  # fmt: skip
    assert parse_filter(chosen.to_dict()) == chosen
    assert ItemFilter().to_dict() == {}


@pytest.mark.parametrize(
    "raw",
    [{"colour": "red"}, {"runs": "r1"}, {"near": "high"}, {"words": 3}, {"judges_differ": "yes"}],
    ids=str,
)
def test_a_filter_of_another_shape_is_refused(raw):
    with pytest.raises(ValueError, match=next(iter(raw))):
        parse_filter(raw)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("Zoe\u0301", "Zo\u00e9"),
        ("Ada\n\u202eLovelace", "Ada Lovelace"),
        ("李明", "李明"),
    ],
)
def test_names_are_kept_in_one_form(typed, expected):
    assert normalize_reviewer_name(typed) == expected


@pytest.mark.parametrize("typed", ["", " \u200b\n", "x" * 81], ids=["empty", "blank", "long"])
def test_no_name_is_no_name(typed):
    with pytest.raises(UsageError, match="name"):
        normalize_reviewer_name(typed)


def test_reviewers_are_those_who_labelled_or_were_assigned(mixed):
    mixed.add_label(make.label(reviewer="Ada Lovelace"))
    Queues(mixed).build("q", created_by="Zoe", reviewers=["bob"])
    people = LabelRepository(mixed)
    assert people.reviewers() == ["Ada Lovelace", "bob"]
