"""Five kills by SIGKILL with `resume` under a cap, and what recording reservations costs.

    python tests/bench/bench_spending_kill.py [KILLS] [CAP_USD]

A local server bills every call when it takes it up and answers 0.4 s later, so that a killed
process has been billed for answers that it never saw. Ends with 1 where more was billed than the
cap, or less reported (settled and reserved) than billed. Then 400 calls, 20 at once, are reserved
and settled with and without a store, and single writes are timed: one call, 20 calls, and a line
appended to a journal with fsync for comparison.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from tests.fakes.counting import CountingServer, kill_when  # noqa: E402
from tests.fakes.launched import launched  # noqa: E402
from workbench.judging.budget import Budget  # noqa: E402
from workbench.records.spending import PricedCall  # noqa: E402
from workbench.store.admin.spending import run_account  # noqa: E402
from workbench.store.store import Store  # noqa: E402

WORKBENCH = launched()
CITATIONS, CALLS, AT_ONCE, CALL_S = 60, 400, 20, 0.4


def kills(place, many, cap):
    """What was billed, settled and reserved in USD, and how often the process was killed."""
    numbers = range(1, CITATIONS + 1)
    sources = [
        {"url": f"https://b.example/{n}", "content": f"Bridge {n} is long."} for n in numbers
    ]
    (place / "sources.json").write_text(json.dumps(sources))
    text = place / "answer.txt"
    text.write_text(
        "".join(f"Bridge {n} was built by hand [{n}].\n" for n in numbers)
        + "\n## References\n"
        + "".join(f"[{n}] https://b.example/{n}\n" for n in numbers)
    )
    with CountingServer(delay_s=CALL_S) as server:
        environment = server.environment(place / "data")
        command = [
            *WORKBENCH, "verify", str(text), "--sources", str(place / "sources.json"), "--judge",
            "openai:gpt-4o-mini", "--max-cost-usd", str(cap),
        ]  # fmt: skip
        killed, store = 0, Store(place / "data" / "workbench.duckdb")
        for _ in range(many):
            goal = server.calls + 2
            killed += kill_when(command, environment, lambda goal=goal: server.calls >= goal)
            (run,) = store.list_runs()
            command = [*WORKBENCH, "resume", run.id]
        (run,) = store.list_runs()
        return server.billed_usd, run.cost_usd, run.reserved_usd, killed


async def calls_a_second(account):
    """Reserve, wait as long as a call takes, settle: so many calls a second."""
    budget, slots = Budget(None, account), asyncio.Semaphore(AT_ONCE)

    async def make_call():
        async with slots:
            reserved = await budget.reserve_in_turn(PricedCall(worst_usd=0.001))
            await asyncio.sleep(CALL_S)
            budget.settle(reserved, 0.0005)

    begun = time.perf_counter()
    await asyncio.gather(*(make_call() for _ in range(CALLS)))
    await budget.aclose()
    return CALLS / (time.perf_counter() - begun)


def median_ms(work, times=30):
    durations = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        durations.append(time.perf_counter() - begun)
    return statistics.median(durations) * 1000


def main(many, cap):
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        billed, settled, reserved, killed = kills(place, many, cap)
        print(f"killed {killed} of {many} times under a cap of ${cap}")
        print(f"billed ${billed:.6f}; reported ${settled:.6f}, ${reserved:.6f} outcome unknown")
        account = run_account(Store(place / "rate.duckdb"), "r1")
        with_store = asyncio.run(calls_a_second(account))
        without = asyncio.run(calls_a_second(None))
        print(f"{AT_ONCE} calls of {CALL_S} s at once: {without:.1f} calls/s without a store, "
              f"{with_store:.1f} with one")  # fmt: skip
        call = PricedCall(worst_usd=0.001)
        single_ms = median_ms(lambda: account.write({}, [call], None))
        group = median_ms(lambda: account.write({}, [call] * AT_ONCE, None))

        def journal():
            with (place / "journal").open("ab", buffering=0) as file:
                file.write(b'{"worst_usd": 0.001, "judge": "openai:gpt-4o-mini"}\n')
                os.fsync(file.fileno())

        print(f"one write: {single_ms:.1f} ms for 1 call, {group:.1f} ms for {AT_ONCE}; "
              f"a journal's line {median_ms(journal):.1f} ms")  # fmt: skip
    return 1 if billed > cap or settled + reserved < billed - 1e-9 else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(
        main(int(arguments[0]) if arguments else 5, float(arguments[1]) if arguments[1:] else 0.012)
    )
