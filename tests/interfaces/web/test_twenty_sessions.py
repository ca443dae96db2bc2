"""Twenty reviewers at their desks, a check under way, and the command line in other processes."""

import json
import subprocess
import threading
from collections import Counter

import duckdb
import pytest

from tests.fakes.desk import fill
from tests.fakes.launched import launched
from workbench.interfaces.web.queues.actions import perform
from workbench.interfaces.web.queues.view import QueueSession
from workbench.pipeline.options import VerifyOptions
from workbench.presentation.run_desk import KeyAction
from workbench.records.verdict import HUMAN_LABELS
from workbench.services.verification import verify_and_store
from workbench.settings import load_settings
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.store import Store

pytestmark = pytest.mark.reopens

SESSIONS = 20
ITEMS = 30
REVIEWS = 2
CITED = 30
ANSWER = "\n\n".join(f"Fact {n} about the bridge is told here [1]." for n in range(CITED))
ANSWER += "\n\n## References\n[1] The bridge. https://bridge.example/a\n"
RULES = {"default": {"label": "supported", "quote": "*"}}
SOURCES = [{"url": "https://bridge.example/a", "content": "All facts about the bridge stand here."}]


class Session:
    """One browser: every press is sent twice, as a bad connection does, and some are undone."""

    def __init__(self, path, queue, number):
        self.number, self.presses, self.kept = number, 0, 0
        # each session of the server has a store of its own on the same file
        self.store = Store(path)
        name = f"Reviewer {number}"
        self.seated = QueueSession(
            queue_id=queue, reviewer=name, task=ReviewTaskService(self.store).open(queue, name)
        )

    def press(self, verb, **more):
        self.presses += 1
        at = self.seated.task.item.position
        act = KeyAction(id=f"{self.number}-{self.presses}", verb=verb, at=at, **more)
        outcome = perform(self.store, self.seated, act)
        assert not self.seated.status.bad, self.seated.status.text
        assert not perform(self.store, self.seated, act), "the same press does nothing again"
        return outcome

    def work(self):
        while self.seated.task.item:
            label = HUMAN_LABELS[self.presses % len(HUMAN_LABELS)]
            self.kept += self.press("label", label=label, note=f"note {self.presses}")
            if self.presses == 1 and self.seated.task.item:
                self.press("undo")
                self.kept -= 1


def run_beside(threads, commands):
    """Run commands in processes of their own again and again until the threads have ended."""
    documents = []
    for thread in threads:
        thread.start()
    while True:
        alive = any(thread.is_alive() for thread in threads)
        for arguments in commands:
            done = subprocess.run(
                launched(*arguments, "--json"),
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode in (0, 1), done.stderr
            documents.append((arguments[0], json.loads(done.stdout)))
        if not alive:
            break
    for thread in threads:
        thread.join()
    return documents


@pytest.mark.slow
def test_twenty_sessions_a_run_and_the_command_line(tmp_path):
    settings = load_settings()
    store = Store(settings.database)
    fill(store, ITEMS)
    queue = Queues(store).build("all", created_by="Zoe", order="random", reviews=REVIEWS).id
    rules_file, answer_file, sources_file = (
        tmp_path / name for name in ("r.json", "a.md", "s.json")
    )
    rules_file.write_text(json.dumps(RULES))
    answer_file.write_text(ANSWER)
    sources_file.write_text(json.dumps(SOURCES))
    judge = f"scripted:{rules_file}"
    failures, runs = [], []

    def record_failure(work):
        try:
            work()
        except BaseException as error:  # reported by the main thread
            failures.append(error)

    def check():
        for name in ("one", "two"):
            runs.append(
                verify_and_store(
                    store,
                    ANSWER,
                    name,
                    VerifyOptions(judge=judge, sources=SOURCES, snapshots=settings.snapshots),
                )
            )

    sessions = [Session(store.path, queue, number) for number in range(SESSIONS)]
    threads = [
        threading.Thread(target=record_failure, args=(session.work,)) for session in sessions
    ]
    threads.append(threading.Thread(target=record_failure, args=(check,)))
    documents = run_beside(
        threads,
        [
            ["verify", str(answer_file), "--judge", judge, "--sources", str(sources_file)],
            ["search", "fact", "--in", "claim"],
            ["export", "jsonl", "--out", str(tmp_path / "all.jsonl")],
        ],
    )
    assert failures == []
    with duckdb.connect(str(store.path)) as connection:
        rows = connection.execute(
            "select reviewer, queue_position, count(*) from active_labels group by all"
        ).fetchall()
        ((every, distinct),) = connection.execute(
            "select count(*), count(distinct id) from labels"
        ).fetchall()
    assert every == distinct
    assert {number for *_, number in rows} == {1}, "no label of one reviewer is there twice"
    assert set(Counter(position for _, position, _ in rows).values()) == {REVIEWS}
    assert len(rows) == ITEMS * REVIEWS
    assert Counter(name for name, *_ in rows) == +Counter(
        {f"Reviewer {session.number}": session.kept for session in sessions}
    ), "what each was told is what is there"
    # every run is whole, those of this process and those of the command line
    checked_runs = [document["id"] for command, document in documents if command == "verify"]
    assert checked_runs and len(runs) == 2
    for run_id in (*checked_runs, *(run.id for run in runs)):
        assert store.get_run(run_id).total_resolved == CITED
    claim_counts = [
        document["counts"]["claim"] for command, document in documents if command == "search"
    ]
    assert claim_counts == sorted(claim_counts) and claim_counts[-1] == ITEMS + CITED * (
        len(checked_runs) + 2
    )
