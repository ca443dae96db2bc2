"""What waits for the reviewer, at the top of Home."""

from datetime import timedelta

from tests.fakes import records as make
from tests.fakes.app_page import APP, AppTest, cell_texts, component, open_page
from tests.fakes.desk import START, fill
from workbench.records.queue import ItemFilter
from workbench.records.review import LabelDecision
from workbench.services.review_tasks import open_work
from workbench.store.labels.repository import CommentRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService

HOSTILE = "<img src=x onerror=alert(1)> [x](javascript:alert(1))"


def label(store, number, reviewer, citation="c0", value="supported", run="r1", **fields):
    store.add_label(
        make.label(
            f"{number}", value, run_id=run, citation_id=citation, reviewer=reviewer,
            created_at=START + timedelta(hours=number), **fields,
        )
    )  # fmt: skip


def decide(store, queue, reviewer, citation):
    decision = LabelDecision(label="supported")
    ReviewTaskService(store).label_item(queue.id, reviewer, "r1", citation, decision)


def work_of(store, reviewer):
    return open_work(store, reviewer, Queues(store).list_queues())


def home_of(reviewer):
    at = AppTest.from_file(APP, default_timeout=60)
    at.session_state["who"] = reviewer
    at.switch_page("pages/home.py").run()
    assert not at.exception and not at.error
    return at


def test_a_queue_counts_what_is_left_for_each_reviewer(store):
    fill(store, 4)
    queue = Queues(store).build("Morning", created_by="Ada")
    decide(store, queue, "Ada", "c0")
    decide(store, queue, "Bob", "c1")
    own = {name: work_of(store, name).own_items[queue.id] for name in ("Ada", "Cyd")}
    assert (own["Ada"].decided, own["Ada"].left) == (1, 2)
    assert (own["Cyd"].decided, own["Cyd"].left) == (0, 2)


def test_a_queue_for_others_is_not_mine(store):
    fill(store, 2)
    Queues(store).build("Theirs", created_by="Ada", reviewers=["Bob"])
    assert work_of(store, "Ada").own_items == {}


def test_who_disagreed_does_not_settle_it(store):
    fill(store, 2)
    label(store, 1, "Ada", "c0", "supported")
    label(store, 2, "Bob", "c0", "contradicted")
    assert [work_of(store, name).disagreements for name in ("Ada", "Bob", "Cyd", None)] == [
        0, 0, 1, 1,
    ]  # fmt: skip
    queue = Queues(store).build(
        "Settle", ItemFilter(reviewers_differ=True), created_by="Ada", role="adjudication"
    )
    for name, left in [("Ada", 0), ("Cyd", 1)]:
        work = work_of(store, name)
        assert (work.disagreements, work.own_items[queue.id].left) == (0, left)


def test_runs_that_nobody_finished_reviewing(store):
    fill(store, 2, run_id="r1")
    fill(store, 1, run_id="r2")
    label(store, 1, "Bob", "c0", run="r1")
    label(store, 2, "Bob", "c0", run="r2")
    (run,) = work_of(store, "Ada").runs
    assert (run.id, run.unreviewed, run.citations) == ("r1", 1, 2)


def test_comments_of_others_on_my_citations_and_none_on_what_is_still_blind(store):
    fill(store, 3)
    label(store, 1, "Ada", "c0")
    CommentRepository(store).add("r1", "c1", "Ada", "Is this page 3?")
    for citation in ("c0", "c1", "c2"):
        CommentRepository(store).add("r1", citation, "Bob", f"See {citation}")
    assert {line.comment.body for line in work_of(store, "Ada").comments} == {"See c0", "See c1"}
    assert work_of(store, "Ada").comments[0].claim.startswith("Fact")
    Queues(store).build("Blind", created_by="Cyd", blind=True)
    assert work_of(store, "Ada").comments == ()


def test_home_leads_to_the_work_of_the_reviewer(store):
    fill(store, 3)
    queue = Queues(store).build("Morning", created_by="Ada")
    decide(store, queue, "Ada", "c0")
    label(store, 2, "Bob", "c1", "supported")
    label(store, 3, "Cyd", "c1", "contradicted")
    CommentRepository(store).add("r1", "c0", "Bob", HOSTILE)
    at = home_of("Ada")
    lines = component(at, "home-work")["rows"]
    assert [(name["text"], left["text"], name.get("more", "")) for name, left, _ in lines] == [
        ("Continue queue: Morning", "2 of 3", ""),
        ("Create an adjudication queue: 1 disagreement", "1",
         "in no adjudication queue yet, one without a label of yours"),
        (f"Bob commented: {HOSTILE}", "", "Fact 0 holds"),
        ("Review run: report r1", "1 of 3", ""),
    ]  # fmt: skip
    targets = [name["href"] for name, _, _ in lines]
    for target, start in zip(
        targets,
        (f"queues?queue={queue.id}", "queues?q=", "./?run=r1&c=c0", "./?run=r1&who=Ada"),
        strict=True,
    ):
        assert target.startswith(start)


def test_without_a_name_it_is_the_work_of_the_team(store):
    fill(store, 2)
    Queues(store).build("Theirs", created_by="Ada", reviewers=["Bob"])
    at = open_page("home")
    assert (
        "You have not entered a name, so this is the open work of the whole team. Enter your name "
        "at the top right to see your own."
    ) in [box.value for box in at.caption]
    assert cell_texts(at, "home-work")[0][:2] == ["Start queue: Theirs", "2 of 2"]


def test_where_nothing_waits_home_says_what_belongs_there(store):
    fill(store, 1)
    label(store, 1, "Ada")
    at = home_of("Ada")
    assert (
        "Nothing is waiting for you. Queues with items left for you, disagreements to adjudicate, "
        "unreviewed runs and comments on your citations appear here."
    ) in [box.value for box in at.caption]
