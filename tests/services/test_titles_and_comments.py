"""Titles of runs, and comments on citations: kept, shown, found, hidden while blind, erased."""

import pytest

from tests.fakes import records as make
from tests.fakes.desk import Clock, fill
from workbench.errors import NotFoundError, StoreError, UsageError
from workbench.interfaces.web.run_cache import load_review
from workbench.presentation.citation_card import card_data
from workbench.presentation.run_view import headline
from workbench.records.review import LabelDecision
from workbench.services.labels import comments_of_run, list_comments
from workbench.services.runs import list_runs, rename_run
from workbench.store.admin.erasure import Erasures
from workbench.store.labels.repository import CommentRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.search import Search
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    fill(store, 3, source=make.source("Fact 0 holds. " * 5))
    return store


def test_a_title_is_the_run_s_name_everywhere_and_empty_brings_the_first_back(store):
    assert headline(load_review(store, "r1")) == "report r1"
    assert rename_run(store, "r1", "  A <b>new</b>\n\x00title ", "Ada").name == "A <b>new</b> title"
    assert headline(load_review(store, "r1")) == "A <b>new</b> title"
    rename_run(store, "r1", "Another", "Bob")
    assert [run.name for run in list_runs(store)] == ["Another"]
    assert Search(store).find("fact").hits[0].name in ("Another", "report r1")
    assert rename_run(store, "r1", " ", "Ada").name == "report r1"
    with store.transaction() as connection:
        rows = connection.execute(
            "select title, before, reviewer from run_titles order by created_at"
        ).fetchall()
    assert rows == [
        ("A <b>new</b> title", "report r1", "Ada"),
        ("Another", "A <b>new</b> title", "Bob"),
        ("report r1", "Another", "Ada"),
    ]


def test_a_run_without_a_name_is_headed_by_its_text_again(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    text = "Let me see.\n\n# Bridges of the north\n\n" + make.TEXT
    run = make.run("r1", [], text=text)
    store.add_run(run, text)
    store.finish_run(run)
    rename_run(store, "r1", "Mine", "Ada")
    rename_run(store, "r1", "", "Ada")
    assert headline(load_review(store, "r1")) == "Bridges of the north"


def test_what_cannot_be_renamed_is_told(store):
    with pytest.raises(NotFoundError, match="no run 'r9'"):
        rename_run(store, "r9", "x", "Ada")
    with pytest.raises(UsageError, match="up to 200 characters, not 201"):
        rename_run(store, "r1", "x" * 201, "Ada")


def test_comments_stand_on_the_card_as_text_oldest_first(store):
    CommentRepository(store).add("r1", "c0", " Ada ", "See <b>page 2</b> \ud800")
    CommentRepository(store).add("r1", "c0", "Bob", "Agreed.")
    CommentRepository(store).add("r1", "c1", "Bob", "Other.")
    card = card_data(load_review(store, "r1"), "c0", None)
    assert [(one["by"], one["body"]) for one in card["comments"]] == [
        ("Ada", "See <b>page 2</b> \ufffd"), ("Bob", "Agreed."),
    ]  # fmt: skip
    assert {name: len(found) for name, found in comments_of_run(store, "r1").items()} == {
        "c0": 2, "c1": 1,
    }  # fmt: skip
    (page,) = list_comments(store, run_id="r1", limit=1, offset=2)
    assert page.body == "Other."


@pytest.mark.parametrize(
    ("run", "citation", "body", "error", "told"),
    [
        ("r1", "c9", "x", UsageError, "no citation 'c9'"),
        ("r9", "c0", "x", StoreError, "no run 'r9'"),
        ("r1", "c0", "  ", UsageError, "is empty"),
        ("r1", "c0", "x" * 10_001, UsageError, "10,000 characters, not 10,001"),
    ],
)
def test_a_comment_that_cannot_be_kept_is_told(store, run, citation, body, error, told):
    with pytest.raises(error, match=told):
        CommentRepository(store).add(run, citation, "Ada", body)
    assert list_comments(store) == []


def test_a_blind_queue_shows_comments_of_others_once_the_item_is_settled(store):
    queue = Queues(store).build(
        "blind", created_by="Zoe", order="document", blind=True, reviews=2
    ).id  # fmt: skip
    tasks = ReviewTaskService(store, Clock())
    CommentRepository(store).add("r1", "c0", "Bob", "I think it is false.")
    CommentRepository(store).add("r1", "c0", "Ada", "Mine.")

    def seen(who):
        return [comment.body for comment in tasks.open(queue, who, 0).comments]

    assert seen("Ada") == ["Mine."]
    tasks.decide(queue, "Ada", 0, LabelDecision(label="supported"))
    assert seen("Ada") == ["Mine."], "one of two reviews"
    tasks.decide(queue, "Bob", 0, LabelDecision(label="supported"))
    assert seen("Ada") == ["I think it is false.", "Mine."]
    settle = (
        Queues(store)
        .build("s", created_by="Zoe", role="adjudication", blind=True, items=[("r1", "c0")])
        .id
    )
    assert len(tasks.open(settle, "Zoe", 0).comments) == 2


def test_comments_are_found_and_go_with_their_output(store):
    CommentRepository(store).add("r1", "c1", "Ada", "A wholly unusual remark")
    results = Search(store).find("unusual", ["comment"])
    (hit,) = results.hits
    assert (hit.kind, hit.run_id, hit.citation_id, hit.author) == ("comment", "r1", "c1", "Ada")
    rename_run(store, "r1", "Unheard title", "Ada")
    erasures = Erasures(store)
    erasures.erase(erasures.output_of("r1"), "Zoe", "personal_data")
    left = store.path.read_bytes()
    assert b"unusual remark" not in left
    assert b"Unheard title" not in left
