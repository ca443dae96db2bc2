"""What a reviewer's moves, a search and the figures of the home page cost on a large database.

Run: python tests/bench/bench_queue.py [VERDICTS]
"""

import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fakes import records as make
from workbench.records.queue import ItemFilter
from workbench.records.review import LabelDecision
from workbench.records.text import Excerpt, Span
from workbench.records.verdict import VerdictLabel
from workbench.store.admin.backup import back_up
from workbench.store.admin.erasure import Erasures
from workbench.store.labels.agreement import AgreementQueries
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.dashboard import DashboardQueries
from workbench.store.runs.items import CitationQuery
from workbench.store.runs.runs import RunNames
from workbench.store.runs.search import Search
from workbench.store.store import Store

WORDS = (
    "the bridge river city council report measured length opened engineer steel concrete growth "
    "percent study patients treatment effect significant company revenue model energy climate "
    "temperature species population survey government law court while between several against"
).split()
LABELS: tuple[VerdictLabel, ...] = (
    "supported",
    "partially_supported",
    "not_supported",
    "contradicted",
)
SOURCES = 2000
EACH = 1000


def random_text(generator: random.Random, words: int) -> str:
    return " ".join(generator.choices(WORDS, k=words))


def fill(store: Store, verdicts: int) -> None:
    generator = random.Random(7)
    sources = [
        make.source(
            random_text(generator, 1500),
            url=f"https://site{n % 300}.example/{n}",
            final_url=f"https://site{n % 300}.example/{n}",
            pages=(),
        )
        for n in range(SOURCES)
    ]
    for number in range(verdicts // EACH):
        parts, results, place = [], [], 0
        for n in range(EACH):
            claim = f"Of {number}.{n} {random_text(generator, 25)} "
            marker = f"[{n}]"
            citation = make.citation(
                1,
                id=f"c{n}",
                raw=marker,
                span=Span(place + len(claim), place + len(claim) + len(marker)),
                claim=Excerpt(span=Span(place, place + len(claim)), text=claim),
            )
            label = generator.choice(LABELS)
            judgment = make.judgment(
                label,
                confidence=generator.random(),
                score=generator.random(),
                rationale=random_text(generator, 25),
            )
            results.append(
                make.result(
                    1,
                    label,
                    citation=citation,
                    judgment=judgment,
                    judgments=(judgment,),
                    source=generator.choice(sources),
                )
            )
            parts.append(claim + marker + ". ")
            place += len(parts[-1])
        text = "".join(parts)
        run = make.run(f"run{number}", results=results, text=text)
        store.add_run(run, text, f"report {number}")
        store.finish_run(run)


def measure(name: str, work: Callable[[], object], rounds: int = 25) -> None:
    walls, cpus = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append((time.perf_counter() - wall) * 1000)
        cpus.append((time.process_time() - cpu) * 1000)
    walls.sort()
    print(
        f"  {name:44} median {statistics.median(walls):6.0f} ms   "
        f"95 % {walls[int(len(walls) * 0.95)]:6.0f} ms   "
        f"processor {statistics.median(cpus):6.0f} ms"
    )


def moves(store: Store, queue_id: str) -> None:
    turns = ReviewTaskService(store)
    at = [turns.open(queue_id, "Ada").item]

    def key(label: VerdictLabel) -> None:
        item = at[0]
        assert item is not None
        at[0] = turns.decide(queue_id, "Ada", item.position, LabelDecision(label=label)).item

    def step(by: int) -> None:
        item = at[0]
        assert item is not None
        at[0] = turns.step(queue_id, "Ada", item.position, 1 if by > 0 else -1).item

    measure("take a label and the next item", lambda: key("supported"), 60)
    measure("next", lambda: step(1))
    measure("previous", lambda: step(-1))
    measure("undo", lambda: turns.undo(queue_id, "Ada"), 10)
    measure("list of queues", lambda: Queues(store).list_queues())


def crowd(store: Store, queue_id: str, people: int = 20, labels: int = 6) -> None:
    waits: list[float] = []

    def work(name: str) -> None:
        turns = ReviewTaskService(Store(store.path))
        turn = turns.open(queue_id, name)
        for _ in range(labels):
            assert turn.item is not None
            since = time.perf_counter()
            turn = turns.decide(
                queue_id, name, turn.item.position, LabelDecision(label="supported")
            )
            waits.append((time.perf_counter() - since) * 1000)

    threads = [threading.Thread(target=work, args=(f"Reviewer {n}",)) for n in range(people)]
    since = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - since
    print(
        f"  {people} reviewers without a pause: {len(waits) / took:.1f} labels a second, "
        f"median wait {statistics.median(waits):.0f} ms"
    )


def label_half(store: Store, queue_id: str) -> None:
    """Two reviewers have labelled the first 45 % of the queue."""
    with store.transaction() as connection:
        connection.execute(
            "insert into labels (id, run_id, citation_id, label, reviewer, created_at, note, role, "
            "saw_judge, queue_id, queue_position, seconds) "
            "select position || name, run_id, citation_id, 'supported', name, now(), 'a note', "
            "'review', false, queue_id, position, 10 from queue_items, "
            "(values ('Ada'), ('Bob')) people(name) where queue_id = ? "
            "and position < 0.45 * (select count(*) from queue_items where queue_id = ?)",
            [queue_id, queue_id],
        )


def main(verdicts: int) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        store = Store(folder / "w.duckdb")
        since = time.perf_counter()
        fill(store, verdicts)
        size = store.path.stat().st_size / 1e6
        print(f"{verdicts} verdicts, {size:.0f} MB, stored in {time.perf_counter() - since:.0f} s")
        queues = Queues(store)
        small = queues.build("small", created_by="Zoe", limit=400, reviews=2, blind=True).id
        print("a queue of 400:")
        moves(store, small)
        crowd(store, small)
        queue_id = queues.build("whole", created_by="Zoe", reviews=2).id
        label_half(store, queue_id)
        print(f"a queue of {verdicts} with {int(verdicts * 0.9)} labels:")
        moves(store, queue_id)
        print("the rest:")
        measure("build a queue of all", lambda: queues.build("q", created_by="Zoe"), 3)
        measure("filter: near the threshold, unreviewed", lambda: CitationQuery(store).find(
            ItemFilter(near=0.5, reviewed=False), order="uncertain_first"), 5)  # fmt: skip
        measure("choices of a filter", lambda: CitationQuery(store).choices(ItemFilter()), 5)
        search = Search(store)
        for query in ("bridge", "xyzzy", '"river city" climate'):
            measure(f"search all: {query}", lambda q=query: search.find(q), 5)  # type: ignore[misc]
        measure("search page: bridge", lambda: search.find("bridge", each=5), 5)
        run_filter = ItemFilter(verdicts=("contradicted",), runs=("run1",))
        measure("the same in one run", lambda: search.find("bridge", each=5, within=run_filter), 5)
        measure("names for Ctrl+K", lambda: RunNames(store).newest(), 10)
        measure("search claims", lambda: search.find("river climate", ["claim"]), 5)
        measure("home figures", lambda: DashboardQueries(store).summary(), 5)
        measure("list runs", lambda: store.list_runs(), 5)
        measure("ratings", lambda: AgreementQueries(store).ratings(), 3)
        measure("back up", lambda: back_up(store, folder / f"{time.monotonic_ns()}.zip"), 1)
        output = store.get_summary("run1").output_sha256
        measure("what an erasure would take", lambda: Erasures(store).plan(output), 3)
        measure("erase an output", lambda: Erasures(store).erase(output, "Zoe", "other"), 1)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
