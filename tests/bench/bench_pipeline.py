"""Twenty citations at 200 ms a fetch and 500 ms a judgment, compared with one after another.

Run: python tests/bench/bench_pipeline.py
"""

import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fakes import records as make
from workbench import verify
from workbench.pipeline.options import JUDGMENTS_AT_ONCE
from workbench.records.source import Fetched
from workbench.records.text import Span
from workbench.records.verdict import Evidence

CITATIONS, FETCH_S, JUDGE_S = 20, 0.2, 0.5
TEXT = "".join(f"Claim number {n} is here [{n}].\n" for n in range(1, CITATIONS + 1))
TEXT += "\nReferences\n" + "".join(
    f"[{n}] https://host{n}.example/\n" for n in range(1, CITATIONS + 1)
)


class SlowPages:
    async def fetch(self, query):
        await asyncio.sleep(FETCH_S)
        url = query.target.value
        body = f"The page of {url} says something.".encode()
        return Fetched(url=url, final_url=url, status=200, content_type="text/plain", body=body)


class SlowJudge:
    spec = "slow"

    async def ajudge(self, claim, passages):
        await asyncio.sleep(JUDGE_S)
        return make.judgment(evidence=(Evidence(quote=passages[0].text[:8], span=Span(0, 8)),))

    def worst_cost_usd(self, claim, passages):
        return 0.0


if __name__ == "__main__":
    verify(TEXT, judge=SlowJudge(), sources=SlowPages())  # starts the reading processes
    start = time.perf_counter()
    run = verify(TEXT, judge=SlowJudge(), sources=SlowPages())
    took = time.perf_counter() - start
    assert run.total_resolved == CITATIONS
    ideal, sequential = FETCH_S + JUDGE_S, CITATIONS * (FETCH_S + JUDGE_S)
    print(f"{CITATIONS} citations, {JUDGMENTS_AT_ONCE} judgments at once: {took:.2f} s")
    print(f"  ideal {ideal:.2f} s: x {took / ideal:.2f}; one after another {sequential:.1f} s")
