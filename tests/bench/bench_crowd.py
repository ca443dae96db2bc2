"""How long 20 reviewers wait for their next item while all verdicts are exported.

Reviewers are threads of one process, as the sessions of a server are; each gives a label every five
seconds. Two exports read the whole database meanwhile: one in a process of its own, as the command
line does, and one in a thread of the server, as the page does. Printed beside it: one reviewer
alone, before and during the exports, so that the ratio holds on a slow machine.

Run: python tests/bench/bench_crowd.py [VERDICTS] [FOLDER]
With a folder the database in it is used again, and made there the first time.
"""

import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.bench_queue import fill
from workbench.records.review import LabelDecision
from workbench.services.export import ExportSelection, chosen
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.store import Store

PEOPLE = 20
EVERY_S = 5.0
ROUNDS = 8
EVERYTHING = ("--all",)
"""Options of the command line that put every verdict into the export."""


class Waits:
    """Milliseconds that reviewers waited for the next item after a label."""

    def __init__(self) -> None:
        self.of_all: list[float] = []
        self.failures: list[BaseException] = []

    def line(self, name: str) -> str:
        waits = sorted(self.of_all)
        return (
            f"  {name:52} median {statistics.median(waits):5.0f} ms   "
            f"95 % {waits[int(len(waits) * 0.95)]:5.0f} ms   most {waits[-1]:5.0f} ms   "
            f"({len(waits)} labels)"
        )


def label_at_pace(store: Store, queue_id: str, people: int, every: float, rounds: int) -> Waits:
    """Waits of so many reviewers, each of whom gives a label every so many seconds."""
    waits = Waits()

    def review(number: int) -> None:
        generator = random.Random(number)
        turns, name = ReviewTaskService(Store(store.path)), f"Reviewer {number}"
        turn = turns.open(queue_id, name)
        due = time.perf_counter() + generator.uniform(0, every)
        for _ in range(rounds):
            time.sleep(max(0.0, due - time.perf_counter()))
            begun = time.perf_counter()
            assert turn.item is not None
            turn = turns.decide(
                queue_id, name, turn.item.position, LabelDecision(label="supported")
            )
            waits.of_all.append((time.perf_counter() - begun) * 1000)
            due += every

    def guarded(number: int) -> None:
        try:
            review(number)
        except BaseException as error:
            waits.failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(people)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if waits.failures:
        raise waits.failures[0]
    return waits


def beside_exports(store: Store, folder: Path, work: Callable[[], Waits]) -> tuple[Waits, str]:
    """The waits of some work while two exports of everything run again and again."""
    stop = threading.Event()
    took: dict[str, list[float]] = {"process": [], "thread": []}
    command = [
        sys.executable, "-m", "workbench", "export", "jsonl", "--db", str(store.path),
        "--out", str(folder / "process.jsonl"), *EVERYTHING,
    ]  # fmt: skip

    def in_process() -> None:
        while not stop.is_set():
            begun = time.perf_counter()
            running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            while running.poll() is None:
                if stop.wait(0.1):
                    running.kill()
                    running.wait()
                    return
            assert running.returncode == 0
            took["process"].append(time.perf_counter() - begun)

    def in_thread() -> None:
        while not stop.is_set():
            begun = time.perf_counter()
            with (folder / "thread.jsonl").open("w") as file:
                for example in chosen(Store(store.path), ExportSelection(labelled=False)):
                    file.write(json.dumps(example.row.to_dict()) + "\n")
                    if stop.is_set():
                        return
            took["thread"].append(time.perf_counter() - begun)

    threads = [threading.Thread(target=export) for export in (in_process, in_thread)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    waits = work()
    stop.set()
    for thread in threads:
        thread.join()
    seconds = ", ".join(
        f"{name} {statistics.mean(times):.0f} s" if times else f"{name} still under way"
        for name, times in took.items()
    )
    return waits, seconds


def main(verdicts: int, folder: Path) -> None:
    store = Store(folder / "workbench.duckdb")
    if not store.path.exists():
        fill(store, verdicts)
    queue = Queues(store).build("crowd", created_by="Zoe", limit=4000).id
    alone = label_at_pace(store, queue, 1, 0.2, 30)
    print(alone.line("one reviewer, nothing else"), flush=True)
    crowd = label_at_pace(store, queue, PEOPLE, EVERY_S, ROUNDS)
    print(crowd.line(f"{PEOPLE} reviewers, a label every {EVERY_S:.0f} s"), flush=True)
    during, seconds = beside_exports(
        store, folder, lambda: label_at_pace(store, queue, PEOPLE, EVERY_S, ROUNDS)
    )
    print(during.line(f"{PEOPLE} reviewers beside two exports"), flush=True)
    print(f"  an export of all took: {seconds}")
    print(
        "  median beside exports / alone: "
        f"{statistics.median(during.of_all) / statistics.median(alone.of_all):.1f}"
    )


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    if len(sys.argv) > 2:
        Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
        main(size, Path(sys.argv[2]))
    else:
        temporary = Path(tempfile.mkdtemp())
        try:
            main(size, temporary)
        finally:
            shutil.rmtree(temporary)
