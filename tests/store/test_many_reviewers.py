"""Twenty reviewers at once, a run being stored and another process: nothing lost or doubled."""

import subprocess
import sys
import threading
from collections import Counter

import pytest

from tests.fakes import records as make
from tests.fakes.desk import fill
from workbench.records.review import LabelDecision
from workbench.records.text import Span
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.verdict_buffer import VerdictWriteBuffer
from workbench.store.store import Store

REVIEWERS = 20
ITEMS = 50
REVIEWS = 2

ANOTHER_PROCESS = """
import sys
from workbench.records.review import LabelDecision
from workbench.store.runs.items import CitationQuery
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.store import Store
from workbench.records.queue import ItemFilter
store, queue = Store(sys.argv[1]), sys.argv[2]
turns = ReviewTaskService(store)
turn = turns.open(queue, "Reviewer elsewhere")
given = 0
while turn.item:
    position = turn.item.position
    turn = turns.decide(queue, "Reviewer elsewhere", position, LabelDecision(label="supported"))
    given += 1
    assert store.list_runs() and CitationQuery(store).count(ItemFilter()) >= 50
print(given)
"""


@pytest.mark.slow
def test_twenty_reviewers_a_run_and_another_process(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    fill(store, ITEMS)
    queue = Queues(store).build("all", created_by="Zoe", order="random", reviews=REVIEWS).id
    expected_counts: dict[str, int] = Counter()
    failures: list[BaseException] = []

    def review(number):
        name = f"Reviewer {number}"
        # each has their own store, as each session of a server has
        turns = ReviewTaskService(Store(store.path))
        try:
            turn = turns.open(queue, name, content=False)
            undone = False
            while turn.item:
                position = turn.item.position
                turn = turns.decide(
                    queue, name, position, LabelDecision(label="contradicted"), content=False
                )
                expected_counts[name] += 1
                if not undone:
                    turn = turns.undo(queue, name, content=False)
                    assert turn.item.position == position
                    undone, expected_counts[name] = True, 0
        except BaseException as error:  # set by the main thread
            failures.append(error)

    def record():
        try:
            run = make.run("while", text=make.TEXT)
            store.add_run(run, make.TEXT, "while they review")
            recording = VerdictWriteBuffer(store)
            for number in range(60):
                citation = make.citation(1, id=f"w{number}", span=Span(number, number + 3))
                recording.add_verdict("while", make.result(1, citation=citation))
            recording.flush()
            store.finish_run(run)
        except BaseException as error:
            failures.append(error)

    other = subprocess.Popen(
        [sys.executable, "-c", ANOTHER_PROCESS, str(store.path), queue],
        stdout=subprocess.PIPE,
        text=True,
    )
    threads = [threading.Thread(target=review, args=(n,)) for n in range(REVIEWERS)]
    threads.append(threading.Thread(target=record))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    printed, _ = other.communicate(timeout=120)
    assert failures == []
    assert other.returncode == 0
    with store.transaction() as connection:
        rows = connection.execute(
            "select reviewer, queue_position, count(*) from active_labels "
            "where queue_id = ? group by all",
            [queue],
        ).fetchall()
        (every,) = connection.execute(
            "select count(*), count(distinct id) from labels where queue_id = ?", [queue]
        ).fetchall()
    assert {number for *_, number in rows} == {1}, "nobody's label of an item is there twice"
    assert set(Counter(position for _, position, _ in rows).values()) == {REVIEWS}
    assert len({position for _, position, _ in rows}) == ITEMS
    assert every[0] == every[1]
    written_per_reviewer = Counter(reviewer for reviewer, *_ in rows)
    expected = Counter(expected_counts) + Counter({"Reviewer elsewhere": int(printed)})
    assert written_per_reviewer == expected, "what each was told is what is there"
    assert len(store.get_run("while").citations) == 60
