"""What the Calibrate page costs at 100,000 labels, and a sweep of a million judgments.

Run: python tests/bench/bench_calibrate.py [LABELS]
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from tests.fakes.labelled import Given, add_run
from workbench.calibration import sweep
from workbench.fronts.calibrating import calibrate, ensure_split, forget, people
from workbench.fronts.calibrating_rates import rates_of
from workbench.store import JudgedBook, JudgeName, Store

LOCAL = JudgeName(specs=("local",))
EACH = 500


def timed(name: str, work: object) -> object:
    begun = time.perf_counter()
    found = work()  # type: ignore[operator]
    print(f"{name:<44} {time.perf_counter() - begun:8.3f} s")
    return found


def main(labels: int) -> None:
    chance = np.random.default_rng(7)
    scores, truth = chance.random(1_000_000), chance.random(1_000_000) < 0.7
    groups = list(range(1_000_000))
    timed("sweep of a million judgments", lambda: sweep(scores, truth, groups))
    clustered = (np.arange(1_000_000) // 10).tolist()
    timed("the same in groups of ten", lambda: sweep(scores, truth, clustered))
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "w.duckdb")
        for number in range(labels // EACH):
            given = []
            for _ in range(EACH):
                score = float(chance.random())
                label = "supported" if chance.random() < score else "not_supported"
                given.append(
                    Given(
                        score=round(score, 4),
                        verdict="supported" if score > 0.5 else "not_supported",
                        people=(("Ada", label),),
                        host=f"site{number}-{chance.integers(3)}.example",
                    )
                )
            add_run(store, f"r{number}", given)
        print(f"{labels:,} labels in {labels // EACH} outputs")
        split = timed("placed in parts, once", lambda: ensure_split(store, "Ada"))
        timed("who has judged", lambda: JudgedBook(store).judges())
        timed("read beside the labels", lambda: JudgedBook(store).read(LOCAL, split.id, ["train"]))
        timed("the page, first time", lambda: calibrate(store, LOCAL, split))
        timed("the page, again", lambda: calibrate(store, LOCAL, split))
        timed("people against people", lambda: people(store, split, ("train", "dev")))
        timed("rates of all runs", lambda: rates_of(store, LOCAL, split.id))
        forget()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
