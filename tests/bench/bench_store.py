"""What a unit of work on the database costs, on an empty file and on one with many verdicts.

Run: python tests/bench/bench_store.py [VERDICTS]
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fakes import records as make
from workbench.records.text import Span
from workbench.store.store import Store


def median_ms(work: Callable[[int], object], rounds: int = 15) -> float:
    times = []
    for turn in range(rounds):
        start = time.perf_counter()
        work(turn)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def main(verdicts: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "w.duckdb")
        results = [
            make.result(1, citation=make.citation(1, id=f"c{n}", span=Span(n, n + 3)))
            for n in range(1000)
        ]
        for size in (0, verdicts):
            for number in range(size // 1000):
                run = make.run(f"r{number}", results=results)
                store.add_run(run, make.TEXT, "bench")
                store.finish_run(run)
            store.add_run(make.run(f"probe{size}"), make.TEXT, "probe")
            print(f"{size} verdicts in the file:")
            print(f"  list runs      {median_ms(lambda _: store.list_runs()):.1f} ms")
            label = lambda turn, size=size: store.add_label(make.label(f"l{size}-{turn}"))  # noqa: E731
            print(f"  add a label    {median_ms(label):.1f} ms")
            run_id = f"probe{size}"
            add = lambda turn, run_id=run_id: store.add_verdict(  # noqa: E731
                run_id, make.result(1, citation=make.citation(1, id=f"p{turn}"))
            )
            print(f"  add a verdict  {median_ms(add):.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
