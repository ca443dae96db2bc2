"""What the Calibrate page costs at 100,000 labels, and a sweep of a million judgments.

Run: python tests/bench/bench_calibrate.py [LABELS]
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from tests.fakes.labelled import Given, add_run
from workbench.calibration import sweep_thresholds
from workbench.calibration.results import ALL_RUNS
from workbench.services.calibration.measurement import calibrate
from workbench.services.calibration.report_data import LOCAL, CachedCalibration, forget_view
from workbench.store import EvaluationRepository, Store

EACH = 500
WRITTEN = 10
"""So many outputs are written as runs are; the others are copies of them under other names."""
COPIED = (
    ("runs", "id"),
    ("run_completions", "run_id"),
    ("verdicts", "run_id"),
    ("labels", "run_id"),
)


def timed(name: str, work: Callable[[], object]) -> object:
    begun, cpu_started = time.perf_counter(), time.process_time()
    result = work()
    wall, cpu = time.perf_counter() - begun, time.process_time() - cpu_started
    print(f"{name:<44} {wall:8.3f} s {cpu:8.3f} s of processors")
    return result


def fill(store: Store, outputs: int, generator: np.random.Generator) -> None:
    for number in range(min(WRITTEN, outputs)):
        items = []
        for _ in range(EACH):
            score = float(generator.random())
            label = "supported" if generator.random() < score else "not_supported"
            items.append(
                Given(
                    score=round(score, 4),
                    verdict="supported" if score > 0.5 else "not_supported",
                    people=(("Ada", label),),
                    host=f"site{number}-{generator.integers(3)}.example",
                )
            )
        add_run(store, f"r{number}", items)
    with store.transaction() as connection:
        for copy in range(1, -(-outputs // WRITTEN)):
            mark = f"x{copy}"
            for table, key in COPIED:
                columns = [
                    name for (name,) in connection.execute(
                        "select column_name from duckdb_columns() where table_name = ? "
                        "order by column_index", [table],
                    ).fetchall()
                ]  # fmt: skip
                other = {key, "output_sha256", *(["id"] if table == "labels" else [])}
                chosen = ", ".join(
                    f"{column} || '{mark}'" if column in other else column for column in columns
                )
                connection.execute(
                    f"insert into {table} select {chosen} from {table} "
                    f"where not contains({key}, 'x')"
                )
            connection.execute(
                "insert into outputs select sha256 || ?, name, body, created_at from outputs "
                "where not contains(sha256, 'x')", [mark],
            )  # fmt: skip


def first_view(store: Store) -> None:
    """All that the page computes before its first view is complete."""
    cached = CachedCalibration.of(store)
    split = cached.split("Ada")
    judge = cached.judges()[0]
    done = calibrate(store, judge, split)
    cached.people()
    cached.against(done)
    cached.local(done)
    cached.rates(judge, split, ALL_RUNS)
    cached.missing(judge)
    cached.runs(judge)


def main(labels: int) -> None:
    generator = np.random.default_rng(7)
    scores, truth = generator.random(1_000_000), generator.random(1_000_000) < 0.7
    groups = list(range(1_000_000))
    timed("sweep of a million judgments", lambda: sweep_thresholds(scores, truth, groups))
    clustered = (np.arange(1_000_000) // 10).tolist()
    timed("the same in groups of ten", lambda: sweep_thresholds(scores, truth, clustered))
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "w.duckdb")
        fill(store, labels // EACH, generator)
        print(f"{labels:,} labels in {labels // EACH} outputs")
        split = timed("placed in parts, once", lambda: CachedCalibration.of(store).split("Ada"))
        timed(
            "read beside the labels",
            lambda: EvaluationRepository(store).read(LOCAL, split.id, ["train"]),
        )
        timed("judge, thresholds, guarantee", lambda: calibrate(store, LOCAL, split))
        forget_view()
        timed("the page's first view", lambda: first_view(store))
        timed("the page again", lambda: first_view(store))
        forget_view()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
