"""The first look at a page of 500 costs about as much as at one of 5: only that page is drawn.

Run: python tests/bench/bench_page_images.py (exit code 1 when it takes over three times as long).
"""

import asyncio
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.fakes.pdfs import pdf_of  # noqa: E402
from workbench.records.source import Fetched  # noqa: E402
from workbench.sources.read import (  # noqa: E402
    draw_page,
    read_source,
)
from workbench.sources.reading.pool import ParserProcessPool  # noqa: E402

ROUNDS = 7
LARGEST_RATIO = 3.0
LINES = "\n".join(
    f"Line {n} of this page has about as many words as a line has." for n in range(28)
)


def document(pages):
    body = pdf_of(*(f"Page {number}\n{LINES}" for number in range(1, pages + 1)))
    fetched = Fetched(
        url="a.pdf", final_url="a.pdf", status=None, content_type="application/pdf", body=body
    )
    return body, asyncio.run(read_source(fetched))


def seconds(pool, body, source, number):
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        assert draw_page(body, source, number, pool=pool).words
        times.append(time.perf_counter() - began)
    return min(times)


def main():
    pool = ParserProcessPool(1, seconds=30)
    short, long = document(5), document(500)
    began = time.perf_counter()
    draw_page(*short, 1, pool=pool)
    print(
        f"the first page of all, with the start of the process: {time.perf_counter() - began:.2f} s"
    )
    few = seconds(pool, *short, 1)
    ratios = []
    for name, number in (("first", 1), ("last", len(long[1].pages))):
        many = seconds(pool, *long, number)
        ratios.append(many / few)
        print(
            f"{name} page of 500: {many * 1000:.0f} ms, first of 5: {few * 1000:.0f} ms, ratio {many / few:.2f}"
        )
    pool.close()
    return int(max(ratios) > LARGEST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
