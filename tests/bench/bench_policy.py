"""What the Policy page costs at 10,000 stored runs: what is read once, and what every edit costs.

Run: python tests/bench/bench_policy.py [RUNS]
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fakes.labelled import Given, add_run
from workbench.interfaces.web.policies.text import THRESHOLDS, concerned, runs_table, what_if_table
from workbench.policy import Policy, simulate_policy, simulate_thresholds
from workbench.services.policies import past_runs, preview_policy
from workbench.store.evaluation.predictions import RunOutcomeRepository
from workbench.store.store import Store

CITATIONS = 10


def timed(name: str, work: Callable[[], object], times: int = 1) -> float:
    begun = time.perf_counter()
    for _ in range(times):
        work()
    seconds = (time.perf_counter() - begun) / times
    print(f"{name:<52} {seconds * 1000:9.1f} ms")
    return seconds


def fill(store: Store, runs: int) -> None:
    """One run of ten citations, and copies of it with scores of their own."""
    add_run(store, "first", [Given(score=0.9) for _ in range(CITATIONS)])
    with store.transaction() as connection:
        for table, replaced, copies in (
            ("runs", {"id": "'r' || i", "created_at": "created_at + to_hours(i)"}, runs),
            ("run_completions", {"run_id": "'r' || i"}, runs),
            ("verdicts", {"run_id": "'r' || i", "score": "random()"}, runs),
            ("labels", {"run_id": "'r' || i", "id": "id || i"}, runs // 10),
        ):
            names = connection.execute(
                "select column_name from duckdb_columns() where table_name = ? "
                "order by column_index",
                [table],
            ).fetchall()
            chosen = ", ".join(replaced.get(name, name) for (name,) in names)
            connection.execute(
                f"insert into {table} select {chosen} from {table}, range(1, ?) t(i)", [copies]
            )


def main(runs: int) -> None:
    policy = Policy(require_source_match=True, unverified_action="redact")
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "w.duckdb")
        fill(store, runs)
        print(f"{runs:,} runs of {CITATIONS} citations, every tenth labelled")
        once = timed("read, when something was added", lambda: past_runs(store, None, None))
        past = past_runs(store, None, None)
        state = timed(
            "asked whether something was added", lambda: RunOutcomeRepository(store).state(), 5
        )
        weighed = timed("every run weighed", lambda: simulate_policy(policy, past.runs), 5)
        table = timed(
            f"what {len(THRESHOLDS)} thresholds would do",
            lambda: what_if_table(policy, simulate_thresholds(policy, past.runs, THRESHOLDS), {}),
            5,
        )
        simulation = simulate_policy(policy, past.runs)
        rows = timed("the list of runs", lambda: runs_table(concerned(simulation), past), 5)
        text = timed("the text of one run", lambda: preview_policy(store, policy, "r1"), 5)
        edit = state + weighed + table + rows + text
        print(f"{'an edit, in all':<52} {edit * 1000:9.1f} ms, 1 : {once / edit:.1f} to reading")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
