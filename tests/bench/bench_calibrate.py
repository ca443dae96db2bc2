"""What the Calibrate page costs at 100,000 labels, and a sweep of a million judgments.

Run: python tests/bench/bench_calibrate.py [LABELS]
     python tests/bench/bench_calibrate.py --fitted DATA
The second measures what a limit fitted to 25, 50 and 100 labels gains the embedded judge on the
citations of DATA (as `bench_judge.py` reads it): the median over 200 draws of balanced accuracy on
the pairs not drawn.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from tests.bench.bench_judge import development_sets
from tests.fakes.labelled import Given, add_run
from workbench.calibration.fitted_limits import best_limit
from workbench.calibration.metrics import balanced_accuracy
from workbench.calibration.results import ALL_RUNS
from workbench.calibration.thresholds import sweep_thresholds
from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages
from workbench.services.calibration.measurement import calibrate
from workbench.services.calibration.report_data import LOCAL, CachedCalibration, forget_view
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.store import Store

CITATIONS = ("citation_integrity", "expertqa", "factcheck_gpt", "wice")
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


def measure_fitted(data: Path) -> None:
    judge = open_judge("local")
    for name, pairs in development_sets(data, 600):
        if name.rstrip("*") not in CITATIONS:
            continue
        judgments = [
            judge.judge(
                pair.claim,
                select_passages(
                    pair.claim, pair.source, 3000, pair.context.source.title, pair.context
                ),
                pair.context,
            )
            for pair in pairs
        ]
        scores = np.array([judgment.score for judgment in judgments])
        own = np.array([judgment.label == "supported" for judgment in judgments])
        truth = np.array([pair.label == "supported" for pair in pairs])
        groups = np.unique([pair.group for pair in pairs], return_inverse=True)[1]
        for many in (25, 50, 100):
            came, fitted = [], []
            for seed in range(200):
                # whole groups are drawn, as answers are labelled
                order = np.random.default_rng(seed).permutation(groups.max() + 1)
                drawn = np.argsort(order.argsort()[groups], kind="stable")
                chosen, rest = drawn[:many], drawn[many:]
                limit, _ = best_limit(list(scores[chosen]), list(truth[chosen]))
                came.append(balanced_accuracy(own[rest], truth[rest]))
                decided = own[rest] if limit is None else scores[rest] >= limit
                fitted.append(balanced_accuracy(decided, truth[rest]))
            print(f"{name:<22}{many:>4} labels {np.median(came):.3f} -> {np.median(fitted):.3f}")


if __name__ == "__main__" and sys.argv[1:2] == ["--fitted"]:
    measure_fitted(Path(sys.argv[2]))
elif __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
