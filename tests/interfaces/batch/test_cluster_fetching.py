"""Workers that fetch at the same time: one rate limit per host, one set of stored pages; without Ray."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fakes.web_server import PUBLIC, diverted, fake_web, page
from workbench.interfaces.batch import entries, load_entry
from workbench.interfaces.batch.ray import task
from workbench.interfaces.batch.ray.task import (
    PER_HOST,
    HostLimiterActor,
    OutputTask,
    Shared,
    SnapshotActor,
)
from workbench.pipeline.options import VerifyOptions
from workbench.services.batch.parts import PARTS, Writer, merge_parts
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.store import Store

WORKERS, EACH = 4, 5
ARTICLE = "<html><body><article><p>The bridge is 120 metres long.</p></article></body></html>"


class Actor:
    """An object with a loop and a thread of its own, called as actors are: `.method.remote(…)`."""

    def __init__(self, make):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.inner = asyncio.run_coroutine_threadsafe(self._made(make), self._loop).result()

    async def _made(self, make):
        return make()

    def __getattr__(self, name):
        method = getattr(self.inner, name)
        loop = self._loop

        class Call:
            @staticmethod
            def remote(*arguments):
                return Answer(asyncio.run_coroutine_threadsafe(method(*arguments), loop))

        return Call

    def stop(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Answer:
    """An actor's pending answer: to be awaited, or waited for in a thread."""

    def __init__(self, future):
        self.future = future

    def __await__(self):
        return asyncio.wrap_future(self.future).__await__()


@pytest.fixture
def actors(tmp_path, monkeypatch):
    hosts, library = Actor(HostLimiterActor), Actor(lambda: SnapshotActor(tmp_path / "kept"))
    monkeypatch.setattr(task, "_actor_answer", lambda answer: answer.future.result(60))
    yield Shared(hosts=hosts, library=library)
    hosts.stop()
    library.stop()


def jobs(tmp_path, shared):
    """For each worker an output that cites pages of its own, all of one host."""
    path = tmp_path / "in.jsonl"
    with path.open("w") as file:
        for worker in range(WORKERS):
            addresses = [f"http://a.example/{worker}/{n}" for n in range(EACH)]
            claims = " ".join(
                f"Bridge {n} is 120 metres long [{n + 1}]." for n, _ in enumerate(addresses)
            )
            listed = "\n".join(f"[{n + 1}] {address}" for n, address in enumerate(addresses))
            file.write(json.dumps({"text": f"{claims}\n\n## References\n{listed}\n"}) + "\n")
    return [
        OutputTask(
            entry=load_entry(entry), token=f"t{number}", shared=shared,
            options=VerifyOptions(judge=["local"], allow_fetch=True, max_cost_usd=None),
        )
        for number, entry in enumerate(entries([path]))
    ]  # fmt: skip


def test_a_host_is_asked_politely_by_all_workers_together(tmp_path, monkeypatch, actors):
    slow = {"*": page(ARTICLE, delay=0.05)}
    with fake_web(slow) as web, diverted(monkeypatch, web, {"a.example": [PUBLIC]}):

        def work(job):
            return asyncio.run(task._check(job))

        with ThreadPoolExecutor(WORKERS) as workers:
            done = list(workers.map(work, jobs(tmp_path, actors)))
        assert web.most_by_host["a.example"] == PER_HOST
        assert len(web.requests) == WORKERS * EACH
        # a second pass finds the pages on the machine of the batch, and sends no request
        later = work(jobs(tmp_path, actors)[0])
        assert len(web.requests) == WORKERS * EACH
    assert all(
        json.loads(outcome.rows.runs[0]["record"])["total_resolved"] == EACH for outcome in done
    )
    assert len(later.rows.snapshots) == EACH
    assert len(SnapshotFolder(tmp_path / "kept").list()) == WORKERS * EACH
    Writer(folder=tmp_path / "out" / PARTS).write([outcome.rows for outcome in done])
    elsewhere = SnapshotFolder(tmp_path / "elsewhere")
    merged = merge_parts(Store(tmp_path / "a.duckdb"), elsewhere, tmp_path / "out")
    assert (merged.imported, merged.snapshots) == (WORKERS, WORKERS * EACH)
    assert {snapshot.url for snapshot in elsewhere.list()} == {
        f"http://a.example/{w}/{n}" for w in range(WORKERS) for n in range(EACH)
    }
    # merged where they were fetched, they are known already
    assert merge_parts(
        Store(tmp_path / "b.duckdb"), SnapshotFolder(tmp_path / "kept"), tmp_path / "out"
    ).snapshots == 0  # fmt: skip
